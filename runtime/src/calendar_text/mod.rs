//! Reads the text of a calendar, line by line.

mod easter;
mod error;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use self::easter::days_from_easter;
pub use self::error::CalendarError;
use crate::calendar::{day_number, days_in_month};
use crate::compile::{days_on, find};
use crate::days::DaySet;
use crate::error::Detail;
use crate::handle::FIRST_DAY;
use crate::parse::{DayLine, read_days};
use crate::{Calendar, Calendars, ParseError, ParseErrorKind};

/// A step from nothing to the days of a calendar, as far as it is known without other calendars.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are few, in the macro")]
pub enum CalendarStep {
    /// Keeps some days, and then adds others.
    Days {
        /// The days to keep.
        kept: DaySet,
        /// The days to add.
        added: DaySet,
    },
    /// Adds or removes the days of another calendar.
    Calendar {
        /// The place of its name in the text.
        name: Range<usize>,
        /// Whether its days are removed.
        is_removed: bool,
    },
}

/// Reads the text of a calendar as far as possible without other calendars. Also returns the error if, with them, it has
/// no days.
///
/// # Errors
///
/// Returns an error if a line is not in the language of calendars, or if the calendar has no days,
/// whatever the others are.
pub fn compile_calendar(text: &str) -> Result<(Vec<CalendarStep>, CalendarError), CalendarError> {
    let (mut steps, mut last) = (Vec::new(), None);
    for line in lines_of(text) {
        let days = line.days()?;
        if steps.is_empty() && line.is_removed {
            // If the first line removes, it removes from all days.
            steps.push(CalendarStep::Days { kept: DaySet::EMPTY, added: DaySet::ALL });
        }
        if let LineDays::Calendar(name) = days {
            let name = line.start + name.start..line.start + name.end;
            steps.push(CalendarStep::Calendar { name, is_removed: line.is_removed });
            last = Some(line);
            continue;
        }
        if !matches!(steps.last(), Some(CalendarStep::Days { .. })) {
            steps.push(CalendarStep::Days { kept: DaySet::ALL, added: DaySet::EMPTY });
        }
        if let Some(CalendarStep::Days { kept, added }) = steps.last_mut() {
            days.apply(kept, line.is_removed);
            days.apply(added, line.is_removed);
        }
        last = Some(line);
    }
    let has_days = match &steps[..] {
        [] => false,
        [CalendarStep::Days { added, .. }] => !added.is_empty(),
        // What is added is kept, too.
        [.., CalendarStep::Days { kept, .. }] => !kept.is_empty(),
        _ => true,
    };
    if has_days { Ok((steps, without_days(last))) } else { Err(without_days(last)) }
}

/// Reads the text of a calendar, with other calendars by name.
///
/// # Errors
///
/// Returns an error if a line is not in the language of calendars or names a calendar that is not
/// known, or if the calendar has no days.
pub fn parse_calendar(text: &str, calendars: &dyn Calendars) -> Result<Calendar, CalendarError> {
    let mut days = DaySet::EMPTY;
    let mut last = None;
    for line in lines_of(text) {
        if last.is_none() && line.is_removed {
            days = DaySet::ALL;
        }
        match line.days()? {
            LineDays::Calendar(name) => {
                let found = find(line.text, &name, calendars);
                let calendar =
                    found.map_err(|error| line.error(error.with_detail(Detail::InCalendar)))?;
                let others = DaySet(*calendar.tables().words());
                LineDays::Set(Box::new(others)).apply(&mut days, line.is_removed);
            }
            known => known.apply(&mut days, line.is_removed),
        }
        last = Some(line);
    }
    if days.is_empty() { Err(without_days(last)) } else { Ok(Calendar::new(&days)) }
}

/// Returns the error for a calendar whose last line, if there are any, has removed the last days.
fn without_days(last: Option<Line<'_>>) -> CalendarError {
    let Some(line) = last else { return CalendarError::empty() };
    let span = line.body.clone();
    line.error(ParseError::new(ParseErrorKind::EmptyCalendar, line.text, span))
}

/// Returns the names of the calendars to which a text refers, with their places, as far as its lines
/// are in the language of calendars.
pub fn calendars_named_in(text: &str) -> impl Iterator<Item = Range<usize>> {
    lines_of(text).filter_map(|line| match line.read() {
        Ok(DayLine::Calendar(name)) => Some(line.start + name.start..line.start + name.end),
        _ => None,
    })
}

/// Returns the error that the calendar at a place in a text, which refers to it, depends on this
/// text.
#[must_use]
pub fn circular_calendar(text: &str, name: &Range<usize>) -> Option<CalendarError> {
    let line = lines_of(text)
        .find(|line| (line.start..=line.start + line.text.len()).contains(&name.end))?;
    let span = name.start - line.start..name.end - line.start;
    Some(line.error(ParseError::new(ParseErrorKind::CircularCalendar, line.text, span)))
}

/// A line of a calendar that is not empty.
struct Line<'a> {
    /// The line, without the line break.
    text: &'a str,
    /// Its number, from 0.
    number: usize,
    /// Its first byte in the text of the calendar.
    start: usize,
    is_removed: bool,
    /// The bytes of the line between the sign and the comment, without white space around them.
    body: Range<usize>,
}

/// The days of a line.
enum LineDays {
    /// One day.
    Day(u32),
    /// Any days. They are in a box because most lines are one day, and would be slow to move.
    Set(Box<DaySet>),
    /// The days of another calendar, by the place of its name in the line.
    Calendar(Range<usize>),
}

/// Returns the lines of a text that are not empty.
fn lines_of(text: &str) -> impl Iterator<Item = Line<'_>> {
    // Some editors begin a file with a byte order mark.
    let text_after_mark = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut start = text.len() - text_after_mark.len();
    let lines = text_after_mark.split('\n').enumerate().map(move |(number, line)| {
        let begin = start;
        start += line.len() + 1;
        (number, begin, line.strip_suffix('\r').unwrap_or(line))
    });
    lines.filter_map(|(number, start, text)| {
        let code = text[..comment_start(text)].trim_ascii_end();
        let begin = code.len() - code.trim_ascii_start().len();
        let sign = code.as_bytes().get(begin)?;
        let mut body = begin..code.len();
        if matches!(sign, b'+' | b'-') {
            body.start += 1;
            body.start += code[body.clone()].len() - code[body.clone()].trim_ascii_start().len();
        }
        Some(Line { text, number, start, is_removed: *sign == b'-', body })
    })
}

/// Returns the place at which the comment of a line begins, or the end of the line.
fn comment_start(line: &str) -> usize {
    let bytes = line.as_bytes();
    let is_start = |place: &usize| {
        bytes[*place] == b'#' && (*place == 0 || bytes[*place - 1].is_ascii_whitespace())
    };
    (0..bytes.len()).find(is_start).unwrap_or(bytes.len())
}

impl Line<'_> {
    fn error(&self, error: ParseError) -> CalendarError {
        CalendarError::in_line_at(error, self.number, self.start)
    }

    fn read(&self) -> Result<DayLine, ParseError> {
        read_days(self.text, self.body.clone())
    }

    /// Returns the days of the line.
    fn days(&self) -> Result<LineDays, CalendarError> {
        let plan = |line| match line {
            DayLine::Dates(located) => match located.expression.only_date() {
                Some((year, month, of_month)) if of_month <= days_in_month(year, month) => {
                    Ok(LineDays::Day(day(day_number(year, month, of_month))))
                }
                _ => days_on(self.text, &located).map(|days| LineDays::Set(Box::new(days))),
            },
            DayLine::Range([from, to]) if from == to => Ok(LineDays::Day(day(from))),
            DayLine::Range([from, to]) => {
                Ok(LineDays::Set(Box::new(DaySet::between(day(from), day(to)))))
            }
            DayLine::Easter { years, offset } => {
                Ok(LineDays::Set(Box::new(days_from_easter(years, offset))))
            }
            DayLine::Calendar(name) => Ok(LineDays::Calendar(name)),
        };
        self.read().and_then(plan).map_err(|error| self.error(error))
    }
}

/// Returns the index of a day of the range, which is counted from 1970-01-01.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range")]
const fn day(number: i64) -> u32 {
    (number - FIRST_DAY) as u32
}

impl LineDays {
    /// Adds the days to a set, or removes them from it.
    fn apply(&self, days: &mut DaySet, is_removed: bool) {
        match self {
            Self::Day(day) if is_removed => days.remove(*day),
            Self::Day(day) => days.insert(*day),
            Self::Set(set) => *days = if is_removed { days.minus(set) } else { days.or(set) },
            Self::Calendar(_) => {}
        }
    }
}
