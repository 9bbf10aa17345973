//! The texts of errors, with what only the parsers know: what a text means in another dialect.
//!
//! [`error`](crate::error) comes before the parsers, and this after them.

use core::fmt;

use crate::error::{Detail, DialectName, HowToRead};
use crate::notation::Notation;
use crate::parse::dialect::{Read, read};
use crate::{Dialect, Expression, ParseError};

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.detail(), self.whole_text()) {
            (Detail::Other(dialect), Some(text)) => {
                write_translation(f, self.dialect(), dialect, text)?;
            }
            _ => self.write_message(f)?,
        }
        if f.alternate() { self.write_text(f) } else { Ok(()) }
    }
}

/// Writes what a text means in the dialects that read it, in terms of the dialect that does not.
fn write_translation(
    f: &mut fmt::Formatter<'_>,
    target: Option<Dialect>,
    dialect: Dialect,
    text: &str,
) -> fmt::Result {
    let Ok(Read { located, zone }) = read(dialect, text) else { return Ok(()) };
    let expression = &located.expression;
    write!(f, "this is a schedule of {}: ", DialectName(dialect))?;
    write_repair(f, target, expression)?;
    if let Some(zone) = zone {
        let variant = dialect.variant();
        return write!(
            f,
            "read it with `Dialect::{variant}.parse_with_zone`, which returns the time zone \
             `{}` too",
            text.get(zone).unwrap_or_default()
        );
    }
    write!(f, "{}", HowToRead(dialect))?;
    let mut others =
        Dialect::ALL.into_iter().filter(|other| Some(*other) != target && *other != dialect);
    let different = others.find_map(|other| {
        let Ok(Read { located, zone: None }) = read(other, text) else { return None };
        differs(&located.expression, expression).then_some((other, located.expression))
    });
    match different {
        Some((other, expression)) => {
            write!(f, "; as a schedule of {}: ", DialectName(other))?;
            write_repair(f, target, &expression)?;
            write!(f, "{}", HowToRead(other))
        }
        None => Ok(()),
    }
}

/// Writes an expression in the target dialect, if that can express it.
fn write_repair(
    f: &mut fmt::Formatter<'_>,
    target: Option<Dialect>,
    expression: &Expression,
) -> fmt::Result {
    match target {
        None => write!(f, "write `{expression}`, or "),
        Some(target) => match Notation::of(expression, target) {
            Ok(notation) => write!(f, "write `{notation}`, or "),
            Err(_) => Ok(()),
        },
    }
}

/// Whether two expressions differ, other than in the last year, which Quartz does not have.
fn differs(one: &Expression, other: &Expression) -> bool {
    let [one, other] = [one, other].map(|expression| {
        let mut expression = expression.clone();
        expression.fields.year[1] &= (1 << 36) - 1;
        expression
    });
    one != other
}
