//! The text of a schedule with a time zone: the schedule, then the name of the zone.
//!
//! The zones are those of whoever reads the text.

mod diagnose;
mod error;
mod nearest;

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{Dialect, ParseError};
use diagnose::{before_zone, diagnose, last_part, missing, unknown};
use error::Problem;
pub use error::{ZonedParseError, ZonedParseErrorKind};
pub use nearest::nearest_names;

/// The time zones of a database.
pub trait Zones {
    /// A zone.
    type Zone;

    /// Returns the zone with a name.
    fn find(&self, name: &str) -> Option<Self::Zone>;

    /// Returns the names of all zones, of which an error suggests the nearest ones.
    fn names(&self) -> Vec<String>;
}

/// Reads a schedule, by `read`, followed by white space and the name of a time zone.
///
/// # Errors
///
/// Returns an error if the schedule is invalid, the zone is missing, or no zone has that name.
pub fn parse_zoned<S, Z>(
    text: &str,
    zones: &dyn Zones<Zone = Z>,
    read: impl Fn(&str) -> Result<S, ParseError>,
) -> Result<(S, Z), ZonedParseError> {
    let found = last_part(text).and_then(|name| Some((find(&text[name.clone()], zones)?, name)));
    let Some((zone, name)) = found else {
        return Err(diagnose(text, &|text| read(text).map(drop), &|| zones.names()));
    };
    let before = text[..name.start].trim_ascii_end();
    match read(before) {
        Ok(_) if before.ends_with(';') => {
            Err(ZonedParseError::new(Problem::AfterSemicolon, text, name))
        }
        Ok(schedule) => Ok((schedule, zone)),
        Err(error) => Err(before_zone(error, text)),
    }
}

/// Returns the zone that a text in a dialect names at `span`, if it has one.
///
/// # Errors
///
/// Returns an error if the zone is missing, or no zone has that name.
pub fn zone_in_dialect<Z>(
    dialect: Dialect,
    text: &str,
    span: Option<Range<usize>>,
    zones: &dyn Zones<Zone = Z>,
) -> Result<Z, ZonedParseError> {
    let name = span.ok_or_else(|| missing(text, Some(dialect)))?;
    find(&text[name.clone()], zones).ok_or_else(|| unknown(text, name, &|| zones.names()))
}

/// Returns the zone with a name.
///
/// # Errors
///
/// Returns an error if no zone has that name.
pub fn find_zone<Z>(name: &str, zones: &dyn Zones<Zone = Z>) -> Result<Z, ZonedParseError> {
    find(name, zones).ok_or_else(|| unknown(name, 0..name.len(), &|| zones.names()))
}

/// Returns the zone with a name, if there is one. Other texts are not looked up.
fn find<Z>(name: &str, zones: &dyn Zones<Zone = Z>) -> Option<Z> {
    let is_name = !name.contains(|c: char| c == ':' || c.is_whitespace());
    is_name.then(|| zones.find(name)).flatten()
}

/// Returns the error for a schedule that is invalid by itself.
impl From<(ParseError, &str)> for ZonedParseError {
    fn from((error, text): (ParseError, &str)) -> Self {
        Self::schedule(error, text)
    }
}
