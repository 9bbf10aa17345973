//! Intervals, and recurrences that rely on the default methods of the trait.

use millicron::{
    CalendarDigits, Interval, IntoRecurrence as _, Period, Recurrence, Unit, Zone, every, schedule,
};

fn from(count: u32, start: i64) -> Interval {
    every(count).milliseconds().from(start).into_recurrence(0).expect("a valid interval")
}

/// Every `i64`, without overriding a default method.
struct EveryMillisecond;

impl Recurrence for EveryMillisecond {
    fn next_event(&self, instant: i64) -> Option<i64> {
        instant.checked_add(1)
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        Some(instant)
    }
}

/// Violates the contract: the next event is the instant itself.
struct Stuck;

impl Recurrence for Stuck {
    fn next_event(&self, instant: i64) -> Option<i64> {
        Some(instant)
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        Some(instant)
    }
}

#[test]
fn intervals_reach_both_ends_of_i64() {
    let all = from(1, i64::MIN);
    for instant in [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX] {
        assert_eq!(all.next_event(instant), instant.checked_add(1));
        assert_eq!(all.nearest_event(instant), Some(instant));
        assert_eq!(all.nearest_prev_event(instant), Some(instant));
        assert_eq!(all.prev_event(instant), instant.checked_sub(1));
        assert!(all.matches(instant));
    }
    assert_eq!(all.count(i64::MIN..=i64::MAX), u64::MAX);
    assert_eq!(all.count(i64::MIN + 1..=i64::MAX), u64::MAX);
    assert_eq!(all.count(i64::MIN..=-1), 1 << 63);
    assert_eq!(all.nth_prev_event(i64::MAX, u64::MAX), Some(i64::MIN));
    assert_eq!(from(1, -1).next_event(i64::MAX), None);
    assert_eq!(from(2, i64::MAX - 1).next_event(i64::MAX - 1), None);
}

#[test]
fn intervals_that_start_after_the_last_instant_have_no_events() {
    let never = every(1).days().into_recurrence(i64::MAX).expect("a valid interval");
    assert_eq!(never.next_event(i64::MIN), None);
    assert_eq!(never.nearest_prev_event(i64::MAX), None);
    assert_eq!(never.count(i64::MIN..=i64::MAX), 0);
    let never = every(1).days().at("23:59").from(i64::MAX).into_recurrence(0);
    assert_eq!(never.expect("a valid interval").next_event(i64::MIN), None);
}

#[test]
fn interval_counts_agree_with_a_walk() {
    for (count, start) in [(7, -20), (1, 3), (10, 0), (13, 40)] {
        let interval = from(count, start);
        for first in -30..60 {
            for last in -31..60 {
                let step = i64::from(count);
                let is_event = |at: &i64| *at >= start && (at - start) % step == 0;
                let expected = (first..=last).filter(is_event).count();
                assert_eq!(interval.count(first..=last), expected as u64, "{first}..={last}");
            }
        }
    }
}

#[test]
fn default_methods_agree_at_both_ends_of_i64() {
    for instant in [i64::MIN, 0, i64::MAX] {
        assert_eq!(EveryMillisecond.nearest_event(instant), Some(instant));
        assert_eq!(EveryMillisecond.prev_event(instant), instant.checked_sub(1));
        assert!(EveryMillisecond.matches(instant));
    }
    assert_eq!(EveryMillisecond.count(i64::MAX - 9..=i64::MAX), 10);
    assert_eq!(EveryMillisecond.nth_prev_event(i64::MIN + 2, 2), Some(i64::MIN));
    assert_eq!(EveryMillisecond.nth_prev_event(i64::MIN + 2, 3), None);
}

#[test]
fn default_count_ends_if_the_next_event_is_not_later() {
    assert_eq!(Stuck.count(5..=1_000_000), 1);
}

#[test]
fn period_of_an_interval_is_the_most_events_in_a_unit() {
    let period = |count: u32| every(count).hours().from(0).into_recurrence(0).map(|it| it.period());
    assert_eq!(period(1), Ok(Period { unit: Unit::Hour, count: 1 }));
    assert_eq!(period(7), Ok(Period { unit: Unit::Day, count: 4 }));
    assert_eq!(period(40 * 24), Ok(Period { unit: Unit::Year, count: 10 }));
}

#[test]
fn intervals_are_displayed_in_the_largest_unit() {
    for (millis, text) in [
        (1, "Every millisecond"),
        (1500, "Every 1500 milliseconds"),
        (2000, "Every 2 seconds"),
        (60_000, "Every minute"),
        (5_400_000, "Every 90 minutes"),
        (3_600_000, "Every hour"),
        (172_800_000, "Every 2 days"),
    ] {
        assert_eq!(from(millis, 0).to_string(), text);
    }
}

const HOUR: i64 = 3_600_000;

/// A zone that is always one hour ahead of UTC.
struct Ahead;

impl Zone for Ahead {
    fn offset_at(&self, _: i64) -> i32 {
        3_600_000
    }

    fn name(&self) -> Option<&str> {
        Some("Ahead")
    }
}

#[test]
fn recurrences_in_a_zone_know_its_name_and_offset() {
    let noon = schedule!("12:00:00").in_zone(Ahead);
    let zoned: &dyn Recurrence = &noon;
    assert!(zoned.is_zoned());
    assert_eq!((zoned.zone_name(), zoned.offset_at(7)), (Some("Ahead"), Some(3_600_000)));
    let others: [&dyn Recurrence; 2] = [&EveryMillisecond, noon.schedule()];
    for other in others {
        assert!(!other.is_zoned());
        assert_eq!((other.zone_name(), other.offset_at(7)), (None, None));
    }
}

#[test]
fn calendar_units_start_in_the_time_that_the_events_follow() {
    let millis = |text: &str| text.parse::<CalendarDigits>().expect(text).to_millis();
    let noon = schedule!("12:00:00");
    let zoned = noon.clone().in_zone(Ahead);
    let recurrences: [(&dyn Recurrence, i64); 3] =
        [(&EveryMillisecond, 0), (&noon, 0), (&zoned, HOUR)];
    for (recurrence, offset) in recurrences {
        for (unit, start, earlier, end) in [
            (Unit::Hour, "2026-01-15 10:00:00", "2026-01-15 08:00:00", "2026-01-15 11:00:00"),
            (Unit::Day, "2026-01-15 00:00:00", "2026-01-13 00:00:00", "2026-01-16 00:00:00"),
            (Unit::Week, "2026-01-12 00:00:00", "2025-12-29 00:00:00", "2026-01-19 00:00:00"),
            (Unit::Month, "2026-01-01 00:00:00", "2025-11-01 00:00:00", "2026-02-01 00:00:00"),
            (Unit::Year, "2026-01-01 00:00:00", "2024-01-01 00:00:00", "2027-01-01 00:00:00"),
        ] {
            let at = |text| Some(millis(text) - offset);
            let instant = millis("2026-01-15 10:30:00") - offset;
            assert_eq!(recurrence.unit_start(unit, instant, 0), at(start), "{unit:?}");
            assert_eq!(recurrence.unit_start(unit, instant, 2), at(earlier), "{unit:?}");
            assert_eq!(recurrence.unit_end(unit, instant), at(end), "{unit:?}");
            assert_eq!(recurrence.unit_end(unit, millis(start) - offset), at(end), "{unit:?}");
        }
        assert_eq!(recurrence.unit_start(Unit::Year, millis("2000-06-01 00:00:00"), 1), None);
        assert_eq!(recurrence.unit_end(Unit::Year, millis("2100-06-01 00:00:00")), None);
        // The first Monday.
        let week = millis("2000-01-03 00:00:00") - offset;
        assert_eq!(recurrence.unit_start(Unit::Week, week - 1, 0), None);
        assert_eq!(recurrence.unit_end(Unit::Week, week - 1), Some(week));
        assert_eq!(recurrence.unit_start(Unit::Week, week, 0), Some(week));
        // The days after 2100.
        let last = millis("2100-12-31 00:00:00") - offset;
        for instant in [last, last + 24 * HOUR, last + 400 * 24 * HOUR] {
            assert_eq!(recurrence.unit_start(Unit::Day, instant, 0), Some(last));
            assert_eq!(recurrence.unit_start(Unit::Day, instant, 1), Some(last - 24 * HOUR));
            assert_eq!(recurrence.unit_end(Unit::Day, instant), None);
        }
    }
}
