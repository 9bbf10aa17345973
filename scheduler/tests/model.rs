//! What a timetable answers, beside all of its events one by one.
#![cfg(feature = "scheduler")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::Schedule;
use millicron::scheduler::{IntoTimetable, Timetable, every};
use proptest::prelude::*;

const DAY: i64 = 86_400_000_000_000;

/// So many nanoseconds after 1970, or before.
fn at(nanos: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanos.unsigned_abs());
    if nanos < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
}

/// `every`, as it is written, and what it means: a period, and what is counted from
/// if that is not now.
#[derive(Clone, Debug)]
struct Case {
    n: u32,
    unit: u8,
    at: Option<(u32, u32)>,
    from: Option<i64>,
    now: i64,
}

impl Case {
    fn period(&self) -> i64 {
        let units = [DAY, DAY / 24, 60_000_000_000, 1_000_000_000, 1_000_000];
        i64::from(self.n) * units[usize::from(self.unit)]
    }

    fn timetable(&self) -> impl Timetable + use<> {
        let steps = match (self.unit, every(self.n)) {
            (0, every) => every.days(),
            (1, every) => every.hours(),
            (2, every) => every.minutes(),
            (3, every) => every.seconds(),
            (_, every) => every.milliseconds(),
        };
        let steps = self.at.map_or(steps, |(hour, minute)| steps.at(hour, minute));
        let steps = self.from.map_or(steps, |from| steps.from(at(from)));
        steps.into_timetable(at(self.now)).expect("it is a timetable")
    }

    /// The first event, by a search for it.
    fn first(&self) -> i64 {
        let start = self.from.unwrap_or(self.now);
        let Some((hour, minute)) = self.at else {
            return if self.from.is_some() { start } else { start + self.period() };
        };
        let time = i64::from(hour * 60 + minute) * 60_000_000_000;
        let midnight = start.div_euclid(DAY) * DAY;
        let days = [midnight + time, midnight + DAY + time];
        days.into_iter().find(|first| *first >= start).expect("one of two days has it")
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let at = prop::option::of((0..24_u32, 0..60_u32));
    let instants = -4_000_000_000_000_000_000..4_000_000_000_000_000_000_i64;
    let from = prop::option::of(prop_oneof![instants.clone(), Just(0), Just(DAY - 1)]);
    (1..2000_u32, 0..5_u8, at, from, instants).prop_map(|(n, unit, at, from, now)| Case {
        n,
        unit,
        at,
        from,
        now,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn equal_steps_are_those_that_are_counted(case in cases(), skipped in 0..50_i64, off in 0..3_i64) {
        let (timetable, period, first) = (case.timetable(), case.period(), case.first());
        // As far as it may be asked for.
        prop_assume!(period.checked_mul(60).is_some_and(|all| first.checked_add(all).is_some()));
        prop_assert_eq!(timetable.next(at(first - 1)), Some(at(first)));
        prop_assert_eq!(timetable.last(at(first - 1)), None);
        let event = first + skipped * period;
        // Just before an event, at it, and just after.
        let asked = event + off - 1;
        let last = event - if off == 0 { period } else { 0 };
        let next = event + if off == 0 { 0 } else { period };
        prop_assert_eq!(timetable.next(at(asked)), Some(at(next)));
        prop_assert_eq!(timetable.last(at(asked)), (last >= first).then(|| at(last)));
        let passed = u64::try_from(skipped + i64::from(off > 0)).expect("it is positive");
        prop_assert_eq!(timetable.count(at(first - 1), at(asked)), passed);
        prop_assert_eq!(timetable.count(at(asked), at(first - 1)), 0);
    }

    /// From an instant as far away as there are any.
    #[test]
    fn equal_steps_reach_over_all_instants(from in any::<i64>(), now in any::<i64>(), n in 1..9_u32) {
        let steps = every(n).days().from(at(from)).into_timetable(at(now));
        let steps = steps.expect("it is a timetable");
        if let Some(next) = steps.next(at(now)) {
            prop_assert!(next > at(now) && next >= at(from));
            prop_assert!(now < from || next <= at(now) + Duration::from_secs(86_400 * u64::from(n)));
        }
        let last = steps.last(at(now));
        prop_assert_eq!(last.is_some(), now >= from);
        prop_assert!(last.is_none_or(|last| last <= at(now) && last >= at(from)));
    }

    /// The three answers of a timetable agree.
    #[test]
    fn a_schedule_is_a_timetable(
        hour in 0..24_u32, minute in 1..60_u32, day in 0..7_u32, start in 1_000_000_000..3_000_000_000_u64,
    ) {
        let text = format!("*.*.* {day} {hour}-23:*/{minute}:00.007");
        let schedule: Schedule = text.parse().expect("it is a schedule");
        let start = UNIX_EPOCH + Duration::from_secs(start);
        let mut event = start;
        for index in 1..40 {
            let next = Timetable::next(&schedule, event).expect("there are more");
            prop_assert!(next > event);
            prop_assert_eq!(Timetable::last(&schedule, next), Some(next));
            let before = Timetable::last(&schedule, next - Duration::from_nanos(1));
            prop_assert!(index == 1 || before == Some(event));
            prop_assert_eq!(Timetable::count(&schedule, start, next), index);
            event = next;
        }
    }
}
