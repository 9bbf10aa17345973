//! Reads crontab schedules like cronie and Vixie's cron, with the extensions for days of croner and
//! saffron.

use core::ops::Range;

use super::fields::{FieldTexts, read_fields, read_nickname};
use crate::field::is_like_weekdays;
use crate::parse::Located;
use crate::parse::reader::Reader;
use crate::{Dialect, Field, Join, ParseError, ParseErrorKind};

/// The fields of a text that has seconds.
const ORDER: [Field; 6] =
    [Field::Second, Field::Minute, Field::Hour, Field::Day, Field::Month, Field::Weekday];

/// The variables that set a time zone, in the order in which to try them.
const ZONE_PREFIXES: [&str; 2] = ["CRON_TZ=", "TZ="];

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Located, ParseError> {
    let zone = skip_zone(reader)?;
    let mut located = read_schedule(reader)?;
    located.spans.zone = zone;
    Ok(located)
}

/// Reads the text after the time zone.
fn read_schedule(reader: &mut Reader<'_>) -> Result<Located, ParseError> {
    if let Some(located) = read_nickname(reader, Dialect::Crontab)? {
        return Ok(located);
    }
    let text = reader.text;
    let fields = FieldTexts::of(reader);
    let first = usize::from(fields.count < 6);
    let located = read_fields(reader, Dialect::Crontab, &fields, &ORDER[first..]);
    let mut located = located.map_err(|error| command(text, &fields, error))?;
    // Only the first character decides: `*/2` counts as `*`, and `1,*` does not.
    let spans = [Field::Day, Field::Weekday].into_iter().filter_map(|it| located.spans.field(it));
    let has_star = spans.into_iter().any(|span| text[span].starts_with('*'));
    located.expression.join = if has_star { Join::Both } else { Join::Either };
    Ok(located)
}

/// Skips a time zone before the fields: `CRON_TZ=Europe/Berlin 0 9 * * *`.
fn skip_zone(reader: &mut Reader<'_>) -> Result<Option<Range<usize>>, ParseError> {
    let rest = reader.rest();
    let Some(prefix) = ZONE_PREFIXES.into_iter().find(|prefix| rest.starts_with(prefix)) else {
        return Ok(None);
    };
    reader.at += prefix.len();
    let start = reader.at;
    reader.skip_while(|byte| !byte.is_ascii_whitespace());
    let span = start..reader.at;
    if span.is_empty() {
        return reader.error(ParseErrorKind::TimeZone, span);
    }
    reader.skip_while(|byte| matches!(byte, b' ' | b'\t'));
    Ok(Some(span))
}

/// If a command follows the schedule, as in crontab files, or the name of a calendar, points at it instead of the error.
#[cold]
fn command(text: &str, fields: &FieldTexts, error: ParseError) -> ParseError {
    let mut reader = Reader::new(Some(Dialect::Crontab), text).trimmed();
    let rest = fields.span_from(5);
    let is_command =
        text[rest.clone()].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '@');
    if fields.count < 6 || !is_command || is_like_weekdays(&text[fields.span(5)]) {
        return error;
    }
    reader.bytes = &reader.bytes[..fields.span(4).end];
    skip_zone(&mut reader).ok();
    let first_five = FieldTexts::of(&reader);
    if read_fields(&mut reader, Dialect::Crontab, &first_five, &ORDER[1..]).is_err() {
        return error;
    }
    let kind = ParseErrorKind::TooManyFields { field: Field::Weekday };
    ParseError::new(kind, text, rest).in_dialect(Some(Dialect::Crontab))
}
