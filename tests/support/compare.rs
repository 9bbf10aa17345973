//! Comparisons of a schedule with the oracle.

use std::ops::Bound;

use millicron::{Events, Schedule};
use proptest::prelude::*;

use crate::counts::{clamped, nth};
use crate::generate::Instant;
use crate::oracle::Oracle;

/// Returns the bounds of a random range for a schedule.
pub fn bounds(
    (start, end): (Bound<Instant>, Bound<Instant>),
    oracle: &Oracle,
) -> (Bound<i64>, Bound<i64>) {
    (start.map(|at| at.of(oracle)), end.map(|at| at.of(oracle)))
}

/// Compares all queries at some instants, and counts and middle events in some ranges.
pub fn compare_queries(
    schedule: &Schedule,
    oracle: &Oracle,
    instants: &[Instant],
    ranges: &[(Bound<Instant>, Bound<Instant>)],
) -> Result<(), TestCaseError> {
    for instant in instants {
        let at = instant.of(oracle);
        prop_assert_eq!(schedule.next_event(at), oracle.next(at), "next after {}", at);
        prop_assert_eq!(schedule.nearest_event(at), oracle.nearest(at), "nearest to {}", at);
        prop_assert_eq!(schedule.prev_event(at), oracle.prev(at), "prev before {}", at);
        let prev = oracle.nearest_prev(at);
        prop_assert_eq!(schedule.nearest_prev_event(at), prev, "nearest prev to {}", at);
        prop_assert_eq!(schedule.matches(at), oracle.matches(at), "matches {}", at);
        let after = oracle.events(&(at..), 4);
        let found: Vec<i64> = schedule.events(at..).take(4).collect();
        prop_assert_eq!(found, after, "from {}", at);
        let before = oracle.events_back(&(..at), 4);
        let found: Vec<i64> = schedule.events(..at).rev().take(4).collect();
        prop_assert_eq!(found, before, "up to {}", at);
    }
    prop_assert_eq!(schedule.count(..), oracle.total());
    for range in ranges {
        let range = bounds(*range, oracle);
        let count = oracle.count(&range);
        prop_assert_eq!(schedule.count(range), count, "{:?}", range);
        let middle = count / 2;
        let event = nth(schedule.events(range), middle);
        prop_assert_eq!(event, oracle.nth(&range, middle), "{:?}", range);
    }
    Ok(())
}

/// A call of an iterator, or several.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    Next,
    NextBack,
    Nth(usize),
    NthBack(usize),
    Fill(usize),
    /// Consecutive calls of `next`, enough to exhaust what the iterator has buffered.
    Walk(usize),
    /// Consecutive calls of `next_back`.
    WalkBack(usize),
}

/// Any call.
pub fn calls() -> impl Strategy<Value = Call> {
    let skip = || prop_oneof![6 => 0..5_usize, 3 => 0..100_000_usize, 1 => any::<usize>(), 1 => Just(usize::MAX)];
    prop_oneof![
        4 => Just(Call::Next),
        4 => Just(Call::NextBack),
        2 => skip().prop_map(Call::Nth),
        2 => skip().prop_map(Call::NthBack),
        1 => (0..6_usize).prop_map(Call::Fill),
        1 => (0..300_usize).prop_map(Call::Fill),
        1 => (0..300_usize).prop_map(Call::Walk),
        1 => (0..300_usize).prop_map(Call::WalkBack),
    ]
}

/// The remaining events of a range, as indices among all events of the schedule.
struct Remaining<'a> {
    oracle: &'a Oracle,
    front: u64,
    back: u64,
}

impl Remaining<'_> {
    /// As iterators count.
    fn len(&self) -> usize {
        clamped(self.back - self.front)
    }

    fn nth(&mut self, n: usize) -> Option<i64> {
        let skipped = n.min(self.len());
        self.front += u64::try_from(skipped).expect("`usize` has at most 64 bits");
        let event = (self.len() > 0).then(|| self.oracle.event(self.front))?;
        self.front += 1;
        Some(event)
    }

    fn nth_back(&mut self, n: usize) -> Option<i64> {
        let skipped = n.min(self.len());
        self.back -= u64::try_from(skipped).expect("`usize` has at most 64 bits");
        let event = (self.len() > 0).then(|| self.oracle.event(self.back - 1))?;
        self.back -= 1;
        Some(event)
    }

    fn check(&mut self, call: Call, events: &mut Events<i64>) -> Result<(), TestCaseError> {
        match call {
            Call::Next => prop_assert_eq!(events.next(), self.nth(0)),
            Call::NextBack => prop_assert_eq!(events.next_back(), self.nth_back(0)),
            Call::Nth(n) => prop_assert_eq!(events.nth(n), self.nth(n)),
            Call::NthBack(n) => prop_assert_eq!(events.nth_back(n), self.nth_back(n)),
            Call::Walk(n) => {
                for _ in 0..n {
                    prop_assert_eq!(events.next(), self.nth(0));
                }
            }
            Call::WalkBack(n) => {
                for _ in 0..n {
                    prop_assert_eq!(events.next_back(), self.nth_back(0));
                }
            }
            Call::Fill(n) => {
                let expected: Vec<i64> = (0..n).map_while(|_| self.nth(0)).collect();
                let mut filled = vec![i64::MIN; n];
                prop_assert_eq!(events.fill(&mut filled), expected.len());
                prop_assert_eq!(&filled[..expected.len()], &expected[..]);
                // The rest of the buffer is unchanged.
                prop_assert!(filled[expected.len()..].iter().all(|at| *at == i64::MIN));
            }
        }
        Ok(())
    }
}

/// Compares the events of a range, taken from both ends.
pub fn compare_events(
    schedule: &Schedule,
    oracle: &Oracle,
    range: (Bound<Instant>, Bound<Instant>),
    calls: &[Call],
) -> Result<(), TestCaseError> {
    let range = bounds(range, oracle);
    let mut events = schedule.events(range);
    let count = oracle.count(&range);
    prop_assert_eq!(events.clone().take(4).collect::<Vec<_>>(), oracle.events(&range, 4));
    let back = oracle.events_back(&range, 4);
    prop_assert_eq!(events.clone().rev().take(4).collect::<Vec<_>>(), back);

    // `front` is the index of the first event in the range.
    let until = match range.0 {
        Bound::Included(at) => (Bound::Unbounded, Bound::Excluded(at)),
        Bound::Excluded(at) => (Bound::Unbounded, Bound::Included(at)),
        Bound::Unbounded => (Bound::Included(0), Bound::Excluded(0)),
    };
    let front = oracle.count(&until);
    let mut remaining = Remaining { oracle, front, back: front + count };
    for call in calls {
        remaining.check(*call, &mut events)?;
        let len = remaining.len();
        let is_exact = u64::try_from(len) == Ok(remaining.back - remaining.front);
        prop_assert_eq!(events.size_hint(), (len, is_exact.then_some(len)), "after {:?}", call);
        prop_assert_eq!(events.clone().count(), len);
        let last = (len > 0).then(|| oracle.event(remaining.back - 1));
        prop_assert_eq!(events.clone().last(), last);
    }
    if remaining.len() < 50 {
        // Exhaust the iterator, which then stays empty.
        let rest = (remaining.front..remaining.back).map(|index| oracle.event(index));
        prop_assert_eq!(events.by_ref().collect::<Vec<_>>(), rest.collect::<Vec<i64>>());
        prop_assert_eq!((events.next(), events.next_back(), events.nth(3)), (None, None, None));
        prop_assert_eq!(events.size_hint(), (0, Some(0)));
    }
    Ok(())
}
