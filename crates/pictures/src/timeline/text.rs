//! Draws the timeline for a terminal.

use std::fmt::Write as _;

use anstyle::Style;
use millicron::calendar::MILLIS_PER_DAY;

use super::{JobRow, Timeline};
use crate::shades::Shades;
use crate::text::{
    axis, bar, fill, heading, legend, paragraph, paragraphs, shaded, styled_cells, width,
};
use crate::{Picture as _, words};

/// The numbers of slots that a day can be divided into.
const DAY: [usize; 8] = [144, 96, 72, 48, 24, 12, 8, 6];
const WEEK: [usize; 8] = [24, 12, 8, 6, 4, 3, 2, 1];

/// The lines of the load.
const HEIGHT: u64 = 4;

/// Blocks of zero to eight eighths.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The widths of the parts of a line.
struct LineLayout {
    name: usize,
    /// The number of slots per day.
    slots: usize,
    count: usize,
}

pub(super) fn draw(timeline: &Timeline, columns: usize) -> String {
    let mut out = String::new();
    heading(&mut out, &timeline.title(), columns);
    out.push('\n');
    let layout = layout(timeline, columns);
    let merged = timeline.slots / layout.slots;
    let shades = &timeline.shades(merged, |_| true);
    draw_axis(&mut out, timeline, &layout);
    for row in &timeline.rows {
        draw_row(&mut out, row, merged, shades, &layout);
    }
    if timeline.load.peak.is_some() {
        draw_load(&mut out, timeline, merged, &layout);
    }
    out.push('\n');
    paragraph(&mut out, &timeline.description(), columns);
    let slot = words::slot(MILLIS_PER_DAY, layout.slots);
    if timeline.load.peak.is_some() {
        legend(&mut out, &format!("Starts in {slot}"), shades, columns);
    }
    if timeline.rows.iter().any(|row| row.duration.is_some()) {
        out.push_str("─ runs\n");
    }
    paragraphs(&mut out, timeline.sentences(), columns);
    out
}

fn layout(timeline: &Timeline, columns: usize) -> LineLayout {
    let longest = timeline.rows.iter().map(|row| width(&row.name)).max().unwrap_or(0);
    let name = longest.clamp(7, (columns / 4).max(7));
    let counts = timeline.rows.iter().map(|row| words::number(row.total).len());
    let count = counts.max().unwrap_or(1);
    let days = timeline.days.len().max(1);
    // Two bars, two spaces, and a bar between two days.
    let room = columns.saturating_sub(name + count + 4 + days - 1);
    let slots = if days > 1 { WEEK } else { DAY };
    let slots = slots.into_iter().find(|slots| slots * days <= room).unwrap_or(slots[7]);
    LineLayout { name, slots, count }
}

/// Writes the names of the days, or the hours of a single day.
fn draw_axis(out: &mut String, timeline: &Timeline, layout: &LineLayout) {
    let LineLayout { name, slots, .. } = *layout;
    let axis = if timeline.days.len() > 1 {
        let weekdays = timeline.days.iter().map(|day| words::short_weekday(day.date).to_owned());
        axis(weekdays.enumerate().map(|(index, weekday)| (index * (slots + 1), weekday)))
    } else {
        let step = if slots >= 48 { 3 } else { 6 };
        axis((0..24).step_by(step).map(|hour| (hour * slots / 24, format!("{hour:02}"))))
    };
    let _ = writeln!(out, "{:name$}  {axis}", "");
}

fn draw_row(out: &mut String, row: &JobRow, merged: usize, shades: &Shades, layout: &LineLayout) {
    let cells = row.merged(merged).map(|slot| match slot.starts {
        0 if slot.is_running => ('─', Style::new()),
        starts => shaded(shades.level(starts)),
    });
    let count = words::number(row.total);
    draw_line(out, &row.name, &cells.collect::<Vec<_>>(), Some(&count), layout);
}

/// Writes a line with a bar between two days.
fn draw_line(
    out: &mut String,
    name: &str,
    cells: &[(char, Style)],
    count: Option<&str>,
    layout: &LineLayout,
) {
    let bar = bar();
    let days =
        cells.chunks(layout.slots).map(|day| styled_cells(day.iter().copied())).collect::<Vec<_>>();
    let (name, line) = (fill(name, layout.name), days.join(&bar));
    let count_width = layout.count;
    let _ = match count {
        Some(count) => writeln!(out, "{name} {bar}{line}{bar} {count:>count_width$}"),
        None => writeln!(out, "{name} {bar}{line}{bar}"),
    };
}

/// Writes the number of concurrent runs, as bars a few lines high.
fn draw_load(out: &mut String, timeline: &Timeline, merged: usize, layout: &LineLayout) {
    let loads = timeline.load.merged(merged).collect::<Vec<_>>();
    let most = loads.iter().copied().max().unwrap_or(0).max(1);
    let full = u128::from(HEIGHT) * 8;
    let name_width = layout.name;
    for line in (0..u128::from(HEIGHT)).rev() {
        let cells = loads.iter().map(|load| {
            let eighths = (u128::from(*load) * full).div_ceil(most.into());
            let block = eighths.saturating_sub(line * 8).min(8);
            (BLOCKS[usize::try_from(block).unwrap_or(0)], Style::new())
        });
        let name = match line {
            3 => format!("{:>name_width$}", words::number(most)),
            1 => "at once".to_owned(),
            0 => format!("{:>name_width$}", 0),
            _ => String::new(),
        };
        draw_line(out, &name, &cells.collect::<Vec<_>>(), None, layout);
    }
}
