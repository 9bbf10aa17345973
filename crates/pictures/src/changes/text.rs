//! Draws the days around clock changes for a terminal.

use std::fmt::Write as _;

use millicron::calendar::MILLIS_PER_DAY;

use super::{ChangeDay, ClockChanges};
use crate::shades::Shades;
use crate::strip::Clocks;
use crate::text::{
    HEADING, axis, bar, heading, legend, paragraph, paragraphs, shaded, styled, styled_cells,
};
use crate::{Picture as _, words};

/// The numbers of slots that a day can be divided into, from widest to narrowest.
const SLOTS: [usize; 6] = [144, 72, 48, 24, 12, 8];

pub(super) fn draw(chart: &ClockChanges, columns: usize) -> String {
    let mut out = String::new();
    heading(&mut out, &chart.title(), columns);
    paragraph(&mut out, &chart.description(), columns);
    let days = || chart.changes.iter().flat_map(|change| &change.days);
    let count_width = days().map(|day| words::number(day.strip.total).len()).max().unwrap_or(1);
    let label_width = if columns < 50 { 6 } else { 10 };
    let room = columns.saturating_sub(label_width + count_width + 4);
    let slots = SLOTS.into_iter().find(|slots| *slots <= room).unwrap_or(8);
    let shades = &chart.shades(slots);
    for change in &chart.changes {
        out.push('\n');
        heading(&mut out, &change.events.to_string(), columns);
        let _ = writeln!(out, "{:label_width$}  {}", "", hours(slots));
        for day in &change.days {
            draw_day(&mut out, day, slots, shades, (label_width, count_width));
        }
        paragraphs(&mut out, change.effects(), columns);
    }
    draw_legend(&mut out, chart, slots, columns);
    out
}

fn draw_legend(out: &mut String, chart: &ClockChanges, slots: usize, columns: usize) {
    if chart.changes.is_empty() {
        return;
    }
    out.push('\n');
    let slot = words::slot(MILLIS_PER_DAY, slots);
    legend(out, &format!("Events in {slot}"), &chart.shades(slots), columns);
    let days = chart.changes.iter().flat_map(|change| &change.days);
    let clocks = days.flat_map(|day| day.strip.slots(slots)).map(|slot| slot.clocks);
    let clocks = clocks.collect::<Vec<_>>();
    if clocks.contains(&Clocks::Skip) {
        paragraph(out, "× the clocks skip this time", columns);
    }
    if clocks.contains(&Clocks::Twice) {
        paragraph(out, "2 the clocks show this time twice", columns);
    }
}

/// Returns the hours above the slots.
fn hours(slots: usize) -> String {
    let step = match slots {
        72.. => 3,
        12.. => 6,
        _ => 12,
    };
    axis((0..24).step_by(step).map(|hour| (hour * slots / 24, format!("{hour:02}"))))
}

fn draw_day(
    out: &mut String,
    day: &ChangeDay,
    slots: usize,
    shades: &Shades,
    widths: (usize, usize),
) {
    let (label_width, count_width) = widths;
    let month = words::short_month(day.date.month());
    let weekday = words::short_weekday(day.date);
    let label = match label_width {
        6 => format!("{month} {:>2}", day.date.day()),
        _ => format!("{weekday} {month} {:>2}", day.date.day()),
    };
    let label = if day.is_changed { styled(HEADING, &label) } else { label };
    let slots = day.strip.slots(slots).collect::<Vec<_>>();
    let line = styled_cells(slots.iter().map(|slot| shaded(shades.level(slot.count))));
    let bar = bar();
    let count = format!("{:>count_width$}", words::number(day.strip.total));
    let _ = writeln!(out, "{label} {bar}{line}{bar} {count}");
    let marks = slots.iter().map(|slot| match slot.clocks {
        Clocks::Once => ' ',
        Clocks::Twice => '2',
        Clocks::Skip => '×',
    });
    let marks = marks.collect::<String>();
    if !marks.trim_end().is_empty() {
        let _ = writeln!(out, "{:label_width$}  {}", "", marks.trim_end());
    }
}
