//! The calendar events of systemd.

use core::fmt::{self, Write};

use super::{has_days, has_weekdays, write_values, write_weekday_names};
use crate::calendar::DAY_MILLIS;
use crate::dialect::LONGEST_LIST;
use crate::expression::LAST_DAY;
use crate::{Expression, Field, Window, bits};

/// Milliseconds in a minute.
const MINUTE: u32 = 60_000;

/// Returns the days counted from the end of the month: bit 0 is the last day.
pub(super) fn days_from_end(expression: &Expression) -> u32 {
    let last = u32::from(expression.fields.day & LAST_DAY != 0);
    expression.relative.before_last | last
}

/// Returns an expression whose days of month are the days counted from the end, beginning with 1.
fn as_days(from_end: u32) -> Expression {
    let mut days = Expression::MIDNIGHTS;
    days.fields.day = u64::from(from_end);
    days
}

/// Whether systemd refuses days counted from the end: it accepts 28 days in the first item of a
/// list, and three less in each further one.
pub(super) fn has_late_days(from_end: u32) -> bool {
    let mut limit = 31_u32;
    let check = each_run(&as_days(from_end), Field::Day, |_, last, _| {
        limit = limit.saturating_sub(3);
        if last > limit { Err(fmt::Error) } else { Ok(()) }
    });
    check.is_err()
}

/// Whether a window is equal steps through the whole day that divide a minute and that systemd's
/// notation reads back as a window. Steps of whole seconds, and steps that divide a second, are
/// read as sets.
pub(super) const fn is_stride(window: &Window) -> bool {
    let Window { from, step, count } = *window;
    let are_sets = step.is_multiple_of(1000) || 1000_u32.is_multiple_of(step);
    MINUTE.is_multiple_of(step) && from < step && count == DAY_MILLIS / step && !are_sets
}

/// Writes an expression that systemd can express.
pub(super) fn write(expression: &Expression, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if has_weekdays(expression) {
        let weekdays = expression.fields.weekday;
        write_weekday_names(weekdays, f, [1, 2, 3, 4, 5, 6, 0], "..", |f, weekday| {
            f.write_str(Field::Weekday.name_of(weekday).unwrap_or_default())
        })?;
        f.write_char(' ')?;
    }
    let has_date = has_days(expression)
        || !expression.is_full(Field::Year)
        || !expression.is_full(Field::Month);
    if has_date {
        write_field(expression, f, Field::Year, 4)?;
        f.write_char('-')?;
        write_field(expression, f, Field::Month, 2)?;
        write_days(expression, f)?;
        f.write_char(' ')?;
    }
    if let Some(Window { from, step, .. }) = expression.window {
        return write!(f, "*:*:{}/{}", Seconds(from), StepInSeconds(step));
    }
    write_field(expression, f, Field::Hour, 2)?;
    f.write_char(':')?;
    write_field(expression, f, Field::Minute, 2)?;
    f.write_char(':')?;
    match seconds(expression) {
        None => Ok(()),
        Some(SecondsForm::Whole) => write_field(expression, f, Field::Second, 2),
        Some(SecondsForm::Stride { from, step }) => {
            write!(f, "{}/{}", Seconds(from), StepInSeconds(step))
        }
        Some(SecondsForm::BySecond) => write_by_second(expression, f),
        Some(SecondsForm::ByMillisecond) => write_by_millisecond(expression, f),
    }
}

fn write_field(
    expression: &Expression,
    f: &mut fmt::Formatter<'_>,
    field: Field,
    width: usize,
) -> fmt::Result {
    if expression.is_full(field) {
        return f.write_char('*');
    }
    write_values(expression, f, field, width, "..")
}

/// Writes the separator before the days, and the days.
fn write_days(expression: &Expression, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let from_end = days_from_end(expression);
    if from_end == 0 {
        f.write_char('-')?;
        return write_field(expression, f, Field::Day, 2);
    }
    f.write_char('~')?;
    write_values(&as_days(from_end), f, Field::Day, 2, "..")
}

/// How to write the seconds.
pub(super) enum SecondsForm {
    /// Without milliseconds.
    Whole,
    /// As equal steps through the minute, in milliseconds.
    Stride { from: u32, step: u32 },
    /// As ranges of seconds for each millisecond.
    BySecond,
    /// As ranges of milliseconds for each second.
    ByMillisecond,
}

/// Returns how to write the seconds, if the list is short enough.
pub(super) fn seconds(expression: &Expression) -> Option<SecondsForm> {
    if expression.millisecond == Expression::ZERO {
        return Some(SecondsForm::Whole);
    }
    let millis = runs(expression, Field::Millisecond);
    let seconds = runs(expression, Field::Second);
    let first = expression.next(Field::Millisecond, 0)?;
    let (last, step) = expression.steps_from(Field::Millisecond, first);
    let is_stride = expression.is_full(Field::Second)
        && last > first
        && 1000 % step == 0
        && first < step
        && last + step >= 1000
        && u32::from(1000 / step) == millis.1;
    if is_stride {
        Some(SecondsForm::Stride { from: first.into(), step: step.into() })
    } else if seconds.0 * millis.1 <= LONGEST_LIST {
        Some(SecondsForm::BySecond)
    } else if seconds.1 * millis.0 <= LONGEST_LIST {
        Some(SecondsForm::ByMillisecond)
    } else {
        None
    }
}

/// Returns how many items the values of a field are written as, and how many values there are.
fn runs(expression: &Expression, field: Field) -> (u32, u32) {
    let mut count = 0;
    each_run(expression, field, |_, _, _| {
        count += 1;
        Ok(())
    })
    .unwrap_or_default();
    (count, expression.count(field))
}

/// Calls a function for each run of values: the first, the last and the step.
fn each_run(
    expression: &Expression,
    field: Field,
    mut write: impl FnMut(u32, u32, u32) -> fmt::Result,
) -> fmt::Result {
    let mut from = expression.next(field, field.min_value());
    while let Some(first) = from {
        let (end, step) = expression.steps_from(field, first);
        let last = if end >= first + 2 * step { end } else { first };
        write(first.into(), last.into(), step.into())?;
        from = expression.next(field, last + 1);
    }
    Ok(())
}

/// Writes a range of values in milliseconds of the minute, in steps of `step`.
fn write_range(f: &mut fmt::Formatter<'_>, first: u32, last: u32, step: u32) -> fmt::Result {
    write!(f, "{}", Seconds(first))?;
    if first < last {
        write!(f, "..{}", Seconds(last))?;
        // Without a step, the step of a range is a second.
        if step != 1000 {
            write!(f, "/{}", StepInSeconds(step))?;
        }
    }
    Ok(())
}

fn write_by_second(expression: &Expression, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut is_first = true;
    for (place, word) in expression.millisecond.iter().enumerate() {
        for bit in (0..64).filter(|bit| bits::contains(*word, *bit)) {
            let millis = u32::try_from(place).unwrap_or_default() * 64 + bit;
            each_run(expression, Field::Second, |first, last, step| {
                f.write_str(if core::mem::take(&mut is_first) { "" } else { "," })?;
                write_range(f, first * 1000 + millis, last * 1000 + millis, step * 1000)
            })?;
        }
    }
    Ok(())
}

fn write_by_millisecond(expression: &Expression, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut is_first = true;
    for second in (0..60).filter(|second| bits::contains(expression.fields.second, *second)) {
        each_run(expression, Field::Millisecond, |first, last, step| {
            f.write_str(if core::mem::take(&mut is_first) { "" } else { "," })?;
            write_range(f, second * 1000 + first, second * 1000 + last, step)
        })?;
    }
    Ok(())
}

/// Milliseconds of the minute, as seconds with two digits.
struct Seconds(u32);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}{}", self.0 / 1000, Fraction(self.0 % 1000))
    }
}

/// A step in milliseconds, as seconds.
struct StepInSeconds(u32);

impl fmt::Display for StepInSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0 / 1000, Fraction(self.0 % 1000))
    }
}

/// The decimal places of milliseconds, without trailing zeros.
struct Fraction(u32);

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            millis if millis % 100 == 0 => write!(f, ".{}", millis / 100),
            millis if millis % 10 == 0 => write!(f, ".{:02}", millis / 10),
            millis => write!(f, ".{millis:03}"),
        }
    }
}
