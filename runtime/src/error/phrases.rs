//! The phrases that the messages about all languages share.

use core::fmt::{self, Write};

use super::excerpt::printable;
use super::repair::RangeRepair;
use super::{Detail, ParseError};
use crate::{Dialect, Field};

impl ParseError {
    /// Writes that a range runs downwards, and which ranges to write instead.
    pub(super) fn write_descending(
        &self,
        f: &mut fmt::Formatter<'_>,
        from: u16,
        to: u16,
        step: u32,
    ) -> fmt::Result {
        let (field, offender) = (self.kind.field(), Quoted(self));
        write!(f, "{field} range {offender} runs downwards: write ")?;
        if self.detail == Detail::Fractions {
            return f.write_str("one range to the end of the minute and one from its start");
        }
        let ranges = RangeRepair {
            dialect: self.dialect,
            field,
            from,
            to,
            step,
            has_names: self.offender().starts_with(|c: char| c.is_ascii_alphabetic()),
            is_reversed: field == Field::Year || self.detail == Detail::FromEnd,
        };
        write!(f, "`{ranges}`")
    }

    /// Writes why no day matches all fields.
    pub(super) fn write_never_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offender = Quoted(self);
        if self.kind.field() == Field::Weekday {
            write!(
                f,
                "{offender} never occurs: none of these dates falls on such a weekday; \
                 expected a weekday of one of the dates"
            )
        } else {
            write!(
                f,
                "{offender} never occurs: none of these months has such a day of month; \
                 expected 1-28 in February, 29 in leap years, 1-30 in April, June, September and \
                 November, and 1-31 in the other months"
            )
        }
    }
}

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
