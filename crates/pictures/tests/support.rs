//! Helpers that the tests share.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ZonedDateTime};
use millicron::{CalendarDigits, Schedule, ZonedSchedule};
use millicron_pictures::Picture;

pub(crate) fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect("a time zone")
}

pub(crate) fn schedule(text: &str, zone_name: &str) -> ZonedSchedule<TimeZone> {
    text.parse::<Schedule>().expect("a schedule").in_zone(zone(zone_name))
}

/// Returns midnight of a date.
pub(crate) fn digits(date: &str) -> CalendarDigits {
    let date = date.parse::<Date>().expect("a date");
    CalendarDigits::from(date.at(0, 0, 0, 0))
}

pub(crate) fn zoned(instant: i64, zone: &TimeZone) -> ZonedDateTime {
    Timestamp::from_millisecond(instant).expect("an instant").to_zoned_datetime(zone.clone())
}

/// Returns all events on a range of local dates, and on the days around it.
pub(crate) fn events(
    schedule: &ZonedSchedule<TimeZone>,
    first: Date,
    end: Date,
) -> Vec<ZonedDateTime> {
    let instant = |date: Date, days: i64| {
        let date = date.checked_add(Span::new().days(days)).expect("a date");
        date.to_zoned_datetime(schedule.zone().clone()).expect("a midnight")
    };
    // If the clocks are set back just after midnight, the date ends after the next one begins.
    schedule.events(&instant(first, -2)..&instant(end, 3)).collect()
}

/// Returns a picture as text without styles.
pub(crate) fn plain(picture: &dyn Picture, columns: usize) -> String {
    anstream::adapter::strip_str(&picture.to_text(columns)).to_string()
}
