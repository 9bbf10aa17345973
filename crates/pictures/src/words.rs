//! Dates and numbers in words.

use millicron::calendar::MILLIS_PER_DAY;
use millicron::{CalendarDigits, Field};

/// The weekdays in a calendar, starting on Monday (ISO 8601).
pub(crate) const WEEK: [&str; 7] = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];

/// Returns a number with commas as thousands separators.
#[must_use]
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number of things, such as `no events`, `1 event` and `2 events`.
#[must_use]
pub fn counted(count: u64, thing: &str) -> String {
    match count {
        0 => format!("no {thing}s"),
        1 => format!("1 {thing}"),
        _ => format!("{} {thing}s", number(count)),
    }
}

/// Returns the name of a time zone, if any, as the end of a title.
pub(crate) fn in_zone(zone: Option<&str>) -> String {
    zone.map(|zone| format!(" · {zone}")).unwrap_or_default()
}

/// Capitalizes the first letter of a text.
pub(crate) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

/// Returns the English name of a month, 1-12.
pub(crate) fn month(month: u8) -> &'static str {
    Field::Month.long_name_of(month.into()).unwrap_or_default()
}

/// Returns a date such as `29 March`.
pub(crate) fn day_and_month(date: CalendarDigits) -> String {
    format!("{} {}", date.day(), month(date.month()))
}

/// Returns a date such as `Sunday, 29 March 2026`.
pub(crate) fn long_date(date: CalendarDigits) -> String {
    format!("{}, {} {}", weekday(date), day_and_month(date), date.year())
}

/// Returns a duration such as `1 h 30 min`.
pub(crate) fn duration(millis: i64) -> String {
    let millis = millis.unsigned_abs();
    let parts = [
        (millis / MILLIS_PER_DAY.unsigned_abs(), "d"),
        (millis / 3_600_000 % 24, "h"),
        (millis / 60_000 % 60, "min"),
        (millis / 1000 % 60, "s"),
        (millis % 1000, "ms"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let text = parts.map(|(count, unit)| format!("{count} {unit}")).collect::<Vec<_>>().join(" ");
    if text.is_empty() { "0 s".to_owned() } else { text }
}

/// Describes a clock change, such as `forward by 1 h`.
pub(crate) fn clock_change(change: i64) -> String {
    let direction = if change > 0 { "forward" } else { "back" };
    format!("{direction} by {}", duration(change))
}

/// Formats the time of day of a local time in milliseconds since 1970 as `09:30`, with seconds and milliseconds if they
/// are not 0.
///
/// ```
/// assert_eq!(millicron_pictures::time_of_day(86_400_000 + 45_000), "00:00:45");
/// ```
#[must_use]
pub fn time_of_day(civil: i64) -> String {
    let millis = civil.rem_euclid(MILLIS_PER_DAY);
    let (hour, minute) = (millis / 3_600_000, millis / 60_000 % 60);
    let (second, millisecond) = (millis / 1000 % 60, millis % 1000);
    match (second, millisecond) {
        (0, 0) => format!("{hour:02}:{minute:02}"),
        (_, 0) => format!("{hour:02}:{minute:02}:{second:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}.{millisecond:03}"),
    }
}

/// Returns a range of numbers such as `5–9`.
pub(crate) fn range((start, end): (u64, u64)) -> String {
    if start == end { number(start) } else { format!("{}–{}", number(start), number(end)) }
}

/// Formats an offset from UTC in milliseconds as `+02:00`, with seconds if they are not 0.
///
/// ```
/// assert_eq!(millicron_pictures::offset(-12_600_000), "-03:30");
/// ```
#[must_use]
pub fn offset(millis: i64) -> String {
    let sign = if millis < 0 { '-' } else { '+' };
    format!("{sign}{}", time_of_day(millis.abs()))
}

/// Returns the English name of a weekday.
pub(crate) fn weekday(date: CalendarDigits) -> &'static str {
    Field::Weekday.long_name_of(date.weekday().into()).unwrap_or_default()
}

/// Returns the first three letters of a weekday.
pub(crate) fn short_weekday(date: CalendarDigits) -> &'static str {
    Field::Weekday.name_of(date.weekday().into()).unwrap_or_default()
}

/// Returns the first three letters of a month, 1-12.
pub(crate) fn short_month(month: u8) -> &'static str {
    Field::Month.name_of(month.into()).unwrap_or_default()
}

/// Returns a date such as `Sun 2026-03-29`.
pub(crate) fn short_date(date: CalendarDigits) -> String {
    format!("{} {}", short_weekday(date), iso_date(date))
}

/// Returns a date such as `2026-03-29`, as in ISO 8601.
#[must_use]
pub fn iso_date(date: CalendarDigits) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

/// Returns the length of one of `slots` equal slots, such as `10 min`.
pub(crate) fn slot(length: i64, slots: usize) -> String {
    duration(slot_start(length, slots, 1))
}

/// Returns the time of day at which one of `slots` equal slots starts.
pub(crate) fn slot_time(index: usize, slots: usize) -> String {
    time_of_day(slot_start(MILLIS_PER_DAY, slots, index))
}

fn slot_start(length: i64, slots: usize, index: usize) -> i64 {
    let [slots, index] = [slots.max(1), index].map(|it| i64::try_from(it).unwrap_or(1));
    length * index / slots
}
