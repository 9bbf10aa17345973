//! Reads the language of this crate, each field into its bitmap, item by item.
//!
//! Spaces and tabs separate at most three parts, and `.` and `:` separate the fields of a part.

mod layout;
mod relative;
mod window;

use core::ops::Range;

use self::layout::Layout;
pub(super) use self::layout::{is_space, parts_of};
use super::Located;
use crate::{Expression, Field, Join, ParseError, ParseErrorKind, Spans};

/// Reads a schedule.
pub(super) fn read(text: &str) -> Result<Located, ParseError> {
    let layout = Layout::of(text)?;
    let mut located = Located { expression: Expression::MIDNIGHTS, spans: Spans::default() };
    if let Some(date) = &layout.date {
        let mut part = Part::new(text, date);
        part.field(&mut located, Field::Year)?;
        part.separator(b'.', Field::Month)?;
        part.field(&mut located, Field::Month)?;
        part.separator(b'.', Field::Day)?;
        part.field(&mut located, Field::Day)?;
        part.end(Field::Day)?;
    }
    if let Some(weekday) = &layout.weekday {
        let mut part = Part::new(text, weekday);
        part.field(&mut located, Field::Weekday)?;
        part.end(Field::Weekday)?;
    }
    let expression = &mut located.expression;
    if let Some(steps) = &mut expression.steps {
        steps.are_weeks &= layout.weekday.is_some();
    }
    if let Some(or) = layout.or {
        if expression.steps.is_some() {
            return Err(ParseError::new(ParseErrorKind::DateStep, text, or));
        }
        expression.join = Join::Either;
    }
    let mut part = Part::new(text, &layout.time);
    part.field(&mut located, Field::Hour)?;
    part.separator(b':', Field::Minute)?;
    part.field(&mut located, Field::Minute)?;
    part.separator(b':', Field::Second)?;
    part.field(&mut located, Field::Second)?;
    let mut last = Field::Second;
    if part.peek() == Some(b'.') && !part.is_window() {
        part.at += 1;
        last = Field::Millisecond;
        part.field(&mut located, last)?;
    }
    if part.is_window() {
        part.window(&mut located.expression, layout.time.start)?;
        located.spans.clear_time();
        last = Field::Millisecond;
    }
    part.end(last)?;
    if located.expression.is_extended() {
        located.expression.normalize();
    }
    Ok(located)
}

/// Whether a text is a list of items of a field.
pub(super) fn is_field(text: &str, field: Field) -> bool {
    let mut part = Part::new(text, &(0..text.len()));
    part.items(&mut Expression::MIDNIGHTS.clone(), field).is_ok() && part.at == text.len()
}

/// A part of the text and how far it has been read.
struct Part<'a> {
    text: &'a str,
    /// The bytes of the text up to the end of the part.
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Part<'a> {
    fn new(text: &'a str, span: &Range<usize>) -> Self {
        Self { text, bytes: &text.as_bytes()[..span.end], at: span.start }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[cold]
    fn error<T>(&self, kind: ParseErrorKind, span: Range<usize>) -> Result<T, ParseError> {
        Err(ParseError::new(kind, self.text, span))
    }

    /// Returns the error for the next character, which is not allowed in a field.
    #[cold]
    fn unexpected<T>(&self, field: Field) -> Result<T, ParseError> {
        self.error(ParseErrorKind::UnexpectedCharacter { field }, self.character())
    }

    /// The span of the next character, empty at the end of the part.
    fn character(&self) -> Range<usize> {
        let len = self.text[self.at..self.bytes.len()].chars().next().map_or(0, char::len_utf8);
        self.at..self.at + len
    }

    /// Reads the separator before the field `next`.
    fn separator(&mut self, separator: u8, next: Field) -> Result<(), ParseError> {
        match self.peek() {
            Some(byte) if byte == separator => {
                self.at += 1;
                Ok(())
            }
            // As in `12:*.123`, which has no seconds.
            None | Some(b'.' | b':' | b'/') => {
                self.error(ParseErrorKind::MissingField { field: next }, self.at..self.at)
            }
            // A list ends at a separator or at the end of its part, so this must be the end of a
            // window, as in `..16-17:00:00`.
            Some(_) => self.error(ParseErrorKind::WindowTime, self.character()),
        }
    }

    /// Expects the end of the part after its last field.
    fn end(&self, field: Field) -> Result<(), ParseError> {
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            self.error(ParseErrorKind::TooManyFields { field }, self.at..self.bytes.len())
        }
    }

    /// Reads a field, up to a separator or the end of the part.
    fn field(&mut self, located: &mut Located, field: Field) -> Result<(), ParseError> {
        let start = self.at;
        self.items(&mut located.expression, field)?;
        located.spans.set(field, start..self.at);
        Ok(())
    }

    /// Reads the items of a field, which are separated by commas.
    fn items(&mut self, expression: &mut Expression, field: Field) -> Result<(), ParseError> {
        let words = expression.words_mut(field);
        if self.is_bare_star() {
            // In `MIDNIGHTS`, the sets of the time are not full.
            fill(words, field, field.min_value(), field.last());
            self.at += 1;
        } else {
            words.fill(0);
            self.item(expression, field)?;
            while self.peek() == Some(b',') {
                self.at += 1;
                self.item(expression, field)?;
            }
        }
        match self.peek() {
            None | Some(b'.' | b':') => Ok(()),
            Some(b',') => self.error(ParseErrorKind::StarNotAlone { field }, self.at - 1..self.at),
            Some(b'd' | b'w') if field == Field::Day && self.is_after_step() => {
                self.error(ParseErrorKind::DateStep, self.character())
            }
            Some(_) => self.unexpected(field),
        }
    }

    /// Whether a `*` without a step comes next.
    fn is_bare_star(&self) -> bool {
        self.peek() == Some(b'*') && self.bytes.get(self.at + 1) != Some(&b'/')
    }

    /// Reads an item: `a`, `a-b`, `a-b/n`, `*/n`, or one of the items specific to days or weekdays.
    fn item(&mut self, expression: &mut Expression, field: Field) -> Result<(), ParseError> {
        let start = self.at;
        if self.peek() == Some(b'*') {
            return self.star_step(expression.words_mut(field), field);
        }
        let from = self.value(field)?;
        if self.peek() != Some(b'-') {
            if self.is_relative(field) {
                return self.relative(expression, field, from, start);
            }
            if self.peek() == Some(b'/') {
                return self.step_from(expression, field, from, start);
            }
            insert(expression.words_mut(field), field, from, from, 1);
            return Ok(());
        }
        self.at += 1;
        if field == Field::Day && self.bytes[start] == b'L' {
            return self.before_last(expression, start);
        }
        let to = self.value(field)?;
        let step = self.step(field)?.unwrap_or(1);
        if self.is_relative(field) {
            return self.relative_range(field, start);
        }
        if from > to {
            return self
                .error(ParseErrorKind::Descending { field, from, to, step }, start..self.at);
        }
        // At the end of a range, 32 is only a bound: the range goes to the end of the month and
        // does not add the last day.
        let to = to.min(field.last().max(from));
        insert(expression.words_mut(field), field, from, to, step);
        Ok(())
    }

    /// Reads the item `*/n`.
    fn star_step(&mut self, words: &mut [u64], field: Field) -> Result<(), ParseError> {
        let start = self.at;
        self.at += 1;
        let Some(step) = self.step(field)? else {
            return self.error(ParseErrorKind::StarNotAlone { field }, start..self.at);
        };
        let (value, last) = (field.min_value(), field.last());
        if step > u32::from(last - value) {
            return self
                .error(ParseErrorKind::StepLeavesOne { field, value, step }, start..self.at);
        }
        insert(words, field, value, last, step);
        Ok(())
    }

    /// Reads the step `/n`, if there is one.
    fn step(&mut self, field: Field) -> Result<Option<u32>, ParseError> {
        if self.peek() != Some(b'/') {
            return Ok(None);
        }
        self.at += 1;
        let start = self.at;
        match self.number().map(u32::try_from) {
            None => self.not_a_value(field),
            Some(Ok(step @ 1..)) => Ok(Some(step)),
            Some(_) => {
                let kind = ParseErrorKind::StepOutOfRange { field, min: 1, max: u32::MAX };
                self.error(kind, start..self.at)
            }
        }
    }

    /// Reads a number, a name, or `L` for the last day.
    fn value(&mut self, field: Field) -> Result<u16, ParseError> {
        let start = self.at;
        let (min, max) = (field.min_value(), field.max_value());
        match self.number().map(u16::try_from) {
            None if field == Field::Day => self.last_day(),
            None => self.name(field),
            Some(Ok(value)) if (min..=max).contains(&value) => Ok(value),
            Some(_) => self.error(ParseErrorKind::OutOfRange { field, min, max }, start..self.at),
        }
    }

    /// Reads a run of digits, if there is one. A number that is too large becomes `u64::MAX`, which
    /// is not allowed in any field.
    fn number(&mut self) -> Option<u64> {
        let start = self.at;
        let mut value = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some(value)
    }

    fn name(&mut self, field: Field) -> Result<u16, ParseError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
            self.at += 1;
        }
        if self.at == start {
            return self.not_a_value(field);
        }
        match field.value_named(&self.text[start..self.at]) {
            Some(value) => Ok(value),
            None => self.error(ParseErrorKind::UnknownName { field }, start..self.at),
        }
    }

    /// Returns the error if neither a number nor a name comes next.
    fn not_a_value<T>(&self, field: Field) -> Result<T, ParseError> {
        match self.peek() {
            None => self.error(ParseErrorKind::MissingValue { field }, self.at..self.at),
            Some(b',' | b'.' | b':' | b'/') => {
                self.error(ParseErrorKind::MissingValue { field }, self.at..self.at + 1)
            }
            Some(_) => self.unexpected(field),
        }
    }
}

/// Adds every `step`-th value from `from` to `to`.
fn insert(words: &mut [u64], field: Field, from: u16, to: u16, step: u32) {
    if step == 1 {
        fill(words, field, from, to);
        return;
    }
    let end = u32::from(to - field.min_value());
    let mut index = Some(u32::from(from - field.min_value()));
    while let Some(place) = index.filter(|place| *place <= end) {
        if let Some(word) = words.get_mut(place as usize / 64) {
            *word |= 1 << (place % 64);
        }
        index = place.checked_add(step);
    }
}

/// Adds every value from `from` to `to`.
fn fill(words: &mut [u64], field: Field, from: u16, to: u16) {
    let (from, to) = (u32::from(from - field.min_value()), u32::from(to - field.min_value()));
    let (from_low, to_high) = (u64::MAX << (from % 64), u64::MAX >> (63 - to % 64));
    // Most fields have one word, and a loop would be slower for those.
    if let [word] = words {
        *word |= from_low & to_high;
        return;
    }
    let (first, last) = (from as usize / 64, to as usize / 64);
    for (place, word) in words.iter_mut().enumerate().take(last + 1).skip(first) {
        let low = if place == first { from_low } else { u64::MAX };
        let high = if place == last { to_high } else { u64::MAX };
        *word |= low & high;
    }
}
