//! Queries in the types of this crate and of std.

use std::ops::Bound;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{TEXTS, both, edges};
use crate::support::oracle::{END, START};
use millicron::{CalendarDigits, schedule};

/// Returns the system time `millis` milliseconds after 1970-01-01 00:00:00 UTC.
fn system(millis: i64) -> SystemTime {
    let distance = Duration::from_millis(millis.unsigned_abs());
    if millis < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
}

#[test]
fn system_times_on_a_millisecond_answer_like_the_oracle() {
    for text in TEXTS {
        let (schedule, oracle) = both(text);
        for at in edges() {
            let moment = system(at);
            let answer = |event: Option<i64>| event.map(system);
            assert_eq!(schedule.next_event(moment), answer(oracle.next(at)), "{text} at {at}");
            assert_eq!(
                schedule.nearest_event(moment),
                answer(oracle.nearest(at)),
                "{text} at {at}"
            );
            assert_eq!(schedule.prev_event(moment), answer(oracle.prev(at)), "{text} at {at}");
            assert_eq!(
                schedule.nearest_prev_event(moment),
                answer(oracle.nearest_prev(at)),
                "{text} at {at}"
            );
            assert_eq!(schedule.matches(moment), oracle.matches(at), "{text} at {at}");
            assert_eq!(schedule.count(moment..), oracle.count(&(at..)), "{text} at {at}");
        }
    }
}

#[test]
fn system_times_between_milliseconds_match_nothing() {
    for text in TEXTS {
        let (schedule, oracle) = both(text);
        for at in edges() {
            // An event at `at` is in the past, and one at `at + 1` in the future.
            let (behind, ahead) =
                (oracle.nearest_prev(at).map(system), oracle.next(at).map(system));
            for micros in [1, 500, 999] {
                let moment = system(at) + Duration::from_micros(micros);
                assert_eq!(schedule.next_event(moment), ahead, "{text} after {at}");
                assert_eq!(schedule.nearest_event(moment), ahead, "{text} after {at}");
                assert_eq!(schedule.prev_event(moment), behind, "{text} after {at}");
                assert_eq!(schedule.nearest_prev_event(moment), behind, "{text} after {at}");
                assert!(!schedule.matches(moment), "{text} after {at}");
            }
        }
    }
}

#[test]
fn range_ends_between_milliseconds_are_not_events() {
    let (schedule, oracle) = both("*:*:*.1,2,3-5,10-20/3");
    let micros = Duration::from_micros(300);
    let first = 1_614_513_600_000;
    for (from, to) in [(0, 30), (1, 4), (3, 3), (3, 4), (20, 1001), (5, 0)] {
        let (from, to) = (first + from, first + to);
        let (moment, other) = (system(from) + micros, system(to) + micros);
        // Neither end can be an event, so including or excluding it makes no difference.
        let expected = oracle.events(&(from + 1..=to), usize::MAX);
        let expected: Vec<SystemTime> = expected.into_iter().map(system).collect();
        let count = u64::try_from(expected.len()).unwrap();
        for range in [
            (Bound::Included(moment), Bound::Included(other)),
            (Bound::Included(moment), Bound::Excluded(other)),
            (Bound::Excluded(moment), Bound::Included(other)),
            (Bound::Excluded(moment), Bound::Excluded(other)),
        ] {
            assert_eq!(schedule.events(range).collect::<Vec<_>>(), expected, "{range:?}");
            assert_eq!(schedule.count(range), count, "{range:?}");
        }
        let mut back: Vec<SystemTime> = schedule.events(moment..other).rev().collect();
        back.reverse();
        assert_eq!(back, expected);
    }
}

#[test]
fn system_times_just_before_and_after_the_last_event_find_it() {
    let last = schedule!("2100.12.31 23:59:59.999");
    let after = system(END) + Duration::from_micros(1);
    let before = system(END) - Duration::from_micros(1);
    assert_eq!(last.nearest_event(after), None);
    assert_eq!(last.prev_event(after), Some(system(END)));
    assert_eq!(last.next_event(before), Some(system(END)));
    assert_eq!(last.nearest_prev_event(before), None);
    assert_eq!(last.count(before..after), 1);
    assert_eq!(last.count(after..), 0);
    assert_eq!(last.count(..before), 0);
}

#[test]
fn system_times_before_1970_are_before_all_events() {
    let every = schedule!("*:*:*.*");
    for before in
        [Duration::from_nanos(100), Duration::from_millis(1), Duration::from_secs(1 << 34)]
    {
        let moment = UNIX_EPOCH - before;
        assert_eq!(every.next_event(moment), Some(system(START)));
        assert_eq!(every.nearest_event(moment), Some(system(START)));
        assert_eq!(every.prev_event(moment), None);
        assert_eq!(every.nearest_prev_event(moment), None);
        assert!(!every.matches(moment));
        assert_eq!(every.count(moment..=system(START)), 1);
    }
}

#[test]
fn the_earliest_and_latest_system_times_are_valid_queries() {
    // The limits and the resolution depend on the platform.
    let farthest = |step: fn(SystemTime, Duration) -> Option<SystemTime>| {
        let mut moment = UNIX_EPOCH;
        for bit in (0..64).rev() {
            moment = step(moment, Duration::from_secs(1 << bit)).unwrap_or(moment);
        }
        for bit in (0..30).rev() {
            moment = step(moment, Duration::from_nanos(1 << bit)).unwrap_or(moment);
        }
        moment
    };
    let earliest = farthest(|moment, by| moment.checked_sub(by));
    let latest = farthest(|moment, by| moment.checked_add(by));
    let hourly = schedule!("*:00:00");
    let (first, last) = (system(START), system(END - 3_599_999));
    assert_eq!(hourly.next_event(earliest), Some(first));
    assert_eq!(hourly.nearest_event(earliest), Some(first));
    assert_eq!((hourly.prev_event(earliest), hourly.nearest_prev_event(earliest)), (None, None));
    assert_eq!(hourly.prev_event(latest), Some(last));
    assert_eq!(hourly.nearest_prev_event(latest), Some(last));
    assert_eq!((hourly.next_event(latest), hourly.nearest_event(latest)), (None, None));
    assert!(!hourly.matches(earliest) && !hourly.matches(latest));
    assert_eq!(hourly.count(earliest..latest), 36_890 * 24);
    assert_eq!(hourly.count(latest..earliest), 0);
    assert_eq!(hourly.events(earliest..=latest).next_back(), Some(last));
}

#[test]
fn calendar_digits_answer_like_the_oracle() {
    for text in TEXTS {
        let (schedule, oracle) = both(text);
        for at in edges().chain([i64::MIN, i64::MAX]) {
            let digits = CalendarDigits::from_millis(at);
            let answer = |event: Option<i64>| event.map(CalendarDigits::from_millis);
            assert_eq!(schedule.next_event(digits), answer(oracle.next(at)), "{text} at {digits}");
            assert_eq!(
                schedule.nearest_event(digits),
                answer(oracle.nearest(at)),
                "{text} at {digits}"
            );
            assert_eq!(schedule.prev_event(digits), answer(oracle.prev(at)), "{text} at {digits}");
            assert_eq!(
                schedule.nearest_prev_event(digits),
                answer(oracle.nearest_prev(at)),
                "{text} at {digits}"
            );
            assert_eq!(schedule.matches(digits), oracle.matches(at), "{text} at {digits}");
        }
    }
}

#[test]
fn references_are_answered_with_values() {
    let hourly = schedule!("*:00:00");
    let at = 1_614_513_600_000_i64;
    let next: Option<i64> = hourly.next_event(&at);
    assert_eq!(next, Some(at + 3_600_000));
    let prev: Option<i64> = hourly.prev_event(&&at);
    assert_eq!(prev, Some(at - 3_600_000));
    let moment = system(at);
    let nearest: Option<SystemTime> = hourly.nearest_event(&moment);
    assert_eq!(nearest, Some(moment));
    let digits = CalendarDigits::from_millis(at);
    let nearest: Option<CalendarDigits> = hourly.nearest_prev_event(&digits);
    assert_eq!(nearest, Some(digits));
    let (by_at, by_moment, by_digits) = (&at, &moment, &digits);
    assert!(hourly.matches(by_at) && hourly.matches(by_moment) && hourly.matches(by_digits));

    let until = at + 3 * 3_600_000;
    let events: Vec<i64> = hourly.events(&at..&until).collect();
    assert_eq!(events, [at, at + 3_600_000, at + 2 * 3_600_000]);
    assert_eq!(hourly.count(&at..=&until), 4);
    // References to ranges are ranges as well.
    let range = &at..=&until;
    assert_eq!((hourly.count(&range), hourly.count(range)), (4, 4));
}

#[test]
fn system_times_before_the_first_calendar_digits_fail_to_convert() {
    let distance = Duration::from_millis(i64::MIN.unsigned_abs());
    // Some platforms cannot represent such an early time.
    if let Some(earliest) = UNIX_EPOCH.checked_sub(distance) {
        assert_eq!(CalendarDigits::try_from(earliest), Ok(CalendarDigits::MIN));
        let before = earliest - Duration::from_nanos(1);
        let error = CalendarDigits::try_from(before).expect_err("before `CalendarDigits::MIN`");
        assert_eq!(error.field(), Some(millicron::Field::Year));
    }
}
