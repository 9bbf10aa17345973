//! Windows of the day.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::refusals::{Refusal, refuse};
use super::rules::{at, events, schedule, times};
use millicron::Field::{Hour, Minute, Second};
use millicron::{CalendarDigits, Schedule};

#[test]
fn known_answers() {
    for (text, after, answers) in [
        (
            "*.*.* 1-5 09:30:00..16:00:00/15m",
            "2026-11-20 15:45:00.000",
            &["2026-11-23 09:30:00.000"][..],
        ),
        (
            "*.*.* 1-5 09:30:00..=16:00:00/15m",
            "2026-11-20 15:45:00.000",
            &["2026-11-20 16:00:00.000"],
        ),
        (
            "*.*.* Fri 22:00:00..06:00:00/30m",
            "2026-11-21 05:00:00.000",
            &["2026-11-21 05:30:00.000", "2026-11-27 22:00:00.000"],
        ),
        ("00:00:00../7m", "2026-11-22 23:55:00.000", &["2026-11-23 00:00:00.000"]),
    ] {
        let mut now = at(after);
        for answer in answers {
            now = schedule(text).next_event(now).unwrap();
            assert_eq!(now, at(answer), "{text}");
        }
    }
}

#[test]
fn windows_end_before_or_at_their_end() {
    assert_eq!(times("09:30:00..10:00:00/15m"), ["09:30:00.000", "09:45:00.000"]);
    assert_eq!(times("09:30:00..=10:00:00/15m"), ["09:30:00.000", "09:45:00.000", "10:00:00.000"]);
    assert_eq!(times("09:30:00..=10:00:00/20m"), ["09:30:00.000", "09:50:00.000"]);
    assert_eq!(times("22:30:00../50m"), ["22:30:00.000", "23:20:00.000"]);
    assert_eq!(times("22:30:00..24:00:00/45m"), ["22:30:00.000", "23:15:00.000"]);
    // The last event of the day before is at 00:00.
    assert_eq!(times("22:30:00..=24:00:00/45m"), ["00:00:00.000", "22:30:00.000", "23:15:00.000"]);
    assert_eq!(schedule("22:30:00..=24:00:00/45m").to_string(), "22:30:00..=24:00:00/45m");
    assert_eq!(
        times("00:00:00.001..00:00:00.010/4ms"),
        ["00:00:00.001", "00:00:00.005", "00:00:00.009"]
    );
}

#[test]
fn a_window_belongs_to_the_day_on_which_it_begins() {
    // 2026-11-20 is a Friday.
    assert_eq!(
        events(
            "*.*.* Fri 22:00:00..=02:00:00/2h",
            "2026-11-16 00:00:00.000",
            "2026-11-23 00:00:00.000"
        ),
        ["2026-11-20 22:00:00.000", "2026-11-21 00:00:00.000", "2026-11-21 02:00:00.000"]
    );
    // A whole day, with its end.
    assert_eq!(
        events(
            "2026.11.20 09:15:00..=09:15:00/12h",
            "2026-11-16 00:00:00.000",
            "2026-11-23 00:00:00.000"
        ),
        ["2026-11-20 09:15:00.000", "2026-11-20 21:15:00.000", "2026-11-21 09:15:00.000"]
    );
    assert_eq!(
        events(
            "2026.11.20,21 09:15:00..=09:15:00/24h",
            "2026-11-16 00:00:00.000",
            "2026-11-24 00:00:00.000"
        ),
        ["2026-11-20 09:15:00.000", "2026-11-21 09:15:00.000", "2026-11-22 09:15:00.000"]
    );
}

#[test]
fn no_window_has_events_outside_2000_to_2100() {
    let nights = schedule("22:00:00..06:00:00/1h");
    let (first, last) = (at("2000-01-01 22:00:00.000"), at("2100-12-31 23:00:00.000"));
    assert_eq!(nights.next_event(CalendarDigits::MIN), Some(first));
    assert_eq!(nights.prev_event(CalendarDigits::MAX), Some(last));
    assert!(!nights.matches(at("2000-01-01 05:00:00.000")));
    assert_eq!(nights.count(..), 36_890 * 8 - 6);
    let all = schedule("00:00:00..=00:00:00/1ms");
    assert_eq!(all.count(..), 36_890 * 86_400_000);
}

fn hash(schedule: &Schedule) -> u64 {
    let mut hasher = DefaultHasher::new();
    schedule.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn windows_with_the_same_events_and_step_are_equal() {
    for (one, other) in [
        ("09:00:00..10:00:00/2h", "09:00:00"),
        ("09:00:00..=10:00:00/1h1ms", "09:00:00"),
        ("23:00:00../1h", "23:00:00"),
        ("09:00:00..10:00:00/24h", "09:00:00"),
        ("09:30:00..16:00:00/15m", "09:30:00..=15:45:00/15m"),
        ("09:30:00..16:00:00/15m", "9:30:0.0..15:59:59.999/900s"),
        ("09:30:00..16:00:00/90m", "09:30:00..16:00:00/1h30m"),
        ("09:30:00..16:00:00/90m", "09:30:00..16:00:00/5400000ms"),
        ("22:00:00..06:00:00/30m", "22:00:00..=05:30:00/30m"),
        ("00:00:00../7m", "00:00:00..24:00:00/7m"),
        ("00:00:00../7m", "00:00:00..00:00:00/7m"),
    ] {
        let (one, other) = (schedule(one), schedule(other));
        assert_eq!(one, other);
        assert_eq!(hash(&one), hash(&other), "{one} and {other}");
        assert_eq!(one.to_string(), other.to_string());
        assert_eq!(schedule(&one.to_string()), one);
    }
    for (one, other) in [
        ("09:30:00..16:00:00/15m", "09:30:00..=16:00:00/15m"),
        ("09:30:00..16:00:00/15m", "09:45:00..16:15:00/15m"),
        ("09:00:00..10:00:00/20m", "09:00:00..10:00:00/30m"),
        ("09:00:00..11:00:00/1h", "09:00:00"),
    ] {
        assert_ne!(schedule(one), schedule(other), "{one} and {other}");
    }
}

const INVALID: &[Refusal] = &[
    ("09:30:00..16:00:00", "^^^^^^^^^^^^^^^^^^", Hour, &["how often", "`/15m`"]),
    ("9-17:00:00..18:00:00/1m", "~^^~~~~~~~", Hour, &["plain numbers", "HH:mm:ss"]),
    ("09:30..16:00/15m", "     ~", Second, &["second", "missing", "HH:mm:ss"]),
    (
        "09:30:00..16:00:00/15",
        "                   ^^",
        Hour,
        &["`15`", "has no unit", "`h`", "`m`", "`s`", "`ms`"],
    ),
    ("09:30:00..16:00:00/0m", "                   ^~", Hour, &["`0m`", "1 ms", "24 h"]),
    ("09:30:00..16:00:00/25h", "                   ^^~", Hour, &["`25h`", "1 ms", "24 h"]),
    ("09:30:00..16:00:00/30m1h", "                   ^^^^^", Hour, &["`1h30m`"]),
    ("09:30:00..16:00:00/1.5h", "                   ^^^^", Hour, &["write `1h30m`"]),
    ("09:30:00..16:00:00/1m0.250s", "                   ^^^^^^^^", Hour, &["write `1m250ms`"]),
    // These are not whole milliseconds.
    ("9:30:00../0.33333333333333h", "          ^^^^^^^^^^^^^^^^^", Hour, &["is invalid"]),
    ("9:30:00../1.0005s", "          ^^^^^^^", Hour, &["is invalid"]),
    ("9:30:00../250.5ms", "          ^^^^^^^", Hour, &["is invalid"]),
    ("09:30:00...16:00:00/1m", "        ~~^", Hour, &["`.`"]),
    ("25:00:00..26:00:00/1m", "^^", Hour, &["hour", "`25`", "0-23"]),
    ("0:00:00..24:00:01/1h", "         ^^^^^^^^", Hour, &["`24:00:01`", "`24:00:00`"]),
    ("0:00:00..25:00:00/1h", "         ^^", Hour, &["`25`", "`24:00:00`"]),
    ("0:00:00..1:60:00/1h", "           ^^", Minute, &["`60`", "0-59"]),
    ("9:00:00 .. 17:00:00/15m", "^^^^^^^^^^^^^^^^^^^^^^^", Hour, &["`9:00:00..17:00:00/15m`"]),
    ("*.*.1 9:0:0..=10:0:0/ 15m\t", "      ^^^^^^^^^^^^^^^^^^^", Hour, &["`9:0:0..=10:0:0/15m`"]),
    ("9:0:0-10:0:0 /1h 30m", "^^^^^^^^^^^^^^^^^^^^", Hour, &["`9:0:0..10:0:0/1h30m`"]),
    ("09:30:00 - 16:00:00/15m", "^^^^^^^^^^^^^^^^^^^^^^^", Hour, &["`09:30:00..16:00:00/15m`"]),
    ("9:0:0 ..10:0:0", "      ^^^^^^^^", Hour, &["last"]),
];

#[test]
fn ends_of_whole_days_do_not_make_schedules_equal() {
    // Both have an event at midnight from 1 to 5 January, and the same first and last event.
    let [one, other] = ["01,03,04", "01,02,04"]
        .map(|days| schedule(&format!("2026.01.{days} 00:00:00..=24:00:00/1h")));
    assert_eq!(one.count(..), other.count(..));
    assert_ne!(one, other);
}

#[test]
fn invalid_windows_are_refused() {
    refuse(INVALID);
}
