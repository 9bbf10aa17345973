//! [`Problem`]: something wrong or surprising in a file.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::Error;

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
    /// The file that it is in, unless that is the job file.
    pub(crate) source: Option<Arc<Source>>,
}

/// A file that a job file names.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
    /// Where the lines of the text start, which is looked up for each problem.
    pub(crate) lines: LineStarts,
}

impl Source {
    pub(crate) fn new(path: String, text: String) -> Self {
        let lines = LineStarts::of(&text);
        Self { path, text, lines }
    }
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
        Self { rule, level: Level::Error, span, message, hint: None, source: None }
    }

    pub(crate) fn warning(
        rule: &'static str,
        span: Range<usize>,
        message: impl fmt::Display,
    ) -> Self {
        Self { level: Level::Warning, ..Self::error(rule, span, message) }
    }

    /// Converts an error and its hint.
    pub(crate) fn of(rule: &'static str, span: Range<usize>, error: Error) -> Self {
        match error {
            Error::Message { message, hint } => Self::error(rule, span, message).maybe_hint(hint),
            closed @ Error::ClosedPipe => Self::error(rule, span, closed),
        }
    }

    /// Adds a hint how to fix it.
    pub(crate) fn hint(self, hint: impl fmt::Display) -> Self {
        Self { hint: Some(hint.to_string()), ..self }
    }

    /// Adds a hint how to fix it, if there is one.
    pub(crate) fn maybe_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// Sets the file that it is in.
    pub(crate) fn in_source(self, source: Arc<Source>) -> Self {
        Self { source: Some(source), ..self }
    }

    /// Whether it is an error, not just a warning.
    pub(crate) fn is_error(&self) -> bool {
        self.level == Level::Error
    }

    /// Compares the places of problems. Those in the files that a job file names come first.
    pub(crate) fn cmp_place(&self, other: &Self) -> Ordering {
        self.place().cmp(&other.place())
    }

    fn place(&self) -> (bool, Option<&str>, usize, usize) {
        let path = self.source.as_deref().map(|source| &*source.path);
        (path.is_none(), path, self.span.start, self.span.end)
    }
}

/// Where the lines of a text start.
#[derive(Debug)]
pub(crate) struct LineStarts(Vec<usize>);

impl LineStarts {
    pub(crate) fn of(text: &str) -> Self {
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        Self(std::iter::once(0).chain(ends).collect())
    }

    /// Returns the number of the line with a byte, counted from 0, and where it starts.
    fn line(&self, byte: usize) -> (usize, usize) {
        let index = self.0.partition_point(|start| *start <= byte).saturating_sub(1);
        (index, self.0.get(index).copied().unwrap_or_default())
    }

    /// Returns the line and the column of a byte of the text, both counted from 1. Columns are characters.
    pub(crate) fn position(&self, text: &str, byte: usize) -> (usize, usize) {
        let byte = text.floor_char_boundary(byte);
        let (line, start) = self.line(byte);
        (line + 1, text[start..byte].chars().count() + 1)
    }

    /// Returns the range of all lines with a part of a span of the text, and the number of the first, counted from 1.
    pub(crate) fn lines_of(&self, text: &str, span: &Range<usize>) -> (Range<usize>, usize) {
        let (first, start) = self.line(span.start);
        let (last, _) = self.line(span.end.saturating_sub(1).max(span.start));
        let end = self.0.get(last + 1).copied().unwrap_or(text.len());
        (start..end, first + 1)
    }
}

/// Returns the line and the column of a byte, both counted from 1. Columns are characters.
pub(crate) fn position(text: &str, byte: usize) -> (usize, usize) {
    LineStarts::of(text).position(text, byte)
}
