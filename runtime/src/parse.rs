//! The parser: bytes → spans → field sets. It knows nothing of calendars and
//! nothing of tokens.
//!
//! One pass over the text, no look behind and no allocation: blanks part the
//! text into at most three parts, `.` and `:` part these into fields, and a
//! field is read item by item into its bitmap.

use core::ops::Range;

use crate::{Expression, Field, ParseError, ParseErrorKind};

/// A text's sets, and the places that an error about them all points at.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) expression: Expression,
    /// The date part; empty where there is none.
    pub(crate) date: Range<usize>,
    /// The weekday part; empty where there is none.
    pub(crate) weekday: Range<usize>,
}

/// Reads a schedule.
pub(crate) fn parse(text: &str) -> Result<Located, ParseError> {
    parse_parts(text).map_err(|error| {
        // A line break, say, parts nothing, and what comes of that would only
        // hide what is wrong with the part it is in.
        let is_strange = |c: char| !is_blank(c) && (c.is_whitespace() || c.is_control());
        match text.match_indices(is_strange).next() {
            Some((start, blank)) if is_one_part(text, start, error.span().start) => {
                let kind = ParseErrorKind::UnexpectedCharacter { field: error.kind().field() };
                ParseError::new(kind, text, start..start + blank.len())
            }
            _ => error,
        }
    })
}

/// What parts the parts of a text.
const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Whether two places of a text are in one part.
fn is_one_part(text: &str, one: usize, other: usize) -> bool {
    text.get(one.min(other)..one.max(other)).is_some_and(|between| !between.contains(is_blank))
}

/// Whether a text is a list of a field's items.
pub(crate) fn is_field(text: &str, field: Field) -> bool {
    let mut part = Part::new(text, &(0..text.len()));
    part.field(&mut Expression::MIDNIGHTS.clone(), field).is_ok() && part.at == text.len()
}

fn parse_parts(text: &str) -> Result<Located, ParseError> {
    let layout = Layout::of(text)?;
    let mut expression = Expression::MIDNIGHTS;
    if let Some(date) = &layout.date {
        let mut part = Part::new(text, date);
        part.field(&mut expression, Field::Year)?;
        part.separator(b'.', Field::Month)?;
        part.field(&mut expression, Field::Month)?;
        part.separator(b'.', Field::Day)?;
        part.field(&mut expression, Field::Day)?;
        part.end(Field::Day)?;
    }
    if let Some(weekday) = &layout.weekday {
        let mut part = Part::new(text, weekday);
        part.field(&mut expression, Field::Weekday)?;
        part.end(Field::Weekday)?;
    }
    let mut part = Part::new(text, &layout.time);
    part.field(&mut expression, Field::Hour)?;
    part.separator(b':', Field::Minute)?;
    part.field(&mut expression, Field::Minute)?;
    part.separator(b':', Field::Second)?;
    part.field(&mut expression, Field::Second)?;
    if part.peek() == Some(b'.') {
        part.at += 1;
        part.field(&mut expression, Field::Millisecond)?;
        part.end(Field::Millisecond)?;
    } else {
        part.end(Field::Second)?;
    }
    Ok(Located {
        expression,
        date: layout.date.unwrap_or_default(),
        weekday: layout.weekday.unwrap_or_default(),
    })
}

/// Where the parts of a text are.
struct Layout {
    date: Option<Range<usize>>,
    weekday: Option<Range<usize>>,
    time: Range<usize>,
}

impl Layout {
    fn of(text: &str) -> Result<Self, ParseError> {
        let error = |kind, span| Err(ParseError::new(kind, text, span));
        let mut parts = [const { 0..0 }; 3];
        let mut count = 0;
        // The part with the time, known by its `:`.
        let mut time: Option<Range<usize>> = None;
        let mut last = 0..0;
        for part in parts_of(text.as_bytes()) {
            if time.is_none() && text.as_bytes()[part.clone()].contains(&b':') {
                time = Some(part.clone());
            }
            if let Some(slot) = parts.get_mut(count) {
                *slot = part.clone();
            }
            count += 1;
            last = part;
        }
        let [first, second, _] = parts;
        match (count, time) {
            (0, _) => error(ParseErrorKind::Empty, 0..text.len()),
            // Not a time, but it has nothing of a date either: let the parser
            // say what is wrong with it.
            (1, None) if !text.contains('.') => Ok(Self { date: None, weekday: None, time: last }),
            (1..=4, None) => {
                error(ParseErrorKind::MissingField { field: Field::Hour }, last.end..last.end)
            }
            (_, None) => error(ParseErrorKind::Crontab, first.start..last.end),
            (_, Some(time)) if time != last => {
                let after = text[time.end..].trim_start_matches(is_blank);
                error(ParseErrorKind::TimeNotLast, text.len() - after.len()..last.end)
            }
            (1, Some(time)) => Ok(Self { date: None, weekday: None, time }),
            // Without a point, it is no date.
            (2 | 3, Some(_)) if !text[first.clone()].contains('.') => {
                let is_weekday = count == 2 && is_field(&text[first.clone()], Field::Weekday);
                let field = if is_weekday { Field::Year } else { Field::Month };
                error(ParseErrorKind::MissingField { field }, first)
            }
            (2, Some(time)) => Ok(Self { date: Some(first), weekday: None, time }),
            (3, Some(time)) => Ok(Self { date: Some(first), weekday: Some(second), time }),
            (_, Some(time)) => {
                let before = text[..time.start].trim_end_matches(is_blank);
                let surplus = second.end..before.len();
                let blanks = text[surplus.clone()].len()
                    - text[surplus.clone()].trim_start_matches(is_blank).len();
                error(ParseErrorKind::TooManyParts, surplus.start + blanks..surplus.end)
            }
        }
    }
}

/// The runs of bytes between blanks.
fn parts_of(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut at = 0;
    core::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(|byte| !is_blank(byte))?;
        at = bytes[start..].iter().position(is_blank).map_or(bytes.len(), |len| start + len);
        Some(start..at)
    })
}

/// A part of the text, read from its start.
struct Part<'a> {
    text: &'a str,
    /// The text's bytes, up to the part's end.
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

    /// The span of the character here, empty at the part's end.
    fn character(&self) -> Range<usize> {
        let len = self.text[self.at..self.bytes.len()].chars().next().map_or(0, char::len_utf8);
        self.at..self.at + len
    }

    /// The separator before `next`.
    fn separator(&mut self, separator: u8, next: Field) -> Result<(), ParseError> {
        match self.peek() {
            Some(byte) if byte == separator => {
                self.at += 1;
                Ok(())
            }
            // `12:*.123`: the seconds are not there.
            None | Some(b'.' | b':') => {
                self.error(ParseErrorKind::MissingField { field: next }, self.at..self.at)
            }
            // `field` stops at nothing else.
            Some(_) => {
                self.error(ParseErrorKind::UnexpectedCharacter { field: next }, self.character())
            }
        }
    }

    /// The end of the part, whose last field was `field`.
    fn end(&self, field: Field) -> Result<(), ParseError> {
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            self.error(ParseErrorKind::TooManyFields { field }, self.at..self.bytes.len())
        }
    }

    /// A field: items parted by commas, up to a separator or the part's end.
    fn field(&mut self, expression: &mut Expression, field: Field) -> Result<(), ParseError> {
        let words = expression.words_mut(field);
        if self.is_bare_star() {
            // The sets of `MIDNIGHTS` are full but for those of the time.
            fill(words, field, field.min(), field.last());
            self.at += 1;
        } else {
            words.fill(0);
            self.item(words, field)?;
            while self.peek() == Some(b',') {
                self.at += 1;
                self.item(words, field)?;
            }
        }
        match self.peek() {
            None | Some(b'.' | b':') => Ok(()),
            Some(b',') => self.error(ParseErrorKind::StarNotAlone { field }, self.at - 1..self.at),
            Some(_) => self.error(ParseErrorKind::UnexpectedCharacter { field }, self.character()),
        }
    }

    /// Whether a `*` without a step is here.
    fn is_bare_star(&self) -> bool {
        self.peek() == Some(b'*') && self.bytes.get(self.at + 1) != Some(&b'/')
    }

    /// An item: `a`, `a-b`, `a-b/n` or `*/n`.
    fn item(&mut self, words: &mut [u64], field: Field) -> Result<(), ParseError> {
        let start = self.at;
        if self.peek() == Some(b'*') {
            self.at += 1;
            let Some(step) = self.step(field)? else {
                return self.error(ParseErrorKind::StarNotAlone { field }, start..self.at);
            };
            insert(words, field, field.min(), field.last(), step);
            return Ok(());
        }
        let from = self.value(field)?;
        if self.peek() != Some(b'-') {
            return match self.step(field)? {
                None => {
                    insert(words, field, from, from, 1);
                    Ok(())
                }
                Some(step) => self
                    .error(ParseErrorKind::StepWithoutRange { field, from, step }, start..self.at),
            };
        }
        self.at += 1;
        let to = self.value(field)?;
        let step = self.step(field)?.unwrap_or(1);
        if from > to {
            return self
                .error(ParseErrorKind::Descending { field, from, to, step }, start..self.at);
        }
        // At the end of a range, the last day of the month is a bound and not
        // a day: the days beyond those that the month has are passed over.
        insert(words, field, from, to.min(field.last().max(from)), step);
        Ok(())
    }

    /// `/n`, where there is one.
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

    /// A number of the field, or a name that stands for one.
    fn value(&mut self, field: Field) -> Result<u16, ParseError> {
        let start = self.at;
        let (min, max) = (field.min(), field.max());
        match self.number().map(u16::try_from) {
            None => self.name(field),
            Some(Ok(value)) if (min..=max).contains(&value) => Ok(value),
            Some(_) => self.error(ParseErrorKind::OutOfRange { field, min, max }, start..self.at),
        }
    }

    /// A run of digits, if there is one. A number too large for any type is
    /// the largest there is, which no field allows.
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
        let word = &self.text[start..self.at];
        match (field.min()..).zip(field.names()).find(|(_, name)| name.eq_ignore_ascii_case(word)) {
            Some((value, _)) => Ok(value),
            None => self.error(ParseErrorKind::UnknownName { field }, start..self.at),
        }
    }

    /// What is here is no value.
    fn not_a_value<T>(&self, field: Field) -> Result<T, ParseError> {
        match self.peek() {
            None => self.error(ParseErrorKind::MissingValue { field }, self.at..self.at),
            Some(b',' | b'.' | b':' | b'/') => {
                self.error(ParseErrorKind::MissingValue { field }, self.at..self.at + 1)
            }
            Some(_) => self.error(ParseErrorKind::UnexpectedCharacter { field }, self.character()),
        }
    }
}

/// Adds every `step`-th number from `from` up to `to`.
fn insert(words: &mut [u64], field: Field, from: u16, to: u16, step: u32) {
    if step == 1 {
        fill(words, field, from, to);
        return;
    }
    let end = u32::from(to - field.min());
    let mut index = Some(u32::from(from - field.min()));
    while let Some(place) = index.filter(|place| *place <= end) {
        if let Some(word) = words.get_mut(place as usize / 64) {
            *word |= 1 << (place % 64);
        }
        index = place.checked_add(step);
    }
}

/// Adds every number from `from` up to `to`.
fn fill(words: &mut [u64], field: Field, from: u16, to: u16) {
    let (from, to) = (u32::from(from - field.min()), u32::from(to - field.min()));
    let (from_low, to_high) = (u64::MAX << (from % 64), u64::MAX >> (63 - to % 64));
    // Most fields are one word, and a loop takes longer.
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
