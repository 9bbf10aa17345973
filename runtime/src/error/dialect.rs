//! The messages about texts in dialects, in the terms of each dialect.

use core::fmt;

use super::phrases::{Allowed, Quoted};
use super::{Detail, ParseError, ParseErrorKind};
use crate::dialect::LONGEST_LIST;
use crate::{Dialect, Field};

impl ParseError {
    /// Writes what is wrong in a text in a dialect.
    pub(super) fn write_dialect_message(
        &self,
        dialect: Dialect,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let (field, offender, form) = (self.kind.field(), Quoted(self), dialect.form());
        let name = DialectName(dialect);
        match self.kind {
            ParseErrorKind::Empty => {
                write!(f, "the schedule is empty: the form of {name} is {form}")
            }
            ParseErrorKind::MissingField { .. } if dialect == Dialect::Systemd => {
                write!(f, "the {field} is missing: {}", SystemdForm(field))
            }
            ParseErrorKind::MissingField { .. } => {
                write!(f, "the {field} is missing: the form of {name} is {form}")
            }
            ParseErrorKind::TooManyFields { .. } => {
                write!(f, "unexpected {offender} after the {field}: the form of {name} is {form}")?;
                let is_word = |c: char| c.is_ascii_alphabetic() || c == '/';
                let is_command =
                    dialect == Dialect::Crontab && self.offender().starts_with(is_word);
                f.write_str(if is_command { "; a command is not part of it" } else { "" })
            }
            ParseErrorKind::TimeNotLast => {
                write!(f, "unexpected {offender} after the time: the form of {name} is {form}")
            }
            ParseErrorKind::TimeZone => self.write_dialect_zone(dialect, f),
            ParseErrorKind::NotFixed => self.write_not_fixed(f),
            ParseErrorKind::Unsupported { .. } => self.write_unsupported(dialect, f),
            ParseErrorKind::OtherDialect => write_other_dialect(f, self.detail),
            ParseErrorKind::Never { field: Field::Year } => {
                write!(f, "{offender} never occurs: a schedule has the years 2000-2100")
            }
            ParseErrorKind::Never { .. } => self.write_never_message(f),
            ParseErrorKind::Descending { from, to, step, .. } => {
                self.write_descending(f, from, to, step)
            }
            ParseErrorKind::StepOutOfRange { max: u32::MAX, .. } => {
                write!(f, "{field} step {offender} is out of range: expected 1 or more")
            }
            ParseErrorKind::StepOutOfRange { min, max, .. } => {
                write!(f, "{field} step {offender} is out of range: expected {min}-{max}")
            }
            _ => self.write_dialect_value(dialect, f),
        }
    }

    /// Writes that something is not a value of its field, and which values are.
    fn write_dialect_value(&self, dialect: Dialect, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        let (offender, allowed) = (Quoted(self), Allowed(Some(dialect), field));
        match self.kind {
            ParseErrorKind::MissingValue { .. } => {
                write!(f, "a value is missing in the {field}: expected {allowed}")
            }
            ParseErrorKind::UnknownName { .. } if self.detail == Detail::Shorthand => {
                let (words, form) = (Shorthands(dialect), dialect.form());
                write!(f, "{offender} is unknown: expected {words}, or the form {form}")
            }
            ParseErrorKind::UnknownName { .. } => {
                write!(f, "{offender} is not a valid {field}: expected {allowed}")?;
                let has_names = dialect != Dialect::Systemd || field == Field::Weekday;
                match field.name_like(self.offender()).filter(|_| has_names) {
                    Some(name) => write!(f, "; write `{name}`"),
                    None => Ok(()),
                }
            }
            ParseErrorKind::OutOfRange { min, max, .. } if (min, max) == dialect.range(field) => {
                write!(f, "{field} {offender} is out of range: expected {allowed}")
            }
            ParseErrorKind::OutOfRange { min, max, .. } => {
                let after = match (field, dialect) {
                    (Field::Weekday, _) => " after `#`",
                    (Field::Day, Dialect::Systemd) => " after `~`",
                    (Field::Day, _) => " after `L-`",
                    _ => "",
                };
                write!(f, "{offender} is out of range: expected {min}-{max}{after}")
            }
            ParseErrorKind::StarNotAlone { .. } => write!(
                f,
                "`*` means every {field} and must be alone in its field: remove the `*` or the \
                 other items"
            ),
            _ => self.write_dialect_character(dialect, f),
        }
    }

    /// Writes that a character is not expected in its field, and which characters are.
    fn write_dialect_character(&self, dialect: Dialect, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        match self.offender().chars().next() {
            Some(c) if c.is_whitespace() || c.is_control() => write!(
                f,
                "unexpected character U+{:04X} in the {field}: write the schedule on one line, \
                 with spaces between its fields",
                u32::from(c)
            ),
            first => {
                let (offender, allowed) = (Quoted(self), Allowed(Some(dialect), field));
                write!(f, "unexpected {offender} in the {field}: expected {allowed}")?;
                match first {
                    Some('?') => write!(f, "; for every {field}, write `*`"),
                    _ => Ok(()),
                }
            }
        }
    }

    /// Writes why a text has no fixed times.
    fn write_not_fixed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offender = Quoted(self);
        if self.offender().starts_with('@') {
            write!(f, "{offender} is not a time: run the job when the program starts")
        } else if self.offender().contains('~') {
            write!(f, "{offender} is a random value, which is not a fixed schedule: write a number")
        } else {
            write!(
                f,
                "{offender} is a value that Jenkins chooses for each job, which is not a fixed \
                 schedule: write a number"
            )
        }
    }

    /// Writes that a text has a time zone, and which call returns it.
    fn write_dialect_zone(&self, dialect: Dialect, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end {
            return f.write_str("the name of the time zone is missing");
        }
        write!(
            f,
            "{} is a time zone, which is not part of a schedule: leave it out, or use \
             `Dialect::{}.parse_with_zone`, which returns it too",
            Quoted(self),
            dialect.variant()
        )
    }

    /// Writes what the dialect does not allow, or what no schedule can express.
    fn write_unsupported(&self, dialect: Dialect, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (field, offender) = (self.kind.field(), Quoted(self));
        match self.detail {
            Detail::LongList => {
                write!(f, "the list in the {field} is longer than {LONGEST_LIST} items")
            }
            Detail::QuestionMark if self.offender() == "?" => f.write_str(
                "both the day of month and the weekday are `?`: write `*` in place of one of them",
            ),
            Detail::QuestionMark => write!(
                f,
                "Quartz does not join the day of month and the weekday: write `?` in place of \
                 one of them, such as the {field} {offender}"
            ),
            Detail::NotAlone => write!(
                f,
                "{offender} is a list with `L`, `W` or `#`, which Quartz does not read: such a \
                 {field} must be alone in its field"
            ),
            Detail::MixedRange => {
                let name = DialectName(dialect);
                write!(f, "{offender} mixes names and numbers, which {name} does not read")
            }
            Detail::NoStep => {
                write!(f, "{offender} has a step after the last {field}: remove the step")
            }
            Detail::StepAfterStar { first, longest } => {
                write!(f, "{offender} has a step after `*`, which systemd does not read")?;
                let step = self.offender().trim_start_matches("*/").parse();
                match step.ok().filter(|step| (1..=longest).contains(step)) {
                    Some(step) => write!(f, ": write `{first}/{step}`"),
                    None => Ok(()),
                }
            }
            detail => write!(f, "{offender} {}", detail.reason(dialect)),
        }
    }
}

impl Detail {
    /// Returns why no schedule can express a text, as the end of a sentence about the text.
    const fn reason(self, dialect: Dialect) -> &'static str {
        match (self, dialect) {
            (Self::StepAfterName, Dialect::Quartz) => {
                "has a step after a name, which Quartz ignores: write numbers, as in `2-6/2`"
            }
            (Self::StepAfterName, _) => "has a step after a name: write a number or a range",
            (Self::Calendar, _) => {
                "depends on a calendar of Quartz, so it is not a fixed schedule: write the days"
            }
            (Self::Precision, _) => {
                "is finer than a millisecond, the resolution of a schedule: write at most three \
                 decimal places"
            }
            _ => {
                "has different fractions in different seconds, which one schedule cannot express: \
                 write a schedule for each fraction"
            }
        }
    }
}

/// Writes that a text is in another dialect, and which call reads it.
pub(super) fn write_other_dialect(f: &mut fmt::Formatter<'_>, detail: Detail) -> fmt::Result {
    match detail {
        Detail::Other(dialect) => {
            write!(f, "this is a schedule of {}: {}", DialectName(dialect), HowToRead(dialect))
        }
        _ => f.write_str(
            "this is a schedule in the language of millicron: read it with `Schedule::parse` or \
             `schedule!` without a dialect",
        ),
    }
}

/// The name of a dialect with its article.
pub(crate) struct DialectName(pub(crate) Dialect);

impl fmt::Display for DialectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(dialect) = self;
        f.write_str(if *dialect == Dialect::CronCrate { "the " } else { "" })?;
        fmt::Display::fmt(dialect, f)
    }
}

/// How to read a text in a dialect.
pub(crate) struct HowToRead(pub(crate) Dialect);

impl fmt::Display for HowToRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(dialect) = *self;
        let (variant, keyword) = (dialect.variant(), dialect.keyword());
        write!(f, "read it with `Dialect::{variant}.parse` or `schedule!({keyword} \"…\")`")
    }
}

/// The words that a dialect reads in place of a whole schedule.
struct Shorthands(Dialect);

impl fmt::Display for Shorthands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Dialect::Crontab => {
                "`@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`, `@midnight`, `@hourly`"
            }
            Dialect::Quartz | Dialect::CronCrate => {
                "`@yearly`, `@monthly`, `@weekly`, `@daily`, `@hourly`"
            }
            Dialect::Systemd => {
                "`minutely`, `hourly`, `daily`, `weekly`, `monthly`, `quarterly`, `semiannually`, \
                 `yearly`"
            }
        })
    }
}

/// The form of the part of a systemd timer that contains a field.
struct SystemdForm(Field);

impl fmt::Display for SystemdForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Field::Year | Field::Month | Field::Day => {
                "a date has the form `year-month-day` or `month-day`"
            }
            _ => "a time has the form `hour:minute` or `hour:minute:second`",
        })
    }
}
