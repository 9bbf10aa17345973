//! The days around clock changes in a terminal.

use std::fmt::Write as _;

use super::{Change, ClockChanges, Day};
use crate::shades::{GLYPHS, Shades, style};
use crate::strip::Clocks;
use crate::text::{FAINT, HEADING, heading, legend, paragraph, styled, styled_cells, wrap};
use crate::{Picture as _, words};

/// The numbers of slots that a day can have, from wide to narrow.
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
        for line in wrap(&change.sentence(), columns) {
            let _ = writeln!(out, "{}", styled(HEADING, &line));
        }
        let _ = writeln!(out, "{:label_width$}  {}", "", styled(FAINT, &axis(slots)));
        for day in &change.days {
            draw_day(&mut out, day, slots, shades, (label_width, count_width));
        }
        for line in change.effects() {
            paragraph(&mut out, &line, columns);
        }
    }
    draw_legend(&mut out, chart, slots, columns);
    out
}

fn draw_legend(out: &mut String, chart: &ClockChanges, slots: usize, columns: usize) {
    if chart.changes.is_empty() {
        return;
    }
    out.push('\n');
    let slot = words::duration(86_400_000 / i64::try_from(slots).unwrap_or(1));
    legend(out, &format!("Events in {slot}"), &chart.shades(slots), columns);
    let has = |is_it: fn(&Change) -> bool| chart.changes.iter().any(is_it);
    if has(|change| change.after > change.before) {
        paragraph(out, "× the clocks skip this time", columns);
    }
    if has(|change| change.after < change.before) {
        paragraph(out, "» « the clocks show the time between twice", columns);
    }
}

/// Returns the hours above the slots.
fn axis(slots: usize) -> String {
    let step = match slots {
        72.. => 3,
        12.. => 6,
        _ => 12,
    };
    let mut axis = String::new();
    for hour in (0..24).step_by(step) {
        let column = hour * slots / 24;
        let _ = write!(axis, "{:blank$}{hour:02}", "", blank = column.saturating_sub(axis.len()));
    }
    axis
}

fn draw_day(out: &mut String, day: &Day, slots: usize, shades: &Shades, widths: (usize, usize)) {
    let (label_width, count_width) = widths;
    let month = words::month(day.date.month()).get(..3).unwrap_or_default();
    let weekday = words::weekday(day.date).get(..3).unwrap_or_default();
    let label = match label_width {
        6 => format!("{month} {:>2}", day.date.day()),
        _ => format!("{weekday} {month} {:>2}", day.date.day()),
    };
    let label = if day.is_changed { styled(HEADING, &label) } else { label };
    let slots = day.strip.slots(slots).collect::<Vec<_>>();
    let is_twice = |index: Option<usize>| {
        let slot = index.and_then(|index| slots.get(index));
        slot.is_some_and(|slot| slot.clocks == Clocks::Twice)
    };
    let cells = slots.iter().enumerate().map(|(index, slot)| match (slot.count, slot.clocks) {
        (0, Clocks::Skip) => ('×', FAINT),
        (0, Clocks::Once) if is_twice(index.checked_add(1)) => ('»', FAINT),
        (0, Clocks::Once) if is_twice(index.checked_sub(1)) => ('«', FAINT),
        (count, _) => (GLYPHS[shades.level(count)], style(shades.level(count))),
    });
    let line = styled_cells(cells);
    let bar = styled(FAINT, "│");
    let count = format!("{:>count_width$}", words::number(day.strip.total));
    let _ = writeln!(out, "{label} {bar}{line}{bar} {count}");
}
