//! [`Walk`]: the events of a range, from both ends.

use core::fmt;

use crate::schedule::{Plans, instant};
use crate::search::batch::Batch;
use crate::{CalendarDigits, Schedule};

/// The events of a range, from both ends.
///
/// What is left is all events from `start` to `end`. Where these are equally far
/// from each other, both are events, and to walk is to add. Elsewhere each end
/// has a batch that its next events are taken from; an empty one is made anew.
#[derive(Clone)]
pub struct Walk {
    schedule: Schedule,
    start: u64,
    /// Below `start` where nothing is left.
    end: u64,
    front: Batch,
    back: Batch,
}

impl Walk {
    /// The events from one offset to another, which are within the bounds;
    /// none where the second is below the first.
    #[inline]
    pub(crate) fn new(schedule: Schedule, start: u64, end: u64) -> Self {
        let plans = schedule.plans();
        let (start, end) = if plans.step().is_some() && start <= end {
            (plans.ceil(start), plans.floor(end))
        } else {
            (start, end)
        };
        Self { schedule, start, end, front: Batch::EMPTY, back: Batch::EMPTY }
    }

    #[inline(always)]
    fn plans(&self) -> Plans<'_> {
        self.schedule.plans()
    }

    /// How many events are left.
    #[must_use]
    #[inline]
    pub fn remaining(&self) -> u64 {
        if self.start > self.end {
            0
        } else if let Some(step) = self.plans().step() {
            (self.end - self.start) / step + 1
        } else {
            self.plans().rank(self.end + 1) - self.plans().rank(self.start)
        }
    }

    /// Takes the event that has `skipped` events before it, and these too.
    #[inline]
    pub fn nth_front(&mut self, skipped: u64) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        self.front = Batch::EMPTY;
        let event = if let Some(step) = self.plans().step() {
            self.start.saturating_add(skipped.saturating_mul(step))
        } else {
            let rank = self.plans().rank(self.start).saturating_add(skipped);
            let is_there = rank < self.plans().bounds().count;
            if is_there { self.plans().select(rank) } else { u64::MAX }
        };
        self.take_front(event)
    }

    /// Takes the event that has `skipped` events after it, and these too.
    #[inline]
    pub fn nth_back(&mut self, skipped: u64) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        self.back = Batch::EMPTY;
        let event = if let Some(step) = self.plans().step() {
            self.end.checked_sub(skipped.saturating_mul(step))
        } else {
            let rank = self.plans().rank(self.end + 1).checked_sub(skipped);
            rank.and_then(|rank| rank.checked_sub(1)).map(|rank| self.plans().select(rank))
        };
        match event {
            Some(event) => self.take_back(event),
            None => self.finish(),
        }
    }

    /// Takes an event at the front, where it is one of those left.
    #[inline(always)]
    fn take_front(&mut self, event: u64) -> Option<i64> {
        if event > self.end {
            return self.finish();
        }
        self.start = event + self.plans().step().unwrap_or(1);
        Some(instant(event))
    }

    /// Takes an event at the back, where it is one of those left.
    #[inline(always)]
    fn take_back(&mut self, event: u64) -> Option<i64> {
        if event < self.start {
            return self.finish();
        }
        match event.checked_sub(self.plans().step().unwrap_or(1)) {
            Some(end) => self.end = end,
            // Nothing is below, and `end` can not be either.
            None => {
                self.finish();
            }
        }
        Some(instant(event))
    }

    /// Nothing is left.
    #[inline]
    fn finish(&mut self) -> Option<i64> {
        (self.start, self.end) = (1, 0);
        self.front.clear();
        self.back.clear();
        None
    }
}

/// A search, which a walk seldom comes to.
#[cold]
#[inline(never)]
fn ahead(plans: Plans<'_>, start: u64) -> Batch {
    plans.ahead(start)
}

/// See [`ahead`].
#[cold]
#[inline(never)]
fn behind(plans: Plans<'_>, end: u64) -> Batch {
    plans.behind(end)
}

impl fmt::Debug for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = |offset| CalendarDigits::from_millis(instant(offset));
        f.debug_struct("Events")
            .field("schedule", &self.schedule)
            .field("from", &digits(self.start))
            .field("to", &digits(self.end))
            .field("remaining", &self.remaining())
            .finish_non_exhaustive()
    }
}

impl Iterator for Walk {
    type Item = i64;

    #[inline(always)]
    fn next(&mut self) -> Option<i64> {
        if self.plans().step().is_some() {
            return self.take_front(self.start);
        }
        let event = match self.front.pop() {
            Some(event) => event,
            None if self.start <= self.end => {
                self.front = ahead(self.plans(), self.start);
                self.front.pop()?
            }
            None => return None,
        };
        self.take_front(event)
    }
}

impl DoubleEndedIterator for Walk {
    #[inline(always)]
    fn next_back(&mut self) -> Option<i64> {
        if self.plans().step().is_some() {
            return if self.start > self.end { None } else { self.take_back(self.end) };
        }
        let event = match self.back.pop() {
            Some(event) => event,
            None if self.start <= self.end && self.end >= self.plans().bounds().first => {
                self.back = behind(self.plans(), self.end);
                self.back.pop()?
            }
            None => return None,
        };
        self.take_back(event)
    }
}
