//! [`Event`]: an instant in local time.

use millicron::{CalendarDigits, Zone};
use serde::Serialize;

/// An event of a schedule, in the time zone in which times are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// In milliseconds since 1970-01-01 00:00:00 UTC.
    pub instant: i64,
    /// The weekday, such as `Mon`.
    pub weekday: &'static str,
    /// The date and the time, such as `2026-11-22 09:30:00`, with milliseconds unless they are 0.
    pub local: String,
    /// The offset from UTC, such as `+01:00`.
    pub offset: String,
}

impl Event {
    pub(crate) fn new(instant: i64, zone: &impl Zone) -> Self {
        const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
        let offset = zone.offset_at(instant);
        let digits = CalendarDigits::from_millis(instant.saturating_add(offset.into()));
        Self {
            instant,
            weekday: WEEKDAYS.get(usize::from(digits.weekday())).copied().unwrap_or_default(),
            local: date_and_time(digits),
            offset: offset_text(offset),
        }
    }
}

/// Writes a date and a time, with milliseconds unless they are 0.
pub(crate) fn date_and_time(digits: CalendarDigits) -> String {
    let mut text = digits.to_string();
    if digits.millisecond() == 0 && text.ends_with(".000") {
        text.truncate(text.len() - 4);
    }
    text
}

/// Writes a time of day, with milliseconds unless they are 0.
pub(crate) fn time_of_day(digits: CalendarDigits) -> String {
    let text = date_and_time(digits);
    text.split_once(' ').map_or_else(|| text.clone(), |(_, time)| time.to_owned())
}

/// Writes an offset in hours and minutes.
fn offset_text(offset: i32) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60_000;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}
