//! The canonical text of an [`Expression`].

use core::fmt;

use super::{DateSteps, Expression, Join, RelativeDays, Window, WindowEnd};
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
        let are_weeks = self.steps.is_some_and(|steps| steps.are_weeks);
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
        match self.steps {
            Some(DateSteps { days, are_weeks: true }) => write!(f, "/{}w", days / 7)?,
            Some(DateSteps { days, are_weeks: false }) => write!(f, "/{days}d")?,
            None => {}
        }
        f.write_str(if self.join == Join::Either { " | " } else { " " })?;
        if has_weekday {
            self.write_weekdays(f)?;
            f.write_str(" ")?;
        }
        Ok(())
    }

    fn write_days(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RelativeDays { before_last, nearest, nearest_before_last, .. } = self.relative;
        let mut list = List(f, self.fields.day == 0);
        if !list.1 {
            self.write_field(list.0, Field::Day, 2)?;
        }
        for n in bits_of(before_last) {
            write!(list.next()?, "L-{n}")?;
        }
        for n in bits_of(nearest) {
            write!(list.next()?, "{:02}W", n + 1)?;
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
        let mut list = List(f, self.fields.weekday == 0);
        if !list.1 {
            self.write_field(list.0, Field::Weekday, 1)?;
        }
        for bit in bits_of(self.relative.numbered) {
            match (bit % 7, bit / 7) {
                (weekday, 5) => write!(list.next()?, "{weekday}#L")?,
                (weekday, index) => write!(list.next()?, "{weekday}#{}", index + 1)?,
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
    fn write_field(&self, f: &mut fmt::Formatter<'_>, field: Field, width: usize) -> fmt::Result {
        let has_last_day = field == Field::Day && self.contains(field, field.max_value());
        let mut separator = "";
        let mut from = self.next(field, field.min_value());
        while let Some(first) = from {
            let run = self.run(field, first);
            let is_whole = first == field.min_value() && run.last + run.step > field.last();
            let next = match run {
                Run { len: 3.., step: 1, .. } if is_whole && !has_last_day => {
                    return f.write_str("*");
                }
                Run { len: 3.., step, .. } if is_whole && step > 1 => {
                    write!(f, "{separator}*/{step}")?;
                    run.last
                }
                Run { len: 3.., step, last } => {
                    write!(f, "{separator}{first:0width$}-{last:0width$}")?;
                    if step > 1 {
                        write!(f, "/{step}")?;
                    }
                    last
                }
                _ => {
                    write!(f, "{separator}{first:0width$}")?;
                    first
                }
            };
            separator = ",";
            from = self.next(field, next + 1);
        }
        if has_last_day {
            write!(f, "{separator}{}", field.max_value())?;
        }
        Ok(())
    }

    /// Returns the last value and the step of the longest run of equal steps that starts at the
    /// value `first`.
    pub(crate) fn steps_from(&self, field: Field, first: u16) -> (u16, u16) {
        let Run { last, step, .. } = self.run(field, first);
        (last, step)
    }

    /// Returns the longest run of equal steps that starts at the value `first`.
    fn run(&self, field: Field, first: u16) -> Run {
        let Some(second) = self.next(field, first + 1) else {
            return Run { last: first, step: 1, len: 1 };
        };
        let step = second - first;
        let mut run = Run { last: second, step, len: 2 };
        while self.next(field, run.last + 1) == Some(run.last + step) {
            run.last += step;
            run.len += 1;
        }
        run
    }
}

/// Values of a field in equal steps.
struct Run {
    last: u16,
    step: u16,
    len: u16,
}

/// Writes the items of a list. The flag is true until the first item.
pub(crate) struct List<'a, 'f>(pub(crate) &'a mut fmt::Formatter<'f>, pub(crate) bool);

impl<'f> List<'_, 'f> {
    /// Writes the comma before the next item, if it needs one.
    pub(crate) fn next(&mut self) -> Result<&mut fmt::Formatter<'f>, fmt::Error> {
        if !core::mem::replace(&mut self.1, false) {
            self.0.write_str(",")?;
        }
        Ok(self.0)
    }
}

/// Returns the places of the set bits of a word, in ascending order.
pub(crate) fn bits_of(bits: impl Into<u64>) -> impl Iterator<Item = u32> {
    let bits = bits.into();
    (0..u64::BITS).filter(move |place| bits >> place & 1 == 1)
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
        for (unit, name) in [(3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")] {
            if rest >= unit {
                write!(f, "{}{name}", rest / unit)?;
                rest %= unit;
            }
        }
        Ok(())
    }
}
