//! Says what is wrong with the text of a schedule with a zone.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::error::{Problem, ZonedParseError};
use super::nearest::nearest_names;
use crate::error::is_offset;
use crate::{Dialect, ParseError, ParseErrorKind, without_last_semicolon};

/// Returns the error for the text before a zone.
#[cold]
pub(super) fn before_zone(error: ParseError, text: &str) -> ZonedParseError {
    if matches!(error.kind(), ParseErrorKind::TimeZone) {
        return ZonedParseError::new(Problem::SecondZone, text, error.span());
    }
    ZonedParseError::schedule(error, text)
}

/// Returns the error for a text without a zone, at the position where the zone belongs.
#[cold]
pub(super) fn missing(text: &str, dialect: Option<Dialect>) -> ZonedParseError {
    let end = without_last_semicolon(text).len();
    let start = text.len() - text.trim_ascii_start().len();
    let place = if dialect == Some(Dialect::Crontab) { start } else { end };
    ZonedParseError::new(Problem::MissingZone(dialect), text, place..place)
}

/// Returns the error for a name that no zone has.
#[cold]
pub(super) fn unknown(
    text: &str,
    span: Range<usize>,
    names: &dyn Fn() -> Vec<String>,
) -> ZonedParseError {
    ZonedParseError::new(problem_of(&text[span.clone()], names), text, span)
}

/// Returns what is wrong with a name that no zone has.
fn problem_of(name: &str, names: &dyn Fn() -> Vec<String>) -> Problem {
    if is_offset(name) {
        return Problem::Offset;
    }
    match &*names() {
        [] => Problem::NoZones,
        names => Problem::UnknownZone(nearest_names(name, names.iter())),
    }
}

/// Returns the last part of a text, if it may be a name.
pub(super) fn last_part(text: &str) -> Option<Range<usize>> {
    let body = without_last_semicolon(text);
    let start = body.bytes().rposition(|byte| byte.is_ascii_whitespace()).map_or(0, |at| at + 1);
    let is_name = start < body.len() && !body[start..].contains(':');
    is_name.then_some(start..body.len())
}

/// Returns what is wrong with a text whose last part is not the name of a zone.
#[cold]
pub(super) fn diagnose(
    text: &str,
    check: &dyn Fn(&str) -> Result<(), ParseError>,
    names: &dyn Fn() -> Vec<String>,
) -> ZonedParseError {
    let Err(whole) = check(text) else { return missing(text, None) };
    if matches!(whole.kind(), ParseErrorKind::Phrase | ParseErrorKind::MisplacedCalendar) {
        return ZonedParseError::schedule(whole, text);
    }
    if let Some(word) = last_part(text).filter(|word| is_word_after_phrase(text, word, check)) {
        // What is said of the phrase would not be true of the whole text.
        let problem = match problem_of(&text[word.clone()], names) {
            Problem::UnknownZone(_) => Problem::AfterPhrase,
            problem => problem,
        };
        return ZonedParseError::new(problem, text, word);
    }
    if let Some(span) = after_time(text).filter(|span| is_like_zone(&text[span.clone()])) {
        let before = text[..span.start].trim_ascii_end();
        if let Err(error) = check(before) {
            return before_zone(error, text);
        }
        return unknown(text, span, names);
    }
    if !matches!(whole.kind(), ParseErrorKind::TimeZone) {
        return ZonedParseError::schedule(whole, text);
    }
    let span = whole.span();
    let is_last = span.end == without_last_semicolon(text).len();
    let problem = if is_offset(&text[span.clone()]) {
        Problem::Offset
    } else if is_last && text[..span.start].trim_ascii_end().ends_with(';') {
        Problem::AfterSemicolon
    } else {
        Problem::MisplacedZone
    };
    ZonedParseError::new(problem, text, span)
}

/// Whether the text before a word is a phrase.
fn is_word_after_phrase(
    text: &str,
    word: &Range<usize>,
    check: &dyn Fn(&str) -> Result<(), ParseError>,
) -> bool {
    text[word.clone()].starts_with(|c: char| c.is_ascii_alphabetic())
        && check(text[..word.start].trim_ascii_end())
            .is_err_and(|error| matches!(error.kind(), ParseErrorKind::Phrase))
}

/// Returns the text after the time, which is the first part with a `:`, and the calendar of the last
/// schedule. It may have several parts, as in `12:00:00 America/New York`.
fn after_time(text: &str) -> Option<Range<usize>> {
    let body = without_last_semicolon(text);
    let last = body.rfind(';').map_or(0, |semicolon| semicolon + 1);
    let colon = last + body[last..].find(':')?;
    let time_end = colon + body[colon..].find(|c: char| c.is_ascii_whitespace())?;
    let after = body[time_end..].trim_ascii_start();
    let zone = match after.split_once(|c: char| c.is_ascii_whitespace()) {
        Some((calendar, zone)) if calendar.starts_with('@') => zone.trim_ascii_start(),
        _ => after,
    };
    Some(body.len() - zone.len()..body.len())
}

/// Whether a text after the time is probably meant as a zone rather than a date or weekday.
fn is_like_zone(text: &str) -> bool {
    let has_bracket = text.starts_with(['[', '<']);
    let is_word = text.starts_with(char::is_alphabetic) && !text.contains([':', '*']);
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let is_weekday = ["sun", "mon", "tue", "wed", "thu", "fri", "sat", "b"]
        .iter()
        .any(|weekday| word.eq_ignore_ascii_case(weekday));
    is_offset(text) || has_bracket || (is_word && !is_weekday)
}
