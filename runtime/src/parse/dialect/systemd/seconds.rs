//! Reads the seconds of systemd, which may have fractions.

use core::ops::Range;

use super::list::{check_step, items_of};
use crate::calendar::DAY_MILLIS;
use crate::error::Detail;
use crate::expression::Milliseconds;
use crate::parse::dialect::rules::Rules;
use crate::parse::reader::Reader;
use crate::{Dialect, Expression, Field, ParseError, ParseErrorKind, Window};

/// Microseconds in a millisecond, a second and a minute.
const MILLI: u32 = 1000;
const SECOND: u32 = 1_000_000;
const MINUTE: u32 = 60 * SECOND;

/// Values at equal distances, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct MicroSteps {
    from: u32,
    /// The last value, or the end of the steps.
    to: u32,
    step: u32,
}

/// Reads the seconds into the fields of the second and the millisecond, or into a window.
pub(super) fn read(reader: &mut Reader<'_>, expression: &mut Expression) -> Result<(), ParseError> {
    let rules = Rules::of(Dialect::Systemd, Field::Second);
    let start = reader.at;
    // The milliseconds of each second.
    let mut rows = [[0; 16]; 60];
    let (mut last, mut is_list) = (None, false);
    let every = MicroSteps { from: 0, to: MINUTE - 1, step: SECOND };
    items_of(reader, &rules, every, item, |steps| {
        // Repeated items are skipped, so a long list of the same item is as fast as the item.
        if last != Some(steps) {
            insert(&mut rows, &steps);
        }
        is_list = last.replace(steps).is_some();
    })?;
    if split(&rows, expression) {
        return Ok(());
    }
    let steps = last.filter(|_| !is_list);
    let Some(window) = steps.and_then(|steps| window(expression, &steps)) else {
        return reader.refuse(Detail::NoProduct, rules.field, start..reader.at);
    };
    set_window(expression, window);
    Ok(())
}

/// Reads an item: `a`, `a..b`, `a/n` or `a..b/n`.
fn item(reader: &mut Reader<'_>) -> Result<MicroSteps, ParseError> {
    let start = reader.at;
    let from = value(reader)?;
    let to = if reader.skip_dots() { Some(value(reader)?) } else { None };
    let step = if reader.skip(b'/') { Some(step(reader)?) } else { None };
    let span = start..reader.at;
    if let Some(to) = to.filter(|to| from > *to) {
        return descending(reader, from, to, step.unwrap_or(SECOND), span);
    }
    if to.is_none() && step.is_some_and(|step| step > MINUTE - 1 - from) {
        let longest = (MINUTE - 1 - from) / SECOND;
        check_step(reader, Field::Second, &span, Some(longest + 1), longest)?;
    }
    let to = to.or(step.map(|_| MINUTE - 1)).unwrap_or(from);
    let step = step.unwrap_or(SECOND);
    // A step beyond the end is never used.
    let is_taken = step <= to - from;
    if !from.is_multiple_of(MILLI) || is_taken && !step.is_multiple_of(MILLI) {
        return reader.refuse(Detail::Precision, Field::Second, span);
    }
    Ok(MicroSteps { from, to, step })
}

/// Returns the error for a range that runs downwards.
#[cold]
fn descending<T>(
    reader: &Reader<'_>,
    from: u32,
    to: u32,
    step: u32,
    span: Range<usize>,
) -> Result<T, ParseError> {
    let are_whole = [from, to, step].into_iter().all(|micros| micros.is_multiple_of(SECOND));
    let [from, to] = [from, to].map(|micros| u16::try_from(micros / SECOND).unwrap_or(59));
    let field = Field::Second;
    let kind = ParseErrorKind::Descending { field, from, to, step: (step / SECOND).max(1) };
    let detail = if are_whole { Detail::None } else { Detail::Fractions };
    reader.error_with(kind, detail, span)
}

/// Reads a number of seconds below a minute, in microseconds.
fn value(reader: &mut Reader<'_>) -> Result<u32, ParseError> {
    let start = reader.at;
    match decimal(reader)? {
        Some(value) if value < MINUTE => Ok(value),
        _ => {
            let kind = ParseErrorKind::OutOfRange { field: Field::Second, min: 0, max: 59 };
            reader.error(kind, start..reader.at)
        }
    }
}

/// Reads a step, in microseconds.
fn step(reader: &mut Reader<'_>) -> Result<u32, ParseError> {
    let start = reader.at;
    if let Some(step @ 1..) = decimal(reader)? {
        return Ok(step);
    }
    let kind = ParseErrorKind::StepOutOfRange { field: Field::Second, min: 1, max: 59 };
    reader.error(kind, start..reader.at)
}

/// Reads a number with up to six decimal places, in microseconds; `None` if it is too large.
fn decimal(reader: &mut Reader<'_>) -> Result<Option<u32>, ParseError> {
    let start = reader.at;
    let Some(whole) = reader.number() else {
        return reader.not_a_value(Field::Second);
    };
    let mut micros = u32::try_from(whole).ok().and_then(|whole| whole.checked_mul(SECOND));
    // Two dots are a range.
    if reader.peek() == Some(b'.') && !reader.rest().starts_with("..") {
        reader.at += 1;
        let digits = reader.skip_while(|byte| byte.is_ascii_digit());
        if digits.is_empty() {
            return reader.not_a_value(Field::Millisecond);
        }
        // Further places would be rounded.
        let has_more = digits.bytes().skip(6).any(|digit| digit != b'0');
        if has_more {
            return reader.refuse(Detail::Precision, Field::Second, start..reader.at);
        }
        let places = digits.bytes().chain(core::iter::repeat(b'0')).take(6);
        let fraction = places.fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
        micros = micros.and_then(|micros| micros.checked_add(fraction));
    }
    Ok(micros)
}

/// Adds the values of an item to the milliseconds of each second.
fn insert(rows: &mut [Milliseconds; 60], steps: &MicroSteps) {
    let step = usize::try_from(steps.step).unwrap_or(usize::MAX);
    for micros in (steps.from..=steps.to).step_by(step) {
        let (second, millis) = (micros / SECOND, micros % SECOND / MILLI);
        if let Some(row) = rows.get_mut(second as usize) {
            row[millis as usize / 64] |= 1 << (millis % 64);
        }
    }
}

/// Splits a set of milliseconds of the minute into a set of seconds and a set of milliseconds.
/// Returns whether that is possible.
fn split(rows: &[Milliseconds; 60], expression: &mut Expression) -> bool {
    expression.fields.second = 0;
    let is_taken = |row: &&Milliseconds| **row != [0; 16];
    let Some(millis) = rows.iter().find(is_taken) else { return false };
    if rows.iter().filter(is_taken).any(|row| row != millis) {
        return false;
    }
    for (second, row) in rows.iter().enumerate() {
        expression.fields.second |= u64::from(is_taken(&row)) << second;
    }
    expression.millisecond = *millis;
    true
}

/// Returns the window of steps that continue from minute to minute through the day.
fn window(expression: &Expression, steps: &MicroSteps) -> Option<Window> {
    let MicroSteps { from, to, step } = *steps;
    let is_every_minute = expression.is_full(Field::Hour) && expression.is_full(Field::Minute);
    let divides_minute = MINUTE.is_multiple_of(step) && from < step && MINUTE - to <= step;
    (is_every_minute && divides_minute).then(|| Window {
        from: from / MILLI,
        step: step / MILLI,
        count: DAY_MILLIS / (step / MILLI),
    })
}

/// Sets a window, and sets the time fields to its start.
fn set_window(expression: &mut Expression, window: Window) {
    let (second, millis) = (window.from / 1000, window.from % 1000);
    (expression.fields.hour, expression.fields.minute) = (1, 1);
    expression.fields.second = 1 << second;
    expression.millisecond = [0; 16];
    expression.millisecond[millis as usize / 64] = 1 << (millis % 64);
    expression.window = Some(window);
}
