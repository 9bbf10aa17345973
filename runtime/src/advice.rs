//! Error messages that need the parsers, because they say what a text means in another dialect.
//!
//! The parsers depend on [`error`](crate::error), and this module depends on the parsers.

use core::fmt;

use crate::error::{Detail, HowToRead};
use crate::notation::Notation;
use crate::parse::dialect::read;
use crate::{Dialect, Expression, ParseError, ParseErrorKind};

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

impl ParseError {
    /// Returns the message without Rust calls, for people who use a program but did not write it.
    /// `{:#}` adds the text, with carets below the [`span`](Self::span).
    ///
    /// ```
    /// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct Schedule;
    /// #     impl std::str::FromStr for Schedule { type Err = ParseError;
    /// #         fn from_str(text: &str) -> Result<Self, ParseError> { compile(text).map(|_| Self) } } }
    /// use millicron::Schedule;
    ///
    /// let error = "*/5 * * * *".parse::<Schedule>().unwrap_err();
    /// assert_eq!(error.plain().to_string(), "this is a schedule of crontab: write `*:*/5:00`");
    /// ```
    #[must_use]
    pub fn plain(&self) -> impl fmt::Display {
        Plain(self)
    }
}

/// Writes an error without Rust calls.
struct Plain<'e>(&'e ParseError);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(error) = self;
        match (error.kind(), error.detail(), error.whole_text()) {
            (ParseErrorKind::OtherDialect, Detail::Other(dialect), Some(text)) => {
                write_plain_translation(f, error.dialect(), dialect, text)?;
            }
            (ParseErrorKind::OtherDialect, Detail::Other(dialect), None) => {
                write!(f, "this is a schedule of {}", dialect.name())?;
            }
            (ParseErrorKind::OtherDialect, ..) => {
                f.write_str("this is a schedule in the language of millicron")?;
            }
            _ => error.write_plain_message(f)?,
        }
        if f.alternate() { error.write_text(f) } else { Ok(()) }
    }
}

/// Writes what a text means in the dialects that can read it, in terms of the dialect that cannot.
fn write_plain_translation(
    f: &mut fmt::Formatter<'_>,
    target: Option<Dialect>,
    dialect: Dialect,
    text: &str,
) -> fmt::Result {
    let Ok(located) = read(dialect, text) else { return Ok(()) };
    write!(f, "this is a schedule of {}", dialect.name())?;
    write_plain_repair(f, target, &located.expression)?;
    let others = Dialect::ALL.into_iter().filter(|it| Some(*it) != target && *it != dialect);
    for other in others {
        let Ok(another) = read(other, text) else { continue };
        if differs(&another.expression, &located.expression) {
            write!(f, "; as a schedule of {}", other.name())?;
            return write_plain_repair(f, target, &another.expression);
        }
    }
    Ok(())
}

/// Writes an expression in the target dialect, if that can express it.
fn write_plain_repair(
    f: &mut fmt::Formatter<'_>,
    target: Option<Dialect>,
    expression: &Expression,
) -> fmt::Result {
    match target {
        None => write!(f, ": write `{expression}`"),
        Some(target) => match Notation::of(expression, target) {
            Ok(notation) => write!(f, ": write `{notation}`"),
            Err(_) => Ok(()),
        },
    }
}

/// Writes what a text means in the dialects that can read it, in terms of the dialect that cannot,
/// and which calls read it.
fn write_translation(
    f: &mut fmt::Formatter<'_>,
    target: Option<Dialect>,
    dialect: Dialect,
    text: &str,
) -> fmt::Result {
    let Ok(located) = read(dialect, text) else { return Ok(()) };
    let expression = &located.expression;
    write!(f, "this is a schedule of {}: ", dialect.name())?;
    write_repair(f, target, expression)?;
    if let Some(zone) = located.spans.zone {
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
        let located = read(other, text).ok().filter(|it| it.spans.zone.is_none())?;
        differs(&located.expression, expression).then_some((other, located.expression))
    });
    match different {
        Some((other, expression)) => {
            write!(f, "; as a schedule of {}: ", other.name())?;
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

/// Whether two expressions differ in more than the year 2100, which Quartz does not have.
fn differs(one: &Expression, other: &Expression) -> bool {
    let [one, other] = [one, other].map(|expression| {
        let mut expression = expression.clone();
        expression.fields.year[1] &= (1 << 36) - 1;
        expression
    });
    one != other
}
