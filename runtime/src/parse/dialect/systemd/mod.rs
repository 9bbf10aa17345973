//! Reads calendar events like version 252 of systemd.

mod list;
mod seconds;

use core::ops::Range;

use self::list::{items, read_list};
use super::rules::{Item, Rules};
use crate::error::Detail;
use crate::expression::LAST_DAY;
use crate::parse::Located;
use crate::parse::native;
use crate::parse::reader::Reader;
use crate::{Dialect, Expression, Field, ParseError, ParseErrorKind, Spans};

/// The longest distance from the end of a month, so that every month has the day.
const LONGEST_FROM_END: u16 = 28;

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Located, ParseError> {
    if reader.rest().is_empty() {
        return reader.error(ParseErrorKind::Empty, 0..reader.text.len());
    }
    let spans = Spans::of_zone(split_zone(reader));
    if let Some(expression) = shorthand(reader.rest()) {
        return Ok(Located { expression, spans });
    }
    let mut located = Located { expression: Expression::MIDNIGHTS, spans };
    let is_word = reader.rest().bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    let is_weekday = reader.rest().split('-').all(|name| Field::Weekday.name_like(name).is_some());
    if is_word && !is_weekday && reader.peek() != Some(b'-') {
        let kind = ParseErrorKind::UnknownName { field: Field::Hour };
        return reader.error_with(kind, Detail::Shorthand, reader.at..reader.bytes.len());
    }
    if reader.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
        reader.field(&mut located, Field::Weekday, weekdays)?;
        skip_spaces(reader, Field::Weekday)?;
    }
    if is_date(reader) {
        date(reader, &mut located)?;
        skip_spaces(reader, Field::Day)?;
    }
    if reader.peek().is_some() {
        time(reader, &mut located)?;
    }
    Ok(located)
}

/// Reads a field that is a list of values.
fn list(reader: &mut Reader<'_>, located: &mut Located, field: Field) -> Result<(), ParseError> {
    let rules = Rules::of(Dialect::Systemd, field);
    reader.field(located, field, |reader, expression| read_list(reader, expression, &rules))
}

/// Removes a time zone, the last word after a space, from the end of the text to read.
fn split_zone(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    let (before, zone) = reader.rest().rsplit_once(' ')?;
    let is_zone = zone.starts_with(|c: char| c.is_ascii_alphabetic())
        // A `;` is the end of a union of millicron's.
        && !zone.contains([':', '*', ';'])
        // As in `9:00 AM`, which systemd does not read.
        && !["am", "pm", "a.m.", "p.m."].iter().any(|half| zone.eq_ignore_ascii_case(half))
        && Field::Weekday.name_like(zone.split([',', '.', '-']).next()?).is_none();
    if !is_zone {
        return None;
    }
    let span = reader.bytes.len() - zone.len()..reader.bytes.len();
    let end = reader.at + before.trim_end_matches(' ').len();
    reader.bytes = &reader.bytes[..end];
    Some(span)
}

/// Returns the schedule of a word such as `daily`, in any case.
fn shorthand(word: &str) -> Option<Expression> {
    const SHORTHANDS: [(&[&str], &str); 8] = [
        (&["minutely"], "*:*:00"),
        (&["hourly"], "*:00:00"),
        (&["daily"], "00:00:00"),
        (&["weekly"], "*.*.* Mon 00:00:00"),
        (&["monthly"], "*.*.01 00:00:00"),
        (&["quarterly"], "*.*/3.01 00:00:00"),
        (&["semiannually", "semi-annually", "biannually", "bi-annually"], "*.*/6.01 00:00:00"),
        (&["yearly", "annually", "anually"], "*.01.01 00:00:00"),
    ];
    let is_word = |name: &&str| name.eq_ignore_ascii_case(word);
    let (_, text) = SHORTHANDS.into_iter().find(|(names, _)| names.iter().any(is_word))?;
    Some(native::read(text).ok()?.expression)
}

/// Skips the spaces after a part.
fn skip_spaces(reader: &mut Reader<'_>, field: Field) -> Result<(), ParseError> {
    match reader.peek() {
        None => Ok(()),
        Some(b' ') => {
            reader.skip_while(|byte| byte == b' ');
            Ok(())
        }
        Some(_) => reader.unexpected(field),
    }
}

/// Reads weekdays: names and ranges of them, with `..` or `-`. A comma may be last.
fn weekdays(reader: &mut Reader<'_>, expression: &mut Expression) -> Result<(), ParseError> {
    expression.fields.weekday = 0;
    let field = Field::Weekday;
    let rules = Rules::of(Dialect::Systemd, field);
    loop {
        let start = reader.at;
        let from = rules.name(reader)?;
        let has_range = reader.skip(b'-') || reader.skip_dots();
        let to = if has_range { Some(rules.name(reader)?) } else { None };
        let span = start..reader.at;
        if let Some(to) = to.filter(|to| from > *to) {
            return reader.error(ParseErrorKind::Descending { field, from, to, step: 1 }, span);
        }
        rules.insert(expression, &Item { span, from, to, step: None });
        if !reader.skip(b',') || matches!(reader.peek(), None | Some(b' ')) {
            return Ok(());
        }
    }
}

/// Whether the next part is a date rather than a time.
fn is_date(reader: &Reader<'_>) -> bool {
    let part = reader.rest().split(' ').next().unwrap_or_default();
    !part.is_empty() && !part.contains(':')
}

/// Reads a date: `year-month-day` or `month-day`. A `~` before the day counts from the end of the
/// month.
fn date(reader: &mut Reader<'_>, located: &mut Located) -> Result<(), ParseError> {
    let part = reader.rest().split(' ').next().unwrap_or_default();
    let separators = part.bytes().filter(|byte| matches!(byte, b'-' | b'~')).count();
    let end = reader.at + part.len();
    if separators == 0 {
        return reader.error(ParseErrorKind::MissingField { field: Field::Minute }, end..end);
    }
    if separators > 1 {
        let start = reader.at;
        list(reader, located, Field::Year)?;
        if located.expression.fields.year == [0; 2] {
            let kind = ParseErrorKind::Never { field: Field::Year };
            return reader.error(kind, start..reader.at);
        }
        separator(reader, b"-", Field::Month)?;
    }
    list(reader, located, Field::Month)?;
    match separator(reader, b"-~", Field::Day)? {
        b'~' => reader.field(located, Field::Day, days_from_end)?,
        _ => list(reader, located, Field::Day)?,
    }
    if matches!(reader.peek(), Some(b'-' | b'~')) {
        return reader.error(ParseErrorKind::TooManyFields { field: Field::Day }, reader.at..end);
    }
    Ok(())
}

/// Reads a separator before the field `next`. Returns that separator.
fn separator(reader: &mut Reader<'_>, allowed: &[u8], next: Field) -> Result<u8, ParseError> {
    match reader.peek() {
        Some(byte) if allowed.contains(&byte) => {
            reader.at += 1;
            Ok(byte)
        }
        None | Some(b' ') => {
            reader.error(ParseErrorKind::MissingField { field: next }, reader.at..reader.at)
        }
        Some(_) => reader.unexpected(next),
    }
}

/// Reads the days after a `~`, which are counted from the end of the month.
fn days_from_end(reader: &mut Reader<'_>, expression: &mut Expression) -> Result<(), ParseError> {
    let rules = Rules { is_from_end: true, ..Rules::of(Dialect::Systemd, Field::Day) };
    if reader.peek() == Some(b'*') {
        return read_list(reader, expression, &rules);
    }
    let rules = Rules { max: LONGEST_FROM_END, ..rules };
    expression.fields.day = 0;
    items(reader, &rules, |item| {
        // `~7/2` goes from the 7th day from the end towards the end, like `~1..7/2`.
        let step = u16::try_from(item.step.unwrap_or(1)).unwrap_or(u16::MAX);
        let (near, far) = match item.to {
            Some(to) => (item.from, to - (to - item.from) % step),
            None => (1, item.from),
        };
        for day in (near..=far).rev().step_by(usize::from(step)) {
            match day {
                1 => expression.fields.day |= LAST_DAY,
                _ => expression.relative.before_last |= 1 << (day - 1),
            }
        }
    })
}

/// Reads a time: `hour:minute` or `hour:minute:second`.
fn time(reader: &mut Reader<'_>, located: &mut Located) -> Result<(), ParseError> {
    list(reader, located, Field::Hour)?;
    separator(reader, b":", Field::Minute)?;
    list(reader, located, Field::Minute)?;
    if reader.peek().is_some() {
        separator(reader, b":", Field::Second)?;
        reader.field(located, Field::Second, seconds::read)?;
    }
    match reader.peek() {
        None => Ok(()),
        Some(b':' | b'-' | b'~') => {
            let kind = ParseErrorKind::TooManyFields { field: Field::Second };
            reader.error(kind, reader.at..reader.bytes.len())
        }
        Some(_) => {
            let rest = reader.bytes.len() - reader.rest().trim_ascii_start().len();
            reader.error(ParseErrorKind::TimeNotLast, rest..reader.bytes.len())
        }
    }
}
