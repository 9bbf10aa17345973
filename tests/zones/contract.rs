//! Zones that violate the contract of [`Zone`]: the results are wrong, but every query returns and
//! every range of events ends.

use std::cell::Cell;
use std::hint::black_box;

use crate::support::oracle::zoned::{FOLDS, GAPS, HOUR};
use crate::support::oracle::{END, START, midnight};
use crate::support::sample;
use millicron::{OffsetSpan, Offsets, Schedule, Zone, ZonedSchedule, schedule};

const DAY: i64 = 24 * HOUR;

/// The most lookups that one query may make in a zone that violates the contract: enough to look up
/// every day of the century several times.
const MAX_LOOKUPS: u32 = 1_000_000;

type OffsetAt = fn(i64) -> i32;
type OffsetsOf = fn(i64) -> Offsets;
type NextChange = fn(i64, i64) -> Option<i64>;
type SpanAt = fn(i64) -> [i64; 2];

/// A zone that violates the contract, and panics when a query exceeds its lookups.
struct FaultyZone {
    offset_at: OffsetAt,
    offsets_of: OffsetsOf,
    /// `None` for the default implementation.
    next_change: Option<NextChange>,
    /// The ends of a span, if the zone claims to know them.
    span_at: Cell<Option<SpanAt>>,
    lookups_left: Cell<u32>,
}

impl FaultyZone {
    fn count_lookup(&self) {
        self.lookups_left.set(self.lookups_left.get().checked_sub(1).expect("too many lookups"));
    }
}

impl Zone for FaultyZone {
    fn offset_at(&self, instant: i64) -> i32 {
        self.count_lookup();
        (self.offset_at)(instant)
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        self.count_lookup();
        (self.offsets_of)(civil)
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        self.count_lookup();
        match self.next_change {
            Some(next_change) => next_change(after, until),
            None => WithDefaultNextChange(self).next_change(after, until),
        }
    }

    fn offset_span(&self, instant: i64) -> Option<OffsetSpan> {
        self.count_lookup();
        let [start, end] = self.span_at.get()?(instant);
        Some(OffsetSpan { offset: (self.offset_at)(instant), start, end })
    }
}

/// A [`FaultyZone`] with the default implementation of [`Zone::next_change`].
struct WithDefaultNextChange<'a>(&'a FaultyZone);

impl Zone for WithDefaultNextChange<'_> {
    fn offset_at(&self, instant: i64) -> i32 {
        self.0.offset_at(instant)
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        self.0.offsets_of(civil)
    }
}

/// Returns reproducible pseudo-random offsets.
fn noise(at: i64) -> i32 {
    let [a, b, c, d, ..] = at.wrapping_mul(-0x61C8_8646_80B5_83EB).to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

const MIN: i32 = i32::MIN;
const MAX: i32 = i32::MAX;
/// One hour, in milliseconds.
const ONE_HOUR: i32 = 3_600_000;
/// An instant in 2049, in milliseconds.
const MIDDLE: i64 = 2_500_000_000_000;

const OFFSET_AT: [OffsetAt; 8] = [
    |_| 0,
    |_| MIN,
    |_| MAX,
    |at| if at < MIDDLE { MIN } else { MAX },
    |at| if at < MIDDLE { MAX } else { MIN },
    |at| if at.div_euclid(DAY) % 2 == 0 { MIN } else { MAX },
    |at| if at.div_euclid(HOUR) % 2 == 0 { 0 } else { ONE_HOUR },
    noise,
];

const OFFSETS_OF: [OffsetsOf; 12] = [
    |_| Offsets::One(0),
    |_| Offsets::One(MIN),
    |_| Offsets::One(MAX),
    |_| Offsets::Gap { before: 0, after: ONE_HOUR },
    |_| Offsets::Gap { before: MIN, after: MAX },
    |_| Offsets::Gap { before: MAX, after: MIN },
    |_| Offsets::Gap { before: MAX, after: MAX },
    |_| Offsets::Fold { before: ONE_HOUR, after: 0 },
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

const SPAN_AT: [SpanAt; 8] = [
    |_| [i64::MIN, i64::MAX],
    |_| [i64::MAX, i64::MIN],
    |_| [i64::MIN, i64::MIN],
    |_| [i64::MAX, i64::MAX],
    |instant| [instant, instant],
    |instant| [instant, instant.saturating_add(1)],
    |instant| [instant.saturating_add(1), instant],
    |instant| [instant.saturating_sub(HOUR), instant.saturating_add(HOUR)],
];

fn faulty_zones(next_change: Option<NextChange>) -> impl Iterator<Item = FaultyZone> {
    let faulty_zone = move |offset_at, offsets_of| {
        let lookups_left = Cell::new(MAX_LOOKUPS);
        let span_at = Cell::new(None);
        FaultyZone { offset_at, offsets_of, next_change, span_at, lookups_left }
    };
    OFFSET_AT.into_iter().flat_map(move |at| OFFSETS_OF.map(|of| faulty_zone(at, of)))
}

/// A schedule in a zone that violates the contract.
struct FaultySchedule(ZonedSchedule<FaultyZone>);

impl FaultySchedule {
    /// Returns the schedule in every faulty zone, with every `Gap` and `Fold`.
    fn all(
        schedule: &Schedule,
        next_change: Option<NextChange>,
    ) -> impl Iterator<Item = FaultySchedule> {
        let policies = GAPS.into_iter().flat_map(|gap| FOLDS.map(|fold| (gap, fold)));
        policies.flat_map(move |(gap, fold)| {
            let of = move |faulty_zone| schedule.in_zone(faulty_zone).with_gap(gap).with_fold(fold);
            faulty_zones(next_change).map(of).map(FaultySchedule)
        })
    }

    /// Resets the lookup limit and runs a query.
    fn with_lookup_limit<T>(&self, mut query: impl FnMut() -> T) -> T {
        self.0.zone().lookups_left.set(MAX_LOOKUPS);
        black_box(query())
    }

    fn run_all_queries(&self, at: i64) {
        let FaultySchedule(zoned) = self;
        self.with_lookup_limit(|| zoned.next_event(at));
        self.with_lookup_limit(|| zoned.nearest_event(at));
        self.with_lookup_limit(|| zoned.prev_event(at));
        self.with_lookup_limit(|| zoned.nearest_prev_event(at));
        self.with_lookup_limit(|| zoned.matches(at));
        self.with_lookup_limit(|| zoned.occurrence(at));
        self.with_lookup_limit(|| zoned.count(at..));
        self.with_lookup_limit(|| zoned.count(..=at));
        self.with_lookup_limit(|| zoned.events(at..).nth(3));
        self.with_lookup_limit(|| zoned.events(..at).nth_back(3));
        self.with_lookup_limit(|| zoned.surprises(at..).nth(3));
        self.with_lookup_limit(|| zoned.surprises(..at).nth_back(3));
    }

    /// Asserts that events end from both sides, stay in the range and are strictly ordered.
    fn assert_ranges_end(&self) {
        let range = midnight(2030, 1, 20)..midnight(2030, 3, 1);
        let mut left = range.clone();
        let mut events = self.0.events(range.clone());
        while let Some(event) = self.with_lookup_limit(|| events.next()) {
            assert!(left.contains(&event), "{event} is not in {left:?}");
            left.start = event + 1;
        }
        let mut left = range.clone();
        let mut events = self.0.events(range);
        while let Some(event) = self.with_lookup_limit(|| events.next_back()) {
            assert!(left.contains(&event), "{event} is not in {left:?}");
            left.end = event;
        }
    }
}

/// Schedules of few days, so that a search ends soon if the zone rules out every event.
fn schedules() -> [Schedule; 2] {
    [schedule!("2029-2031.*.* 12:00:00"), schedule!("2030.1-3.1 */6:30:00")]
}

#[test]
fn queries_return_in_zones_that_violate_the_contract() {
    let instants = [i64::MIN, START, midnight(2030, 3, 4), END + 1, i64::MAX];
    for schedule in schedules() {
        for faulty in sample(FaultySchedule::all(&schedule, None)) {
            for at in instants {
                faulty.run_all_queries(at);
            }
        }
    }
}

/// If the zone rules out every event, a dense schedule has the most events to try.
#[test]
fn queries_of_dense_schedules_return_in_zones_that_violate_the_contract() {
    for schedule in [schedule!("12:00:00"), schedule!("*:*:*.*")] {
        for faulty in sample(FaultySchedule::all(&schedule, None)) {
            faulty.run_all_queries(MIDDLE);
        }
    }
}

#[test]
fn queries_return_if_next_change_violates_the_contract() {
    let instants = [i64::MIN, midnight(2030, 1, 31), i64::MAX];
    for next_change in NEXT_CHANGE {
        for schedule in schedules() {
            for faulty in sample(FaultySchedule::all(&schedule, Some(next_change))) {
                for at in instants {
                    faulty.run_all_queries(at);
                }
            }
        }
    }
}

#[test]
fn events_end_and_stay_in_range_in_zones_that_violate_the_contract() {
    for next_change in NEXT_CHANGE.map(Some).into_iter().chain([None]) {
        for schedule in schedules() {
            for faulty in sample(FaultySchedule::all(&schedule, next_change)) {
                faulty.assert_ranges_end();
            }
        }
    }
}

#[test]
fn queries_return_and_ranges_end_if_spans_violate_the_contract() {
    for span_at in SPAN_AT {
        for schedule in schedules() {
            for faulty in sample(FaultySchedule::all(&schedule, None)) {
                faulty.0.zone().span_at.set(Some(span_at));
                for at in [i64::MIN, midnight(2030, 1, 31), i64::MAX] {
                    faulty.run_all_queries(at);
                }
                faulty.assert_ranges_end();
            }
        }
    }
}
