//! Zones that do not keep to the contract: what is answered is wrong, but there is
//! an answer to each question and an end to each range.

use std::cell::Cell;
use std::hint::black_box;

use crate::support::oracle::zoned::{FOLDS, GAPS, HOUR};
use crate::support::oracle::{END, START, midnight};
use crate::support::sample;
use millicron::{Offsets, Schedule, Zone, ZonedSchedule, schedule};

const DAY: i64 = 24 * HOUR;

/// How often a liar is asked for one answer at the most. It is more than it takes to
/// look at each day of the century a few times.
const PATIENCE: u32 = 1_000_000;

type OffsetAt = fn(i64) -> i32;
type OffsetsOf = fn(i64) -> Offsets;
type NextChange = fn(i64, i64) -> Option<i64>;

/// Tells whatever it likes, and ends the test if it is asked without an end.
struct Liar {
    offset_at: OffsetAt,
    offsets_of: OffsetsOf,
    /// `None` for that of the trait.
    next_change: Option<NextChange>,
    patience: Cell<u32>,
}

impl Liar {
    fn be_asked(&self) {
        self.patience.set(self.patience.get().checked_sub(1).expect("asked without an end"));
    }
}

impl Zone for Liar {
    fn offset_at(&self, instant: i64) -> i32 {
        self.be_asked();
        (self.offset_at)(instant)
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        self.be_asked();
        (self.offsets_of)(civil)
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        self.be_asked();
        match self.next_change {
            Some(next_change) => next_change(after, until),
            None => OfTwoFunctions(self).next_change(after, until),
        }
    }
}

/// A liar that leaves the changes to the trait.
struct OfTwoFunctions<'a>(&'a Liar);

impl Zone for OfTwoFunctions<'_> {
    fn offset_at(&self, instant: i64) -> i32 {
        self.0.offset_at(instant)
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        self.0.offsets_of(civil)
    }
}

/// Numbers without an order, the same ones each time.
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

fn liars(next_change: Option<NextChange>) -> impl Iterator<Item = Liar> {
    let liar = move |offset_at, offsets_of| {
        let patience = Cell::new(PATIENCE);
        Liar { offset_at, offsets_of, next_change, patience }
    };
    OFFSET_AT.into_iter().flat_map(move |at| OFFSETS_OF.map(|of| liar(at, of)))
}

/// A schedule by the clocks of a liar.
struct Deceived(ZonedSchedule<Liar>);

impl Deceived {
    /// With all choices.
    fn all(schedule: &Schedule, next_change: Option<NextChange>) -> impl Iterator<Item = Deceived> {
        let choices = GAPS.into_iter().flat_map(|gap| FOLDS.map(|fold| (gap, fold)));
        choices.flat_map(move |(gap, fold)| {
            let of = move |liar| schedule.in_zone(liar).with_gap(gap).with_fold(fold);
            liars(next_change).map(of).map(Deceived)
        })
    }

    /// Asks one question more.
    fn patiently<T>(&self, mut ask: impl FnMut() -> T) -> T {
        self.0.zone().patience.set(PATIENCE);
        black_box(ask())
    }

    fn all_questions(&self, at: i64) {
        let Deceived(zoned) = self;
        self.patiently(|| zoned.next_event(at));
        self.patiently(|| zoned.nearest_event(at));
        self.patiently(|| zoned.prev_event(at));
        self.patiently(|| zoned.nearest_prev_event(at));
        self.patiently(|| zoned.matches(at));
        self.patiently(|| zoned.occurrence(at));
        self.patiently(|| zoned.count(at..));
        self.patiently(|| zoned.count(..=at));
        self.patiently(|| zoned.events(at..).nth(3));
        self.patiently(|| zoned.events(..at).nth_back(3));
    }

    /// Each event is in the range, and beyond the one before.
    fn expect_an_end(&self) {
        let range = midnight(2030, 1, 20)..midnight(2030, 3, 1);
        let mut left = range.clone();
        let mut events = self.0.events(range.clone());
        while let Some(event) = self.patiently(|| events.next()) {
            assert!(left.contains(&event), "{event} is not in {left:?}");
            left.start = event + 1;
        }
        let mut left = range.clone();
        let mut events = self.0.events(range);
        while let Some(event) = self.patiently(|| events.next_back()) {
            assert!(left.contains(&event), "{event} is not in {left:?}");
            left.end = event;
        }
    }
}

/// A few days, so that a liar who denies each event is soon through.
fn schedules() -> [Schedule; 2] {
    [schedule!("2029-2031.*.* 12:00:00"), schedule!("2030.1-3.1 */6:30:00")]
}

#[test]
fn queries_return_in_zones_that_violate_the_contract() {
    let instants = [i64::MIN, START, midnight(2030, 3, 4), END + 1, i64::MAX];
    for schedule in schedules() {
        for deceived in sample(Deceived::all(&schedule, None)) {
            for at in instants {
                deceived.all_questions(at);
            }
        }
    }
}

/// Where a liar denies each event, there are many to deny.
#[test]
fn queries_of_dense_schedules_return() {
    for schedule in [schedule!("12:00:00"), schedule!("*:*:*.*")] {
        for deceived in sample(Deceived::all(&schedule, None)) {
            deceived.all_questions(MIDDLE);
        }
    }
}

#[test]
fn queries_return_if_reported_changes_do_not_exist() {
    let instants = [i64::MIN, midnight(2030, 1, 31), i64::MAX];
    for next_change in NEXT_CHANGE {
        for schedule in schedules() {
            for deceived in sample(Deceived::all(&schedule, Some(next_change))) {
                for at in instants {
                    deceived.all_questions(at);
                }
            }
        }
    }
}

#[test]
fn iteration_ends() {
    for next_change in NEXT_CHANGE.map(Some).into_iter().chain([None]) {
        for schedule in schedules() {
            for deceived in sample(Deceived::all(&schedule, next_change)) {
                deceived.expect_an_end();
            }
        }
    }
}
