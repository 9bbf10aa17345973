//! Queries in a local time with its zone.

use crate::support::oracle::zoned::{HOUR, changes, offset, zone};
use crate::support::sample;
use chrono::{DateTime as ChronoDateTime, NaiveDateTime};
use jiff::civil::{DateTime, date};
use jiff::{Timestamp, ZonedDateTime};
use millicron::{CalendarDigits, Instant, Moment as _, Schedule, schedule};

/// On 2026-03-29 the clocks in Berlin go from 02:00 to 03:00.
#[test]
fn a_local_time_in_a_gap_is_between_the_instants_around_it() {
    let berlin = zone("Europe/Berlin");
    let minutes = schedule!("*:*:00").in_zone(berlin.clone());
    let inside = (date(2026, 3, 29).at(2, 15, 0, 0), &berlin);
    let shown = |event: Option<ZonedDateTime>| event.expect("an event").datetime();
    assert_eq!(shown(minutes.next_event(inside)), date(2026, 3, 29).at(3, 0, 0, 0));
    assert_eq!(shown(minutes.nearest_event(inside)), date(2026, 3, 29).at(3, 0, 0, 0));
    assert_eq!(shown(minutes.prev_event(inside)), date(2026, 3, 29).at(1, 59, 0, 0));
    assert_eq!(shown(minutes.nearest_prev_event(inside)), date(2026, 3, 29).at(1, 59, 0, 0));
    assert!(!minutes.matches(inside));

    // Next is the event that is shifted to the end of the gap.
    let nightly = schedule!("2:30:00");
    let next = shown(nightly.next_event((inside.0, berlin.clone())));
    assert_eq!(next, date(2026, 3, 29).at(3, 0, 0, 0));
    let night = (date(2026, 3, 28).at(18, 0, 0, 0), &berlin)..inside;
    assert_eq!(nightly.in_zone(berlin.clone()).count(night), 0);
}

/// On 2026-10-25 the clocks in Berlin go from 03:00 back to 02:00.
#[test]
fn a_local_time_in_a_fold_is_in_the_first_pass() {
    let berlin = zone("Europe/Berlin");
    let half_past = schedule!("*:30:00");
    let next = |hour, minute| {
        let at = (date(2026, 10, 25).at(hour, minute, 0, 0), &berlin);
        half_past.next_event(at).map(|it| it.strftime("%H:%M %:z").to_string())
    };
    assert_eq!(next(1, 45).as_deref(), Some("02:30 +02:00"));
    assert_eq!(next(2, 15).as_deref(), Some("02:30 +02:00"));
    assert_eq!(next(2, 45).as_deref(), Some("02:30 +01:00"));
    assert_eq!(next(3, 15).as_deref(), Some("03:30 +01:00"));
}

/// A local time that occurs once is the same instant as in jiff's conversion, and converts back.
#[test]
fn local_times_convert_to_instants_and_back() {
    let hourly = schedule!("*:00:00");
    for name in ["Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo"] {
        let zone = zone(name);
        let zoned = hourly.in_zone(zone.clone());
        for change in sample(changes(&zone)) {
            for at in (change.at - 30 * HOUR..change.at + 30 * HOUR).step_by(15 * 60_000) {
                let local = CalendarDigits::from_millis(at + offset(&zone, at));
                assert_eq!(zoned.local_time(at), local, "{name}");
                let civil = DateTime::try_from(local).expect("a date and time");
                let position = (civil, &zone).position();
                assert!(position.is_exact, "{name}: {civil}");
                let first = zone.to_ambiguous_timestamp(civil).compatible().expect("an instant");
                assert_eq!(position.millis, first.as_millisecond(), "{name}: {civil}");
                assert_eq!(hourly.next_event((civil, &zone)), zoned.next_event((civil, &zone)));
            }
        }
    }
}

/// Asserts that a query in a local time returns the same as a query in its instant.
fn assert_same<L: Instant, M: Instant<Answer = L::Answer>>(schedule: &Schedule, local: L, at: M)
where
    L::Answer: PartialEq + std::fmt::Debug,
{
    assert_eq!(local.position(), at.position());
    assert_eq!(schedule.next_event(&local), schedule.next_event(&at));
    assert_eq!(schedule.prev_event(&local), schedule.prev_event(&at));
    assert_eq!(schedule.matches(&local), schedule.matches(&at));
    assert!(schedule.events(&local..).take(3).eq(schedule.events(&at..).take(3)));
}

#[test]
fn local_times_of_both_crates_answer_in_their_zone() {
    let noon = schedule!("12:00:00");
    let zoned: ZonedDateTime = "2026-07-01T12:00:00+09:00[Asia/Tokyo]".parse().expect("a moment");
    assert_same(&noon, (zoned.datetime(), zoned.time_zone()), zoned.clone());
    let local: NaiveDateTime = "2026-07-01T12:00:00.000001".parse().expect("a local time");
    let offset = chrono::FixedOffset::east_opt(9 * 3600).expect("nine hours");
    let at: ChronoDateTime<chrono::FixedOffset> =
        "2026-07-01T12:00:00.000001+09:00".parse().expect("a moment");
    assert_same(&noon, (local, offset), at);
}

#[test]
fn local_times_beyond_all_instants_are_before_or_after_all_events() {
    let noon = schedule!("12:00:00");
    let berlin = zone("Europe/Berlin");
    let first: Timestamp = "2000-01-01T11:00Z".parse().expect("an instant");
    let next = noon.next_event((DateTime::MIN, &berlin)).map(|event| event.timestamp());
    assert_eq!(next, Some(first));
    assert_eq!(noon.next_event((DateTime::MAX, &berlin)), None);
    let (min, max) = (NaiveDateTime::MIN, NaiveDateTime::MAX);
    let next = noon.next_event((min, chrono::Utc)).map(|event| event.timestamp());
    assert_eq!(next, Some(first.as_second() + 3600));
    assert_eq!(noon.next_event((max, chrono::Utc)), None);
}
