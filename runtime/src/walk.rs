//! [`Walk`]: the events of a range, from both ends.

use core::fmt;

use crate::schedule::{Plans, instant};
use crate::search::{Block, Span};
use crate::{CalendarDigits, Schedule, bits};

/// The events of a range, from both ends.
///
/// What is left is all events from `start` to `end`. Each end has the span that
/// its next events come from; one that is used up is looked up anew.
#[derive(Clone)]
pub struct Walk {
    schedule: Schedule,
    start: u64,
    /// Below `start` where nothing is left.
    end: u64,
    front: Span,
    back: Span,
}

impl Walk {
    /// The events from one offset to another, which are within the bounds;
    /// none where the second is below the first.
    #[inline]
    pub(crate) fn new(schedule: Schedule, start: u64, end: u64) -> Self {
        Self { schedule, start, end, front: Span::EMPTY, back: Span::EMPTY }
    }

    /// How many events are left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        if self.start > self.end {
            return 0;
        }
        self.schedule.plans().rank(self.end + 1) - self.schedule.plans().rank(self.start)
    }

    /// Takes the event that has `skipped` events before it, and these too.
    #[inline]
    pub fn nth_front(&mut self, skipped: u64) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let rank = self.schedule.plans().rank(self.start).saturating_add(skipped);
        self.front = Span::EMPTY;
        let event = if rank < self.schedule.plans().bounds().count {
            self.schedule.plans().select(rank)
        } else {
            u64::MAX
        };
        self.take_front(event)
    }

    /// Takes the event that has `skipped` events after it, and these too.
    #[inline]
    pub fn nth_back(&mut self, skipped: u64) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let rank = self.schedule.plans().rank(self.end + 1).checked_sub(skipped);
        self.back = Span::EMPTY;
        match rank.and_then(|rank| rank.checked_sub(1)) {
            Some(rank) => self.take_back(self.schedule.plans().select(rank)),
            None => self.finish(),
        }
    }

    /// Takes an event at the front, where it is one of those left.
    #[inline]
    fn take_front(&mut self, event: u64) -> Option<i64> {
        if event > self.end {
            return self.finish();
        }
        self.start = event + 1;
        Some(instant(event))
    }

    /// Takes an event at the back, where it is one of those left.
    #[inline]
    fn take_back(&mut self, event: u64) -> Option<i64> {
        if event < self.start {
            return self.finish();
        }
        if event == 0 {
            // Nothing is below, and `end` can not be either.
            self.finish();
        } else {
            self.end = event - 1;
        }
        Some(instant(event))
    }

    /// Nothing is left.
    #[inline]
    fn finish(&mut self) -> Option<i64> {
        (self.start, self.end) = (1, 0);
        (self.front, self.back) = (Span::EMPTY, Span::EMPTY);
        None
    }

    /// The next block of the front.
    #[inline(always)]
    fn refill_front(&mut self) -> Option<()> {
        if self.front.tokens.bits != 0 {
            self.front.events = self.schedule.plans().block(self.front.tokens.pop());
        } else if self.start <= self.end {
            self.front = span_from(self.schedule.plans(), self.start);
        } else {
            return None;
        }
        Some(())
    }

    /// The next block of the back, reversed.
    #[inline(always)]
    fn refill_back(&mut self) -> Option<()> {
        if self.back.tokens.bits != 0 {
            self.back.events = self.schedule.plans().block(self.back.tokens.pop()).reversed();
        } else if self.start <= self.end && self.end >= self.schedule.plans().bounds().first {
            self.back = span_to(self.schedule.plans(), self.end);
        } else {
            return None;
        }
        Some(())
    }

    /// Takes the events of one block at the front, at most 64; only one where
    /// there is no room for 64, or where the end may be in the block. Returns
    /// how many it took, 0 where nothing is left.
    #[inline(always)]
    pub fn next_block(&mut self, room: usize, mut take: impl FnMut(i64)) -> usize {
        if self.front.events.bits == 0 && self.refill_front().is_none() {
            return 0;
        }
        let Block { base, unit, mut bits } = self.front.events;
        let last = self.front.events.event(63);
        if room < 64 || last > self.end {
            return self.next().map_or(0, |event| {
                take(event);
                1
            });
        }
        self.front.events.bits = 0;
        if bits == u64::MAX {
            // No bits to look for.
            (0..64).for_each(|place| take(instant(base + place * unit)));
            self.start = last + 1;
            return 64;
        }
        let mut count = 0;
        while bits != 0 {
            let event = base + u64::from(bits::first(bits)) * unit;
            bits &= bits - 1;
            take(instant(event));
            self.start = event + 1;
            count += 1;
        }
        count
    }
}

/// A search for a span, which a walk seldom comes to.
#[cold]
#[inline(never)]
fn span_from(plans: Plans<'_>, start: u64) -> Span {
    plans.span_from(start)
}

/// See [`span_from`].
#[cold]
#[inline(never)]
fn span_to(plans: Plans<'_>, end: u64) -> Span {
    plans.span_to(end)
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
        if self.front.events.bits == 0 {
            self.refill_front()?;
        }
        let event = self.front.events.pop();
        self.take_front(event)
    }
}

impl DoubleEndedIterator for Walk {
    #[inline(always)]
    fn next_back(&mut self) -> Option<i64> {
        if self.back.events.bits == 0 {
            self.refill_back()?;
        }
        let event = self.back.events.pop();
        self.take_back(event)
    }
}
