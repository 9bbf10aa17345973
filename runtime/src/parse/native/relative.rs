//! Reads items that are specific to days of the month and weekdays: `L-3`, `15W`, `Fri#2`, and the
//! steps from a date.

use crate::expression::{LONGEST_STEP, Move};
use crate::parse::reader::Reader;
use crate::{DateSteps, Expression, Field, ParseError, ParseErrorKind, StepUnit};

/// The highest `n` in `L-n`.
const LAST_OFFSET: u64 = 30;

impl Reader<'_> {
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
        let start = self.at;
        match self.skip_while(|byte| byte.is_ascii_alphabetic()) {
            "L" | "LW" => {
                self.at = start + 1;
                Ok(Field::Day.max_value())
            }
            "W" => self.error(ParseErrorKind::NearestWeekday, start..self.at),
            _ => {
                self.at = start;
                self.name(Field::Day)
            }
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

    /// Returns the error for `a-bW`, `a-b>B` or `a-b#k`. The item begins at `start`.
    #[inline(never)]
    pub(super) fn relative_range(&mut self, field: Field, start: usize) -> Result<(), ParseError> {
        self.at += 1;
        if field == Field::Day {
            let is_nearest = self.bytes[self.at - 1] == b'W';
            self.skip(b'B');
            return if is_nearest {
                self.error(ParseErrorKind::NearestWeekday, start..self.at)
            } else {
                self.error(ParseErrorKind::MovedDay, start..self.at)
            };
        }
        if self.number().is_none() {
            self.skip(b'L');
        }
        self.error(ParseErrorKind::WeekdayNumber, start..self.at)
    }

    /// Reads the number after `a#`. The item begins at `start`.
    fn numbered(
        &mut self,
        expression: &mut Expression,
        weekday: u16,
        start: usize,
    ) -> Result<(), ParseError> {
        let last = self.skip(b'L').then_some(6);
        let number = last.or_else(|| self.number().filter(|number| (1..=5).contains(number)));
        let Some(number) = number else {
            return self.error(ParseErrorKind::WeekdayNumber, start..self.at);
        };
        expression.relative.numbered |= 1 << (7 * (number - 1) + u64::from(weekday));
        Ok(())
    }

    /// Reads the rest of `L-n` or `L-nW` after `L-`. The item begins at `start`.
    #[inline(never)]
    pub(super) fn before_last(
        &mut self,
        expression: &mut Expression,
        start: usize,
    ) -> Result<(), ParseError> {
        let days = match self.number() {
            Some(days @ 1..=LAST_OFFSET) => {
                if self.is_move(Field::Day) {
                    #[expect(clippy::cast_possible_truncation, reason = "at most 30")]
                    return self.moved(expression, Move::LAST + days as u32, start);
                }
                1 << days
            }
            _ => return self.error(ParseErrorKind::LastDayOffset, start..self.at),
        };
        if self.skip(b'W') {
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
        let step = self.step(field, u32::MAX)?.unwrap_or(1);
        let unit = match self.peek() {
            Some(b'd') if field == Field::Day => StepUnit::Day,
            Some(b'w') if field == Field::Day => StepUnit::Week,
            Some(b'b') if field == Field::Day => StepUnit::BusinessDay,
            next => {
                self.at += usize::from(field == Field::Day && next == Some(b'B'));
                let kind = match date {
                    Some(_) => ParseErrorKind::MissingUnit { field },
                    None => ParseErrorKind::StepWithoutRange { field, from, step },
                };
                return self.error(kind, start..self.at);
            }
        };
        self.at += 1;
        let Some(date) = date.filter(|_| from < field.max_value()) else {
            return self.error(ParseErrorKind::DateStep, start..self.at);
        };
        if self.at < self.bytes.len() {
            return self.error(ParseErrorKind::DateStep, date..self.bytes.len());
        }
        expression.insert(field, from..=from, 1);
        let days = step.saturating_mul(if unit == StepUnit::Week { 7 } else { 1 });
        expression.steps = Some(DateSteps { days: days.min(LONGEST_STEP), unit });
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
        let is_start = match &self.bytes[..start] {
            // The sign of a line of a calendar.
            [before @ .., b'+' | b'-'] => before.iter().all(u8::is_ascii_whitespace),
            before => before.last().is_none_or(u8::is_ascii_whitespace),
        };
        (field == Field::Day && is_start).then_some(start)
    }
}
