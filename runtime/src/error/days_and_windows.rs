//! The messages about days, steps from a date, and windows.

use core::fmt;

use super::parts::Quoted;
use super::{Detail, ParseError, ParseErrorKind};
use crate::Field;
use crate::calendar::days_in_month;
use crate::expression::StepInUnits;

impl ParseError {
    /// Writes what is wrong with a day, a weekday or a step from a date.
    pub(super) fn write_day_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offender = Quoted(self);
        match self.kind {
            ParseErrorKind::LastDayOffset => write!(
                f,
                "{offender} is not a day of month: `L-n` is the n-th day before the last, with n \
                 from 1 to 30; the last day itself is `L`"
            ),
            ParseErrorKind::NearestWeekday => {
                write!(
                    f,
                    "{offender} is not a day of month: `W` follows a single day, 1-31, `L` or \
                     `L-n`, as in `15W`"
                )?;
                let is_last = self.offender().trim_end_matches('W') == "32";
                if is_last { f.write_str("; write `LW`") } else { Ok(()) }
            }
            ParseErrorKind::WeekdayNumber => write!(
                f,
                "{offender} is not a weekday of the month: `#` follows a single weekday, and 1-5 or \
                 `L` for the last one follows it, as in `Fri#2` and `Fri#L`"
            ),
            ParseErrorKind::MisplacedOr => write!(
                f,
                "unexpected {offender}: it joins a date and a weekday, as in \
                 `*.*.13 | Fri 00:00:00`"
            ),
            ParseErrorKind::DateStep if self.offender() == "|" => {
                write!(f, "{offender} cannot follow a date with a step: write two schedules")
            }
            ParseErrorKind::DateStep if !self.offender().contains('/') => write!(
                f,
                "{offender} cannot follow a date with a step in business days: leave it out"
            ),
            ParseErrorKind::DateStep => write!(
                f,
                "{offender} is a step from something other than a date: steps in days, weeks or \
                 business days start from one date of plain numbers, as in `2026.01.05/14d`, \
                 `2026.01.05/2w Mon,Thu` and `2026.01.05/3b`"
            ),
            _ => match self.offender().strip_suffix('B') {
                Some(step) => write!(
                    f,
                    "{offender} has a capital `B`: a step in business days is written `{step}b`"
                ),
                None => write!(
                    f,
                    "{offender} is a step without a unit, days, weeks or business days: write \
                     `{0}d`, `{0}w` or `{0}b`",
                    self.offender()
                ),
            },
        }
    }

    /// Writes why no day matches all fields.
    pub(super) fn write_never_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} never occurs: ", Quoted(self))?;
        let is_business_day = self.detail == Detail::BusinessDays;
        if let (Field::Day, false, Some(days)) =
            (self.kind.field(), is_business_day, self.days_of_month())
        {
            return write!(f, "this month has {days} days");
        }
        f.write_str(match self.kind.field() {
            Field::Weekday if is_business_day => {
                "none of these dates is such a business day; without a calendar, these are Monday to \
                 Friday, at most 23 a month"
            }
            _ if is_business_day => "the days are moved out of the years 2000-2100",
            Field::Year => "a schedule has the years 2000-2100",
            Field::Weekday => {
                "none of these dates falls on such a weekday; expected a weekday of one of the \
                 dates"
            }
            _ => {
                "none of these months has such a day of month; expected 1-28 in February, 29 in \
                 leap years, 1-30 in April, June, September and November, and 1-31 in the other \
                 months"
            }
        })
    }

    /// Returns the number of days of the month, if the text in the span begins with a single one.
    fn days_of_month(&self) -> Option<u8> {
        let separator = if self.offender().contains('.') { '.' } else { '-' };
        let mut fields = self.offender().split(separator);
        let (year, month) = (fields.next()?.parse().ok()?, fields.next()?);
        let month = month.parse().ok().or_else(|| Field::Month.value_named(month))?;
        let days = days_in_month(year, u8::try_from(month).ok()?);
        (year >= 2000).then_some(days)
    }

    /// Writes what is wrong with a window.
    pub(super) fn write_window_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offender = Quoted(self);
        match self.kind {
            ParseErrorKind::MissingStep => write!(
                f,
                "the window {offender} does not say how often: add a step, such as `/15m`"
            ),
            ParseErrorKind::WindowTime
                if self.detail == Detail::Repair && self.rest().is_some() =>
            {
                f.write_str("a window has two dots and no spaces: write `")?;
                for part in self.offender().split_ascii_whitespace() {
                    match part.split_once('-') {
                        Some((from, to)) => write!(f, "{from}..{to}"),
                        None => f.write_str(part),
                    }?;
                }
                f.write_str("`")
            }
            ParseErrorKind::WindowTime => write!(
                f,
                "unexpected {offender} in a window: it lasts from one time to another, each of \
                 plain numbers, `HH:mm:ss` or `HH:mm:ss.fff`, as in `09:30:00..16:00:00/15m`"
            ),
            ParseErrorKind::MissingUnit { .. } => write!(
                f,
                "the step {offender} has no unit: expected `h`, `m`, `s` or `ms`, as in \
                 `15m` and `250ms`"
            ),
            ParseErrorKind::WindowStep { millis: Some(step) } => {
                write!(
                    f,
                    "the step {offender} must be whole numbers with units in descending order, `h`, \
                     `m`, `s` and `ms`: write `{}`",
                    StepInUnits(step)
                )
            }
            _ if self.offender().is_empty() => f.write_str(
                "the step of the window is missing: expected 1 ms to 24 h, as in `15m` and `1h30m`",
            ),
            _ => write!(
                f,
                "the step {offender} is invalid: expected 1 ms to 24 h, in whole numbers with the \
                 units `h`, `m`, `s` and `ms`, as in `1h30m`"
            ),
        }
    }
}
