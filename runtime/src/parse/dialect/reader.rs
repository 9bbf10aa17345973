//! [`Reader`]: reads the lists of values that the dialects share.

use core::ops::Range;

use crate::error::Detail;
use crate::{Dialect, Expression, Field, ParseError, ParseErrorKind};

/// A text and how far it has been read.
pub(super) struct Reader<'a> {
    pub(super) dialect: Dialect,
    pub(super) text: &'a str,
    /// The bytes up to the end of the part that is being read.
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

/// What a dialect allows in a field.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub(super) field: Field,
    pub(super) min: u16,
    pub(super) max: u16,
    /// The longest step after `*` or a single value.
    pub(super) max_step: u32,
    /// The longest step of a range.
    pub(super) max_range_step: u32,
    /// Whether values are days counted from the end of the month.
    pub(super) is_from_end: bool,
}

impl Rules {
    pub(super) fn of(dialect: Dialect, field: Field) -> Self {
        let (min, max) = dialect.range(field);
        let (max_step, max_range_step) = match (dialect, field) {
            (Dialect::Crontab | Dialect::Systemd, _) | (Dialect::Quartz, Field::Year) => {
                (u32::MAX, u32::MAX)
            }
            (Dialect::Quartz, _) => (u32::from(max), u32::MAX),
            (Dialect::CronCrate, _) => (u32::from(max), u32::from(max)),
        };
        Self { field, min, max, max_step, max_range_step, is_from_end: false }
    }
}

/// An item of a list: `*`, `a` or `a-b`, each with or without a step.
pub(super) struct Item {
    pub(super) span: Range<usize>,
    pub(super) from: u16,
    pub(super) to: Option<u16>,
    pub(super) step: Option<u32>,
}

/// A value, and whether it is a name.
struct Value(u16, bool);

impl<'a> Reader<'a> {
    /// Returns a reader for a text without the surrounding white space.
    pub(super) fn new(dialect: Dialect, text: &'a str) -> Self {
        let bytes = text.as_bytes().trim_ascii_end();
        let at = bytes.len() - bytes.trim_ascii_start().len();
        Self { dialect, text, bytes, at }
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
        Err(error.in_dialect(Some(self.dialect)).with_detail(detail))
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

    /// Reads an item: `*`, `a`, `a-b`, `*/n`, `a/n` or `a-b/n`, with the range separator of
    /// the dialect.
    pub(super) fn item(&mut self, rules: &Rules) -> Result<Item, ParseError> {
        let start = self.at;
        // In Quartz, `/n` is `*/n`.
        let is_slash = self.dialect == Dialect::Quartz && self.peek() == Some(b'/');
        if is_slash || self.skip(b'*') || self.skip_question_mark(rules) {
            let step = self.step(rules, rules.max_step)?;
            let span = start..self.at;
            return Ok(Item { span, from: rules.min, to: Some(rules.max), step });
        }
        let Value(from, is_name) = self.value(rules)?;
        let to = if self.skip_range_separator() {
            let Value(to, is_also_name) = self.value(rules)?;
            let is_mixed = is_name != is_also_name && self.dialect != Dialect::Crontab;
            if is_mixed {
                return self.refuse(Detail::MixedRange, rules.field, start..self.at);
            }
            // If the week ends with a Sunday, as in `FRI-SUN`.
            Some(if from > to && self.is_last_sunday(rules.field, to) { 7 } else { to })
        } else {
            None
        };
        let is_step_allowed = match self.dialect {
            Dialect::Quartz => !is_name,
            Dialect::CronCrate => !is_name || to.is_some(),
            Dialect::Crontab | Dialect::Systemd => true,
        };
        if self.peek() == Some(b'/') && !is_step_allowed {
            return self.refuse(Detail::StepAfterName, rules.field, start..self.item_end());
        }
        let max_step = if to.is_some() { rules.max_range_step } else { rules.max_step };
        let step = self.step(rules, max_step)?;
        if let Some(to) = to.filter(|to| from > *to && !self.wraps(rules.field)) {
            let (field, step) = (rules.field, step.unwrap_or(1));
            let kind = ParseErrorKind::Descending { field, from, to, step };
            let detail = if rules.is_from_end { Detail::FromEnd } else { Detail::None };
            return self.error_with(kind, detail, start..self.at);
        }
        Ok(Item { span: start..self.at, from, to, step })
    }

    /// Whether ranges of a field may wrap around its end.
    fn wraps(&self, field: Field) -> bool {
        self.dialect == Dialect::Quartz && field != Field::Year
    }

    /// Whether a range of weekdays ends with 0, as a name or a number.
    fn is_last_sunday(&self, field: Field, to: u16) -> bool {
        self.dialect == Dialect::Crontab && field == Field::Weekday && to == 0
    }

    /// Skips a `?` where it means `*`.
    fn skip_question_mark(&mut self, rules: &Rules) -> bool {
        self.dialect == Dialect::CronCrate
            && matches!(rules.field, Field::Day | Field::Weekday)
            && self.skip(b'?')
    }

    fn skip_range_separator(&mut self) -> bool {
        if self.dialect == Dialect::Systemd {
            let is_next = self.rest().starts_with("..");
            self.at += 2 * usize::from(is_next);
            return is_next;
        }
        self.skip(b'-')
    }

    /// Returns the end of the item that is being read.
    pub(super) fn item_end(&self) -> usize {
        let rest = &self.bytes[self.at..];
        let is_end = |byte: &u8| matches!(byte, b',' | b' ' | b'\t');
        self.at + rest.iter().position(is_end).unwrap_or(rest.len())
    }

    /// Reads the step `/n`, if there is one.
    fn step(&mut self, rules: &Rules, max: u32) -> Result<Option<u32>, ParseError> {
        if !self.skip(b'/') {
            return Ok(None);
        }
        let start = self.at;
        let field = rules.field;
        match self.number().map(u32::try_from) {
            None => self.not_a_value(field),
            Some(Ok(step)) if (1..=max).contains(&step) => Ok(Some(step)),
            Some(_) => {
                self.error(ParseErrorKind::StepOutOfRange { field, min: 1, max }, start..self.at)
            }
        }
    }

    /// Reads a number or a name.
    fn value(&mut self, rules: &Rules) -> Result<Value, ParseError> {
        let start = self.at;
        let Rules { field, min, max, .. } = *rules;
        match self.number().map(u16::try_from) {
            None => self.name(field).map(|value| Value(value, true)),
            Some(Ok(value)) if (min..=max).contains(&value) => Ok(Value(value, false)),
            Some(Ok(value @ 0..100)) if self.has_short_years(field) => {
                Ok(Value(if value < 70 { 2000 } else { 1900 } + value, false))
            }
            Some(_) => self.error(ParseErrorKind::OutOfRange { field, min, max }, start..self.at),
        }
    }

    /// Whether a year may have two digits.
    fn has_short_years(&self, field: Field) -> bool {
        self.dialect == Dialect::Systemd && field == Field::Year
    }

    /// Reads a run of digits, if there is one. A number that is too large becomes `u64::MAX`, which
    /// is not allowed in any field.
    pub(super) fn number(&mut self) -> Option<u64> {
        let digits = self.skip_while(|byte| byte.is_ascii_digit());
        let digit = |byte: u8| u64::from(byte - b'0');
        let value = digits
            .bytes()
            .fold(0_u64, |value, byte| value.saturating_mul(10).saturating_add(digit(byte)));
        (!digits.is_empty()).then_some(value)
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

    /// Reads a name. Returns its number in the dialect.
    pub(super) fn name(&mut self, field: Field) -> Result<u16, ParseError> {
        let start = self.at;
        let mut name = self.skip_while(|byte| byte.is_ascii_alphabetic());
        if name.is_empty() {
            return self.not_a_value(field);
        }
        if let (Field::Weekday, Some((day, "L" | "l"))) = (field, name.split_at_checked(3)) {
            // As in `FRIL`, the last Friday of the month.
            (name, self.at) = (day, self.at - 1);
        }
        let has_names = self.dialect != Dialect::Systemd || field == Field::Weekday;
        let value = match self.dialect {
            Dialect::Crontab | Dialect::Quartz => field.value_named(name),
            Dialect::CronCrate if field == Field::Weekday && name.eq_ignore_ascii_case("tues") => {
                Some(2)
            }
            Dialect::CronCrate if field == Field::Weekday && name.eq_ignore_ascii_case("thurs") => {
                Some(4)
            }
            Dialect::CronCrate | Dialect::Systemd => field.value_with_name(name),
        };
        match value.filter(|_| has_names) {
            Some(weekday) if field == Field::Weekday => Ok(self.dialect.weekday_number(weekday)),
            Some(value) => Ok(value),
            // Jenkins replaces `H` with a value for each job.
            None if self.dialect == Dialect::Crontab && name == "H" => {
                let end = self.item_end();
                self.error(ParseErrorKind::NotFixed, start..end)
            }
            None => self.error(ParseErrorKind::UnknownName { field }, start..self.at),
        }
    }

    /// Returns the error if neither a number nor a name comes next.
    pub(super) fn not_a_value<T>(&self, field: Field) -> Result<T, ParseError> {
        match self.peek() {
            None | Some(b' ' | b'\t') => {
                self.error(ParseErrorKind::MissingValue { field }, self.at..self.at)
            }
            Some(b'~') if self.dialect == Dialect::Crontab => {
                self.error(ParseErrorKind::NotFixed, self.at..self.item_end())
            }
            Some(b',' | b'/') => {
                self.error(ParseErrorKind::MissingValue { field }, self.at..self.at + 1)
            }
            Some(_) => self.unexpected(field),
        }
    }

    /// Adds the values of an item to a field.
    pub(super) fn insert(&self, expression: &mut Expression, rules: &Rules, item: &Item) {
        let Rules { field, min, max, .. } = *rules;
        // `a/n` continues to the end of the field, `a` does not.
        let end = match (item.to, item.step) {
            (Some(to), _) => to,
            (None, Some(_)) => max,
            (None, None) => item.from,
        };
        // A range that wraps around the end of the field.
        let len = max - min + 1;
        let end = if end < item.from { end + len } else { end };
        let step = usize::try_from(item.step.unwrap_or(1)).unwrap_or(usize::MAX);
        for value in (item.from..=end).step_by(step) {
            let value = if value > max { value - len } else { value };
            self.insert_value(expression, field, value);
        }
    }

    /// Adds a value to a field, unless it is a year that schedules do not have.
    pub(super) fn insert_value(&self, expression: &mut Expression, field: Field, value: u16) {
        let value = if field == Field::Weekday { self.dialect.weekday(value) } else { value };
        if !(field.min_value()..=field.max_value()).contains(&value) {
            return;
        }
        let index = usize::from(value - field.min_value());
        if let Some(word) = expression.words_mut(field).get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }
}
