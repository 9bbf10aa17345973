//! The messages of [`ParseError`].

use core::fmt;

use super::dialect::write_other_dialect;
use super::phrases::{Allowed, Quoted};
use super::repair::{CivilTime, RangeRepair, ShortNames, window_unit};
use super::{Hint, ParseError, ParseErrorKind};
use crate::Field;

/// The form of a complete schedule, as shown in messages.
const FORM: &str = "`yyyy.MM.dd w HH:mm:ss.fff`";

impl ParseError {
    /// Writes what is wrong, except for what only the parsers know.
    pub(crate) fn write_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(dialect) = self.dialect {
            return self.write_dialect_message(dialect, f);
        }
        match self.kind {
            ParseErrorKind::Empty
            | ParseErrorKind::TimeNotLast
            | ParseErrorKind::TooManyParts
            | ParseErrorKind::MissingField { .. }
            | ParseErrorKind::TooManyFields { .. } => self.write_form_message(f),
            ParseErrorKind::Crontab
            | ParseErrorKind::IsoDate
            | ParseErrorKind::TimeZone
            | ParseErrorKind::TimeRange { .. } => self.write_notation_message(f),
            ParseErrorKind::MissingValue { .. }
            | ParseErrorKind::UnexpectedCharacter { .. }
            | ParseErrorKind::UnknownName { .. }
            | ParseErrorKind::OutOfRange { .. } => self.write_value_message(f),
            ParseErrorKind::Descending { .. }
            | ParseErrorKind::StarNotAlone { .. }
            | ParseErrorKind::StepWithoutRange { .. }
            | ParseErrorKind::StepOutOfRange { .. }
            | ParseErrorKind::StepLeavesOne { .. } => self.write_item_message(f),
            ParseErrorKind::LastDayOffset
            | ParseErrorKind::NearestWeekday
            | ParseErrorKind::WeekdayNumber
            | ParseErrorKind::MisplacedOr
            | ParseErrorKind::DateStep
            | ParseErrorKind::MissingUnit { field: Field::Day } => self.write_day_message(f),
            ParseErrorKind::MissingUnit { .. }
            | ParseErrorKind::MissingStep
            | ParseErrorKind::WindowTime
            | ParseErrorKind::WindowStep { .. } => self.write_window_message(f),
            ParseErrorKind::Never { .. } => self.write_never_message(f),
            ParseErrorKind::OtherDialect => write_other_dialect(f, self.detail),
            ParseErrorKind::NotFixed | ParseErrorKind::Unsupported { .. } => {
                write!(f, "unexpected {}: the form is {FORM}", Quoted(self))
            }
        }
    }

    /// Writes what is wrong, without Rust calls.
    pub(crate) fn write_plain_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.dialect.is_some() {
            return self.write_message(f);
        }
        match (self.kind, self.hint) {
            (ParseErrorKind::IsoDate, Hint::RepairAndZone) if self.rest().is_some() => {
                let civil = CivilTime(self.offender());
                write!(
                    f,
                    "a date is written with dots: write `{civil}`, and the name of the time zone \
                     after it"
                )
            }
            (ParseErrorKind::TimeZone, _) => write!(
                f,
                "{} is not the name of a time zone after the time: write the name last, as in \
                 `12:00:00 Europe/Berlin`",
                Quoted(self)
            ),
            _ => self.write_message(f),
        }
    }

    /// Writes which part or field is missing or superfluous.
    fn write_form_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        let (offender, form) = (Quoted(self), Form(field));
        match self.kind {
            ParseErrorKind::Empty => write!(
                f,
                "the schedule is empty: write at least an hour, a minute and a second; \
                 the full form is {FORM}"
            ),
            ParseErrorKind::TimeNotLast => {
                write!(f, "{offender} comes after the time, which must be last: the form is {FORM}")
            }
            ParseErrorKind::TooManyParts => write!(
                f,
                "unexpected {offender} before the time: only a date and a weekday come before \
                 it, each without spaces; the form is {FORM}"
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
                match self.hint.missing_fields().filter(|_| !rest.is_empty()) {
                    Some(missing) => write!(f, "{rest}{missing}`"),
                    None => f.write_str("HH:mm:ss`"),
                }
            }
            _ => {
                write!(f, "the {field} is missing: ")?;
                let time = self.time_before().unwrap_or_default();
                match self.hint.missing_fields().filter(|_| !time.is_empty()) {
                    Some(missing) => write!(f, "write `{time}{missing}`; {form}"),
                    None => write!(f, "{form}"),
                }
            }
        }
    }

    /// Writes how to express the meaning of a text in another notation.
    fn write_notation_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offender = Quoted(self);
        let has_repair = self.hint != Hint::None && self.rest().is_some();
        match self.kind {
            ParseErrorKind::Crontab => write!(
                f,
                "this looks like a crontab line: a schedule has the form {FORM}, with `*` for \
                 every value of a field"
            ),
            ParseErrorKind::IsoDate if has_repair => {
                let civil = CivilTime(self.offender());
                write!(f, "a date is written with dots: write `{civil}`")?;
                match self.hint {
                    Hint::RepairAndZone => {
                        f.write_str(", and pass the time zone to `Schedule::in_zone`")
                    }
                    _ if civil.has_time() => Ok(()),
                    _ => write!(f, "; the form is {FORM}"),
                }
            }
            ParseErrorKind::IsoDate => write!(
                f,
                "a date is written with dots, and separated from the time by a space: the form \
                 is {FORM}"
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
            _ => write!(
                f,
                "{offender} is a time zone, which is not part of a `Schedule`: leave it out, and \
                 pass the time zone to `Schedule::in_zone`; or parse the text as a \
                 `ZonedSchedule`, which ends with the name of its time zone"
            ),
        }
    }

    /// Writes that something is not a value of its field, and which values are.
    fn write_value_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        let (offender, allowed) = (Quoted(self), Allowed(None, field));
        match self.kind {
            ParseErrorKind::MissingValue { .. } => {
                write!(f, "a value is missing in the {field}: expected {allowed}")
            }
            ParseErrorKind::UnknownName { .. } => {
                write!(f, "{offender} is not a valid {field}: expected {allowed}")?;
                match field.name_like(self.offender()) {
                    Some(name) => write!(f, "; write `{name}`"),
                    None => Ok(()),
                }
            }
            ParseErrorKind::OutOfRange { .. } => {
                write!(f, "{field} {offender} is out of range: expected {allowed}")?;
                match field {
                    Field::Weekday if self.offender().trim_start_matches('0') == "7" => {
                        f.write_str("; Sunday is 0")
                    }
                    Field::Year => write!(f, "; {}", Form(field)),
                    _ => Ok(()),
                }
            }
            _ => match self.offender().chars().next() {
                Some('\n' | '\r') => write!(
                    f,
                    "unexpected line break in the {field}: write the schedule on one line, with \
                     spaces or tabs between its parts"
                ),
                Some(c) if c.is_whitespace() || c.is_control() => write!(
                    f,
                    "unexpected character U+{:04X} in the {field}: use spaces or tabs between \
                     the parts of a schedule",
                    u32::from(c)
                ),
                first => {
                    write!(f, "unexpected {offender} in the {field}: expected {allowed}")?;
                    match first {
                        Some('.') => {
                            f.write_str("; a window has two dots, as in `09:30:00..16:00:00/15m`")
                        }
                        Some('w') if field == Field::Day => {
                            f.write_str("; for the nearest day from Monday to Friday, write `W`")
                        }
                        Some('?') => write!(f, "; for every {field}, write `*`"),
                        Some(c) if !c.is_ascii() && c.is_numeric() => {
                            f.write_str("; digits must be ASCII, `0` to `9`")
                        }
                        _ => Ok(()),
                    }
                }
            },
        }
    }

    /// Writes what is wrong with a range, a step or a `*`.
    fn write_item_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        let (offender, allowed) = (Quoted(self), Allowed(None, field));
        match self.kind {
            ParseErrorKind::Descending { from, to, step, .. } => {
                self.write_descending(f, from, to, step)
            }
            ParseErrorKind::StepWithoutRange { from, .. } if from >= field.last() => {
                write!(f, "{field} {offender} has a step but no range: write `{from}`")
            }
            ParseErrorKind::StepWithoutRange { from, step, .. } => {
                let last = field.last();
                write!(
                    f,
                    "{field} {offender} has a step but no range: write `{from}-{last}/{step}`"
                )
            }
            ParseErrorKind::StepOutOfRange { min, max, .. } => {
                write!(f, "{field} step {offender} is out of range: expected {min}-{max}")
            }
            ParseErrorKind::StepLeavesOne { value, step, .. } => {
                write!(f, "{field} step {offender} leaves one value only: write `{value}`")?;
                match window_unit(field, step) {
                    Some(unit) => write!(f, ", or the window `00:00:00../{step}{unit}`"),
                    None => Ok(()),
                }
            }
            _ => write!(
                f,
                "`*` means every {field} and must be alone in its field: remove the `*` or the \
                 other items; expected {allowed}"
            ),
        }
    }

    /// Returns the text after the span, or `None` if the excerpt does not contain all of it.
    fn rest(&self) -> Option<&str> {
        if self.excerpt.is_cut_after() {
            return None;
        }
        self.excerpt.as_str().get(self.end - self.excerpt.offset..)
    }

    /// Returns the part before the span, or `None` if the excerpt does not contain all of it.
    fn time_before(&self) -> Option<&str> {
        let before = self.excerpt.as_str().get(..self.start - self.excerpt.offset)?;
        match before.rsplit_once(|c: char| c.is_ascii_whitespace()) {
            Some((_, part)) => Some(part),
            None => (!self.excerpt.is_cut_before()).then_some(before),
        }
    }
}

impl Hint {
    /// Returns the fields that a time lacks, or `None` if it cannot be completed.
    const fn missing_fields(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Repair | Self::RepairAndZone => Some(""),
            Self::AddSeconds => Some(":00"),
            Self::AddMinutes => Some(":00:00"),
        }
    }
}

/// The form of the part that contains a field.
struct Form(Field);

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Field::Year | Field::Month | Field::Day => "a date has the form `yyyy.MM.dd`",
            Field::Weekday => "a weekday is a single field, 0-6 or Sun-Sat",
            _ => "a schedule ends with a time, `HH:mm:ss` or `HH:mm:ss.fff`",
        })
    }
}
