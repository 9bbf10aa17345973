//! [`Event`]: an instant in local time.

use millicron::{CalendarDigits, Field, Zone};
use millicron_pictures::{Length, offset};
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
    /// How far away the event is, such as `1d 21h`.
    pub distance: String,
}

impl Event {
    /// Makes one event.
    fn new(instant: i64, zone: &impl Zone, now: i64) -> Self {
        let digits = local(instant, zone);
        let weekday = Field::Weekday.long_name_of(digits.weekday().into());
        Self {
            instant,
            weekday: weekday.map_or("", |name| &name[..3]),
            local: date_and_time(digits),
            offset: offset(zone.offset_at(instant).into()),
            distance: Length::between(now, instant).to_string(),
        }
    }

    /// Makes a list of events: all have milliseconds if one of them needs them.
    pub(crate) fn list(instants: &[i64], zone: &impl Zone, now: i64) -> Vec<Self> {
        let has_milliseconds = instants.iter().any(|instant| instant % 1000 != 0);
        let event = |instant: &i64| {
            let event = Self::new(*instant, zone, now);
            let local =
                if has_milliseconds { local(*instant, zone).to_string() } else { event.local };
            Self { local, ..event }
        };
        instants.iter().map(event).collect()
    }
}

/// Returns the local time at an instant.
pub(crate) fn local(instant: i64, zone: &impl Zone) -> CalendarDigits {
    CalendarDigits::from_millis(instant.saturating_add(zone.offset_at(instant).into()))
}

/// Writes a date and a time, with milliseconds unless they are 0.
pub(crate) fn date_and_time(digits: CalendarDigits) -> String {
    let mut text = digits.to_string();
    if digits.millisecond() == 0 && text.ends_with(".000") {
        text.truncate(text.len() - 4);
    }
    text
}
