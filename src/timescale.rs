//! [`Timescale`]: maps the milliseconds of a moment to the civil time of a schedule.
#![expect(
    clippy::inline_always,
    reason = "a constant schedule stays constant where it is searched, whatever the program around it"
)]

use core::fmt::Debug;

use millicron_runtime::{Schedule, Walk};

/// Answers queries in milliseconds, in civil time or in the local time of a zone. No other part of
/// the crate deals with offsets and clock changes.
pub trait Timescale: Clone {
    /// The events of a range.
    type Walk: EventWalk;

    /// Returns whether the zone is known, if the timescale needs one.
    #[inline]
    fn is_known(&self) -> bool {
        true
    }

    /// Returns an event near `millis`.
    fn find(&self, schedule: &Schedule, sought: Sought, millis: i64) -> Option<i64>;

    /// Returns whether `millis` is an event.
    fn matches(&self, schedule: &Schedule, millis: i64) -> bool;

    /// Returns the number of events from `start` to `end`, both included; 0 if the zone is unknown.
    fn count(&self, schedule: &Schedule, start: i64, end: i64) -> u64;

    /// Returns the events from `start` to `end`, both included.
    fn walk(self, schedule: &Schedule, start: i64, end: i64) -> Self::Walk;
}

/// Which event a search finds, relative to a moment. Constant wherever a search is compiled.
#[derive(Clone, Copy, Debug)]
pub enum Sought {
    /// The first event after the moment.
    Next,
    /// The first event at or after it.
    Nearest,
    /// The last event before it.
    Prev,
    /// The last event at or before it.
    NearestPrev,
}

/// The remaining events of a range.
pub trait EventWalk: DoubleEndedIterator<Item = i64> + Clone + Debug {
    /// Returns the number of remaining events.
    fn remaining(&self) -> u64;
    /// Returns the number of remaining events, if it is known without a search.
    fn known_remaining(&self) -> Option<u64>;
    /// Skips `skipped` events at the front and takes the next one.
    fn take_nth(&mut self, skipped: u64) -> Option<i64>;
    /// Skips `skipped` events at the back and takes the next one.
    fn take_nth_back(&mut self, skipped: u64) -> Option<i64>;
    /// Takes events at the front, at least one and at most `room`, which must be at least 1.
    /// Returns whether there were any.
    fn next_block(&mut self, room: usize, take: impl FnMut(i64)) -> bool;
}

/// Civil time: a moment and a schedule have the same milliseconds.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct CivilScale;

impl Timescale for CivilScale {
    type Walk = Walk;

    #[inline(always)]
    fn find(&self, schedule: &Schedule, sought: Sought, millis: i64) -> Option<i64> {
        match sought {
            Sought::Next => schedule.next_event(millis),
            Sought::Nearest => schedule.nearest_event(millis),
            Sought::Prev => schedule.prev_event(millis),
            Sought::NearestPrev => schedule.nearest_prev_event(millis),
        }
    }

    #[inline(always)]
    fn matches(&self, schedule: &Schedule, millis: i64) -> bool {
        schedule.matches(millis)
    }

    #[inline(always)]
    fn count(&self, schedule: &Schedule, start: i64, end: i64) -> u64 {
        schedule.count(start, end)
    }

    #[inline(always)]
    fn walk(self, schedule: &Schedule, start: i64, end: i64) -> Walk {
        schedule.walk(start, end)
    }
}

impl EventWalk for Walk {
    #[inline(always)]
    fn remaining(&self) -> u64 {
        self.remaining()
    }

    #[inline(always)]
    fn known_remaining(&self) -> Option<u64> {
        Some(self.remaining())
    }

    #[inline(always)]
    fn take_nth(&mut self, skipped: u64) -> Option<i64> {
        self.nth_front(skipped)
    }

    #[inline(always)]
    fn take_nth_back(&mut self, skipped: u64) -> Option<i64> {
        self.nth_back(skipped)
    }

    #[inline(always)]
    fn next_block(&mut self, room: usize, take: impl FnMut(i64)) -> bool {
        self.next_block(room, take)
    }
}
