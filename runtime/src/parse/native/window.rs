//! Reads windows of the day: `09:30:00..16:00:00/15m`.

use crate::calendar::DAY_MILLIS;
use crate::expression::STEP_UNITS;
use crate::parse::reader::Reader;
use crate::{Expression, Field, ParseError, ParseErrorKind, Window, bits};

/// The hour of the latest end, 24:00:00.
const LAST_HOUR: u16 = 24;

impl Reader<'_> {
    /// Whether `..` comes next.
    pub(super) fn is_window(&self) -> bool {
        self.bytes[self.at..].starts_with(b"..")
    }

    /// Reads the rest of a window. Its start is the time that begins at `start`.
    #[inline(never)]
    pub(super) fn window(
        &mut self,
        expression: &mut Expression,
        start: usize,
    ) -> Result<(), ParseError> {
        let is_plain = |byte: &u8| matches!(byte, b'0'..=b'9' | b':' | b'.');
        if !self.bytes[start..self.at].iter().all(is_plain) {
            return self.error(ParseErrorKind::WindowTime, start..self.at);
        }
        let from = time_of(expression);
        self.at += 2;
        let is_closed = self.skip(b'=');
        let to = match self.peek() {
            None | Some(b'/') if !is_closed => DAY_MILLIS,
            _ => self.window_end()?,
        };
        if !self.skip(b'/') {
            return match self.peek() {
                None => self.error(ParseErrorKind::MissingStep, start..self.at),
                Some(_) => self.error(ParseErrorKind::WindowTime, self.character()),
            };
        }
        let step = self.window_step()?;
        let count = Window::steps(from, to, step, is_closed);
        expression.window = (count > 1).then_some(Window { from, step, count });
        Ok(())
    }

    /// Reads the end of a window, at most 24:00:00.
    fn window_end(&mut self) -> Result<u32, ParseError> {
        let start = self.at;
        let hour = self.plain_value(Field::Hour, LAST_HOUR)?;
        self.separator(b':', Field::Minute)?;
        let minute = self.plain_value(Field::Minute, 59)?;
        self.separator(b':', Field::Second)?;
        let second = self.plain_value(Field::Second, 59)?;
        let mut time = (hour * 60 + minute) * 60_000 + second * 1000;
        if self.skip(b'.') {
            time += self.plain_value(Field::Millisecond, 999)?;
        }
        if time > DAY_MILLIS {
            let kind = ParseErrorKind::OutOfRange { field: Field::Hour, min: 0, max: LAST_HOUR };
            return self.error(kind, start..self.at);
        }
        Ok(time)
    }

    /// Reads a plain number in a time.
    fn plain_value(&mut self, field: Field, max: u16) -> Result<u32, ParseError> {
        let start = self.at;
        match self.number().map(u16::try_from) {
            Some(Ok(value)) if value <= max => Ok(value.into()),
            Some(_) => {
                self.error(ParseErrorKind::OutOfRange { field, min: 0, max }, start..self.at)
            }
            None if self.peek() == Some(b'.') => self.unexpected(field),
            None if matches!(self.peek(), None | Some(b':' | b'/')) => {
                self.error(ParseErrorKind::MissingValue { field }, self.character())
            }
            None => self.error(ParseErrorKind::WindowTime, self.character()),
        }
    }

    /// Reads a step: numbers with units, in descending order.
    fn window_step(&mut self) -> Result<u32, ParseError> {
        let start = self.at;
        // Read everything first, so that the error can say what to write.
        let (mut total, mut last, mut is_valid) = (Some(0_u64), u64::MAX, true);
        while self.at < self.bytes.len() {
            let number_start = self.at;
            let Some(number) = self.number() else {
                return self
                    .error(ParseErrorKind::WindowStep { millis: None }, start..self.bytes.len());
            };
            let fraction = self.fraction();
            let name = self.skip_while(|byte| byte.is_ascii_alphabetic());
            let Some((field, _)) = STEP_UNITS.into_iter().find(|(_, unit)| *unit == name) else {
                let kind = if name.is_empty() && self.at == self.bytes.len() {
                    ParseErrorKind::MissingUnit { field: Field::Hour }
                } else {
                    ParseErrorKind::WindowStep { millis: None }
                };
                return self.error(kind, number_start..self.bytes.len());
            };
            let unit = u64::from(field.unit());
            is_valid &= unit < last && fraction.is_none();
            last = last.min(unit);
            // Only an exact repair is offered.
            let part = fraction.map_or(Some(0), |(digits, scale)| {
                let (product, scale) = (digits.checked_mul(unit)?, scale?);
                product.is_multiple_of(scale).then(|| product / scale)
            });
            total = total.zip(part).map(|(total, part)| {
                total.saturating_add(number.saturating_mul(unit)).saturating_add(part)
            });
        }
        let millis = total
            .and_then(|step| u32::try_from(step).ok())
            .filter(|step| (1..=DAY_MILLIS).contains(step));
        match millis {
            Some(step) if is_valid => Ok(step),
            _ => self.error(ParseErrorKind::WindowStep { millis }, start..self.at),
        }
    }

    /// Reads a decimal fraction, which a step may not have. Returns its digits, and the power of
    /// ten by which to divide them, unless that is too large.
    fn fraction(&mut self) -> Option<(u64, Option<u64>)> {
        if !self.skip(b'.') {
            return None;
        }
        let start = self.at;
        let digits = self.number().unwrap_or(0);
        let scale = u32::try_from(self.at - start).ok().and_then(|len| 10_u64.checked_pow(len));
        Some((digits, scale))
    }
}

/// Returns the time of an expression with one time of day, in milliseconds since midnight.
fn time_of(expression: &Expression) -> u32 {
    let fields = &expression.fields;
    let [hour, minute, second] = [fields.hour, fields.minute, fields.second].map(bits::first);
    let millisecond = expression.next(Field::Millisecond, 0).unwrap_or(0);
    (hour * 60 + minute) * 60_000 + second * 1000 + u32::from(millisecond)
}
