//! Reads the text of a literal: a schedule, and perhaps its time zone.

use std::fmt;

use millicron_runtime::{
    Dialect, Expression, ParseError, ParseErrorKind, Planned, ZonedParseErrorKind, compile,
    compile_with_zone, parse_zoned, zone_in_dialect,
};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Error;

use crate::input::Text;
use crate::zone::{Database, ZoneData};

/// What a literal says.
pub(crate) struct Literal {
    /// The text of the schedule, in the language of this crate.
    pub(crate) text: String,
    pub(crate) planned: Planned,
    pub(crate) zone: Option<ZoneData>,
}

/// An error, and the constant that replaces the schedule.
pub(crate) struct Failure {
    pub(crate) error: Error,
    pub(crate) fallback: TokenStream,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, fallback: quote!(FALLBACK) }
    }
}

impl Failure {
    /// The failure of a literal with a zone.
    pub(crate) fn in_zone(error: Error) -> Self {
        Self { error, fallback: quote!(FALLBACK_IN_ZONE) }
    }

    /// The failure of a literal whose zone needs another feature. Its type is the one that is expected
    /// around it.
    fn without_database(span: Span, error: &ParseError) -> Self {
        let message = format!(
            "a time zone in a literal needs the feature `zones` of the crate `millicron`; without it, \
             {error:#}"
        );
        Self { error: Error::new(span, message), fallback: quote!(Fallback::FALLBACK) }
    }
}

/// Reads a literal, with the zones of a database.
pub(crate) fn read(text: &Text, database: Option<&Database>) -> Result<Literal, Failure> {
    let Text { dialect, literal, calendars: _ } = text;
    let written = without_semicolon(literal.value());
    match dialect {
        None => read_native(written, literal.span(), database),
        Some(dialect) => read_dialect(*dialect, &written, literal.span(), database),
    }
}

fn read_native(
    written: String,
    span: Span,
    database: Option<&Database>,
) -> Result<Literal, Failure> {
    let error = match compile(None, &written) {
        Ok((planned, _)) => return Ok(Literal { text: written, planned, zone: None }),
        Err(error) => error,
    };
    let Some(database) = database else {
        let needs_zones = matches!(error.kind(), ParseErrorKind::TimeZone);
        return Err(if needs_zones {
            Failure::without_database(span, &error)
        } else {
            refusal(span, &error).into()
        });
    };
    let read = |text: &str| {
        let (planned, _) = compile(None, text)?;
        Ok(Literal { text: text.to_owned(), planned, zone: None })
    };
    match parse_zoned(&written, database, read) {
        Ok((literal, zone)) => Ok(Literal { zone: Some(zone), ..literal }),
        Err(in_zone) => {
            let is_about_zone = !matches!(in_zone.kind(), ZonedParseErrorKind::Schedule(_));
            Err(if is_about_zone || ends_with_zone(&written, database) {
                Failure::in_zone(refusal(span, &in_zone))
            } else {
                refusal(span, &error).into()
            })
        }
    }
}

fn read_dialect(
    dialect: Dialect,
    written: &str,
    span: Span,
    database: Option<&Database>,
) -> Result<Literal, Failure> {
    let literal = |planned, expression: &Expression, zone| {
        let text = expression.to_string();
        Ok(Literal { text, planned, zone })
    };
    let read = compile_with_zone(Some(dialect), written);
    let (planned, expression, zone) = read.map_err(|error| refusal(span, &error))?;
    if zone.is_none() {
        return literal(planned, &expression, None);
    }
    let Some(database) = database else {
        // The error for a schedule that must not have a zone.
        return match compile(Some(dialect), written) {
            Ok((planned, expression)) => literal(planned, &expression, None),
            Err(error) => Err(Failure::without_database(span, &error)),
        };
    };
    match zone_in_dialect(dialect, written, zone, database) {
        Ok(zone) => literal(planned, &expression, Some(zone)),
        Err(error) => Err(Failure::in_zone(refusal(span, &error))),
    }
}

/// Whether the last word of a text is the name of a zone.
fn ends_with_zone(text: &str, database: &Database) -> bool {
    let word = text.split_ascii_whitespace().next_back();
    word.is_some_and(|word| database.find(word.trim_end_matches(';')).is_some())
}

/// Returns the error for a text, which shows where in the text it is.
fn refusal(span: Span, error: &impl fmt::Display) -> Error {
    Error::new(span, format!("{error:#}"))
}

/// Returns a text without the semicolon that may follow a single schedule.
fn without_semicolon(text: String) -> String {
    match text.trim_ascii().strip_suffix(';') {
        // Alone, the semicolon is an error, with the message that it has at run time.
        Some(alone) if !alone.contains(';') && !alone.trim_ascii().is_empty() => {
            alone.trim_ascii().to_owned()
        }
        _ => text,
    }
}
