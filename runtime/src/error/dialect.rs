//! The messages about texts in dialects, in the terms of each dialect.

use core::fmt;

use super::parts::Quoted;
use super::{Detail, ParseError};
use crate::Dialect;
use crate::dialect::LONGEST_LIST;

impl ParseError {
    /// Whether the program of the dialect reads the text, but ignores the part at which the error points.
    #[doc(hidden)]
    #[must_use]
    pub fn is_of_ignored_part(&self) -> bool {
        self.detail == Detail::StepAfterName && self.dialect == Some(Dialect::Quartz)
    }

    /// Writes why a text has no fixed times.
    pub(super) fn write_not_fixed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is ", Quoted(self))?;
        f.write_str(if self.offender().starts_with('@') {
            "not a time: run the job when the program starts"
        } else if self.offender().contains('~') {
            "a random value, which is not a fixed schedule: write a number"
        } else {
            "a value that Jenkins chooses for each job, which is not a fixed schedule: write a \
             number"
        })
    }

    /// Writes what the dialect does not allow, or what no schedule can express.
    pub(super) fn write_unsupported(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
                let name = self.dialect.map_or("", Dialect::name);
                write!(f, "{offender} mixes names and numbers, which {name} does not read")
            }
            Detail::NoStep => {
                write!(f, "{offender} has a step after the last {field}: remove the step")
            }
            Detail::StepAfterStar { first, longest } => {
                write!(f, "{offender} has a step after `*`, which systemd does not read")?;
                let step = self.offender().strip_prefix("*/").unwrap_or_default().parse();
                match step.ok().filter(|step| (1..=longest).contains(step)) {
                    Some(step) => write!(f, ": write `{first}/{step}`"),
                    None => Ok(()),
                }
            }
            Detail::StepAfterName if self.dialect == Some(Dialect::Quartz) => write!(
                f,
                "{offender} has a step after a name, which Quartz ignores: write numbers, as in \
                 `2-6/2`"
            ),
            Detail::StepAfterName => {
                write!(f, "{offender} has a step after a name: write a number or a range")
            }
            Detail::Calendar => write!(
                f,
                "{offender} depends on a calendar of Quartz, so it is not a fixed schedule: write \
                 the days"
            ),
            Detail::Precision => write!(
                f,
                "{offender} is finer than a millisecond, the resolution of a schedule: write at \
                 most three decimal places"
            ),
            _ => write!(
                f,
                "{offender} has different fractions in different seconds, which one schedule \
                 cannot express: write a schedule for each fraction"
            ),
        }
    }
}

/// Writes that a text is in another dialect, and which call reads it.
pub(super) fn write_other_dialect(
    f: &mut fmt::Formatter<'_>,
    detail: Detail,
    has_calls: bool,
) -> fmt::Result {
    if let Detail::Other(dialect) = detail {
        write!(f, "this is a schedule of {}", dialect.name())?;
        return if has_calls { write!(f, ": {}", HowToRead(dialect)) } else { Ok(()) };
    }
    f.write_str("this is a schedule in the language of millicron")?;
    let how = ": read it with `Schedule::parse` or `schedule!` without a dialect";
    f.write_str(if has_calls { how } else { "" })
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
pub(super) struct Shorthands(pub(super) Dialect);

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
