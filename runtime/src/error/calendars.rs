//! The messages about calendars and business days.

use core::fmt;

use super::parts::Quoted;
use super::repair::ShortNames;
use super::{Detail, ParseError, ParseErrorKind};
use crate::Field;
use crate::dots::split_at_dots;

impl ParseError {
    /// Returns the error for another calendar of a schedule whose text ends with the name of one.
    #[doc(hidden)]
    #[must_use]
    pub fn of_second_calendar(text: &str, name: &str) -> Self {
        let start = text.rfind(name).unwrap_or_default();
        Self::new(ParseErrorKind::MisplacedCalendar, text, start..start + name.len())
            .with_detail(Detail::HasCalendar)
    }

    /// Returns this error, or a more helpful one if the name of a known calendar follows the time
    /// without its `@`.
    #[doc(hidden)]
    #[must_use]
    pub fn or_bare_calendar(self, text: &str, is_known: impl Fn(&str) -> bool) -> Self {
        let is_after_time =
            matches!(self.kind, ParseErrorKind::TimeZone | ParseErrorKind::TimeNotLast);
        let after = text.get(self.start..).filter(|_| is_after_time && self.dialect.is_none());
        let is_end = |c: char| c.is_ascii_whitespace() || c == ';';
        match after.and_then(|after| after.split(is_end).next()) {
            Some(name) if is_known(name) => {
                let span = self.start..self.start + name.len();
                Self::new(ParseErrorKind::MisplacedCalendar, text, span).with_detail(Detail::NoAt)
            }
            _ => self,
        }
    }

    /// Writes what is wrong with a calendar or a business day. `has_calls` says whether the message
    /// may name Rust calls.
    pub(super) fn write_calendar_message(
        &self,
        f: &mut fmt::Formatter<'_>,
        has_calls: bool,
    ) -> fmt::Result {
        let offender = Quoted(self);
        match self.kind {
            ParseErrorKind::BusinessDay if self.offender().contains('/') => write!(
                f,
                "{offender} is not a business day: `B` has no step; for every n-th business day, \
                 write a date with a step, such as `2026.01.05/2b`"
            ),
            ParseErrorKind::BusinessDay => write!(
                f,
                "{offender} is not a business day: expected `B` for each of them, or, in the \
                 month, `B#k` with k from 1 to 31, `B#L` for the last one, or `B#L-n` for the n-th \
                 before the last, with n from 1 to 30"
            ),
            ParseErrorKind::MovedDay => self.write_moved_day(f),
            ParseErrorKind::CalendarName if self.detail == Detail::InCalendar => write!(
                f,
                "{offender} is not the name of a calendar: expected letters, digits, `_` and `-`, \
                 beginning with a letter or `_`"
            ),
            ParseErrorKind::CalendarName => write!(
                f,
                "{offender} is not the name of a calendar: expected letters, digits, `_` and `-` \
                 after the `@`, beginning with a letter or `_`, as in `12:00:00 @nyse`"
            ),
            ParseErrorKind::MisplacedCalendar if self.detail == Detail::NoSpace => {
                write!(f, "a space is missing before {offender}, as in `12:00:00 @nyse`")
            }
            ParseErrorKind::MisplacedCalendar if self.detail == Detail::NoAt => {
                write!(f, "{offender} is the name of a calendar: write `@{}`", self.offender())
            }
            ParseErrorKind::MisplacedCalendar if self.detail == Detail::HasCalendar => {
                write!(f, "the schedule has the calendar {offender} already")
            }
            ParseErrorKind::MisplacedCalendar => write!(
                f,
                "unexpected {offender}: one calendar comes directly after the time, and only a \
                 time zone after it, as in `12:00:00 @nyse Europe/Berlin`"
            ),
            ParseErrorKind::UnknownCalendar => self.write_unknown_calendar(f, has_calls),
            _ => write!(
                f,
                "{offender} never occurs: none of these days is a day of the calendar, or the \
                 calendar has too few of them"
            ),
        }
    }

    /// Writes what is wrong with a line of a calendar, or with a calendar as a whole.
    pub(super) fn write_calendar_text_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offender = Quoted(self);
        match self.kind {
            ParseErrorKind::CalendarLine | ParseErrorKind::CalendarDate
                if self.start == self.end =>
            {
                f.write_str(
                    "the days are missing: expected a date with or without a weekday, such as \
                     `*.12.25` and `*.*.* Mon-Fri`, or a range of dates, such as \
                     `2026-12-24..=2027-01-02`",
                )
            }
            ParseErrorKind::CalendarLine if self.detail == Detail::BareWeekday => write!(
                f,
                "{offender} is a weekday without a date: write `*.*.* {}`",
                ShortNames(Field::Weekday, self.offender())
            ),
            ParseErrorKind::CalendarLine if self.detail == Detail::BusinessDays => write!(
                f,
                "{offender} depends on business days, which only a schedule has: a calendar says \
                 which days they are"
            ),
            ParseErrorKind::CalendarLine => write!(
                f,
                "{offender} is not part of a calendar, which has days only: expected a date with or \
                 without a weekday, such as `*.12.25` and `*.*.* Mon-Fri`, an ISO date or a range of \
                 them, such as `2026-12-24..=2027-01-02`, `*.Easter-2`, or `@` and the name of \
                 another calendar, with `+` or `-` before it"
            ),
            ParseErrorKind::CalendarDate => {
                match split_at_dots(self.offender()).filter(|_| self.detail == Detail::Downwards) {
                    Some((first, last)) if first == last => write!(
                        f,
                        "{offender} has no days, because `..` leaves out its end: write `{first}`"
                    ),
                    Some((first, last)) => {
                        let to = last.trim_start_matches('=');
                        let dots = if to == last { ".." } else { "..=" };
                        write!(f, "{offender} runs downwards: write `{to}{dots}{first}`")
                    }
                    None => write!(
                        f,
                        "{offender} is not a date or a range of dates: expected `yyyy-MM-dd`, such \
                         as `2026-05-02`, or an ascending range, such as `2026-12-24..=2027-01-02`"
                    ),
                }
            }
            ParseErrorKind::Easter => write!(
                f,
                "{offender} is not a distance from Easter: expected 1-99 days, as in `*.Easter-2` \
                 and `*.Easter+39`"
            ),
            ParseErrorKind::EmptyCalendar => {
                f.write_str("the calendar has no days: write at least one line that adds some")
            }
            ParseErrorKind::RepeatedCalendar => {
                f.write_str("another calendar has the same name: rename one of them")
            }
            _ => write!(
                f,
                "{offender} depends on this calendar itself: remove the line, or write out the days"
            ),
        }
    }

    /// Writes what is wrong with a day that is moved to a business day, or with what follows it.
    fn write_moved_day(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (offender, text) = (Quoted(self), self.offender());
        if self.detail == Detail::LongList {
            write!(
                f,
                "{offender} is one kind of move too many: the days of a schedule are moved in at most \
                 eight ways; write two schedules, separated by `;`"
            )
        } else if text.starts_with("32") {
            write!(
                f,
                "{offender} is not a day of month: for the last day, write `L` in place of `32`"
            )
        } else if text.ends_with('b') {
            write!(f, "{offender} has a small `b`: write `{}B`", text.trim_end_matches('b'))
        } else if let Some((day, offset)) = self.offset_before_mark() {
            write!(f, "{offender} has the `!` after the distance: write `{day}!{offset}`")
        } else if text == "|" {
            write!(f, "{offender} cannot follow a day that is moved: write two schedules")
        } else if !text.contains(['>', '<']) {
            write!(f, "{offender} cannot follow a day that is moved: leave it out")
        } else {
            write!(
                f,
                "{offender} is not a day of month: `>B` and `<B` move a single day, 1-31, `L` or \
                 `L-n`, to the business day after or before it; `!` keeps it in its month, and \
                 `+n` or `-n`, with n from 1 to 99, moves it on, as in `15>B`, `L<B!` and \
                 `25<B-2`"
            )
        }
    }

    /// Returns the day and the distance of `15>B+2!`.
    fn offset_before_mark(&self) -> Option<(&str, &str)> {
        let item = self.offender().strip_suffix('!')?;
        Some(item.split_at(item.find('B')? + 1))
    }

    /// Writes which calendars are known in place of an unknown one.
    fn write_unknown_calendar(&self, f: &mut fmt::Formatter<'_>, has_calls: bool) -> fmt::Result {
        write!(f, "{} is not a known calendar", Quoted(self))?;
        match self.known.names() {
            Some(names) => write!(f, ": expected {names}"),
            None if has_calls && self.detail == Detail::InCalendar => f.write_str(
                ", since none were passed: use `Calendar::parse_with`, which takes calendars by name, \
                 or `Calendar::parse_all`, which reads them together",
            ),
            None if has_calls => f.write_str(
                ", since none were passed: use `parse_with` or, with serde, a `ScheduleSeed`, which \
                 take calendars by name",
            ),
            None => f.write_str(": there are no calendars"),
        }
    }
}
