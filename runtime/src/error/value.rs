//! The messages about values, ranges and steps.

use core::fmt;

use super::dialect::Shorthands;
use super::parts::{Allowed, Form, Quoted, TIMER_KEY};
use super::repair::{RangeRepair, window_unit};
use super::{Detail, ParseError, ParseErrorKind};
use crate::{Dialect, Field};

impl ParseError {
    /// Writes that something is not a value of its field, which values are, and what to write
    /// instead.
    pub(super) fn write_value_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        let (offender, allowed) = (Quoted(self), Allowed(self.dialect, field));
        match (self.kind, self.dialect) {
            (ParseErrorKind::MissingValue { .. }, _) => {
                write!(f, "a value is missing in the {field}: expected {allowed}")
            }
            (ParseErrorKind::UnknownName { .. }, Some(dialect))
                if self.detail == Detail::Shorthand =>
            {
                let (words, form) = (Shorthands(dialect), dialect.form());
                write!(f, "{offender} is unknown: expected {words}, or the form {form}")
            }
            (ParseErrorKind::UnknownName { .. }, _) if self.offender() == TIMER_KEY => write!(
                f,
                "{offender} is the key of a systemd timer and not part of the schedule: write only \
                 what follows `{TIMER_KEY}=`"
            ),
            (ParseErrorKind::UnknownName { field: Field::Month }, None)
                if self.offender().eq_ignore_ascii_case("Easter") =>
            {
                write!(
                    f,
                    "{offender} is a date only in a calendar: write a calendar with the line \
                     `*.Easter`, and its name after the time, as in `12:00:00 @easter`"
                )
            }
            (ParseErrorKind::UnknownName { .. }, dialect) => {
                write!(f, "{offender} is not a valid {field}: expected {allowed}")?;
                let has_names = dialect != Some(Dialect::Systemd) || field == Field::Weekday;
                match field.name_like(self.offender()).filter(|_| has_names) {
                    Some(name) => write!(f, "; write `{name}`"),
                    None if dialect.is_none() => f.write_str(self.business_day_advice()),
                    None => Ok(()),
                }
            }
            (ParseErrorKind::OutOfRange { min, max, .. }, Some(dialect))
                if (min, max) != dialect.range(field) =>
            {
                let after = match (field, dialect) {
                    (Field::Weekday, _) => " after `#`",
                    (Field::Day, Dialect::Systemd) => " after `~`",
                    (Field::Day, _) => " after `L-`",
                    _ => "",
                };
                write!(f, "{offender} is out of range: expected {min}-{max}{after}")
            }
            (ParseErrorKind::OutOfRange { min, max, .. }, _)
                if self.detail == Detail::InCalendar =>
            {
                write!(f, "{field} {offender} is out of range: expected {min}-{max}")
            }
            (ParseErrorKind::OutOfRange { field: Field::Hour, max: 24, .. }, None) => {
                write!(f, "{offender} is out of range: a window ends at `24:00:00` at the latest")
            }
            (ParseErrorKind::OutOfRange { .. }, dialect) => {
                write!(f, "{field} {offender} is out of range: expected {allowed}")?;
                match (field, dialect, self.offender().trim_start_matches('0')) {
                    (Field::Weekday, None, "7") => f.write_str("; Sunday is 0"),
                    (Field::Year, None, _) => write!(f, "; {}", Form(field)),
                    _ => Ok(()),
                }
            }
            _ => self.write_character_message(f),
        }
    }

    /// Returns what to write in place of a word that is probably meant as a business day.
    fn business_day_advice(&self) -> &'static str {
        match (self.kind.field(), self.offender()) {
            (Field::Weekday, "B") => {
                "; `B` is an item of a list, as in `Sat,B`, not an end of a range, and `B#3` is the \
                 third business day of the month"
            }
            (Field::Weekday, "b") => "; for every business day, write `B`",
            (Field::Weekday, "LB") => "; for the last business day of the month, write `B#L`",
            (Field::Day, "B" | "b" | "LB") => {
                "; business days are weekdays, as in `*.*.* B` and `*.*.* B#L`"
            }
            _ => "",
        }
    }

    /// Writes that a character is not expected in its field, and which ones are.
    fn write_character_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        let first = self.offender().chars().next().unwrap_or_default();
        let in_own_language = self.dialect.is_none();
        if in_own_language && matches!(first, '\n' | '\r') {
            return write!(
                f,
                "unexpected line break in the {field}: write the schedule on one line, with \
                 spaces or tabs between its parts"
            );
        }
        if !self.offender().is_empty() && (first.is_whitespace() || first.is_control()) {
            let separators = if in_own_language {
                "use spaces or tabs between the parts of a schedule"
            } else {
                "write the schedule on one line, with spaces between its fields"
            };
            let number = u32::from(first);
            return write!(f, "unexpected character U+{number:04X} in the {field}: {separators}");
        }
        let (offender, allowed) = (Quoted(self), Allowed(self.dialect, field));
        write!(f, "unexpected {offender} in the {field}: expected {allowed}")?;
        match first {
            '?' => write!(f, "; for every {field}, write `*`"),
            '.' if in_own_language => {
                f.write_str("; a window has two dots, as in `09:30:00..16:00:00/15m`")
            }
            'w' if in_own_language && field == Field::Day => {
                f.write_str("; for the nearest day from Monday to Friday, write `W`")
            }
            c if in_own_language && !c.is_ascii() && c.is_numeric() => {
                f.write_str("; digits must be ASCII, `0` to `9`")
            }
            _ => Ok(()),
        }
    }

    /// Writes what is wrong with a range, a step or a `*`.
    pub(super) fn write_item_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        let (offender, last) = (Quoted(self), field.last());
        match self.kind {
            ParseErrorKind::Descending { from, to, step, .. } => {
                self.write_descending(f, from, to, step)
            }
            ParseErrorKind::StepWithoutRange { from, step, .. } => {
                write!(f, "{field} {offender} has a step but no range")?;
                // With the range, `0/1.5` would have a step of 1 and 5 milliseconds.
                if field == Field::Second && self.is_before_fraction() {
                    return Ok(());
                }
                write!(f, ": write `{from}")?;
                if from < last { write!(f, "-{last}/{step}`") } else { f.write_str("`") }
            }
            ParseErrorKind::StepOutOfRange { max: u32::MAX, .. } if self.dialect.is_some() => {
                write!(f, "{field} step {offender} is out of range: expected 1 or more")
            }
            ParseErrorKind::StepOutOfRange { min, max, .. } => {
                // Longer steps leave one value, but a step of days may follow a date.
                let longest = u32::from(last - field.min_value());
                let max = if field == Field::Day { max } else { max.min(longest) };
                write!(f, "{field} step {offender} is out of range: expected {min}-{max}")
            }
            ParseErrorKind::StepLeavesOne { value, step, .. } => {
                write!(f, "{field} step {offender} leaves one value only: write `{value}`")?;
                match window_unit(field, step) {
                    Some(unit) => write!(f, ", or the window `00:00:00../{step}{unit}`"),
                    None => Ok(()),
                }
            }
            _ => {
                write!(
                    f,
                    "`*` means every {field} and must be alone in its field: remove the `*` or the \
                     other items"
                )?;
                match self.dialect {
                    None => write!(f, "; expected {}", Allowed(None, field)),
                    Some(_) => Ok(()),
                }
            }
        }
    }

    /// Writes that a range runs downwards, and which ranges to write instead.
    fn write_descending(
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
}
