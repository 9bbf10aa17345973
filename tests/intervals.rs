//! Intervals from the first use, from an instant, and at a time of day, compared with arithmetic.

use std::sync::Arc;

use millicron::{
    Every, Interval, IntervalBuilder, IntervalError, IntoRecurrence as _, Recurrence, every,
    schedule,
};

const MINUTE: i64 = 60_000;
const DAY: i64 = 86_400_000;

/// 2026-11-21 00:00:00 UTC.
const MIDNIGHT: i64 = 1_795_219_200_000;

type Unit = fn(Every) -> IntervalBuilder;

/// The units, and their lengths in milliseconds.
const UNITS: [(Unit, i64); 5] = [
    (Every::days, DAY),
    (Every::hours, 60 * MINUTE),
    (Every::minutes, MINUTE),
    (Every::seconds, 1000),
    (Every::milliseconds, 1),
];

/// Instants before, at and after 1970 and midnight.
const INSTANTS: [i64; 7] = [-DAY, -1, 0, 12_345, MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + 12_345_678];

fn used_at(now: i64, builder: IntervalBuilder) -> Interval {
    builder.into_recurrence(now).expect("a valid interval")
}

/// Checks the answers around the first events and before them.
fn check(interval: &Interval, first: i64, step: i64) {
    assert_eq!((interval.first(), interval.step()), (Some(first), step));
    assert_eq!(interval.nearest_event(i64::MIN), Some(first));
    assert_eq!(interval.prev_event(first), None);
    for index in 0..4 {
        let event = first + index * step;
        assert!(interval.matches(event));
        assert_eq!(interval.nearest_event(event), Some(event));
        assert_eq!(interval.nearest_prev_event(event), Some(event));
        assert_eq!(interval.next_event(event), Some(event + step));
        assert_eq!(interval.next_event(event - 1), Some(event));
    }
}

#[test]
fn first_event_is_one_step_after_the_first_use() {
    for (unit, millis) in UNITS {
        for now in INSTANTS {
            let interval = used_at(now, unit(every(7)));
            check(&interval, now + 7 * millis, 7 * millis);
            assert!(!interval.follows_clock());
        }
    }
}

#[test]
fn first_event_is_at_the_first_use_if_immediate() {
    for (unit, millis) in UNITS {
        for now in INSTANTS {
            let interval = used_at(now, unit(every(7)).immediately());
            check(&interval, now, 7 * millis);
            assert!(!interval.follows_clock());
        }
    }
    let last = used_at(i64::MAX, every(1).days().immediately());
    assert_eq!(last.nearest_event(i64::MIN), Some(i64::MAX));
    assert_eq!(last.next_event(i64::MAX), None);
}

#[test]
fn first_event_is_the_instant_that_an_interval_counts_from() {
    for (unit, millis) in UNITS {
        for start in INSTANTS {
            for now in INSTANTS {
                let interval = used_at(now, unit(every(7)).from(start));
                check(&interval, start, 7 * millis);
                assert!(interval.follows_clock());
            }
        }
    }
}

#[test]
fn first_event_is_the_first_time_of_day_at_or_after_the_start() {
    let times = [("00:00", 0), ("03:30", 210 * MINUTE), ("23:59:59.999", DAY - 1)];
    for (text, time) in times {
        for start in INSTANTS.into_iter().chain([MIDNIGHT + time - 1, MIDNIGHT + time]) {
            let midnight = start.div_euclid(DAY) * DAY;
            let first =
                [midnight + time, midnight + DAY + time].into_iter().find(|at| *at >= start);
            let first = first.expect("once a day");
            for interval in [
                used_at(start, every(3).days().at(text)),
                used_at(0, every(3).days().at(text).from(start)),
            ] {
                check(&interval, first, 3 * DAY);
                assert!(interval.follows_clock());
            }
        }
    }
}

#[test]
fn start_between_two_milliseconds_is_rounded_up() {
    use std::time::{Duration, UNIX_EPOCH};

    let between = UNIX_EPOCH + Duration::from_nanos(1_000_001);
    check(&used_at(0, every(1).seconds().from(between)), 2, 1000);
    check(&used_at(0, every(1).seconds().from(UNIX_EPOCH + Duration::from_millis(1))), 1, 1000);
}

#[test]
fn immediate_intervals_refuse_another_start() {
    let builder = every(1).hours();
    for contradiction in [
        builder.immediately().from(MIDNIGHT),
        builder.from(MIDNIGHT).immediately(),
        builder.immediately().at("03:30"),
        builder.at("03:30").immediately(),
        builder.from(MIDNIGHT).immediately().at("03:30"),
    ] {
        let error = contradiction.into_recurrence(0);
        assert_eq!(error, Err(IntervalError::ImmediateWithStart));
    }
    // Errors in a part take precedence over the contradiction.
    let error = every(0).days().immediately().from(0).into_recurrence(0);
    assert_eq!(error, Err(IntervalError::ZeroPeriod));
    let error = every(1).days().immediately().at("3:30").into_recurrence(0);
    assert_eq!(error, Err(IntervalError::TimeOfDay));
}

#[test]
fn errors_say_what_to_write() {
    let message =
        |builder: IntervalBuilder| builder.into_recurrence(0).expect_err("invalid").to_string();
    assert_eq!(
        message(every(0).hours()),
        "the period of an interval is zero: it must be at least 1"
    );
    for time in ["24:00", "3:30", "+3:30", "03:60", "03:30:60", "03:30:00.0000"] {
        assert_eq!(
            message(every(1).days().at(time)),
            "invalid time of day: write `HH:mm`, `HH:mm:ss` or `HH:mm:ss.fff`, from `00:00` to \
             `23:59:59.999`",
            "{time}"
        );
    }
}

#[test]
fn only_intervals_are_returned_as_intervals() {
    let interval = used_at(0, every(1).hours());
    let boxed: Box<dyn Recurrence> = Box::new(Arc::new(interval));
    for recurrence in [&interval as &dyn Recurrence, &&interval, &boxed] {
        assert_eq!(recurrence.interval(), Some(&interval));
    }
    assert_eq!(Recurrence::interval(&schedule!("*:00:00")), None);
}

#[test]
fn intervals_are_small() {
    assert!(size_of::<Interval>() <= 32);
}
