//! Reads the text of a literal: a schedule, and perhaps its time zone.

use std::fmt;

use millicron_runtime::{
    Dialect, Planned, ZonedParseError, ZonedParseErrorKind, Zones, compile, compile_with_zone,
    parse_zoned, zone_in_dialect,
};
use proc_macro2::Span;
use syn::{Error, Result};

use crate::input::{NamedCalendar, Text};
use crate::zone::{Database, ZoneData};

/// What a literal says.
pub(crate) struct Literal {
    /// The text of the schedule, in the language of this crate.
    pub(crate) text: String,
    pub(crate) planned: Planned,
    pub(crate) zone: Option<ZoneData>,
}

/// Reads a literal, with the zones of a database.
pub(crate) fn read(text: &Text, database: Option<&Database>) -> Result<Literal> {
    let Text { dialect, literal, calendars } = text;
    let (written, span) = (literal.value(), literal.span());
    match dialect {
        None => read_native(&without_semicolon(written), span, calendars, database),
        Some(dialect) => read_dialect(*dialect, &written, span, database),
    }
}

fn read_native(
    written: &str,
    span: Span,
    calendars: &[NamedCalendar],
    database: Option<&Database>,
) -> Result<Literal> {
    let is_calendar = |name: &str| calendars.iter().any(|it| it.name == name);
    let read = |text: &str| match compile(None, text) {
        Ok((planned, _)) => Ok(Literal { text: text.to_owned(), planned, zone: None }),
        Err(error) => Err(error.or_bare_calendar(text, is_calendar)),
    };
    if let Ok(literal) = read(written) {
        return Ok(literal);
    }
    match parse_zoned(written, database.unwrap_or(&NoZones), read) {
        Ok((literal, zone)) => Ok(Literal { zone: Some(zone), ..literal }),
        Err(error) => Err(refusal_of_zone(span, &error, database)),
    }
}

fn read_dialect(
    dialect: Dialect,
    written: &str,
    span: Span,
    database: Option<&Database>,
) -> Result<Literal> {
    let read = compile_with_zone(Some(dialect), written);
    let (planned, expression, zone) = read.map_err(|error| refusal(span, &error))?;
    let find = |zone| {
        zone_in_dialect(dialect, written, Some(zone), database.unwrap_or(&NoZones))
            .map_err(|error| refusal_of_zone(span, &error, database))
    };
    Ok(Literal { text: expression.to_string(), planned, zone: zone.map(find).transpose()? })
}

/// Where no zone is known.
struct NoZones;

impl Zones for NoZones {
    type Zone = ZoneData;

    fn find(&self, _: &str) -> Option<ZoneData> {
        None
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Returns the error for a text that may have a zone. Without a database, any zone is unknown.
fn refusal_of_zone(span: Span, error: &ZonedParseError, database: Option<&Database>) -> Error {
    if database.is_some() || error.kind() != ZonedParseErrorKind::UnknownZone {
        return refusal(span, error);
    }
    let message = format!(
        "a time zone in a literal needs the feature `zones` of the crate `millicron`: turn it on, or leave \
         the zone out, and pass one to `Schedule::in_zone`{}",
        error.shown_text()
    );
    Error::new(span, message)
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
