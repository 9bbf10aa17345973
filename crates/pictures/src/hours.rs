//! [`HourlyLoad`]: the number of concurrent runs by hour of the day.

use std::fmt::Write as _;

use crate::drawing::{Anchor, Drawing, FONT, MARGIN, length, longest, mark, rectangle, text};
use crate::text::{FAINT, heading, paragraph, styled};
use crate::{Picture, words};

/// The height of an hour, and of its bar.
const ROW: f64 = 22.0;
const BAR: f64 = 16.0;

/// Blocks of one eighth to eight eighths.
const BLOCKS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// The load in an hour of the day, over all days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "made by its users")]
pub struct HourLoad {
    /// The number of runs that started.
    pub starts: u64,
    /// The maximum number of concurrent runs.
    pub most: u64,
}

/// The number of concurrent runs by hour of the day.
#[derive(Clone, Debug)]
pub struct HourlyLoad {
    subject: String,
    zone: String,
    days: String,
    hours: [HourLoad; 24],
}

impl HourlyLoad {
    /// Creates a picture of 24 hours. The title contains the subject, such as a file name, the time zone, and the
    /// days in words.
    #[must_use]
    pub fn new(subject: &str, zone: &str, days: &str, hours: [HourLoad; 24]) -> Self {
        Self { subject: subject.to_owned(), zone: zone.to_owned(), days: days.to_owned(), hours }
    }

    fn most(&self) -> u64 {
        self.hours.iter().map(|hour| hour.most).max().unwrap_or(0)
    }

    /// Returns the texts of each hour: its name, the most runs at once, and the starts.
    fn texts(&self) -> impl Iterator<Item = (String, String, String)> {
        self.hours.iter().enumerate().map(|(hour, load)| {
            (format!("{hour:02}"), words::number(load.most), words::number(load.starts))
        })
    }
}

impl Picture for HourlyLoad {
    fn title(&self) -> String {
        format!("{}: load by hour of the day in {}, {}", self.subject, self.zone, self.days)
    }

    fn description(&self) -> String {
        let most = self.most();
        let busiest = |(_, load): &(usize, &HourLoad)| load.most == most;
        let hours = self.hours.iter().enumerate().filter(busiest).map(|(hour, _)| hour);
        let hours: Vec<_> = hours.map(|hour| format!("{hour:02}:00")).collect();
        let runs = words::counted(most, "run");
        match hours.split_last() {
            _ if most == 0 => "Nothing runs.".to_owned(),
            Some((only, [])) => format!("At most {runs} at once: in the hour from {only}."),
            Some((last, others)) if others.len() < 6 => {
                let others = others.join(", ");
                format!("At most {runs} at once: in the hours from {others} and {last}.")
            }
            _ => format!("At most {runs} at once, in {} hours of the day.", hours.len()),
        }
    }

    fn to_text(&self, columns: usize) -> String {
        let mut out = String::new();
        heading(&mut out, &self.title(), columns);
        out.push('\n');
        let texts: Vec<_> = self.texts().collect();
        let most = texts.iter().fold("at once".len(), |most, texts| most.max(texts.1.len()));
        let starts = texts.iter().fold("runs".len(), |most, texts| most.max(texts.2.len()));
        let room = columns.saturating_sub(most + starts + 7).max(1);
        let axis = format!("    {:room$} {:>most$} {:>starts$}", "", "at once", "runs");
        let _ = writeln!(out, "{}", styled(FAINT, &axis));
        for (load, (hour, at_once, runs)) in self.hours.iter().zip(&texts) {
            let bar = bar(load.most, self.most(), room);
            let _ = writeln!(out, "{hour} {bar:room$}   {at_once:>most$} {runs:>starts$}");
        }
        out.push('\n');
        paragraph(&mut out, &self.description(), columns);
        out
    }

    fn to_svg(&self, width: u32) -> String {
        let mut drawing = Drawing::new(width, self);
        let texts: Vec<_> = self.texts().collect();
        let runs_of = |load: &HourLoad| words::counted(load.starts, "run");
        let starts = longest(self.hours.iter().map(runs_of));
        let at_once = longest(texts.iter().map(|(_, most, _)| most.clone()));
        let left = MARGIN + length("00", FONT) + 8.0;
        let right = MARGIN + drawing.inner_width();
        let room = (right - starts - at_once - 24.0 - left).max(1.0);
        let most = self.most().max(1) as f64;
        for (load, (hour, at_once, _)) in self.hours.iter().zip(&texts) {
            let runs = runs_of(load);
            let (y, wide) = (drawing.y(), room * load.most as f64 / most);
            let base = y + 13.0;
            let tooltip = format!("{hour}:00 to {hour}:59: {at_once} at once, {runs}");
            let bar = rectangle(left, y, wide, BAR).set("class", "l4");
            let track = rectangle(left, y, room, BAR).set("class", "l0");
            drawing.label(hour, MARGIN, base, FONT, Anchor::Start, "faint");
            drawing.add(mark(&tooltip).add(track).add(bar));
            drawing.add(text(at_once, left + room + 8.0, base, FONT, Anchor::Start));
            drawing.label(&runs, right, base, FONT, Anchor::End, "faint");
            drawing.advance(ROW);
        }
        drawing.finish()
    }
}

/// Returns a bar of up to `room` columns.
fn bar(count: u64, most: u64, room: usize) -> String {
    let eighths = u128::from(count) * 8 * room as u128 / u128::from(most.max(1));
    let eighths = usize::try_from(eighths).unwrap_or(0).max(usize::from(count > 0));
    let mut bar = "█".repeat(eighths / 8);
    bar.extend((!eighths.is_multiple_of(8)).then(|| BLOCKS[eighths % 8 - 1]));
    bar
}
