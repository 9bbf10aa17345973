//! [`CalendarError`]: what is wrong with the text of a calendar, and in which line.

use alloc::boxed::Box;
use core::fmt;
use core::ops::Range;

use crate::error::Detail;
use crate::parse::is_calendar_name;
use crate::{ParseError, ParseErrorKind};

/// An error reading the text of a calendar: what is wrong, in which line and column, and what is
/// allowed there.
///
/// `{}` writes the message after the line and the column. `{:#}` adds the line, with carets below
/// the column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarError(Box<InLine>);

/// An error in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct InLine {
    error: ParseError,
    /// The number of the line, from 0.
    line: usize,
    /// The first byte of the line.
    start: usize,
}

impl CalendarError {
    /// Returns the error for a calendar without lines.
    #[doc(hidden)]
    #[must_use]
    pub fn empty() -> Self {
        Self::about_whole(ParseError::new(ParseErrorKind::EmptyCalendar, "", 0..0))
    }

    /// Returns the error for a second calendar with the same name.
    #[doc(hidden)]
    #[must_use]
    pub fn repeated() -> Self {
        Self::about_whole(ParseError::new(ParseErrorKind::RepeatedCalendar, "", 0..0))
    }

    /// Returns the error for the name of a calendar, if no text can contain it.
    #[doc(hidden)]
    #[must_use]
    pub fn in_name(name: &str) -> Option<Self> {
        let error = || ParseError::new(ParseErrorKind::CalendarName, name, 0..name.len());
        (!is_calendar_name(name))
            .then(|| Self::about_whole(error().with_detail(Detail::InCalendar)))
    }

    /// Whether the error is about the calendar as a whole or its name, and not about a line of its text.
    #[must_use]
    pub fn is_about_whole(&self) -> bool {
        match self.kind() {
            ParseErrorKind::CalendarName => self.0.error.detail() == Detail::InCalendar,
            // Otherwise, a line has removed all days.
            ParseErrorKind::EmptyCalendar => self.0.error.span().is_empty(),
            ParseErrorKind::RepeatedCalendar => true,
            _ => false,
        }
    }

    fn about_whole(error: ParseError) -> Self {
        Self::in_line_at(error, 0, 0)
    }

    /// Returns the error in a line with a number, from 0, and a first byte.
    pub(super) fn in_line_at(error: ParseError, line: usize, start: usize) -> Self {
        Self(Box::new(InLine { error, line, start }))
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ParseErrorKind {
        self.0.error.kind()
    }

    /// Returns the number of the line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.line + 1
    }

    /// Returns the column at which the error begins, in bytes from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.error.span().start + 1
    }

    /// Returns the range of bytes of the text that the error is about.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        let Range { start, end } = self.0.error.span();
        self.0.start + start..self.0.start + end
    }

    /// Returns the error of the line, whose span counts from the start of the line.
    #[must_use]
    pub fn in_line(&self) -> &ParseError {
        &self.0.error
    }
}

impl fmt::Display for CalendarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_about_whole() {
            return write!(f, "{}", self.0.error);
        }
        write!(f, "line {}, column {}: ", self.line(), self.column())?;
        self.0.error.fmt(f)
    }
}

impl core::error::Error for CalendarError {}
