//! Intervals and schedules as recurrences, compared with a plain model of their events.

use millicron::{IntoRecurrence as _, Recurrence, Schedule, every};
use proptest::prelude::*;

const DAY: i64 = 86_400_000;

/// An interval as it is written, and the instant of its first use. Instants are in milliseconds
/// since 1970.
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
        let units = [DAY, DAY / 24, 60_000, 1000, 1];
        i64::from(self.n) * units[usize::from(self.unit)]
    }

    fn recurrence(&self) -> impl Recurrence + use<> {
        let interval = match (self.unit, every(self.n)) {
            (0, every) => every.days(),
            (1, every) => every.hours(),
            (2, every) => every.minutes(),
            (3, every) => every.seconds(),
            (_, every) => every.milliseconds(),
        };
        let interval = self
            .at
            .map_or(interval, |(hour, minute)| interval.at(&format!("{hour:02}:{minute:02}")));
        let interval = self.from.map_or(interval, |from| interval.from(from));
        interval.into_recurrence(self.now).expect("a valid interval")
    }

    /// The first event, found by search.
    fn first(&self) -> i64 {
        let start = self.from.unwrap_or(self.now);
        let Some((hour, minute)) = self.at else {
            return if self.from.is_some() { start } else { start + self.period() };
        };
        let time = i64::from(hour * 60 + minute) * 60_000;
        let midnight = start.div_euclid(DAY) * DAY;
        let days = [midnight + time, midnight + DAY + time];
        days.into_iter().find(|first| *first >= start).expect("one of the two days")
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
    fn interval_answers_match_its_first_event_and_period(
        case in cases(), skipped in 0..50_i64, offset in -1..=1_i64,
    ) {
        let (recurrence, period, first) = (case.recurrence(), case.period(), case.first());
        // All events to check must be within range.
        prop_assume!(period.checked_mul(60).is_some_and(|all| first.checked_add(all).is_some()));
        prop_assert_eq!(recurrence.next_event(first - 1), Some(first));
        prop_assert_eq!(recurrence.nearest_prev_event(first - 1), None);
        let event = first + skipped * period;
        // Just before an event, at it, and just after it. With a period of 1 ms, the instant just
        // before an event is the event before, and the instant just after is the next event.
        let instant = event + offset;
        let index = (instant - first).div_euclid(period);
        let (last, next) = (first + index * period, first + (index + 1) * period);
        prop_assert_eq!(recurrence.next_event(instant), Some(next));
        prop_assert_eq!(recurrence.nearest_prev_event(instant), (last >= first).then_some(last));
        let passed = u64::try_from(index + 1).expect("not negative");
        prop_assert_eq!(recurrence.count(first..=instant), passed);
        prop_assert_eq!(recurrence.count(instant + 1..=first - 1), 0);
    }

    #[test]
    fn interval_from_any_instant_reaches_every_instant(
        from in any::<i64>(), now in any::<i64>(), n in 1..9_u32,
    ) {
        let interval = every(n).days().from(from).into_recurrence(now).expect("a valid interval");
        if let Some(next) = interval.next_event(now) {
            prop_assert!(next > now && next >= from);
            prop_assert!(now < from || next.abs_diff(now) <= DAY.unsigned_abs() * u64::from(n));
        }
        let last = interval.nearest_prev_event(now);
        prop_assert_eq!(last.is_some(), now >= from);
        prop_assert!(last.is_none_or(|last| last <= now && last >= from));
    }

    #[test]
    fn schedule_answers_agree_with_each_other(
        hour in 0..24_u32, minute in 1..60_u32, day in 0..7_u32, start in 1_000_000_000..3_000_000_000_i64,
    ) {
        let text = format!("*.*.* {day} {hour}-23:*/{minute}:00.007");
        let schedule: Schedule = text.parse().expect("a valid schedule");
        let start = start * 1000;
        let mut event = start;
        for index in 1..40 {
            let next = Recurrence::next_event(&schedule, event).expect("more events");
            prop_assert!(next > event);
            prop_assert_eq!(Recurrence::nearest_prev_event(&schedule, next), Some(next));
            let before = Recurrence::nearest_prev_event(&schedule, next - 1);
            prop_assert!(index == 1 || before == Some(event));
            prop_assert_eq!(Recurrence::count(&schedule, start + 1..=next), index);
            event = next;
        }
    }
}
