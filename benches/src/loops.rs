//! The measured loops.
//!
//! Each schedule has its own loop functions, which are never inlined. In them, a compiled schedule is a
//! constant, and its search is inlined into a small loop. In one large function, the compiler would
//! stop inlining, and calls would be measured instead.

use std::ops::RangeInclusive;

use millicron::Schedule;

use crate::instants::{START, Span};

/// The source of a loop's schedule.
pub trait Source {
    /// Returns the schedule: a constant, or `given`.
    fn schedule(given: &Schedule) -> &Schedule;
}

/// A schedule that is known only at run time.
#[derive(Debug)]
pub enum Parsed {}

impl Source for Parsed {
    #[inline]
    fn schedule(given: &Schedule) -> &Schedule {
        given
    }
}

/// The loops for one source of schedules.
#[derive(Debug)]
pub struct Loops {
    next: fn(&Schedule, &[i64]) -> i64,
    nearest: fn(&Schedule, &[i64]) -> i64,
    prev: fn(&Schedule, &[i64]) -> i64,
    nearest_prev: fn(&Schedule, &[i64]) -> i64,
    matches: fn(&Schedule, &[i64]) -> i64,
    chain: fn(&Schedule, usize) -> i64,
    forward: fn(&Schedule, &[RangeInclusive<i64>]) -> i64,
    backward: fn(&Schedule, &[RangeInclusive<i64>]) -> i64,
    fill: fn(&Schedule, &mut [i64]) -> usize,
    count: fn(&Schedule, &[Span]) -> u64,
    nth: fn(&Schedule, &[Span]) -> i64,
}

impl Loops {
    /// Returns the loops that query the schedule of `S`.
    #[must_use]
    pub const fn of<S: Source>() -> Self {
        Self {
            next: next::<S>,
            nearest: nearest::<S>,
            prev: prev::<S>,
            nearest_prev: nearest_prev::<S>,
            matches: matches::<S>,
            chain: chain::<S>,
            forward: forward::<S>,
            backward: backward::<S>,
            fill: fill::<S>,
            count: count::<S>,
            nth: nth::<S>,
        }
    }
}

/// A schedule and the loops that query it, the same for a compiled and a parsed schedule.
#[derive(Clone, Debug)]
pub struct Subject {
    loops: &'static Loops,
    schedule: Schedule,
}

impl Subject {
    /// Returns a schedule with its loops.
    #[must_use]
    pub const fn new(loops: &'static Loops, schedule: Schedule) -> Self {
        Self { loops, schedule }
    }

    /// Returns the schedule.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Calls `next_event` at each instant, and adds up the answers.
    #[must_use]
    pub fn next(&self, instants: &[i64]) -> i64 {
        (self.loops.next)(&self.schedule, instants)
    }

    /// Calls `nearest_event` at each instant.
    #[must_use]
    pub fn nearest(&self, instants: &[i64]) -> i64 {
        (self.loops.nearest)(&self.schedule, instants)
    }

    /// Calls `prev_event` at each instant.
    #[must_use]
    pub fn prev(&self, instants: &[i64]) -> i64 {
        (self.loops.prev)(&self.schedule, instants)
    }

    /// Calls `nearest_prev_event` at each instant.
    #[must_use]
    pub fn nearest_prev(&self, instants: &[i64]) -> i64 {
        (self.loops.nearest_prev)(&self.schedule, instants)
    }

    /// Calls `matches` at each instant, and counts the events.
    #[must_use]
    pub fn matches(&self, instants: &[i64]) -> i64 {
        (self.loops.matches)(&self.schedule, instants)
    }

    /// Calls `next_event` with the last answer, `steps` times, and restarts after the last event.
    #[must_use]
    pub fn chain(&self, steps: usize) -> i64 {
        (self.loops.chain)(&self.schedule, steps)
    }

    /// Iterates over each range from the front, and adds up the events.
    #[must_use]
    pub fn forward(&self, ranges: &[RangeInclusive<i64>]) -> i64 {
        (self.loops.forward)(&self.schedule, ranges)
    }

    /// Iterates over each range from the back, and adds up the events.
    #[must_use]
    pub fn backward(&self, ranges: &[RangeInclusive<i64>]) -> i64 {
        (self.loops.backward)(&self.schedule, ranges)
    }

    /// Fills a slice with the first events of a range.
    #[must_use]
    pub fn fill(&self, out: &mut [i64]) -> usize {
        (self.loops.fill)(&self.schedule, out)
    }

    /// Counts the events of each range, and adds up the counts.
    #[must_use]
    pub fn count(&self, spans: &[Span]) -> u64 {
        (self.loops.count)(&self.schedule, spans)
    }

    /// Adds up the n-th event of each range.
    #[must_use]
    pub fn nth(&self, spans: &[Span]) -> i64 {
        (self.loops.nth)(&self.schedule, spans)
    }
}

/// Adds up the answers: the least possible work with them, and the same in every comparison.
#[inline]
pub(crate) fn sum<T>(questions: &[T], ask: impl Fn(&T) -> i64) -> i64 {
    let mut sum = 0_i64;
    for question in questions {
        sum = sum.wrapping_add(ask(question));
    }
    sum
}

#[inline(never)]
fn next<S: Source>(given: &Schedule, instants: &[i64]) -> i64 {
    let schedule = S::schedule(given);
    sum(instants, |&t| schedule.next_event(t).unwrap_or(0))
}

#[inline(never)]
fn nearest<S: Source>(given: &Schedule, instants: &[i64]) -> i64 {
    let schedule = S::schedule(given);
    sum(instants, |&t| schedule.nearest_event(t).unwrap_or(0))
}

#[inline(never)]
fn prev<S: Source>(given: &Schedule, instants: &[i64]) -> i64 {
    let schedule = S::schedule(given);
    sum(instants, |&t| schedule.prev_event(t).unwrap_or(0))
}

#[inline(never)]
fn nearest_prev<S: Source>(given: &Schedule, instants: &[i64]) -> i64 {
    let schedule = S::schedule(given);
    sum(instants, |&t| schedule.nearest_prev_event(t).unwrap_or(0))
}

#[inline(never)]
fn matches<S: Source>(given: &Schedule, instants: &[i64]) -> i64 {
    let schedule = S::schedule(given);
    sum(instants, |&t| schedule.matches(t).into())
}

#[inline(never)]
fn chain<S: Source>(given: &Schedule, steps: usize) -> i64 {
    let schedule = S::schedule(given);
    (0..steps).fold(START, |t, _| schedule.next_event(t).unwrap_or(START))
}

#[inline(never)]
fn forward<S: Source>(given: &Schedule, ranges: &[RangeInclusive<i64>]) -> i64 {
    let schedule = S::schedule(given);
    let mut sum = 0_i64;
    for range in ranges {
        for event in schedule.events(range.clone()) {
            sum = sum.wrapping_add(event);
        }
    }
    sum
}

#[inline(never)]
fn backward<S: Source>(given: &Schedule, ranges: &[RangeInclusive<i64>]) -> i64 {
    let schedule = S::schedule(given);
    let mut sum = 0_i64;
    for range in ranges {
        for event in schedule.events(range.clone()).rev() {
            sum = sum.wrapping_add(event);
        }
    }
    sum
}

#[inline(never)]
fn fill<S: Source>(given: &Schedule, out: &mut [i64]) -> usize {
    S::schedule(given).events(START..).fill(out)
}

#[inline(never)]
fn count<S: Source>(given: &Schedule, spans: &[Span]) -> u64 {
    let schedule = S::schedule(given);
    let mut sum = 0;
    for span in spans {
        sum += schedule.count(span.start..span.end);
    }
    sum
}

#[inline(never)]
fn nth<S: Source>(given: &Schedule, spans: &[Span]) -> i64 {
    let schedule = S::schedule(given);
    sum(spans, |span| {
        let mut events = schedule.events(span.start..span.end);
        events.nth(span.n).unwrap_or(0)
    })
}
