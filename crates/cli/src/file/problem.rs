//! [`Problem`]: something wrong or surprising in a file.

use std::fmt;
use std::ops::Range;

/// Something wrong or surprising in a file.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// The name of the rule, such as `schedule` or `rare-day`.
    pub(crate) rule: &'static str,
    pub(crate) level: Level,
    /// Where it is, in bytes of the text.
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Warning,
    Error,
}

impl Problem {
    pub(crate) fn error(
        rule: &'static str,
        span: Range<usize>,
        message: impl fmt::Display,
    ) -> Self {
        let message = message.to_string();
        Self { rule, level: Level::Error, span, message, hint: None }
    }

    pub(crate) fn warning(
        rule: &'static str,
        span: Range<usize>,
        message: impl fmt::Display,
    ) -> Self {
        Self { level: Level::Warning, ..Self::error(rule, span, message) }
    }

    /// Adds a hint how to fix it.
    pub(crate) fn hint(self, hint: impl fmt::Display) -> Self {
        Self { hint: Some(hint.to_string()), ..self }
    }

    /// Adds a hint how to fix it, if there is one.
    pub(crate) fn maybe_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }
}

/// Returns the line and the column of a byte, both counted from 1. Columns are characters.
pub(crate) fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(byte)];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
