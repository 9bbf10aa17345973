//! Zones that violate the contract: answers may be wrong, but every query returns and every
//! iteration ends.

use std::cell::Cell;
use std::hint::black_box;

use crate::support::oracle::zoned::{FOLDS, GAPS, HOUR};
use crate::support::oracle::{END, START, midnight};
use crate::support::sample;
use millicron::{Offsets, Schedule, Zone, ZonedSchedule, schedule};

const DAY: i64 = 24 * HOUR;

/// The most calls that one query may make. This is more than a few for each day of the century.
const MAX_CALLS: u32 = 1_000_000;

type OffsetAt = fn(i64) -> i32;
type OffsetsOf = fn(i64) -> Offsets;
type NextChange = fn(i64, i64) -> Option<i64>;

/// A zone that returns arbitrary values, and panics after too many calls.
struct ArbitraryZone {
    offset_at: OffsetAt,
    offsets_of: OffsetsOf,
    /// `None` for the default of the trait.
    next_change: Option<NextChange>,
    calls_left: Cell<u32>,
}

impl ArbitraryZone {
    fn count_call(&self) {
        self.calls_left
            .set(self.calls_left.get().checked_sub(1).expect("too many calls for one query"));
    }
}

impl Zone for ArbitraryZone {
    fn offset_at(&self, instant: i64) -> i32 {
        self.count_call();
        (self.offset_at)(instant)
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        self.count_call();
        (self.offsets_of)(civil)
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        self.count_call();
        match self.next_change {
            Some(next_change) => next_change(after, until),
            None => WithDefaultChanges(self).next_change(after, until),
        }
    }
}

/// The same zone with the default `next_change`.
struct WithDefaultChanges<'a>(&'a ArbitraryZone);

impl Zone for WithDefaultChanges<'_> {
    fn offset_at(&self, instant: i64) -> i32 {
        self.0.offset_at(instant)
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        self.0.offsets_of(civil)
    }
}

/// Returns a pseudorandom number that depends on `at` alone.
fn noise(at: i64) -> i32 {
    let [a, b, c, d, ..] = at.wrapping_mul(-0x61C8_8646_80B5_83EB).to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

const MIN: i32 = i32::MIN;
const MAX: i32 = i32::MAX;
/// An hour.
const LATER: i32 = 3_600_000;
/// In 2049.
const MIDDLE: i64 = 2_500_000_000_000;

const OFFSET_AT: [OffsetAt; 8] = [
    |_| 0,
    |_| MIN,
    |_| MAX,
    |at| if at < MIDDLE { MIN } else { MAX },
    |at| if at < MIDDLE { MAX } else { MIN },
    |at| if at.div_euclid(DAY) % 2 == 0 { MIN } else { MAX },
    |at| if at.div_euclid(HOUR) % 2 == 0 { 0 } else { LATER },
    noise,
];

const OFFSETS_OF: [OffsetsOf; 12] = [
    |_| Offsets::One(0),
    |_| Offsets::One(MIN),
    |_| Offsets::One(MAX),
    |_| Offsets::Gap { before: 0, after: LATER },
    |_| Offsets::Gap { before: MIN, after: MAX },
    |_| Offsets::Gap { before: MAX, after: MIN },
    |_| Offsets::Gap { before: MAX, after: MAX },
    |_| Offsets::Fold { before: LATER, after: 0 },
    |_| Offsets::Fold { before: MAX, after: MIN },
    |_| Offsets::Fold { before: MIN, after: MAX },
    |_| Offsets::Fold { before: 0, after: 0 },
    |civil| match civil.rem_euclid(7) {
        0..3 => Offsets::One(noise(civil)),
        3..5 => Offsets::Gap { before: noise(civil), after: noise(civil + 1) },
        _ => Offsets::Fold { before: noise(civil), after: noise(civil + 1) },
    },
];

const NEXT_CHANGE: [NextChange; 8] = [
    |_, _| None,
    |after, _| Some(after),
    |after, _| Some(after - 1),
    |_, until| Some(until),
    |_, until| Some(until + 1),
    |after, until| Some(after.midpoint(until)),
    |_, _| Some(i64::MIN),
    |_, _| Some(i64::MAX),
];

fn zones(next_change: Option<NextChange>) -> impl Iterator<Item = ArbitraryZone> {
    let zone = move |offset_at, offsets_of| {
        let calls_left = Cell::new(MAX_CALLS);
        ArbitraryZone { offset_at, offsets_of, next_change, calls_left }
    };
    OFFSET_AT.into_iter().flat_map(move |at| OFFSETS_OF.map(|of| zone(at, of)))
}

/// A schedule in a zone that violates the contract.
struct InArbitraryZone(ZonedSchedule<ArbitraryZone>);

impl InArbitraryZone {
    /// Returns the schedule with every combination of such functions and rules.
    fn all(
        schedule: &Schedule,
        next_change: Option<NextChange>,
    ) -> impl Iterator<Item = InArbitraryZone> {
        let choices = GAPS.into_iter().flat_map(|gap| FOLDS.map(|fold| (gap, fold)));
        choices.flat_map(move |(gap, fold)| {
            let of = move |zone| schedule.in_zone(zone).with_gap(gap).with_fold(fold);
            zones(next_change).map(of).map(InArbitraryZone)
        })
    }

    /// Allows the zone as many calls again for the next query.
    fn limited<T>(&self, mut query: impl FnMut() -> T) -> T {
        self.0.zone().calls_left.set(MAX_CALLS);
        black_box(query())
    }

    fn query_all(&self, at: i64) {
        let InArbitraryZone(zoned) = self;
        self.limited(|| zoned.next_event(at));
        self.limited(|| zoned.nearest_event(at));
        self.limited(|| zoned.prev_event(at));
        self.limited(|| zoned.nearest_prev_event(at));
        self.limited(|| zoned.matches(at));
        self.limited(|| zoned.occurrence(at));
        self.limited(|| zoned.count(at..));
        self.limited(|| zoned.count(..=at));
        self.limited(|| zoned.events(at..).nth(3));
        self.limited(|| zoned.events(..at).nth_back(3));
    }

    /// Checks that each event is in the range, and after the one before.
    fn iterate(&self) {
        let range = midnight(2030, 1, 20)..midnight(2030, 3, 1);
        let mut left = range.clone();
        let mut events = self.0.events(range.clone());
        while let Some(event) = self.limited(|| events.next()) {
            assert!(left.contains(&event), "{event} is not in {left:?}");
            left.start = event + 1;
        }
        let mut left = range.clone();
        let mut events = self.0.events(range);
        while let Some(event) = self.limited(|| events.next_back()) {
            assert!(left.contains(&event), "{event} is not in {left:?}");
            left.end = event;
        }
    }
}

/// Few days, so that a zone that rejects every event is done soon.
fn schedules() -> [Schedule; 2] {
    [schedule!("2029-2031.*.* 12:00:00"), schedule!("2030.1-3.1 */6:30:00")]
}

#[test]
fn queries_return_in_zones_that_violate_the_contract() {
    let instants = [i64::MIN, START, midnight(2030, 3, 4), END + 1, i64::MAX];
    for schedule in schedules() {
        for schedule_in_zone in sample(InArbitraryZone::all(&schedule, None)) {
            for at in instants {
                schedule_in_zone.query_all(at);
            }
        }
    }
}

/// A zone that rejects every event has many to reject here.
#[test]
fn queries_of_dense_schedules_return() {
    for schedule in [schedule!("12:00:00"), schedule!("*:*:*.*")] {
        for schedule_in_zone in sample(InArbitraryZone::all(&schedule, None)) {
            schedule_in_zone.query_all(MIDDLE);
        }
    }
}

#[test]
fn queries_return_if_reported_changes_do_not_exist() {
    let instants = [i64::MIN, midnight(2030, 1, 31), i64::MAX];
    for next_change in NEXT_CHANGE {
        for schedule in schedules() {
            for schedule_in_zone in sample(InArbitraryZone::all(&schedule, Some(next_change))) {
                for at in instants {
                    schedule_in_zone.query_all(at);
                }
            }
        }
    }
}

#[test]
fn iteration_ends() {
    for next_change in NEXT_CHANGE.map(Some).into_iter().chain([None]) {
        for schedule in schedules() {
            for schedule_in_zone in sample(InArbitraryZone::all(&schedule, next_change)) {
                schedule_in_zone.iterate();
            }
        }
    }
}
