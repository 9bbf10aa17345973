//! Draws the day for a terminal.

use std::fmt::Write as _;

use super::{DayChart, HOUR, HourRow};
use crate::shades::Shades;
use crate::text::{
    FAINT, axis, bar, heading, legend, paragraph, paragraphs, shaded, styled, styled_cells,
};
use crate::{Picture as _, words};

/// The numbers of slots that an hour can be divided into.
const SLOTS: [usize; 9] = [180, 90, 60, 36, 30, 20, 15, 12, 10];

/// The maximum number of times that are written out.
const WRITTEN: usize = 48;

pub(super) fn draw(chart: &DayChart, columns: usize) -> String {
    let mut out = String::new();
    heading(&mut out, &chart.title(), columns);
    out.push('\n');
    let label_width = chart.rows.iter().map(|row| row.label().len()).max().unwrap_or(2);
    let count_width =
        chart.rows.iter().map(|row| words::number(row.total).len()).max().unwrap_or(1);
    let room = columns.saturating_sub(label_width + count_width + 5);
    let slots = SLOTS.into_iter().find(|slots| *slots <= room).unwrap_or(10);
    let shades = &chart.shades(slots, |_| true);
    let _ = writeln!(out, "{:label_width$}  {}", "", minutes(slots));
    for row in &chart.rows {
        let label = format!("{:<label_width$}", row.label());
        let count = format!("{:>count_width$}", words::number(row.total));
        let count = if row.total == 0 { styled(FAINT, &count) } else { count };
        let _ = writeln!(out, "{label} {}{}{} {count}", bar(), draw_row(row, slots, shades), bar());
    }
    out.push('\n');
    paragraph(&mut out, &chart.description(), columns);
    if chart.total > 0 {
        legend(&mut out, &format!("Events in {}", words::slot(HOUR, slots)), shades, columns);
    }
    paragraphs(&mut out, chart.clock_changes(), columns);
    if let Some(events) = chart.events().filter(|events| (1..=WRITTEN).contains(&events.len())) {
        let times = events.iter().map(|event| chart.time(*event)).collect::<Vec<_>>();
        paragraph(&mut out, &format!("Times: {}", times.join(", ")), columns);
    }
    out
}

/// Returns the minutes above the slots.
fn minutes(slots: usize) -> String {
    let minutes = if slots >= 30 { [0, 15, 30, 45].as_slice() } else { &[0, 30] };
    axis(minutes.iter().map(|minute| (minute * slots / 60, format!("{minute:02}"))))
}

fn draw_row(row: &HourRow, slots: usize, shades: &Shades) -> String {
    let slot = HOUR / i64::try_from(slots).unwrap_or(1);
    let (from, until) = row.part();
    let cells = (0..).zip(row.counts(slots)).map(|(index, count)| {
        let level = shades.level(count);
        // This part of the hour is outside the row.
        let is_missing = count == 0 && (index * slot < from || (index + 1) * slot > until);
        if is_missing { ('×', FAINT) } else { shaded(level) }
    });
    styled_cells(cells)
}
