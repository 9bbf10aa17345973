//! Better errors for texts in another known notation.
//!
//! The parser stops at the first character that it cannot read. For some texts, that is not the
//! place to fix: in `2026-11-22T10:00:00`, it is the hour `2026`. This module looks at the whole
//! text and decides which error helps most, and whether its message can offer a repair.

use core::ops::Range;
use core::slice;

use super::native::{check_weekday, is_field, is_readable, is_space, is_weekday, parts_of, read};
use super::recognize::recognize;
use crate::calendar::days_in_month;
use crate::dots::{split_at_dots, split_end};
use crate::error::{Detail, TIMER_KEY, zeros};
use crate::{Field, ParseError, ParseErrorKind};

/// Replaces an error with a more helpful one, if there is one.
#[cold]
pub(super) fn improve(text: &str, error: ParseError) -> ParseError {
    let known = white_space(text, &error)
        .or_else(|| timer_key(text))
        .or_else(|| iso_date(text))
        .or_else(|| time_zone(text, &error))
        .or_else(|| window(text, &error))
        .or_else(|| time_range(text, &error))
        .or_else(|| calendar_in_time(text, &error))
        .or_else(|| bare_weekday(text, &error));
    let error = known.clone().unwrap_or_else(|| {
        let hint = match error.kind() {
            ParseErrorKind::MissingField { field: Field::Minute | Field::Second } => {
                short_time_hint(text, error.span().start)
            }
            _ => error.detail(),
        };
        error.with_detail(hint)
    });
    // A repair helps more than the name of another notation.
    let has_detail = error.detail() != Detail::None;
    let has_repair = match error.kind() {
        ParseErrorKind::MissingField { .. } => has_detail,
        // As in `Mon..Fri 09:30 Europe/Berlin`.
        ParseErrorKind::TimeZone => false,
        // A pattern such as `*-*-01` is a whole text of systemd.
        ParseErrorKind::IsoDate if has_detail => text.contains(':') || !text.contains('*'),
        // The time may be a systemd one: `*-*-* *:0/15`.
        ParseErrorKind::IsoDate => {
            let is_pattern = |part: &str| part.contains(':') && part.contains(['*', '/', ',']);
            !text.split(' ').any(is_pattern)
        }
        _ => known.is_some(),
    };
    if has_repair { error } else { recognize(text).unwrap_or(error) }
}

/// Points at a line break, or at other white space that does not separate parts. It joins two parts
/// into one, and other errors in that part would be misleading.
fn white_space(text: &str, error: &ParseError) -> Option<ParseError> {
    let body = text.trim_ascii_end();
    let start = body.len() - body.trim_ascii_start().len();
    let is_strange = |c: char| !is_space(c) && (c.is_whitespace() || c.is_control());
    let (place, c) = body.char_indices().find(|(at, c)| *at >= start && is_strange(*c))?;
    let at = error.span().start;
    let between = text.get(place.min(at)..place.max(at))?;
    if between.contains(is_space) {
        return None;
    }
    let kind = ParseErrorKind::UnexpectedCharacter { field: error.kind().field() };
    Some(ParseError::new(kind, text, place..place + c.len_utf8()))
}

/// Recognizes a line of a systemd timer: `OnCalendar=Mon 09:00`.
fn timer_key(text: &str) -> Option<ParseError> {
    let key = parts_of(text).next().filter(|part| text[part.clone()].starts_with(TIMER_KEY))?;
    let end = key.start + TIMER_KEY.len();
    let is_key = text[end..].trim_ascii_start().starts_with('=');
    let kind = ParseErrorKind::UnknownName { field: Field::Weekday };
    is_key.then(|| ParseError::new(kind, text, key.start..end))
}

/// Recognizes a date with `-` or `/`, and a time after it: `2026-11-22T10:00:00`.
fn iso_date(text: &str) -> Option<ParseError> {
    let mut parts = parts_of(text);
    let first = parts.next()?;
    let part = &text[first.clone()];
    let date = part.split_once('T').map_or(part, |(date, _)| date);
    let separator = if date.contains('/') { '/' } else { '-' };
    let mut fields = date.split(separator);
    let [year, month, day] = [(); 3].map(|()| fields.next().unwrap_or_default());
    let is_value = |field| is_number(field) || field == "*" && separator == '-';
    let is_date = [year, month, day].into_iter().all(is_value);
    if !is_date || fields.next().is_some() {
        return None;
    }
    let mut is_valid = is_field(year, Field::Year)
        && is_field(month, Field::Month)
        && is_field(day, Field::Day)
        && is_day(year, month, day);
    let time = if part.len() > date.len() {
        Some(first.start + date.len() + 1..first.end)
    } else {
        parts.next().filter(|next| text[next.clone()].contains(':'))
    };
    let mut end = first.start + date.len();
    let mut has_zone = false;
    if let Some(time) = time {
        let (len, is_time) = iso_time(&text[time.clone()]);
        end = time.start + len;
        is_valid &= is_time;
        let zone = if end < time.end { Some(end..time.end) } else { parts.next() };
        if let Some(zone) = zone {
            has_zone = true;
            is_valid &= is_zone(&text[zone]) && parts.next().is_none();
        }
    }
    let error = ParseError::new(ParseErrorKind::IsoDate, text, first.start..end);
    Some(error.with_detail(match (is_valid, has_zone) {
        (true, false) => Detail::Repair,
        (true, true) => Detail::RepairAndZone,
        (false, _) => Detail::None,
    }))
}

/// Whether a day occurs in a month, where each may be `*`. Day 32 does not occur: in ISO 8601, it
/// does not mean the last day.
fn is_day(year: &str, month: &str, day: &str) -> bool {
    // A `*` matches any year, such as a leap year, and any month.
    let year = year.parse().unwrap_or(2000);
    let last = days_in_month(year, month.parse().unwrap_or(1));
    day.parse().unwrap_or(1) <= last
}

/// Returns the length in bytes of the time at the start of a text, `HH:mm`, `HH:mm:ss` or
/// `HH:mm:ss.fff`, and whether all its values are valid.
fn iso_time(text: &str) -> (usize, bool) {
    let len = text.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b':' | b'.')).count();
    let mut fields = text[..len].split(':');
    let [hour, minute] = [(); 2].map(|()| fields.next().unwrap_or_default());
    let second = fields.next().unwrap_or("0");
    let (second, fraction) = second.split_once('.').unwrap_or((second, "0"));
    let is_valid = is_field(hour, Field::Hour)
        && is_field(minute, Field::Minute)
        && is_field(second, Field::Second)
        && (1..=3).contains(&fraction.len())
        && is_number(fraction)
        && fields.next().is_none();
    (len, is_valid)
}

/// Recognizes a time zone at the start of the text, after the time, or at the end of the time.
fn time_zone(text: &str, error: &ParseError) -> Option<ParseError> {
    let mut span = error.span();
    match error.kind() {
        ParseErrorKind::TimeNotLast => {}
        // As in `10:00:00Z`.
        ParseErrorKind::UnexpectedCharacter { field: Field::Second | Field::Millisecond } => {
            span.end = parts_of(text).find(|part| part.contains(&span.start))?.end;
        }
        _ => {
            span = parts_of(text).next()?;
            if !is_region(&text[span.clone()]) {
                return None;
            }
        }
    }
    let is_zone = is_zone(&text[span.clone()]);
    is_zone.then(|| ParseError::new(ParseErrorKind::TimeZone, text, span))
}

/// Whether a text looks like a time zone.
fn is_zone(text: &str) -> bool {
    let is_abbreviation = matches!(text, "Z" | "z")
        || (3..=4).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_uppercase())
            && Field::Weekday.name_like(text).is_none()
            && Field::Month.name_like(text).is_none();
    let is_offset = text.strip_prefix(['+', '-']).is_some_and(|offset| {
        let (hours, minutes) = offset.split_once(':').unwrap_or((offset, "00"));
        is_number(hours) && hours.len() <= 4 && is_number(minutes) && minutes.len() == 2
    });
    // As in `[Europe/Berlin]` and `+01:00[Europe/Berlin]`.
    let is_annotation = text.contains('[') && text.ends_with(']');
    is_abbreviation || is_offset || is_annotation || is_region(text)
}

/// Whether a text looks like an IANA time zone identifier, such as `Europe/Berlin`.
fn is_region(text: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+".contains(&byte))
    };
    let is_region = text.contains('/') && text.split('/').all(is_name);
    is_region
        && text.split('/').all(|name| {
            Field::Weekday.name_like(name).is_none() && Field::Month.name_like(name).is_none()
        })
}

/// Recognizes a window with spaces, or with `-` in place of `..`: `9:00:00 - 17:00:00/15m`.
fn window(text: &str, error: &ParseError) -> Option<ParseError> {
    let time = parts_of(text).find(|part| text[part.clone()].contains(':'))?;
    let span = time.start..text.trim_ascii_end().len();
    if !(span.start..=span.end).contains(&error.span().start) {
        return None;
    }
    let repaired = text[span.clone()].as_bytes().iter().flat_map(|byte| match byte {
        b' ' | b'\t' => &[],
        b'-' => &b".."[..],
        _ => slice::from_ref(byte),
    });
    let is_window = is_window(repaired);
    let error = ParseError::new(ParseErrorKind::WindowTime, text, span);
    is_window.then(|| error.with_detail(Detail::Repair))
}

/// Whether a text, by its bytes, is a window that can be read.
fn is_window<'t>(text: impl Iterator<Item = &'t u8>) -> bool {
    is_readable(text, |text| split_at_dots(text).is_some() && read(text).is_ok())
}

/// Recognizes a range from one time of day to another: `09:30-16:00:00`.
fn time_range(text: &str, error: &ParseError) -> Option<ParseError> {
    let mut parts = parts_of(text).skip_while(|part| !text[part.clone()].contains(':'));
    let time = parts.next()?;
    let span = time.start..parts.last().unwrap_or(time).end;
    if !(span.start..=span.end).contains(&error.span().start) {
        return None;
    }
    let (from, to) = text[span.clone()].split_once('-')?;
    let (from, _) = clock(from.trim_end_matches(is_space))?;
    let (to, is_whole_hour) = clock(to.trim_start_matches(is_space))?;
    // The range ends before `to`.
    let to = if is_whole_hour { (to + 23) % 24 } else { to };
    Some(ParseError::new(ParseErrorKind::TimeRange { from, to }, text, span))
}

/// Reads a time of day that has at least an hour and a minute. Returns its hour, and whether all
/// the other fields are 0.
fn clock(text: &str) -> Option<(u16, bool)> {
    let (len, is_valid) = iso_time(text);
    let (hour, rest) = text.split_once(':')?;
    let is_whole_hour = rest.bytes().all(|byte| matches!(byte, b'0' | b':' | b'.'));
    // As the end of a range, `24:00` is midnight.
    let is_end_of_day = hour == "24" && is_whole_hour;
    if len < text.len() || !(is_valid || is_end_of_day) {
        return None;
    }
    Some((hour.parse::<u16>().ok()? % 24, is_whole_hour))
}

/// Recognizes the name of a calendar at the end of the time: `10:00:00@nyse`.
fn calendar_in_time(text: &str, error: &ParseError) -> Option<ParseError> {
    let part = parts_of(text).find(|part| text[part.clone()].contains(':'))?;
    let at = part.start + text[part.clone()].find('@').filter(|at| *at > 0)?;
    let is_here = (part.start..=at).contains(&error.span().start) && error.span().end >= at;
    let error = ParseError::new(ParseErrorKind::MisplacedCalendar, text, at..part.end);
    is_here.then(|| error.with_detail(Detail::NoSpace))
}

/// Recognizes a weekday and a time without a date: `Sunday 10:00:00`.
fn bare_weekday(text: &str, error: &ParseError) -> Option<ParseError> {
    if !matches!(error.kind(), ParseErrorKind::MissingField { field: Field::Month }) {
        return None;
    }
    let mut parts = parts_of(text);
    let (weekday, time) = (parts.next()?, parts.next()?);
    if weekday != error.span() || parts.next().is_some() || !is_weekday(&text[weekday.clone()]) {
        return None;
    }
    // With the date, it would still be wrong, as in `Sat-Mon 10:00:00`.
    if let Err(error) = check_weekday(text, &weekday) {
        return Some(error);
    }
    let error = ParseError::new(ParseErrorKind::MissingField { field: Field::Year }, text, weekday);
    Some(error.with_detail(time_hint(&text[time])))
}

/// Returns whether the message can complete a time that ends too early: `9:30`.
fn short_time_hint(text: &str, end: usize) -> Detail {
    let is_end = text[end..].starts_with("..") || text[end..].starts_with('/');
    let part = parts_of(text).find(|part: &Range<usize>| part.contains(&end) || part.end == end);
    let Some(part) = part.filter(|part| is_end || part.end == end) else { return Detail::None };
    let (before, rest) = (&text[part.start..end], &text[end..part.end]);
    let window = split_at_dots(before);
    let hint = time_hint(window.map_or(before, |(_, time)| time.trim_start_matches('=')));
    match hint {
        Detail::Completion(missing) if window.is_some() || !rest.is_empty() => {
            let (end, missing_in_end, step) = split_end(rest);
            let parts = [before, zeros(missing), end, zeros(missing_in_end), step];
            if is_window(parts.into_iter().flat_map(str::as_bytes)) { hint } else { Detail::None }
        }
        _ => hint,
    }
}

/// Returns whether the message can complete a time, possibly without its last fields.
fn time_hint(text: &str) -> Detail {
    let mut fields = text.split(':');
    let [hour, minute] = [(); 2].map(|()| fields.next());
    let is_complete = fields.next().is_some_and(|second| {
        let (second, millisecond) = second.split_once('.').unwrap_or((second, "0"));
        is_field(second, Field::Second) && is_field(millisecond, Field::Millisecond)
    }) && fields.next().is_none();
    let is_valid = hour.is_some_and(|hour| is_field(hour, Field::Hour))
        && minute.is_none_or(|minute| is_field(minute, Field::Minute));
    match (is_valid, minute) {
        (true, None) => Detail::Completion(2),
        (true, Some(_)) if is_complete => Detail::Completion(0),
        (true, Some(_)) if text.split(':').count() == 2 => Detail::Completion(1),
        _ => Detail::None,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
