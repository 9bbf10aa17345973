//! Error messages that need the parsers, because they say what a text means in another dialect, or
//! what a phrase means.
//!
//! The parsers depend on [`error`](crate::error), and this module depends on the parsers.

use core::fmt;

use crate::error::{Detail, HowToRead};
use crate::notation::Notation;
use crate::parse::dialect::read;
use crate::{Dialect, Expression, ParseError};
#[cfg(feature = "alloc")]
use crate::{ParseErrorKind, Phrase};

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Message { error: self, has_calls: true }.fmt(f)
    }
}

impl ParseError {
    /// Returns the message without Rust calls, for people who use a program but did not write it.
    /// `{:#}` adds the text, with carets below the [`span`](Self::span).
    ///
    /// ```
    /// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct Schedule;
    /// #     impl std::str::FromStr for Schedule { type Err = ParseError;
    /// #         fn from_str(text: &str) -> Result<Self, ParseError> { compile(None, text).map(|_| Self) } } }
    /// use millicron::Schedule;
    ///
    /// let error = "*/5 * * * *".parse::<Schedule>().unwrap_err();
    /// assert_eq!(error.plain().to_string(), "this is a schedule of crontab: write `*:*/5:00`");
    /// ```
    #[must_use]
    pub fn plain(&self) -> impl fmt::Display {
        Message { error: self, has_calls: false }
    }
}

/// The message of an error, with or without the Rust calls that would help.
struct Message<'e> {
    error: &'e ParseError,
    has_calls: bool,
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { error, has_calls } = *self;
        match (error.detail(), error.whole_text()) {
            (Detail::Other(dialect), Some(text)) => self.write_translation(f, dialect, text)?,
            #[cfg(feature = "alloc")]
            (_, Some(text)) if matches!(error.kind(), ParseErrorKind::Phrase) => {
                if let Some(phrase) = Phrase::recognize(text) {
                    let phrase = phrase.in_dialect(error.dialect());
                    write!(f, "this is a phrase, not a schedule: {phrase}")?;
                }
            }
            _ => error.write_message(f, has_calls)?,
        }
        if f.alternate() { error.write_text(f) } else { Ok(()) }
    }
}

impl Message<'_> {
    /// Writes what a text means in the dialects that can read it, in terms of the dialect that
    /// cannot.
    fn write_translation(
        &self,
        f: &mut fmt::Formatter<'_>,
        dialect: Dialect,
        text: &str,
    ) -> fmt::Result {
        let Ok(located) = read(dialect, text) else { return Ok(()) };
        let expression = &located.expression;
        write!(f, "this is a schedule of {}", dialect.name())?;
        if let Some(zone) = located.spans.zone.clone().filter(|_| self.has_calls) {
            let (variant, zone) = (dialect.variant(), text.get(zone).unwrap_or_default());
            let or = self.write_repair(f, expression)?;
            return write!(
                f,
                "{or}read it with `Dialect::{variant}.parse_with_zone`, which returns the time \
                 zone `{zone}` too"
            );
        }
        self.write_reading(f, dialect, expression)?;
        if let (Some(zone), None) = (located.spans.zone, self.error.dialect()) {
            let zone = text.get(zone).unwrap_or_default();
            return write!(f, ", and the time zone `{zone}` at the end");
        }
        for other in Dialect::ALL {
            let Ok(located) = read(other, text) else { continue };
            if located.spans.zone.is_none()
                && located.expression.through_2100() != expression.through_2100()
            {
                write!(f, "; as a schedule of {}", other.name())?;
                return self.write_reading(f, other, &located.expression);
            }
        }
        Ok(())
    }

    /// Writes what a text in a dialect means, and which call reads it.
    fn write_reading(
        &self,
        f: &mut fmt::Formatter<'_>,
        dialect: Dialect,
        expression: &Expression,
    ) -> fmt::Result {
        let or = self.write_repair(f, expression)?;
        if self.has_calls { write!(f, "{or}{}", HowToRead(dialect)) } else { Ok(()) }
    }

    /// Writes an expression in the dialect that was expected, if that can express it. Returns what
    /// separates it from an alternative.
    fn write_repair(
        &self,
        f: &mut fmt::Formatter<'_>,
        expression: &Expression,
    ) -> Result<&'static str, fmt::Error> {
        match self.error.dialect().map(|target| Notation::ignoring_2100(expression, target)) {
            None => write!(f, ": write `{expression}`")?,
            Some(Ok(notation)) => write!(f, ": write `{notation}`")?,
            Some(Err(_)) => return Ok(": "),
        }
        Ok(", or ")
    }
}
