//! Reads items that are specific to days of the month and weekdays: `L-3`, `15W`, `Fri#2`, and the
//! steps from a date.

use super::{Part, insert};
use crate::expression::LONGEST_STEP;
use crate::{DateSteps, Expression, Field, ParseError, ParseErrorKind, RelativeDays};

/// The highest `n` in `L-n`.
const LAST_OFFSET: u64 = 30;

impl Part<'_> {
    /// Whether `W` follows a day, or `#` a weekday.
    pub(super) fn is_relative(&self, field: Field) -> bool {
        match (field, self.peek()) {
            (Field::Day, Some(byte)) => byte == b'W',
            (Field::Weekday, Some(byte)) => byte == b'#',
            _ => false,
        }
    }

    /// Reads `L`, or returns the error for another word in its place.
    #[inline(never)]
    pub(super) fn last_day(&mut self) -> Result<u16, ParseError> {
        let word = &self.bytes[self.at..];
        let len = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        match &word[..len] {
            b"L" | b"LW" => {
                self.at += 1;
                Ok(Field::Day.max_value())
            }
            b"W" => self.error(ParseErrorKind::NearestWeekday, self.at..self.at + 1),
            _ => self.name(Field::Day),
        }
    }

    /// Reads the rest of `aW` or `a#k` after `a`. The item begins at `start`.
    #[inline(never)]
    pub(super) fn relative(
        &mut self,
        expression: &mut Expression,
        field: Field,
        value: u16,
        start: usize,
    ) -> Result<(), ParseError> {
        self.at += 1;
        if field == Field::Weekday {
            return self.numbered(expression, value, start);
        }
        if self.bytes[start] == b'L' {
            expression.relative.nearest_before_last |= 1;
        } else if value == field.max_value() {
            return self.error(ParseErrorKind::NearestWeekday, start..self.at);
        } else {
            expression.relative.nearest |= 1 << (value - 1);
        }
        Ok(())
    }

    /// Returns the error for `a-bW` or `a-b#k`. The item begins at `start`.
    #[inline(never)]
    pub(super) fn relative_range(&mut self, field: Field, start: usize) -> Result<(), ParseError> {
        self.at += 1;
        if field == Field::Day {
            return self.error(ParseErrorKind::NearestWeekday, start..self.at);
        }
        self.skip_number();
        self.error(ParseErrorKind::WeekdayNumber, start..self.at)
    }

    /// Reads the number after `a#`. The item begins at `start`.
    fn numbered(
        &mut self,
        expression: &mut Expression,
        weekday: u16,
        start: usize,
    ) -> Result<(), ParseError> {
        let first = match self.peek() {
            Some(b'L') => {
                self.at += 1;
                RelativeDays::LAST
            }
            _ => match self.number() {
                #[expect(clippy::cast_possible_truncation, reason = "at most 5")]
                Some(number @ 1..=5) => 7 * (number as u32 - 1),
                _ => return self.error(ParseErrorKind::WeekdayNumber, start..self.at),
            },
        };
        expression.relative.numbered |= 1 << (first + u32::from(weekday));
        Ok(())
    }

    fn skip_number(&mut self) {
        if self.number().is_none() && self.peek() == Some(b'L') {
            self.at += 1;
        }
    }

    /// Reads the rest of `L-n` or `L-nW` after `L-`. The item begins at `start`.
    #[inline(never)]
    pub(super) fn before_last(
        &mut self,
        expression: &mut Expression,
        start: usize,
    ) -> Result<(), ParseError> {
        let days = match self.number() {
            Some(days @ 1..=LAST_OFFSET) => 1 << days,
            _ => return self.error(ParseErrorKind::LastDayOffset, start..self.at),
        };
        if self.is_relative(Field::Day) {
            self.at += 1;
            expression.relative.nearest_before_last |= days;
        } else {
            expression.relative.before_last |= days;
        }
        Ok(())
    }

    /// Reads the step after a single value, which only a date can have: `2026.01.05/14d`. The item
    /// begins at `start`.
    #[inline(never)]
    pub(super) fn step_from(
        &mut self,
        expression: &mut Expression,
        field: Field,
        from: u16,
        start: usize,
    ) -> Result<(), ParseError> {
        let date = self.date_before(field, start);
        let step = self.step(field)?.unwrap_or(1);
        let unit = match self.peek() {
            _ if field != Field::Day => 0,
            Some(b'd') => 1,
            Some(b'w') => 7,
            _ => 0,
        };
        if unit == 0 {
            let kind = match date {
                Some(_) => ParseErrorKind::MissingUnit { field },
                None => ParseErrorKind::StepWithoutRange { field, from, step },
            };
            return self.error(kind, start..self.at);
        }
        self.at += 1;
        let Some(date) = date.filter(|_| from < field.max_value()) else {
            return self.error(ParseErrorKind::DateStep, start..self.at);
        };
        if self.at < self.bytes.len() {
            return self.error(ParseErrorKind::DateStep, date..self.bytes.len());
        }
        insert(expression.words_mut(field), field, from, from, 1);
        let days = step.saturating_mul(unit).min(LONGEST_STEP);
        expression.steps = Some(DateSteps { days, are_weeks: unit == 7 });
        Ok(())
    }

    /// Whether the last thing read was `/n`.
    pub(super) fn is_after_step(&self) -> bool {
        let mut before = self.bytes[..self.at].iter().rev();
        before.find(|byte| !byte.is_ascii_digit()) == Some(&b'/')
    }

    /// Returns the start of the date with its day at `day`, if it consists of plain numbers or
    /// names.
    fn date_before(&self, field: Field, day: usize) -> Option<usize> {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'.';
        let len = self.bytes[..day].iter().rev().take_while(|byte| is_plain(byte)).count();
        let start = day - len;
        let is_start = start == 0 || self.bytes[start - 1].is_ascii_whitespace();
        (field == Field::Day && is_start).then_some(start)
    }
}
