//! The repairs that messages suggest.
//!
//! The parser has already decided whether there is a repair.

use core::fmt::{self, Write};

use crate::calendar::DAY_MILLIS;
use crate::expression::STEP_UNITS;
use crate::{Dialect, Field};

/// A range that wraps around the end of its field, as a list of ascending ranges.
pub(super) struct RangeRepair {
    /// The dialect, or `None` for the language of this crate.
    pub(super) dialect: Option<Dialect>,
    pub(super) field: Field,
    pub(super) from: u16,
    pub(super) to: u16,
    pub(super) step: u32,
    /// Whether values are written by their names.
    pub(super) has_names: bool,
    /// Whether `from` and `to` are only in the wrong order. Years do not wrap around.
    pub(super) is_reversed: bool,
}

impl RangeRepair {
    /// Returns the first and the last value of the field.
    fn limits(&self) -> (u16, u16) {
        match (self.dialect, self.field) {
            (None, field) => (field.min_value(), field.last().max(self.from)),
            // Sunday is both 0 and 7: after 7 comes 1.
            (Some(Dialect::Crontab), Field::Weekday) if self.from == 7 => (1, 7),
            (Some(Dialect::Crontab), Field::Weekday) => (0, 6),
            (Some(dialect), field) => dialect.range(field),
        }
    }

    fn write_value(&self, f: &mut fmt::Formatter<'_>, value: u16) -> fmt::Result {
        let number = match (self.dialect, self.field) {
            (Some(dialect), Field::Weekday) => dialect.weekday(value),
            _ => value,
        };
        match self.field.name_of(number).filter(|_| self.has_names) {
            Some(name) => f.write_str(name),
            None => write!(f, "{value}"),
        }
    }

    fn write_range(&self, f: &mut fmt::Formatter<'_>, first: u16, last: u16) -> fmt::Result {
        self.write_value(f, first)?;
        if first < last && self.step <= u32::from(last - first) {
            f.write_str(if self.dialect == Some(Dialect::Systemd) { ".." } else { "-" })?;
            self.write_value(f, last)?;
            if self.step > 1 {
                write!(f, "/{}", self.step)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for RangeRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, step, .. } = *self;
        if from <= to {
            return self.write_range(f, from, to);
        }
        if self.is_reversed {
            return self.write_range(f, to, from);
        }
        let (min, max) = self.limits();
        self.write_range(f, from, max)?;
        // The steps continue across the end of the field.
        let rest = u32::from(max - from) % step;
        let start = u32::from(min).saturating_add(step - 1 - rest);
        match u16::try_from(start).ok().filter(|start| *start <= to) {
            Some(start) => {
                f.write_char(',')?;
                self.write_range(f, start, to)
            }
            None => Ok(()),
        }
    }
}

/// A list in which each name is cut to its three letters.
pub(crate) struct ShortNames<'a>(pub(crate) Field, pub(crate) &'a str);

impl ShortNames<'_> {
    /// Returns the names, and what follows each of them.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &str> {
        let Self(field, list) = *self;
        list.split_inclusive(|c: char| !c.is_ascii_alphabetic()).flat_map(move |piece| {
            let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
            [field.name_like(word).unwrap_or(word), &piece[word.len()..]]
        })
    }
}

impl fmt::Display for ShortNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| f.write_str(piece))
    }
}

/// A date, or a date and time, in the form of ISO 8601, as a schedule.
pub(super) struct CivilTime<'a>(pub(super) &'a str);

impl CivilTime<'_> {
    pub(super) fn has_time(&self) -> bool {
        self.0.contains(':')
    }
}

impl fmt::Display for CivilTime<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (date, time) = match self.0.split_once(['T', ' ', '\t']) {
            Some((date, time)) => (date, Some(time.trim_ascii_start())),
            None => (self.0, None),
        };
        for character in date.chars() {
            f.write_char(if matches!(character, '-' | '/') { '.' } else { character })?;
        }
        let Some(time) = time else { return Ok(()) };
        let (time, fraction) = match time.split_once('.') {
            Some((time, fraction)) => (time, Some(fraction)),
            None => (time, None),
        };
        write!(f, " {time}")?;
        if time.bytes().filter(|byte| *byte == b':').count() == 1 {
            f.write_str(":00")?;
        }
        match fraction {
            // ISO 8601 writes half a second as `.5`, and a schedule as `.500`.
            Some(fraction) => write!(f, ".{fraction:0<3}"),
            None => Ok(()),
        }
    }
}

/// Returns the unit with which a window can have the step of a time field, as in `90m`; `None` if
/// no window can have that step.
pub(super) fn window_unit(field: Field, step: u32) -> Option<&'static str> {
    let (_, unit) = STEP_UNITS.into_iter().find(|(of, _)| *of == field)?;
    (step <= DAY_MILLIS / field.unit()).then_some(unit)
}
