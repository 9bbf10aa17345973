//! [`Reader`]: a text and how far it has been read.

use core::ops::Range;

use super::Located;
use crate::error::Detail;
use crate::{Dialect, Expression, Field, ParseError, ParseErrorKind};

/// A text and how far it has been read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    /// The dialect, or `None` for the language of this crate.
    pub(super) dialect: Option<Dialect>,
    pub(super) text: &'a str,
    /// The bytes up to the end of the part that is being read.
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(dialect: Option<Dialect>, text: &'a str) -> Self {
        Self { dialect, text, bytes: text.as_bytes(), at: 0 }
    }

    /// Skips the white space around the text.
    pub(super) fn trimmed(self) -> Self {
        let bytes = self.bytes.trim_ascii_end();
        Self { bytes, at: bytes.len() - bytes.trim_ascii_start().len(), ..self }
    }

    /// Continues with a part of the text.
    pub(super) fn go_to(&mut self, part: &Range<usize>) {
        (self.bytes, self.at) = (&self.text.as_bytes()[..part.end], part.start);
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips a byte if it comes next.
    pub(super) fn skip(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips `..` if it comes next.
    pub(super) fn skip_dots(&mut self) -> bool {
        let is_next = self.rest().starts_with("..");
        self.at += 2 * usize::from(is_next);
        is_next
    }

    /// Skips a letter, in any case, if it comes next.
    pub(super) fn skip_letter(&mut self, letter: u8) -> bool {
        let is_next = self.peek().is_some_and(|byte| byte.eq_ignore_ascii_case(&letter));
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips bytes while they satisfy a condition. Returns the text skipped.
    pub(super) fn skip_while(&mut self, is_skipped: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&is_skipped) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Returns the text that has not been read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..self.bytes.len()).unwrap_or_default()
    }

    #[cold]
    pub(super) fn error<T>(
        &self,
        kind: ParseErrorKind,
        span: Range<usize>,
    ) -> Result<T, ParseError> {
        self.error_with(kind, Detail::None, span)
    }

    /// Returns the error for something that the dialect or schedules do not have.
    pub(super) fn refuse<T>(
        &self,
        detail: Detail,
        field: Field,
        span: Range<usize>,
    ) -> Result<T, ParseError> {
        self.error_with(ParseErrorKind::Unsupported { field }, detail, span)
    }

    #[cold]
    pub(super) fn error_with<T>(
        &self,
        kind: ParseErrorKind,
        detail: Detail,
        span: Range<usize>,
    ) -> Result<T, ParseError> {
        let error = ParseError::new(kind, self.text, span);
        Err(error.in_dialect(self.dialect).with_detail(detail))
    }

    /// Returns the error for the next character, which is not allowed in a field.
    #[cold]
    pub(super) fn unexpected<T>(&self, field: Field) -> Result<T, ParseError> {
        self.error(ParseErrorKind::UnexpectedCharacter { field }, self.character())
    }

    /// The span of the next character, empty at the end.
    pub(super) fn character(&self) -> Range<usize> {
        self.at..self.at + self.rest().chars().next().map_or(0, char::len_utf8)
    }

    /// Reads a field with a function, and stores its span.
    pub(super) fn field(
        &mut self,
        located: &mut Located,
        field: Field,
        read: impl FnOnce(&mut Self, &mut Expression) -> Result<(), ParseError>,
    ) -> Result<(), ParseError> {
        let start = self.at;
        read(self, &mut located.expression)?;
        located.spans.set(field, start..self.at);
        Ok(())
    }

    /// Reads a run of digits, if there is one. A number that is too large becomes `u64::MAX`, which
    /// is not allowed in any field.
    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        let start = self.at;
        let mut value = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some(value)
    }

    /// Reads a number from `min` to `max`.
    pub(super) fn number_within(
        &mut self,
        field: Field,
        min: u16,
        max: u16,
    ) -> Result<u64, ParseError> {
        let start = self.at;
        match self.number() {
            None => self.not_a_value(field),
            Some(number) if (min.into()..=max.into()).contains(&number) => Ok(number),
            Some(_) => self.error(ParseErrorKind::OutOfRange { field, min, max }, start..self.at),
        }
    }

    /// Reads the step `/n` with an `n` up to `max`, if there is one.
    pub(super) fn step(&mut self, field: Field, max: u32) -> Result<Option<u32>, ParseError> {
        if !self.skip(b'/') {
            return Ok(None);
        }
        let start = self.at;
        match self.number().map(u32::try_from) {
            None => self.not_a_value(field),
            Some(Ok(step)) if (1..=max).contains(&step) => Ok(Some(step)),
            Some(_) => {
                self.error(ParseErrorKind::StepOutOfRange { field, min: 1, max }, start..self.at)
            }
        }
    }

    /// Reads the letters of a name.
    pub(super) fn word(&mut self, field: Field) -> Result<&'a str, ParseError> {
        let word = self.skip_while(|byte| byte.is_ascii_alphabetic());
        if word.is_empty() { self.not_a_value(field) } else { Ok(word) }
    }

    /// Returns the error if neither a number nor a name comes next.
    pub(super) fn not_a_value<T>(&self, field: Field) -> Result<T, ParseError> {
        let is_native = self.dialect.is_none();
        match self.peek() {
            None | Some(b' ' | b'\t') => {
                self.error(ParseErrorKind::MissingValue { field }, self.at..self.at)
            }
            Some(b'~') if self.dialect == Some(Dialect::Crontab) => {
                self.error(ParseErrorKind::NotFixed, self.at..self.item_end())
            }
            Some(byte)
                if matches!(byte, b',' | b'/') || is_native && matches!(byte, b'.' | b':') =>
            {
                self.error(ParseErrorKind::MissingValue { field }, self.at..self.at + 1)
            }
            Some(_) => self.unexpected(field),
        }
    }

    /// Returns the end of the item that is being read.
    pub(super) fn item_end(&self) -> usize {
        let rest = &self.bytes[self.at..];
        let is_end = |byte: &u8| matches!(byte, b',' | b' ' | b'\t');
        self.at + rest.iter().position(is_end).unwrap_or(rest.len())
    }
}
