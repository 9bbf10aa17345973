//! Finds the date, the weekday and the time in a text.

use core::ops::Range;

use crate::{Field, ParseError, ParseErrorKind};

/// The spans of the parts of a text.
pub(super) struct Layout {
    pub(super) date: Option<Range<usize>>,
    pub(super) weekday: Option<Range<usize>>,
    /// The `|` between the date and the weekday.
    pub(super) or: Option<Range<usize>>,
    pub(super) time: Range<usize>,
}

impl Layout {
    pub(super) fn of(text: &str) -> Result<Self, ParseError> {
        let error = |kind, span| Err(ParseError::new(kind, text, span));
        let mut parts = [const { 0..0 }; 3];
        let mut count = 0;
        // The first part with a `:`.
        let mut time: Option<Range<usize>> = None;
        let mut last = 0..0;
        let mut or: Option<Range<usize>> = None;
        for part in parts_of(text) {
            if text.as_bytes()[part.start] == b'|' {
                if or.is_some() || count != 1 {
                    return error(ParseErrorKind::MisplacedOr, part);
                }
                or = Some(part);
                continue;
            }
            if time.is_none() && text.as_bytes()[part.clone()].contains(&b':') {
                time = Some(part.clone());
            }
            if let Some(slot) = parts.get_mut(count) {
                *slot = part.clone();
            }
            count += 1;
            last = part;
        }
        if let Some(or) = or.clone().filter(|or| or.start > last.start) {
            return error(ParseErrorKind::MisplacedOr, or);
        }
        let [first, second, _] = parts;
        match (count, time) {
            (0, _) => error(ParseErrorKind::Empty, 0..text.len()),
            // The part is neither a time nor a date. Reading it as a time gives an error at its
            // first character.
            (1, None) if !text.contains('.') => {
                Ok(Self { date: None, weekday: None, or, time: last })
            }
            (1..=4, None) => {
                error(ParseErrorKind::MissingField { field: Field::Hour }, last.end..last.end)
            }
            (_, None) => error(ParseErrorKind::Crontab, first.start..last.end),
            (_, Some(time)) if time != last => {
                let after = text[time.end..].trim_start_matches(is_space);
                error(ParseErrorKind::TimeNotLast, text.len() - after.len()..last.end)
            }
            (1, Some(time)) => Ok(Self { date: None, weekday: None, or, time }),
            // Without a `.`, the first part is not a date.
            (2 | 3, Some(_)) if !text[first.clone()].contains('.') => {
                error(ParseErrorKind::MissingField { field: Field::Month }, first)
            }
            (2, Some(time)) => match or {
                None => Ok(Self { date: Some(first), weekday: None, or, time }),
                Some(or) => error(ParseErrorKind::MissingField { field: Field::Weekday }, or),
            },
            (3, Some(time)) => Ok(Self { date: Some(first), weekday: Some(second), or, time }),
            (_, Some(time)) => {
                let before = text[..time.start].trim_end_matches(is_space);
                let surplus = before[second.end..].trim_start_matches(is_space);
                error(ParseErrorKind::TooManyParts, before.len() - surplus.len()..before.len())
            }
        }
    }
}

/// Whether a character separates parts.
pub(in crate::parse) const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Returns the spans between spaces and tabs, without the white space around the text, because a
/// text from a file may end with a line break. A `|` is a part of its own.
pub(in crate::parse) fn parts_of(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_separator = |byte: &u8| is_space(char::from(*byte));
    let bytes = text.as_bytes().trim_ascii_end();
    let mut at = bytes.len() - bytes.trim_ascii_start().len();
    core::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(|byte| !is_separator(byte))?;
        let is_end = |byte: &u8| is_separator(byte) || *byte == b'|';
        let len = bytes[start..].iter().position(is_end).unwrap_or(bytes.len() - start);
        at = start + len.max(1);
        Some(start..at)
    })
}
