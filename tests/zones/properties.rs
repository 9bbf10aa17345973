//! Random schedules in random zones, real and invented, compared with the rules and checked for
//! consistency.
//!
//! The seed is fixed, so results are reproducible. Set `PROPTEST_RNG_SEED` for other cases and
//! `PROPTEST_CASES` for more of them.

use std::ops::{Bound, RangeBounds};
use std::sync::LazyLock;

use crate::support::generate::{cases, expression};
use crate::support::oracle::zoned::{
    Event, FOLDS, GAPS, HOUR, Judge, database, default_of, offset,
};
use crate::support::oracle::{END, Oracle, START, midnight};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use millicron::{Fold, Gap, Offsets, Resolution, Schedule, Zone, ZonedSchedule};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const DAY: i64 = 24 * HOUR;

/// A zone of the database or an invented one, and its clock changes.
#[derive(Clone, Debug)]
struct Place {
    clocks: Clocks,
    changes: Vec<i64>,
}

#[derive(Clone, Debug)]
enum Clocks {
    Real(TimeZone),
    MadeUp(MadeUp),
    OfOneFunction(OfOneFunction),
}

impl Zone for Place {
    fn offset_at(&self, instant: i64) -> i32 {
        match &self.clocks {
            Clocks::Real(zone) => zone.offset_at(instant),
            Clocks::MadeUp(zone) => zone.offset_at(instant),
            Clocks::OfOneFunction(zone) => zone.offset_at(instant),
        }
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        match &self.clocks {
            Clocks::Real(zone) => zone.offsets_of(civil),
            Clocks::MadeUp(zone) => zone.offsets_of(civil),
            Clocks::OfOneFunction(zone) => zone.offsets_of(civil),
        }
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        match &self.clocks {
            Clocks::Real(zone) => zone.next_change(after, until),
            Clocks::MadeUp(zone) => zone.next_change(after, until),
            Clocks::OfOneFunction(zone) => zone.next_change(after, until),
        }
    }
}

impl Place {
    /// Returns the offset for the oracle.
    fn offset(&self, instant: i64) -> i64 {
        match &self.clocks {
            Clocks::Real(zone) => offset(zone, instant),
            Clocks::MadeUp(zone) => zone.offset_at(instant).into(),
            Clocks::OfOneFunction(zone) => zone.offset_at(instant).into(),
        }
    }

    /// Returns the change nearest to an instant.
    fn change_near(&self, at: i64) -> Option<i64> {
        self.changes.iter().copied().min_by_key(|change| change.abs_diff(at))
    }
}

/// Clocks that change by up to a day, at arbitrary instants more than six days apart.
#[derive(Clone, Debug)]
struct MadeUp {
    first: i32,
    /// The first instant with a new offset, and that offset.
    changes: Vec<(i64, i32)>,
}

impl Zone for MadeUp {
    fn offset_at(&self, instant: i64) -> i32 {
        let last = self.changes.iter().rev().find(|(at, _)| *at <= instant);
        last.map_or(self.first, |(_, offset)| *offset)
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        let mut before = self.first;
        for &(at, after) in &self.changes {
            let (old, new) = (civil < at + i64::from(before), civil < at + i64::from(after));
            match (old, new) {
                (true, true) => return Offsets::One(before),
                (true, false) => return Offsets::Fold { before, after },
                (false, true) => return Offsets::Gap { before, after },
                (false, false) => before = after,
            }
        }
        Offsets::One(before)
    }
}

/// The same, with the defaults of the trait for all but `offset_at`.
#[derive(Clone, Debug)]
struct OfOneFunction(MadeUp);

impl Zone for OfOneFunction {
    fn offset_at(&self, instant: i64) -> i32 {
        self.0.offset_at(instant)
    }
}

/// All zones of the database: those with clock changes, and the others.
static REAL: LazyLock<[Vec<Place>; 2]> = LazyLock::new(|| {
    let places = database().available().map(|name| {
        let zone = database().get(name.as_str()).expect("an available zone");
        let start = Timestamp::from_millisecond(START).expect("an instant");
        let changes = zone.following(start).map(|change| change.timestamp().as_millisecond());
        let changes = changes.take_while(|at| *at <= END).collect();
        Place { clocks: Clocks::Real(zone), changes }
    });
    let (changing, constant) = places.partition(|place| !place.changes.is_empty());
    [changing, constant]
});

fn place() -> impl Strategy<Value = Place> {
    let [changing, constant] = &*REAL;
    prop_oneof![
        8 => select(&changing[..]),
        1 => select(&constant[..]),
        4 => (made_up(), any::<bool>()).prop_map(|(zone, is_of_one_function)| {
            let changes = zone.changes.iter().map(|(at, _)| *at).collect();
            let clocks = if is_of_one_function {
                Clocks::OfOneFunction(OfOneFunction(zone))
            } else {
                Clocks::MadeUp(zone)
            };
            Place { clocks, changes }
        }),
    ]
}

/// The largest offset from UTC in milliseconds: less than a day.
const FARTHEST: i32 = 86_399_999;

fn made_up() -> impl Strategy<Value = MadeUp> {
    let start = prop_oneof![
        2 => START - 3 * DAY..END,
        1 => START - 3 * DAY..START + 3 * DAY,
        1 => END - 9 * DAY..END + 3 * DAY,
    ];
    let distance = prop_oneof![6 * DAY + 1..8 * DAY, 6 * DAY + 1..800 * DAY];
    let by = prop_oneof![
        1 => select(vec![-86_400_000, -7_200_000, -3_600_000, -1_800_000, -1, 1, 1_800_000, 86_400_000]),
        2 => -86_400_000..=86_400_000_i32,
        2 => -9_000_000..=9_000_000_i32,
    ];
    let first = prop_oneof![-50_000_000..50_000_000_i32, -FARTHEST..=FARTHEST];
    (start, first, vec((distance, by), 1..8)).prop_map(|(start, first, steps)| {
        let (mut at, mut offset) = (start, first);
        let changes = steps.into_iter().filter_map(|(distance, by)| {
            at += distance;
            let before = offset;
            offset = (offset + by).clamp(-FARTHEST, FARTHEST);
            (offset != before).then_some((at, offset))
        });
        MadeUp { first, changes: changes.collect() }
    })
}

/// Arbitrary texts, and texts for nights with clock changes.
fn text() -> impl Strategy<Value = String> {
    const DATES: &[&str] =
        &["", "*.*.* Sun ", "*.*.* Mon-Sat ", "*.3,10,11.* Sun ", "*.*.20-32 0,6 "];
    const HOURS: &[&str] =
        &["0", "1", "2", "3", "0-3", "1,3", "2,3", "23", "0,12", "*/2", "*/3", "*"];
    const MINUTES: &[&str] = &["0", "30", "59", "0-59/7", "10,20", "15,45", "*/15", "0,30", "*"];
    const SECONDS: &[&str] = &["0", "30", "0,59", "*/30", "*"];
    const MILLIS: &[&str] = &["", ".999", ".1,2,63", ".0,500", ".*/250", ".*"];
    let nightly = (select(DATES), select(HOURS), select(MINUTES), select(SECONDS), select(MILLIS))
        .prop_map(|(date, hour, minute, second, milli)| {
            format!("{date}{hour}:{minute}:{second}{milli}")
        });
    prop_oneof![1 => expression(), 1 => nightly]
}

/// `None` for the default.
fn choice() -> impl Strategy<Value = Option<(Gap, Fold)>> {
    proptest::option::weighted(0.8, (select(&GAPS[..]), select(&FOLDS[..])))
}

/// An instant that depends on the events of a schedule and the changes of a zone.
#[derive(Clone, Copy, Debug)]
enum At {
    Exact(i64),
    /// At a distance from a change.
    Change(usize, By),
    /// At a distance from the change nearest to an event.
    ChangeNear(u64, By),
    /// At a distance from the UTC instant of a civil event.
    Civil(u64, i64),
}

/// A distance: in milliseconds, plus halves of the length of a change.
#[derive(Clone, Copy, Debug)]
struct By {
    halves: i64,
    millis: i64,
}

impl At {
    fn of(self, place: &Place, civil: &Oracle) -> i64 {
        let event = |index: u64| civil.event(index % civil.total());
        let from_change = |change: i64, by: By| {
            let length = (place.offset(change) - place.offset(change - 1)).abs();
            change + by.halves * length / 2 + by.millis
        };
        match self {
            At::Exact(at) => at,
            At::Change(_, by) if place.changes.is_empty() => START + by.millis,
            At::Change(index, by) => from_change(place.changes[index % place.changes.len()], by),
            At::ChangeNear(index, by) => {
                let event = event(index);
                from_change(place.change_near(event).unwrap_or(event), by)
            }
            At::Civil(index, by) => event(index) + by,
        }
    }
}

fn at() -> impl Strategy<Value = At> {
    let millis = || {
        prop_oneof![
            2 => Just(0),
            3 => -2..=2_i64,
            3 => -2 * HOUR..=2 * HOUR,
            2 => -DAY..=DAY,
            1 => -40 * DAY..=40 * DAY,
        ]
    };
    let by = || {
        let halves = prop_oneof![3 => Just(0), 4 => -2..=2_i64];
        (halves, millis()).prop_map(|(halves, millis)| By { halves, millis })
    };
    let edges = vec![i64::MIN, i64::MAX, 0, midnight(2000, 1, 1), midnight(2100, 12, 31), END];
    let centuries = START - 400 * DAY..END + 400 * DAY;
    prop_oneof![
        6 => (any::<usize>(), by()).prop_map(|(index, by)| At::Change(index, by)),
        6 => (any::<u64>(), by()).prop_map(|(index, by)| At::ChangeNear(index, by)),
        2 => (any::<u64>(), millis()).prop_map(|(index, by)| At::Civil(index, by)),
        2 => centuries.prop_map(At::Exact),
        2 => (select(edges), millis()).prop_map(|(at, by)| At::Exact(at.saturating_add(by))),
    ]
}

/// A schedule in a zone, and the rules to compare it with.
struct Subject {
    place: Place,
    civil: Oracle,
    zoned: ZonedSchedule<Place>,
}

impl Subject {
    /// Returns the schedule of a well-formed text, if it has events.
    fn new(text: &str, place: Place, choice: Option<(Gap, Fold)>) -> Option<Subject> {
        let civil = Oracle::new(text);
        let schedule: Schedule = text.parse().ok()?;
        let zoned = schedule.in_zone(place.clone());
        let zoned = match choice {
            Some((gap, fold)) => zoned.with_gap(gap).with_fold(fold),
            None => zoned,
        };
        Some(Subject { place, civil, zoned })
    }

    fn judge(&self) -> Judge<'_, impl Fn(i64) -> i64> {
        Judge {
            civil: &self.civil,
            offset: |instant| self.place.offset(instant),
            gap: self.zoned.gap(),
            fold: self.zoned.fold(),
        }
    }

    /// Returns the library's occurrence at an instant.
    fn told(&self, at: i64) -> Option<Event> {
        let occurrence = self.zoned.occurrence(at)?;
        let (civil, resolution) = (occurrence.civil.to_millis(), occurrence.resolution);
        Some(Event { instant: occurrence.instant, civil, resolution })
    }

    /// Checks that an instant is the event that the rules say, or none.
    fn check(&self, at: i64) -> Result<bool, TestCaseError> {
        let event = self.judge().event(at);
        prop_assert_eq!(self.told(at), event, "{} in {:?}", at, &self.zoned);
        prop_assert_eq!(self.zoned.matches(at), event.is_some(), "{}", at);
        Ok(event.is_some())
    }

    /// Checks samples between two instants for events, of which there must be none.
    fn check_between(&self, after: i64, before: i64, looks: &[u64]) -> Result<(), TestCaseError> {
        let (after, before) = (after.max(START - 2 * DAY), before.min(END + 2 * DAY));
        let Some(length) = before.checked_sub(after).and_then(|length| u64::try_from(length).ok())
        else {
            return Ok(());
        };
        if length < 2 {
            return Ok(());
        }
        let anywhere = looks.iter().map(|look| after + 1 + (look % (length - 1)).cast_signed());
        // The instant of a civil event, unless it is in a gap.
        let civil = self.civil.next(after + self.place.offset(after)).unwrap_or(after);
        let likely = civil - self.place.offset(after);
        let change = self.place.change_near(likely).unwrap_or(after);
        let likely = [after + 1, before - 1, likely, civil - self.place.offset(change), change];
        for at in anywhere.chain(likely).filter(|at| after < *at && *at < before) {
            prop_assert!(!self.check(at)?, "{} is left out of {:?}", at, &self.zoned);
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(cases(6_000))]

    /// Each answer is an event by the rules, on the right side, with no event nearer.
    #[test]
    fn queries_return_the_nearest_events_by_the_rules(
        text in text(), place in place(), choice in choice(), instants in vec(at(), 6),
        looks in vec(any::<u64>(), 4),
    ) {
        let Some(subject) = Subject::new(&text, place, choice) else { return Ok(()) };
        let Subject { zoned, place, civil } = &subject;
        for at in instants.iter().map(|at| at.of(place, civil)) {
            let is_event = subject.check(at)?;
            let (next, prev) = (zoned.next_event(at), zoned.prev_event(at));
            prop_assert_eq!(zoned.nearest_event(at), if is_event { Some(at) } else { next });
            prop_assert_eq!(zoned.nearest_prev_event(at), if is_event { Some(at) } else { prev });
            if let Some(next) = next {
                prop_assert!(next > at && subject.check(next)?, "{} after {}", next, at);
            }
            if let Some(prev) = prev {
                prop_assert!(prev < at && subject.check(prev)?, "{} before {}", prev, at);
            }
            subject.check_between(at, next.unwrap_or(i64::MAX), &looks)?;
            subject.check_between(prev.unwrap_or(i64::MIN), at, &looks)?;
        }
    }

    /// The event after the previous one is the nearest event, and vice versa.
    #[test]
    fn next_and_prev_are_inverse(
        text in text(), place in place(), choice in choice(), instants in vec(at(), 6),
    ) {
        let Some(subject) = Subject::new(&text, place, choice) else { return Ok(()) };
        let Subject { zoned, place, civil } = &subject;
        for at in instants.iter().map(|at| at.of(place, civil)) {
            if let Some(prev) = zoned.prev_event(at) {
                prop_assert_eq!(zoned.next_event(prev), zoned.nearest_event(at), "{}", at);
            }
            if let Some(next) = zoned.next_event(at) {
                prop_assert_eq!(zoned.prev_event(next), zoned.nearest_prev_event(at), "{}", at);
            }
            prop_assert_eq!(zoned.events(at..).next(), zoned.nearest_event(at), "{}", at);
            prop_assert_eq!(zoned.events(..=at).next_back(), zoned.nearest_prev_event(at));
            prop_assert_eq!(zoned.events(..at).next_back(), zoned.prev_event(at), "{}", at);
        }
    }

    /// Each event comes from a civil event, which resolves to it.
    #[test]
    fn occurrences_lead_back_to_their_events(
        text in text(), place in place(), choice in choice(), instants in vec(at(), 6),
    ) {
        let Some(subject) = Subject::new(&text, place, choice) else { return Ok(()) };
        let Subject { zoned, place, civil } = &subject;
        let by_default = default_of(&civil.sets);
        prop_assert_eq!((zoned.gap(), zoned.fold()), choice.unwrap_or(by_default));
        for at in instants.iter().map(|at| at.of(place, civil)) {
            let Some(event) = zoned.nearest_event(at) else { continue };
            let occurrence = zoned.occurrence(event).expect("an event");
            let from = occurrence.civil.to_millis();
            prop_assert_eq!(occurrence.instant, event);
            prop_assert!(zoned.schedule().matches(from), "{}", from);
            let shown = event + place.offset(event);
            if occurrence.resolution == Resolution::Shifted {
                let gap = event + place.offset(event - 1)..shown;
                prop_assert!(gap.contains(&from), "{} in {:?}", from, gap);
            } else {
                prop_assert_eq!(shown, from);
            }
        }
    }
}

/// A wide or narrow range in any form, possibly empty or reversed.
fn range() -> impl Strategy<Value = (Bound<At>, Bound<At>)> {
    let bound = || {
        (0..8_u8, at()).prop_map(|(kind, at)| match kind {
            0..3 => Bound::Included(at),
            3..6 => Bound::Excluded(at),
            _ => Bound::Unbounded,
        })
    };
    let near = (any::<u64>(), -2 * DAY..2 * DAY, -2 * DAY..2 * DAY).prop_map(|(index, a, b)| {
        let at = |millis| At::ChangeNear(index, By { halves: 0, millis });
        (Bound::Included(at(a.min(b))), Bound::Excluded(at(a.max(b))))
    });
    prop_oneof![1 => (bound(), bound()), 2 => near]
}

fn length(count: usize) -> u64 {
    u64::try_from(count).expect("as narrow as u64")
}

/// The most events that are listed; larger counts are not checked one by one.
const MANY: usize = 300;

proptest! {
    #![proptest_config(cases(4_000))]

    /// Events in both directions are the same, ordered, and as many as counted.
    #[test]
    fn events_taken_from_both_ends_are_the_events_of_the_range(
        text in text(), place in place(), choice in choice(), range in range(), n in 0..MANY,
    ) {
        let Some(subject) = Subject::new(&text, place, choice) else { return Ok(()) };
        let Subject { zoned, place, civil } = &subject;
        let range = (range.0.map(|at| at.of(place, civil)), range.1.map(|at| at.of(place, civil)));
        let events = zoned.events(range);
        let forward: Vec<i64> = events.clone().take(MANY).collect();
        let mut backward: Vec<i64> = events.clone().rev().take(MANY).collect();
        backward.reverse();
        for events in [&forward, &backward] {
            prop_assert!(events.is_sorted_by(|a, b| a < b), "{:?}", events);
            prop_assert!(events.iter().all(|event| range.contains(event)), "{:?}", events);
        }

        let count = zoned.count(range);
        prop_assert_eq!(length(events.clone().count()), count);
        if forward.len() < MANY {
            prop_assert_eq!(&forward, &backward);
            prop_assert_eq!(length(forward.len()), count);
        } else {
            prop_assert!(count >= length(MANY), "{}", count);
        }
        prop_assert_eq!(events.clone().nth(n), forward.get(n).copied());
        prop_assert_eq!(events.clone().nth_back(n), backward.iter().rev().nth(n).copied());
        prop_assert_eq!(events.last(), backward.last().copied());
    }

    /// The index of an event is the number of events before it.
    #[test]
    fn nth_and_count_agree_with_iteration(
        text in text(), place in place(), choice in choice(), a in at(), b in at(), n in any::<u64>(),
    ) {
        let Some(subject) = Subject::new(&text, place, choice) else { return Ok(()) };
        let Subject { zoned, place, civil } = &subject;
        let (a, b) = (a.of(place, civil), b.of(place, civil));
        let (start, end) = (a.min(b), a.max(b));
        let count = zoned.count(start..end);
        let middle = start.midpoint(end);
        prop_assert_eq!(zoned.count(start..middle) + zoned.count(middle..end), count, "{}", middle);
        prop_assert_eq!(zoned.count(end..start), 0);
        let Some(n) = n.checked_rem(count) else {
            prop_assert_eq!(zoned.events(start..end).next(), None);
            prop_assert_eq!(zoned.events(start..end).next_back(), None);
            return Ok(());
        };
        let before = usize::try_from(n).expect("as wide as u64");
        let after = usize::try_from(count - n - 1).expect("as wide as u64");
        let mut events = zoned.events(start..end);
        let event = events.nth(before);
        prop_assert!(event.is_some(), "{} of {}", n, count);
        prop_assert_eq!(zoned.events(start..end).nth_back(after), event);
        prop_assert_eq!(events.clone().count(), after);
        let event = event.unwrap_or_default();
        prop_assert_eq!(zoned.count(start..event), n);
        prop_assert!(subject.check(event)?);
        prop_assert_eq!(events.next(), zoned.next_event(event).filter(|next| *next < end));
    }
}
