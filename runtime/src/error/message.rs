//! The messages of [`ParseError`]: which part of a text is wrong, and which form it has.

use core::fmt;

use super::dialect::write_other_dialect;
use super::parts::{Form, Quoted, SCHEDULE, zeros};
use super::repair::{CivilTime, RangeRepair, ShortNames};
use super::{Detail, ParseError, ParseErrorKind};
use crate::dots::split_end;
use crate::{Dialect, Field};

impl ParseError {
    /// Writes what is wrong, except for what only the parsers know. `has_calls` says whether the
    /// message may name Rust calls.
    pub(crate) fn write_message(&self, f: &mut fmt::Formatter<'_>, has_calls: bool) -> fmt::Result {
        use ParseErrorKind as Kind;

        match self.kind {
            Kind::Empty
            | Kind::TimeNotLast
            | Kind::TooManyParts
            | Kind::MissingField { .. }
            | Kind::TooManyFields { .. } => match self.dialect {
                None => self.write_form_message(f),
                Some(dialect) => self.write_dialect_form_message(dialect, f),
            },
            Kind::Crontab | Kind::IsoDate | Kind::TimeZone | Kind::TimeRange { .. } => {
                self.write_notation_message(f, has_calls)
            }
            Kind::MissingValue { .. }
            | Kind::UnexpectedCharacter { .. }
            | Kind::UnknownName { .. }
            | Kind::OutOfRange { .. } => self.write_value_message(f),
            Kind::Descending { .. }
            | Kind::StarNotAlone { .. }
            | Kind::StepWithoutRange { .. }
            | Kind::StepOutOfRange { .. }
            | Kind::StepLeavesOne { .. } => self.write_item_message(f),
            Kind::LastDayOffset
            | Kind::NearestWeekday
            | Kind::WeekdayNumber
            | Kind::MisplacedOr
            | Kind::DateStep
            | Kind::MissingUnit { field: Field::Day } => self.write_day_message(f),
            Kind::BusinessDay
            | Kind::MovedDay
            | Kind::CalendarName
            | Kind::MisplacedCalendar
            | Kind::UnknownCalendar
            | Kind::NeverOnCalendar => self.write_calendar_message(f, has_calls),
            Kind::CalendarLine
            | Kind::CalendarDate
            | Kind::Easter
            | Kind::EmptyCalendar
            | Kind::RepeatedCalendar
            | Kind::CircularCalendar => self.write_calendar_text_message(f),
            Kind::MissingUnit { .. }
            | Kind::MissingStep
            | Kind::WindowTime
            | Kind::WindowStep { .. } => self.write_window_message(f),
            Kind::EmptyMember | Kind::TooManyMembers | Kind::Intertwined => {
                self.write_union_message(f)
            }
            Kind::Never { .. } => self.write_never_message(f),
            Kind::OtherDialect => write_other_dialect(f, self.detail, has_calls),
            Kind::Phrase => {
                f.write_str("this is a phrase, not a schedule")?;
                let how = ": `Phrase::recognize` returns the schedules that it may mean";
                f.write_str(if has_calls { how } else { "" })
            }
            Kind::UnknownPhrase => write!(
                f,
                "this phrase is not understood: write a schedule of the form {SCHEDULE}, or a simpler \
                 phrase, such as `every weekday at 9:30`, for which an error offers one"
            ),
            Kind::NotFixed => self.write_not_fixed(f),
            Kind::Unsupported { .. } => self.write_unsupported(f),
        }
    }

    /// Writes which part or field is missing or superfluous.
    fn write_form_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        let (offender, form) = (Quoted(self), Form(field));
        match self.kind {
            ParseErrorKind::Empty if self.detail == Detail::NoMembers => {
                f.write_str("a union needs at least one schedule")
            }
            ParseErrorKind::Empty => write!(
                f,
                "the schedule is empty: write at least an hour, a minute and a second; \
                 the full form is {SCHEDULE}"
            ),
            ParseErrorKind::TimeNotLast => {
                let text = "comes after the time, which must be last: the form is";
                write!(f, "{offender} {text} {SCHEDULE}")?;
                // Several times, or several schedules.
                let is_time = self.dialect.is_none() && self.offender().contains(':');
                f.write_str(if is_time { "; schedules are separated by `;`" } else { "" })
            }
            ParseErrorKind::TooManyParts => write!(
                f,
                "unexpected {offender} before the time: only a date and a weekday come before \
                 it, each without spaces; the form is {SCHEDULE}"
            ),
            ParseErrorKind::TooManyFields { .. } => {
                write!(f, "unexpected {offender} after the {field}: {form}")
            }
            ParseErrorKind::MissingField { field: Field::Year } => {
                f.write_str("the date before the weekday is missing: ")?;
                if self.end > self.excerpt.end() {
                    return write!(f, "{form}");
                }
                let weekday = ShortNames(Field::Weekday, self.offender());
                write!(f, "write `*.*.* {weekday} ")?;
                let rest = self.rest().map(str::trim_ascii).unwrap_or_default();
                match self.detail {
                    Detail::Completion(missing) if !rest.is_empty() => {
                        write!(f, "{rest}{}`", zeros(missing))
                    }
                    _ => f.write_str("HH:mm:ss`"),
                }
            }
            _ => {
                write!(f, "the {field} is missing: ")?;
                let time = self.time_before().unwrap_or_default();
                match (self.detail, self.rest_of_part()) {
                    // The rest is the end of a window, or its step.
                    (Detail::Completion(missing), Some(rest)) if !time.is_empty() => {
                        let (end, missing_in_end, step) = split_end(rest);
                        let [start, end_zeros] = [missing, missing_in_end].map(zeros);
                        write!(f, "write `{time}{start}{end}{end_zeros}{step}`; {form}")
                    }
                    _ => write!(f, "{form}"),
                }
            }
        }
    }

    /// Writes which part or field of a text in a dialect is missing or superfluous.
    fn write_dialect_form_message(
        &self,
        dialect: Dialect,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let (field, offender) = (self.kind.field(), Quoted(self));
        match self.kind {
            ParseErrorKind::Empty => f.write_str("the schedule is empty: ")?,
            ParseErrorKind::TooManyFields { .. } => {
                write!(f, "unexpected {offender} after the {field}: ")?;
            }
            ParseErrorKind::MissingField { .. } => write!(f, "the {field} is missing: ")?,
            _ => write!(f, "unexpected {offender} after the time: ")?,
        }
        if let (Dialect::Systemd, ParseErrorKind::MissingField { .. }) = (dialect, self.kind) {
            return f.write_str(match field {
                Field::Year | Field::Month | Field::Day => {
                    "a date has the form `year-month-day` or `month-day`"
                }
                _ => "a time has the form `hour:minute` or `hour:minute:second`",
            });
        }
        write!(f, "the form of {} is {}", dialect.name(), dialect.form())?;
        let is_word = |c: char| c.is_ascii_alphabetic() || c == '/';
        let is_command = matches!(self.kind, ParseErrorKind::TooManyFields { .. })
            && dialect == Dialect::Crontab
            && self.offender().starts_with(is_word);
        f.write_str(match self.offender().strip_prefix('@') {
            _ if is_command => "; a command is not part of it",
            Some(_) => {
                "; for a calendar, write the schedule in millicron's own language, as in \
                 `*.*.* Mon-Fri 09:00:00 @nyse`"
            }
            None => "",
        })
    }

    /// Writes how to express the meaning of a text in another notation.
    fn write_notation_message(&self, f: &mut fmt::Formatter<'_>, has_calls: bool) -> fmt::Result {
        let offender = Quoted(self);
        let has_repair = self.detail != Detail::None && self.rest().is_some();
        match self.kind {
            ParseErrorKind::Crontab => write!(
                f,
                "this looks like a crontab line: a schedule has the form {SCHEDULE}, with `*` for \
                 every value of a field"
            ),
            ParseErrorKind::IsoDate if has_repair => {
                let civil = CivilTime(self.offender());
                write!(f, "a date is written with dots: write `{civil}`")?;
                match self.detail {
                    Detail::RepairAndZone if has_calls => {
                        f.write_str(", and pass the time zone to `Schedule::in_zone`")
                    }
                    Detail::RepairAndZone => {
                        f.write_str(", and the name of the time zone after it")
                    }
                    _ if civil.has_time() => Ok(()),
                    _ => write!(f, "; the form is {SCHEDULE}"),
                }
            }
            ParseErrorKind::IsoDate => write!(
                f,
                "a date is written with dots, and separated from the time by a space: the form \
                 is {SCHEDULE}"
            ),
            ParseErrorKind::TimeRange { from, to } => {
                let hours = RangeRepair {
                    dialect: None,
                    field: Field::Hour,
                    from,
                    to,
                    step: 1,
                    has_names: false,
                    is_reversed: false,
                };
                write!(
                    f,
                    "{offender} spans several fields, but a range must be within one: write a \
                     window with a step, such as `09:30:00..16:00:00/15m`, or a range of hours, \
                     such as `{hours}:*:00` for every minute from {from}:00 to {to}:59"
                )
            }
            _ => self.write_zone_message(f, has_calls),
        }
    }

    /// Returns the text after the span, or `None` if the excerpt does not contain all of it.
    pub(super) fn rest(&self) -> Option<&str> {
        if self.excerpt.is_cut_after() {
            return None;
        }
        self.excerpt.as_str().get(self.end - self.excerpt.start()..)
    }

    /// Returns the rest of the part after the span, or `None` if the excerpt does not contain all of it.
    fn rest_of_part(&self) -> Option<&str> {
        let after = self.excerpt.as_str().get(self.end - self.excerpt.start()..)?;
        match after.find(|c: char| c.is_ascii_whitespace()) {
            Some(end) => after.get(..end),
            None => (!self.excerpt.is_cut_after()).then_some(after),
        }
    }

    /// Returns the part before the span, or `None` if the excerpt does not contain all of it.
    fn time_before(&self) -> Option<&str> {
        let before = self.excerpt.as_str().get(..self.start - self.excerpt.start())?;
        match before.rsplit_once(|c: char| c.is_ascii_whitespace()) {
            Some((_, part)) => Some(part),
            None => (!self.excerpt.is_cut_before()).then_some(before),
        }
    }
}
