//! Building sources.

use std::error::Error as _;
use std::time::{Duration, UNIX_EPOCH};

use millicron::{Recurrence, every, schedule};
use millicron_apalis::{BuildError, Job, ManualClock, Missed, Source};

use crate::support::{Events, MIDNIGHT, Recorder, clock_at, push_due};

#[test]
fn names_are_checked() {
    let error = |names: &[&str]| {
        let builder = names
            .iter()
            .fold(Source::builder(), |builder, name| builder.add(*name, schedule!("*:*:*"), 1));
        builder.build().expect_err("an error").to_string()
    };
    assert_eq!(error(&["a", "b", "a"]), "two jobs are named `a`");
    assert_eq!(error(&["a", ""]), "the name of a job is empty");
    assert_eq!(error(&["a\0b"]), "the name \"a\\0b\" contains `\\0`");
    let long = "x".repeat(513);
    assert_eq!(error(&[&long]), "the name of a job has 513 bytes; the maximum is 512");
    assert!(Source::builder().add("x".repeat(512), schedule!("*:*:*"), 1).build().is_ok());
}

#[test]
fn invalid_interval_is_refused() {
    let source = Source::builder().add("a", every(0).seconds(), 1).build();
    let error = source.expect_err("an error");
    assert!(matches!(&error, BuildError::Interval { job, .. } if job == "a"));
    assert_eq!(error.to_string(), "the interval of `a` is invalid");
    let cause = error.source().expect("what is wrong with it");
    assert_eq!(cause.to_string(), "the period of an interval is zero: it must be at least 1");
}

#[test]
fn intervals_are_the_same_on_all_machines() {
    let storage = Recorder::default();
    for offset in [0, 1234, 6999] {
        let clock = clock_at(MIDNIGHT + offset);
        let source = Source::builder().clock(clock).missed(Missed::All { max: 3 });
        let source = source
            .add("days", every(3).days().in_zone(jiff::tz::TimeZone::UTC), 1)
            .add("seconds", every(7).seconds(), 1)
            .build()
            .expect("a source");
        push_due(&source, &storage);
    }
    // From Monday 2000-01-03 00:00:00 UTC.
    let start = 946_857_600_000;
    for key in storage.keys().iter().filter_map(|key| key.strip_prefix("seconds:")) {
        let instant: i64 = key.parse().expect("an instant");
        assert_eq!((instant - start) % 7000, 0);
    }
}

/// A recurrence that always panics.
struct Panics;

impl Recurrence for Panics {
    fn next_event(&self, _: i64) -> Option<i64> {
        panic!("asked for the next event");
    }

    fn nearest_prev_event(&self, _: i64) -> Option<i64> {
        panic!("asked for the previous event");
    }
}

/// A recurrence that always returns the same event.
struct Repeats;

impl Recurrence for Repeats {
    fn next_event(&self, _: i64) -> Option<i64> {
        Some(MIDNIGHT)
    }

    fn nearest_prev_event(&self, _: i64) -> Option<i64> {
        Some(MIDNIGHT)
    }
}

#[test]
fn broken_recurrences_affect_no_other_job() {
    let all = Missed::All { max: usize::MAX };
    let builder = Source::builder()
        .clock(clock_at(MIDNIGHT + 3000))
        .missed(all)
        .add_job(Job::new("ends", Events(vec![i64::MIN, MIDNIGHT, i64::MAX]), 1))
        .add_job(Job::new("panics", Panics, 1))
        .add_job(Job::new("repeats", Repeats, 1));
    let source = builder.build().expect("a source");
    let storage = Recorder::default();
    assert!(push_due(&source, &storage));
    assert_eq!(storage.keys(), [format!("ends:{MIDNIGHT}"), format!("repeats:{MIDNIGHT}")]);
}

#[test]
fn clocks_of_any_time_are_accepted() {
    let far = [format!("a:{MIDNIGHT}"), format!("a:{}", i64::MAX)];
    for (clock, expected) in
        [(clock_at(0), &far[..]), (clock_before_1970(), &far[..1]), (clock_at(1 << 50), &far[1..])]
    {
        let events = Events(vec![i64::MIN, MIDNIGHT, i64::MAX]);
        let source = Source::builder().clock(clock).missed(Missed::All { max: 1 });
        let source = source.ahead(Duration::MAX).grace(Duration::ZERO).add("a", events, 1);
        let storage = Recorder::default();
        assert!(push_due(&source.build().expect("a source"), &storage));
        assert_eq!(storage.keys(), expected);
    }
}

fn clock_before_1970() -> ManualClock {
    let before = UNIX_EPOCH - Duration::new(1, 1);
    ManualClock::new(before)
}
