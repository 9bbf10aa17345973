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

pub(crate) use self::native::{DayLine, is_calendar_name, read_days};
use crate::{Dialect, Expression, ParseError, Spans};

/// The meaning of a text, and where its parts are.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) expression: Expression,
    pub(crate) spans: Spans,
}

impl Located {
    /// Every midnight, in a text without fields. A text is read into a copy of this.
    pub(crate) const MIDNIGHTS: Self =
        Self { expression: Expression::MIDNIGHTS, spans: Spans::NONE };
}

/// Parses a schedule, in a dialect if there is one.
pub(crate) fn parse(dialect: Option<Dialect>, text: &str) -> Result<Located, ParseError> {
    let mut located = Located::MIDNIGHTS;
    parse_into(&mut located, dialect, text)?;
    Ok(located)
}

/// Parses a schedule, in a dialect if there is one, into `located`, which must be
/// [`Located::MIDNIGHTS`]: in place, because a parsed text is expensive to move.
pub(crate) fn parse_into(
    located: &mut Located,
    dialect: Option<Dialect>,
    text: &str,
) -> Result<(), ParseError> {
    match dialect {
        None => native::read_into(located, text).map_err(|error| diagnose::improve(text, error)),
        Some(dialect) => dialect::read(dialect, text)
            .map(|read| *located = read)
            .map_err(|error| recognize::improve(dialect, text, error)),
    }
}
