//! The canonical text of an [`Expression`].

use core::fmt;

use super::run::{List, bits_of};
use super::{
    DateSteps, Expression, Join, Move, RelativeDays, STEP_UNITS, StepUnit, Window, WindowEnd,
};
use crate::Field;

/// Writes the canonical text: without a date or weekday that matches everything, without
/// milliseconds that are only 0, with numbers in ascending order, and with three or more
/// numbers in equal steps as a range. It parses back to the same expression.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_date(f)?;
        match &self.window {
            Some(window) => write_window(f, window),
            None => self.write_time(f),
        }
    }
}

impl Expression {
    /// Writes the date and the weekday, each followed by a space, unless they match everything.
    fn write_date(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // With steps in weeks, even `*` differs from an omitted weekday.
        let are_weeks = self.steps.is_some_and(|steps| steps.unit == StepUnit::Week);
        let has_weekday = are_weeks || !self.is_full(Field::Weekday);
        let is_full = |field: &Field| self.is_full(*field);
        if !has_weekday && [Field::Year, Field::Month, Field::Day].iter().all(is_full) {
            return Ok(());
        }
        self.write_field(f, Field::Year, 4)?;
        f.write_str(".")?;
        self.write_field(f, Field::Month, 2)?;
        f.write_str(".")?;
        self.write_days(f)?;
        if let Some(DateSteps { days, unit }) = self.steps {
            match unit {
                StepUnit::Day => write!(f, "/{days}d")?,
                StepUnit::Week => write!(f, "/{}w", days / 7)?,
                StepUnit::BusinessDay => write!(f, "/{days}b")?,
            }
        }
        f.write_str(if self.join == Join::Either { " | " } else { " " })?;
        if has_weekday {
            self.write_weekdays(f)?;
            f.write_str(" ")?;
        }
        Ok(())
    }

    fn write_days(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = List::new(f);
        self.write_values(&mut list, Field::Day, 2)?;
        self.write_relative_days(&mut list, 2)?;
        self.business.moves.as_slice().iter().try_for_each(|it| write_move(&mut list, it))
    }

    /// Writes the days of the month that are given other than by a number: `L-1,15W,LW`.
    pub(crate) fn write_relative_days(&self, list: &mut List<'_, '_>, width: usize) -> fmt::Result {
        let RelativeDays { before_last, nearest, nearest_before_last, .. } = self.relative;
        for n in bits_of(before_last) {
            write!(list.next()?, "L-{n}")?;
        }
        for n in bits_of(nearest) {
            write!(list.next()?, "{:0width$}W", n + 1)?;
        }
        for n in bits_of(nearest_before_last) {
            match n {
                0 => list.next()?.write_str("LW")?,
                n => write!(list.next()?, "L-{n}W")?,
            }
        }
        Ok(())
    }

    fn write_weekdays(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = List::new(f);
        self.write_values(&mut list, Field::Weekday, 1)?;
        for bit in bits_of(self.relative.numbered) {
            match (bit % 7, bit / 7) {
                (weekday, 5) => write!(list.next()?, "{weekday}#L")?,
                (weekday, index) => write!(list.next()?, "{weekday}#{}", index + 1)?,
            }
        }
        if self.business.is_every {
            list.next()?.write_str("B")?;
        }
        for bit in bits_of(self.business.numbered) {
            write!(list.next()?, "B#{}", bit + 1)?;
        }
        for n in bits_of(self.business.before_last) {
            match n {
                0 => list.next()?.write_str("B#L")?,
                n => write!(list.next()?, "B#L-{n}")?,
            }
        }
        Ok(())
    }

    fn write_time(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_field(f, Field::Hour, 2)?;
        f.write_str(":")?;
        self.write_field(f, Field::Minute, 2)?;
        f.write_str(":")?;
        self.write_field(f, Field::Second, 2)?;
        if self.millisecond != Self::ZERO {
            f.write_str(".")?;
            self.write_field(f, Field::Millisecond, 3)?;
        }
        Ok(())
    }

    /// Writes a field in its canonical form, with numbers of at least `width` digits.
    pub(crate) fn write_field(
        &self,
        f: &mut fmt::Formatter<'_>,
        field: Field,
        width: usize,
    ) -> fmt::Result {
        self.write_values(&mut List::new(f), field, width)
    }

    /// Writes the values of a field in their canonical form, with numbers of at least `width`
    /// digits.
    fn write_values(&self, list: &mut List<'_, '_>, field: Field, width: usize) -> fmt::Result {
        let has_last_day = field == Field::Day && self.contains(field, field.max_value());
        // `*` is only alone.
        let is_alone = !has_last_day && (field != Field::Day || self.business.moves.is_empty());
        for run in self.runs(field) {
            let f = list.next()?;
            match run.step {
                1 if run.is_whole(field) && is_alone => f.write_str("*")?,
                step @ 2.. if run.is_whole(field) => write!(f, "*/{step}")?,
                _ => run.write(f, width, "-")?,
            }
        }
        if has_last_day { write!(list.next()?, "{}", field.max_value()) } else { Ok(()) }
    }
}

/// Writes days that are moved in the same way: `15>B,L>B`.
fn write_move(list: &mut List<'_, '_>, days: &Move) -> fmt::Result {
    let Move { is_back, is_modified, offset, .. } = *days;
    let to = if is_back { "<B" } else { ">B" };
    let modified = if is_modified { "!" } else { "" };
    for bit in bits_of(days.days) {
        let f = list.next()?;
        match bit.checked_sub(Move::LAST) {
            None => write!(f, "{:02}", bit + 1)?,
            Some(0) => f.write_str("L")?,
            Some(n) => write!(f, "L-{n}")?,
        }
        write!(f, "{to}{modified}")?;
        if offset != 0 {
            write!(f, "{offset:+}")?;
        }
    }
    Ok(())
}

fn write_window(f: &mut fmt::Formatter<'_>, window: &Window) -> fmt::Result {
    write!(f, "{}", Time(window.from))?;
    match window.end() {
        WindowEnd::EndOfDay => f.write_str("..")?,
        WindowEnd::Before(end) => write!(f, "..{}", Time(end))?,
        WindowEnd::At(end) => write!(f, "..={}", Time(end))?,
    }
    write!(f, "/{}", StepInUnits(window.step))
}

/// A time of day in milliseconds, written as in a schedule.
struct Time(u32);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(time) = *self;
        let seconds = time / 1000;
        write!(f, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        match time % 1000 {
            0 => Ok(()),
            millis => write!(f, ".{millis:03}"),
        }
    }
}

/// The step of a window in milliseconds, in descending units: `1h30m`.
pub(crate) struct StepInUnits(pub(crate) u32);

impl fmt::Display for StepInUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        for (field, name) in STEP_UNITS {
            let unit = field.unit();
            if rest >= unit {
                write!(f, "{}{name}", rest / unit)?;
                rest %= unit;
            }
        }
        Ok(())
    }
}
