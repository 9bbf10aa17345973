//! Reads the days of a line of a calendar: `*.12.25,26`, `2026-05-02`, `*.Easter-2`, `@holidays`.

use core::ops::Range;

use super::business::is_calendar_name;
use super::layout::parts_of;
use super::{check_weekday, is_weekday};
use crate::calendar::{day_number, days_in_month};
use crate::dots::split_at_dots;
use crate::error::Detail;
use crate::parse::Located;
use crate::parse::reader::Reader;
use crate::{Field, ParseError, ParseErrorKind, StepUnit};

/// The longest distance from Easter, in days.
const LONGEST_DISTANCE: u64 = 99;

/// The days of a line of a calendar.
#[expect(clippy::large_enum_variant, reason = "one exists at a time")]
pub(crate) enum DayLine {
    /// The date and the weekday of a schedule.
    Dates(Located),
    /// The days from one to another, both included, counted from 1970-01-01.
    Range([i64; 2]),
    /// Days at a distance from Western Easter, in some years.
    Easter {
        /// The years, as in an [`Expression`].
        years: [u64; 2],
        /// By how many days later than Easter Sunday.
        offset: i32,
    },
    /// The days of another calendar, by the place of its name.
    Calendar(Range<usize>),
}

/// Reads the days in a part of a line.
pub(crate) fn read_days(line: &str, body: Range<usize>) -> Result<DayLine, ParseError> {
    let reader =
        Reader { bytes: &line.as_bytes()[..body.end], at: body.start, ..Reader::new(None, line) };
    let refuse = |span| reader.error(ParseErrorKind::CalendarLine, span);
    if is_iso_date(&line[body.clone()]) {
        // Most lines of long calendars.
        return iso_date(line, body).map(|day| DayLine::Range([day, day]));
    }
    let start = body.start;
    let mut parts = parts_of(&line[body.clone()]).map(|part| start + part.start..start + part.end);
    let Some(first) = parts.next() else { return refuse(body) };
    let rest = parts.clone().last().map(|last| first.end..last.end);
    let has_rest = || rest.clone().map(|rest| trimmed(line, rest));
    match line.as_bytes()[first.start] {
        b'@' => {
            let name = first.start + 1..first.end;
            match has_rest() {
                Some(rest) => refuse(rest),
                None if is_calendar_name(&line[name.clone()]) => Ok(DayLine::Calendar(name)),
                None => reader.error(ParseErrorKind::CalendarName, first),
            }
        }
        first_byte if first_byte.is_ascii_alphabetic() && is_weekday(&line[first.clone()]) => {
            check_weekday(line, &first)?;
            let is_business_day = |item: &str| item.starts_with('B');
            let has_business_day = line[first.clone()].split(',').any(is_business_day);
            let detail = if has_business_day { Detail::BusinessDays } else { Detail::BareWeekday };
            reader.error_with(ParseErrorKind::CalendarLine, detail, first)
        }
        _ if is_iso(&line[first.clone()]) => match has_rest() {
            Some(rest) => refuse(rest),
            None => iso_range(line, first).map(DayLine::Range),
        },
        _ => dates(reader, &first, parts),
    }
}

/// Reads a date and, if there is one, a weekday.
fn dates(
    mut reader: Reader<'_>,
    date: &Range<usize>,
    mut parts: impl Iterator<Item = Range<usize>>,
) -> Result<DayLine, ParseError> {
    let line = reader.text;
    let mut next = parts.next();
    let or = next.clone().filter(|part| &line[part.clone()] == "|");
    if or.is_some() {
        next = parts.next();
    }
    let weekday = next;
    let is_time = |part: &Range<usize>| line[part.clone()].contains(':');
    let surplus = weekday.clone().filter(is_time).or_else(|| parts.next());
    if let Some(surplus) = surplus
        .or_else(|| Some(date.clone()).filter(|it| is_time(it) || !line[it.clone()].contains('.')))
    {
        return reader.error(ParseErrorKind::CalendarLine, surplus);
    }
    let mut located = Located::MIDNIGHTS;
    reader.go_to(date);
    reader.list(&mut located, Field::Year)?;
    reader.separator(b'.', Field::Month)?;
    if reader.rest().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("Easter")) {
        reader.at += 6;
        let offset = easter_offset(&mut reader, date)?;
        if let Some(part) = or.or(weekday) {
            return reader.error(ParseErrorKind::CalendarLine, part);
        }
        return Ok(DayLine::Easter { years: located.expression.fields.year, offset });
    }
    reader.date_from_month(&mut located)?;
    match (&or, &weekday) {
        (Some(or), None) => {
            let kind = ParseErrorKind::MissingField { field: Field::Weekday };
            return reader.error(kind, or.clone());
        }
        (_, Some(weekday)) => reader.weekday(&mut located, weekday)?,
        _ => {}
    }
    let expression = &mut located.expression;
    let on_business_days = |part: &Range<usize>| {
        reader.error_with(ParseErrorKind::CalendarLine, Detail::BusinessDays, part.clone())
    };
    let is_counted = expression.steps.is_some_and(|steps| steps.unit == StepUnit::BusinessDay);
    if !expression.business.moves.is_empty() || is_counted {
        return on_business_days(date);
    }
    if let (true, Some(weekday)) = (expression.business.has_weekdays(), &weekday) {
        return on_business_days(weekday);
    }
    reader.join(&mut located, or.as_ref(), weekday.as_ref())?;
    if located.expression.is_extended() {
        located.expression.normalize();
    }
    Ok(DayLine::Dates(located))
}

/// Reads `+n` or `-n` after `Easter`.
fn easter_offset(reader: &mut Reader<'_>, date: &Range<usize>) -> Result<i32, ParseError> {
    let is_later = reader.skip(b'+');
    let has_offset = is_later || reader.skip(b'-');
    let offset = if has_offset { reader.number() } else { Some(0) };
    let is_valid = |days: &u64| (u64::from(has_offset)..=LONGEST_DISTANCE).contains(days);
    match offset.filter(is_valid).and_then(|days| i32::try_from(days).ok()) {
        Some(days) if reader.at == date.end => Ok(if is_later { days } else { -days }),
        _ => reader.error(ParseErrorKind::Easter, date.clone()),
    }
}

/// Whether a part is, or is meant as, a date of ISO 8601 or a range of them.
fn is_iso(part: &str) -> bool {
    let first = split_at_dots(part).map_or(part, |(first, _)| first);
    first.contains('-') && !first.contains('.')
}

/// Reads an ISO date or a range of them.
fn iso_range(line: &str, part: Range<usize>) -> Result<[i64; 2], ParseError> {
    let text = &line[part.clone()];
    let Some((first, last)) = split_at_dots(text) else {
        let day = iso_date(line, part)?;
        return Ok([day, day]);
    };
    let end_of_first = part.start + first.len();
    let from = iso_date(line, part.start..end_of_first)?;
    let (last, is_open) = match last.strip_prefix('=') {
        Some(last) => (last, 0),
        None => (last, 1),
    };
    let last = part.end - last.len()..part.end;
    let to = iso_date(line, last)? - is_open;
    if from > to {
        let error = ParseError::new(ParseErrorKind::CalendarDate, line, part);
        return Err(error.with_detail(Detail::Downwards));
    }
    Ok([from, to])
}

/// Whether a text has the form `yyyy-MM-dd`.
fn is_iso_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Reads an ISO date.
fn iso_date(line: &str, part: Range<usize>) -> Result<i64, ParseError> {
    let refuse =
        |kind, span| Err(ParseError::new(kind, line, span).with_detail(Detail::InCalendar));
    let text = &line[part.clone()];
    if !is_iso_date(text) {
        return refuse(ParseErrorKind::CalendarDate, part);
    }
    let digit = |place: usize| u16::from(text.as_bytes()[place] - b'0');
    let number = |from: usize, to: usize| (from..to).fold(0, |it, at| 10 * it + digit(at));
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let of = |field: Field, from: usize, to: usize| {
        let (min, max) = (field.min_value(), field.last());
        let kind = ParseErrorKind::OutOfRange { field, min, max };
        refuse(kind, part.start + from..part.start + to)
    };
    #[expect(clippy::cast_possible_truncation, reason = "two digits")]
    let (month, day) = (month as u8, day as u8);
    match () {
        () if !(2000..=2100).contains(&year) => of(Field::Year, 0, 4),
        () if !(1..=12).contains(&month) => of(Field::Month, 5, 7),
        () if day == 0 || day > days_in_month(year.into(), month) => {
            refuse(ParseErrorKind::Never { field: Field::Day }, part)
        }
        () => Ok(day_number(year.into(), month, day)),
    }
}

/// Returns a span without the white space at its start.
fn trimmed(line: &str, span: Range<usize>) -> Range<usize> {
    let text = &line[span.clone()];
    span.end - text.trim_ascii_start().len()..span.end
}
