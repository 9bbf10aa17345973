//! The calendar events of systemd.

use core::fmt::{self, Write};

use super::{has_days, has_weekdays, write_values, write_weekday_names};
use crate::calendar::DAY_MILLIS;
use crate::dialect::LONGEST_LIST;
use crate::expression::{LAST_DAY, List, Run, bits_of};
use crate::{Expression, Field, Window};

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
    let limits = (0..=28).rev().step_by(3);
    as_days(from_end).runs(Field::Day).zip(limits).any(|(run, limit)| run.last > limit)
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
        write_weekday_names(
            weekdays,
            &mut List::new(f),
            [1, 2, 3, 4, 5, 6, 0],
            "..",
            |f, weekday| f.write_str(Field::Weekday.name_of(weekday).unwrap_or_default()),
        )?;
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
        return write!(f, "*:*:{:02}/{}", Seconds(from), Seconds(step));
    }
    write_field(expression, f, Field::Hour, 2)?;
    f.write_char(':')?;
    write_field(expression, f, Field::Minute, 2)?;
    f.write_char(':')?;
    match seconds(expression) {
        None => Ok(()),
        Some(SecondsForm::Whole) => write_field(expression, f, Field::Second, 2),
        Some(SecondsForm::Stride { from, step }) => {
            write!(f, "{:02}/{}", Seconds(from), Seconds(step))
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
    write_values(expression, &mut List::new(f), field, width, "..")
}

/// Writes the separator before the days, and the days.
fn write_days(expression: &Expression, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let from_end = days_from_end(expression);
    if from_end == 0 {
        f.write_char('-')?;
        return write_field(expression, f, Field::Day, 2);
    }
    f.write_char('~')?;
    write_values(&as_days(from_end), &mut List::new(f), Field::Day, 2, "..")
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
    let [(millis, milli_runs), (seconds, second_runs)] = [Field::Millisecond, Field::Second]
        .map(|field| (expression.count(field), expression.runs(field).count()));
    let first = expression.next(Field::Millisecond, 0)?;
    let step = 1000 / u16::try_from(millis).ok()?;
    let mut steps = (first..1000).step_by(step.into());
    let is_stride = expression.is_full(Field::Second)
        && millis > 1
        && 1000 % millis == 0
        && first < step
        && steps.all(|milli| expression.contains(Field::Millisecond, milli));
    let is_list = |items: u32, runs: usize| items as usize * runs <= LONGEST_LIST as usize;
    if is_stride {
        Some(SecondsForm::Stride { from: first.into(), step: step.into() })
    } else if is_list(millis, second_runs) {
        Some(SecondsForm::BySecond)
    } else if is_list(seconds, milli_runs) {
        Some(SecondsForm::ByMillisecond)
    } else {
        None
    }
}

/// Writes a run of values in milliseconds of the minute: the values times `unit`, plus `offset`.
fn write_run(f: &mut fmt::Formatter<'_>, run: Run, unit: u32, offset: u32) -> fmt::Result {
    let [first, last] = [run.first, run.last].map(|value| u32::from(value) * unit + offset);
    write!(f, "{:02}", Seconds(first))?;
    if first < last {
        write!(f, "..{:02}", Seconds(last))?;
        // Without a step, the step of a range is a second.
        let step = u32::from(run.step) * unit;
        if step != 1000 {
            write!(f, "/{}", Seconds(step))?;
        }
    }
    Ok(())
}

fn write_by_second(expression: &Expression, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut list = List::new(f);
    for milli in (0..1000).filter(|milli| expression.contains(Field::Millisecond, *milli)) {
        for run in expression.runs(Field::Second) {
            write_run(list.next()?, run, 1000, milli.into())?;
        }
    }
    Ok(())
}

fn write_by_millisecond(expression: &Expression, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut list = List::new(f);
    for second in bits_of(expression.fields.second) {
        for run in expression.runs(Field::Millisecond) {
            write_run(list.next()?, run, 1, second * 1000)?;
        }
    }
    Ok(())
}

/// Milliseconds as seconds, without trailing zeros. The width is that of the whole seconds.
struct Seconds(u32);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = f.width().unwrap_or(0);
        write!(f, "{:0width$}", self.0 / 1000)?;
        match self.0 % 1000 {
            0 => Ok(()),
            millis if millis % 100 == 0 => write!(f, ".{}", millis / 100),
            millis if millis % 10 == 0 => write!(f, ".{:02}", millis / 10),
            millis => write!(f, ".{millis:03}"),
        }
    }
}
