//! [`Event`]: an instant in local time.

use millicron::{CalendarDigits, Field, Zone};
use millicron_pictures::{Length, offset};
use serde::Serialize;

/// An event of a schedule, in the displayed time zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// In milliseconds since 1970-01-01 00:00:00 UTC.
    pub instant: i64,
    /// The weekday, such as `Mon`.
    pub weekday: &'static str,
    /// The date and the time, such as `2026-11-22 09:30:00`, with milliseconds if any event of the list needs them.
    pub local: String,
    /// The offset from UTC, such as `+01:00`.
    pub offset: String,
    /// The time until the event, such as `1d 21h`.
    pub distance: String,
}

impl Event {
    fn new(instant: i64, zone: &impl Zone, now: i64, has_milliseconds: bool) -> Self {
        let digits = local(instant, zone);
        let text = digits.to_string();
        let end = if has_milliseconds { "" } else { ".000" };
        Self {
            instant,
            weekday: Field::Weekday.name_of(digits.weekday().into()).unwrap_or_default(),
            local: text.strip_suffix(end).unwrap_or(&text).to_owned(),
            offset: offset(zone.offset_at(instant).into()),
            distance: Length::between(now, instant).to_string(),
        }
    }

    /// Lists events, all with milliseconds if any of them needs them.
    pub(crate) fn list(instants: &[i64], zone: &impl Zone, now: i64) -> Vec<Self> {
        let has_milliseconds = instants.iter().any(|instant| instant % 1000 != 0);
        instants.iter().map(|instant| Self::new(*instant, zone, now, has_milliseconds)).collect()
    }
}

/// Returns the local time at an instant.
pub(crate) fn local(instant: i64, zone: &impl Zone) -> CalendarDigits {
    CalendarDigits::from_millis(instant.saturating_add(zone.offset_at(instant).into()))
}
