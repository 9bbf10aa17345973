//! [`Problem`]: what is wrong with a text.

use std::ops::Range;

use serde::Serialize;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// The error, on one line.
    pub message: String,
    /// How to fix it, unless the message says so.
    pub hint: Option<String>,
    /// Whether it is in the calendars rather than in the text.
    pub in_calendars: bool,
    /// The first wrong character, in UTF-16 code units, as JavaScript indexes strings.
    pub start: usize,
    /// The end of the wrong characters; equal to the start if something is missing.
    pub end: usize,
}

impl Problem {
    /// Creates a problem at a byte range of a text.
    pub(crate) fn new(text: &str, span: Range<usize>, message: String) -> Self {
        let units = |end: usize| text.get(..end).unwrap_or(text).encode_utf16().count();
        let (start, end) = (units(span.start), units(span.end));
        Self { message, hint: None, in_calendars: false, start, end }
    }
}
