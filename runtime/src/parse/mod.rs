//! The parser: from text to byte spans to an expression. It knows nothing about calendars or
//! tokens.
//!
//! [`native`] reads the language of this crate, and [`dialect`] the others, both with a [`reader`].
//! Each makes one pass over the text and allocates nothing. If that fails, [`diagnose`] and [`recognize`] look at the
//! text as a whole to find the most helpful error.

mod diagnose;
pub(crate) mod dialect;
mod native;
mod reader;
mod recognize;

use crate::{Dialect, Expression, ParseError, Spans};

/// The meaning of a text, and where its parts are.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) expression: Expression,
    pub(crate) spans: Spans,
}

/// Parses a schedule, in a dialect if there is one.
pub(crate) fn parse(dialect: Option<Dialect>, text: &str) -> Result<Located, ParseError> {
    match dialect {
        None => native::read(text).map_err(|error| diagnose::improve(text, error)),
        Some(dialect) => {
            dialect::read(dialect, text).map_err(|error| recognize::improve(dialect, text, error))
        }
    }
}
