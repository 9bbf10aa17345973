//! Draws the calendar for a terminal.

use std::fmt::Write as _;

use anstyle::Style;

use super::{Cell, YearCalendar};
use crate::shades::{GLYPHS, Shades, style};
use crate::text::{FAINT, HEADING, heading, legend, paragraph, paragraphs, styled};
use crate::{Picture as _, words};

/// The columns of a day: two digits, and the character of its shade.
const DAY: usize = 3;
const MONTH: usize = 7 * DAY;
const BETWEEN: usize = 2;

/// The character after the number of a closed day.
const CLOSED: char = '×';

pub(super) fn draw(calendar: &YearCalendar, columns: usize) -> String {
    let mut out = String::new();
    heading(&mut out, &calendar.title(), columns);
    let shades = &calendar.shades();
    let months = calendar.months().map(|month| lines(&month, shades)).collect::<Vec<_>>();
    for row in months.chunks(months_in_row(columns)) {
        out.push('\n');
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let mut text = String::new();
            for (index, month) in row.iter().enumerate() {
                let blank = || " ".repeat(MONTH);
                let gap = if index == 0 { 0 } else { BETWEEN };
                let _ =
                    write!(text, "{:gap$}{}", "", month.get(line).cloned().unwrap_or_else(blank));
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
    }
    out.push('\n');
    paragraph(&mut out, &calendar.description(), columns);
    if calendar.has_legend() {
        legend(&mut out, "Events a day", shades, columns);
    }
    let key = calendar.closed_key().map(|key| format!("{CLOSED} {key}"));
    let lists = calendar.closed_sentence().into_iter().chain(calendar.days_sentence());
    paragraphs(&mut out, key.into_iter().chain(lists), columns);
    paragraphs(&mut out, calendar.clock_changes(), columns);
    out
}

/// Returns how many months to put in a row: a divisor of twelve.
fn months_in_row(columns: usize) -> usize {
    let fitting = (columns + BETWEEN) / (MONTH + BETWEEN);
    [6, 4, 3, 2].into_iter().find(|months| *months <= fitting).unwrap_or(1)
}

/// Returns the lines of a month.
fn lines(month: &super::Month<'_>, shades: &Shades) -> Vec<String> {
    // Trailing blanks are unstyled, so that they can be trimmed.
    let name = format!("{:^MONTH$}", month.name());
    let blank = " ".repeat(MONTH - name.trim_end().len());
    let name = styled(HEADING, name.trim_end()) + &blank;
    let weekdays = styled(FAINT, &words::WEEK.join(" ")) + " ";
    let mut lines = vec![name, weekdays];
    for week in month.days().chunks(7) {
        lines.push(week.iter().map(|cell| draw_day(cell.as_ref(), shades)).collect());
    }
    lines
}

fn draw_day(cell: Option<&Cell<'_>>, shades: &Shades) -> String {
    let Some(cell) = cell else { return " ".repeat(DAY) };
    let Some(day) = cell.day else { return styled(FAINT, " - ") };
    let level = shades.level(day.count);
    let number = format!("{:>2}", cell.date.day());
    let marked = |style: Style| if day.clock_change == 0 { style } else { style.underline() };
    match level {
        0 if day.is_closed => styled(marked(FAINT), &number) + &styled(FAINT, &CLOSED.to_string()),
        0 => styled(marked(FAINT), &number) + " ",
        _ => styled(marked(style(level)), &format!("{number}{}", GLYPHS[level])),
    }
}
