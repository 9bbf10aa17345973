//! Draws the calendar as SVG.

use svg::node::element::Group;

use super::{Cell, Month, YearCalendar};
use crate::drawing::{Anchor, Drawing, MARGIN, mark, rectangle, text};
use crate::shades::Shades;
use crate::words;

/// The space between two months.
const BETWEEN: f64 = 24.0;

pub(super) fn draw(calendar: &YearCalendar, width: u32) -> String {
    let mut drawing = Drawing::new(width, calendar);
    let shades = &calendar.shades();
    let in_row = months_in_row(width);
    let cell = (drawing.inner_width() + BETWEEN) / in_row as f64 / 7.0 - BETWEEN / 7.0;
    let months = calendar.months().collect::<Vec<_>>();
    for row in months.chunks(in_row) {
        let top = drawing.y();
        let weeks = row.iter().map(|month| month.days().len() / 7).max().unwrap_or(0);
        for (index, month) in row.iter().enumerate() {
            let left = MARGIN + index as f64 * (7.0 * cell + BETWEEN);
            draw_month(&mut drawing, month, shades, left, top, cell);
        }
        drawing.advance(HEADER + weeks as f64 * cell + BETWEEN);
    }
    if calendar.has_legend() {
        drawing.legend("Events a day", shades);
    }
    if let Some(key) = calendar.closed_key() {
        drawing.keys(&[("closed", &key)]);
    }
    for list in calendar.closed_sentence().into_iter().chain(calendar.days_sentence()) {
        drawing.note(&list);
    }
    for change in calendar.clock_changes() {
        drawing.note(&change);
    }
    drawing.finish()
}

/// The height of a month's name and the names of its weekdays.
const HEADER: f64 = 40.0;

fn months_in_row(width: u32) -> usize {
    match width {
        0..320 => 1,
        320..640 => 2,
        640..860 => 3,
        860..1400 => 4,
        _ => 6,
    }
}

fn draw_month(
    drawing: &mut Drawing,
    month: &Month<'_>,
    shades: &Shades,
    left: f64,
    top: f64,
    cell: f64,
) {
    let middle = left + 3.5 * cell;
    drawing.label(month.name(), middle, top + 14.0, 14.0, Anchor::Middle, "strong");
    for (index, weekday) in words::WEEK.iter().enumerate() {
        let x = left + (index as f64 + 0.5) * cell;
        drawing.label(weekday, x, top + 33.0, font(cell), Anchor::Middle, "faint");
    }
    for (row, week) in month.days().chunks(7).enumerate() {
        let y = top + HEADER + row as f64 * cell;
        for (column, day) in week.iter().enumerate() {
            if let Some(day) = day {
                let x = left + column as f64 * cell;
                drawing.add(draw_day(month.calendar, day, shades, x, y, cell));
            }
        }
    }
}

/// The font size at which two digits fit in a cell.
fn font(cell: f64) -> f64 {
    (cell * 0.42).clamp(9.0, 15.0)
}

fn draw_day(
    calendar: &YearCalendar,
    cell: &Cell<'_>,
    shades: &Shades,
    x: f64,
    y: f64,
    size: f64,
) -> Group {
    let (level, title) = match cell.day {
        None => (0, "skipped by the clocks".to_owned()),
        Some(day) => (shades.level(day.count), calendar.tooltip(day)),
    };
    let length = size - 2.0;
    let square = rectangle(x + 1.0, y + 1.0, length, length).set("rx", 3);
    let changes = cell.day.is_some_and(|day| day.clock_change != 0);
    let is_closed = level == 0 && cell.day.is_some_and(|day| day.is_closed);
    let fill = if is_closed { "closed".to_owned() } else { format!("l{level}") };
    let square = square.set("class", if changes { format!("{fill} change") } else { fill });
    let font = font(size);
    let number = cell.date.day().to_string();
    let (middle, base) = (x + size / 2.0, y + size / 2.0 + font * 0.36);
    let number = text(&number, middle, base, font, Anchor::Middle);
    let mut day = mark(&format!("{}: {title}", words::long_date(cell.date))).add(square);
    if changes {
        // A line of the paper color makes the outline stand out from any shade.
        let inset = rectangle(x + 3.0, y + 3.0, length - 4.0, length - 4.0);
        day = day.add(inset.set("rx", 2).set("class", "inset"));
    }
    day.add(number.set("class", format!("t{level}")))
}
