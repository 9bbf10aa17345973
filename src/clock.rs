//! [`Clock`]: what stands between the milliseconds of a moment and the civil
//! time of a schedule.
#![expect(
    clippy::inline_always,
    reason = "so that a constant schedule is still one where it is searched, whatever the program around it"
)]

use millicron_runtime::{Schedule, Walk};

/// How a schedule answers in milliseconds: as its civil time stands, or by the
/// clocks of a zone. Offsets and changes of the clock are known to no other part.
pub trait Clock {
    /// The events of a range, from both ends.
    type Walk: Steps;

    /// Whether it can answer: whether it is known what it goes by.
    #[inline]
    fn is_known(&self) -> bool {
        true
    }

    /// The first event after `millis`.
    #[inline]
    fn next(&self, schedule: &Schedule, millis: i64) -> Option<i64> {
        self.nearest(schedule, millis.checked_add(1)?)
    }

    /// The first event at or after `millis`.
    fn nearest(&self, schedule: &Schedule, millis: i64) -> Option<i64>;

    /// The last event before `millis`.
    #[inline]
    fn prev(&self, schedule: &Schedule, millis: i64) -> Option<i64> {
        self.nearest_prev(schedule, millis.checked_sub(1)?)
    }

    /// The last event at or before `millis`.
    fn nearest_prev(&self, schedule: &Schedule, millis: i64) -> Option<i64>;

    /// Whether `millis` is an event.
    fn matches(&self, schedule: &Schedule, millis: i64) -> bool;

    /// How many events there are from `start` to `end`, both included.
    fn count(&self, schedule: &Schedule, start: i64, end: i64) -> u64;

    /// The events from `start` to `end`, both included.
    fn walk(self, schedule: &Schedule, start: i64, end: i64) -> Self::Walk;
}

/// What is left of the events of a range.
pub trait Steps: DoubleEndedIterator<Item = i64> {
    /// How many events are left.
    fn remaining(&self) -> u64;
    /// How many events are left, if that is known without a search.
    fn known_remaining(&self) -> Option<u64>;
    /// Takes the event that has `skipped` events before it, and these too.
    fn take_nth(&mut self, skipped: u64) -> Option<i64>;
    /// Takes the event that has `skipped` events after it, and these too.
    fn take_nth_back(&mut self, skipped: u64) -> Option<i64>;
    /// Takes some events at the front, no more than there is room for; and there is
    /// room for one. Returns whether anything was left.
    fn next_block(&mut self, room: usize, take: impl FnMut(i64)) -> bool;
}

/// Civil time as it stands: the moment's milliseconds are the schedule's.
#[derive(Clone, Copy, Debug)]
pub struct Civil;

impl Clock for Civil {
    type Walk = Walk;

    #[inline(always)]
    fn next(&self, schedule: &Schedule, millis: i64) -> Option<i64> {
        schedule.next_event(millis)
    }

    #[inline(always)]
    fn nearest(&self, schedule: &Schedule, millis: i64) -> Option<i64> {
        schedule.nearest_event(millis)
    }

    #[inline(always)]
    fn prev(&self, schedule: &Schedule, millis: i64) -> Option<i64> {
        schedule.prev_event(millis)
    }

    #[inline(always)]
    fn nearest_prev(&self, schedule: &Schedule, millis: i64) -> Option<i64> {
        schedule.nearest_prev_event(millis)
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

impl Steps for Walk {
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
