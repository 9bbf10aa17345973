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
    /// The name of the calendar, with its `@`.
    pub(super) calendar: Option<Range<usize>>,
}

impl Layout {
    pub(super) fn of(text: &str) -> Result<Self, ParseError> {
        let error = |kind, span| Err(ParseError::new(kind, text, span));
        let is_date = |part: &Range<usize>| text[part.clone()].contains('.');
        let (mut first_two, mut last, mut count) = ([0..0, 0..0], 0..0, 0);
        let (mut first_time, mut or, mut calendar) = (None, None, None);
        let has_time = text.contains(':');
        for part in parts_of(text) {
            let bytes = &text.as_bytes()[part.clone()];
            if bytes == b"|" {
                if or.is_some() || count != 1 {
                    return error(ParseErrorKind::MisplacedOr, part);
                }
                or = Some(part);
                continue;
            }
            // In a text without a time, it is a nickname of a dialect, such as `@daily`.
            if bytes.starts_with(b"@") && has_time {
                if calendar.is_some() || first_time.as_ref() != Some(&last) {
                    return error(ParseErrorKind::MisplacedCalendar, part);
                }
                if bytes.len() == 1 {
                    // As in `12:00:00 @ nyse`.
                    return error(ParseErrorKind::CalendarName, part);
                }
                calendar = Some(part);
                continue;
            }
            if first_time.is_none() && bytes.contains(&b':') {
                first_time = Some(part.clone());
            }
            if let Some(slot) = first_two.get_mut(count) {
                *slot = part.clone();
            }
            last = part;
            count += 1;
        }
        let [first, second] = first_two;
        if let (1, Some(or)) = (count, &or) {
            return error(ParseErrorKind::MisplacedOr, or.clone());
        }
        let Some(time) = first_time else {
            return match count {
                0 => error(ParseErrorKind::Empty, 0..text.len()),
                // Reading it as a time gives an error at its first character.
                1 if !is_date(&last) => {
                    Ok(Self { date: None, weekday: None, or, time: last, calendar: None })
                }
                1..=4 => {
                    let kind = ParseErrorKind::MissingField { field: Field::Hour };
                    error(kind, last.end..last.end)
                }
                _ => error(ParseErrorKind::Crontab, first.start..last.end),
            };
        };
        if time != last {
            let end = calendar.map_or(time.end, |calendar| calendar.end);
            let after = text[end..].trim_start_matches(is_space);
            return error(ParseErrorKind::TimeNotLast, text.len() - after.len()..last.end);
        }
        if count > 3 {
            let before = text[..time.start].trim_end_matches(is_space);
            let surplus = before[second.end..].trim_start_matches(is_space);
            let span = before.len() - surplus.len()..before.len();
            return error(ParseErrorKind::TooManyParts, span);
        }
        if count > 1 && !is_date(&first) {
            return error(ParseErrorKind::MissingField { field: Field::Month }, first);
        }
        if let (2, Some(or)) = (count, &or) {
            return error(ParseErrorKind::MissingField { field: Field::Weekday }, or.clone());
        }
        let (date, weekday) = ((count > 1).then_some(first), (count > 2).then_some(second));
        Ok(Self { date, weekday, or, time, calendar })
    }
}

/// Whether a character separates parts.
pub(in crate::parse) const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Returns the spans between spaces and tabs, without the white space around the text, because a
/// text from a file may end with a line break. A `|` is a part of its own.
pub(in crate::parse) fn parts_of(text: &str) -> impl Iterator<Item = Range<usize>> + Clone {
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
