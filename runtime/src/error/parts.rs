//! The parts that the messages about all languages share.

use core::fmt::{self, Write};

use super::ParseError;
use super::excerpt::printable;
use crate::{Dialect, Field};

/// The text in the span, in backticks and cut if it is long.
pub(super) struct Quoted<'a>(pub(super) &'a ParseError);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 32;
        let mut characters = self.0.offender().chars();
        f.write_char('`')?;
        for character in characters.by_ref().take(LONGEST) {
            f.write_char(printable(character))?;
        }
        if characters.next().is_some() || self.0.end > self.0.excerpt.end() {
            f.write_char('…')?;
        }
        f.write_char('`')
    }
}

/// The allowed values of a field, in a dialect or in the language of this crate.
pub(super) struct Allowed(pub(super) Option<Dialect>, pub(super) Field);

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Dialect::{CronCrate, Crontab, Quartz, Systemd};

        let Self(dialect, field) = *self;
        if (dialect, field) == (Some(Systemd), Field::Weekday) {
            return f.write_str("Mon-Sun, or their full names");
        }
        let own = (field.min_value(), field.last());
        let (min, max) = dialect.map_or(own, |dialect| dialect.range(field));
        write!(f, "{min}-{max}")?;
        f.write_str(match (field, dialect) {
            (Field::Month, None) => ", or Jan-Dec",
            (Field::Month, Some(Crontab | Quartz | CronCrate)) => ", or JAN-DEC",
            (Field::Day, None) => ", or 32 or L for the last day of the month",
            (Field::Day, Some(Crontab | Quartz)) => ", or L for the last day of the month",
            (Field::Day, Some(Systemd)) => ", or 1-28 after `~`",
            (Field::Weekday, None) => ", or Sun-Sat",
            (Field::Weekday, Some(Crontab)) => ", or SUN-SAT; Sunday is 0 and 7",
            (Field::Weekday, Some(_)) => ", or SUN-SAT; Sunday is 1",
            _ => "",
        })
    }
}

/// The form of a complete schedule.
pub(super) const SCHEDULE: &str = "`yyyy.MM.dd w HH:mm:ss.fff`";

/// The key of schedules in the files of systemd.
pub(crate) const TIMER_KEY: &str = "OnCalendar";

/// The form of the part that contains a field.
pub(super) struct Form(pub(super) Field);

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Field::Year | Field::Month | Field::Day => "a date has the form `yyyy.MM.dd`",
            Field::Weekday => "a weekday is a single field, 0-6 or Sun-Sat",
            _ => "a schedule ends with a time, `HH:mm:ss` or `HH:mm:ss.fff`",
        })
    }
}

/// The fields that a time lacks, at most two.
pub(crate) fn zeros(missing: u8) -> &'static str {
    match missing {
        0 => "",
        1 => ":00",
        _ => ":00:00",
    }
}
