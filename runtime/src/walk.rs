//! [`Walk`]: the events of a range, from both ends.

use core::fmt;

use crate::schedule::{Plans, instant};
use crate::search::block::{Block, Span};
use crate::{CalendarDigits, Schedule, bits};

/// The events of a range, from both ends.
///
/// What is left is all events from `start` to `end`. Where these are equally far
/// from each other, both are events, and to walk is to add. Elsewhere each end
/// has the span that its next events come from; one that is used up is looked up
/// anew.
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
    #[inline(always)]
    pub(crate) const fn new(schedule: Schedule, start: u64, end: u64) -> Self {
        Self { schedule, start, end, front: Span::EMPTY, back: Span::EMPTY }
    }

    #[inline(always)]
    fn plans(&self) -> Plans<'_> {
        self.schedule.plans()
    }

    /// How many events are left.
    #[must_use]
    #[inline(always)]
    pub fn remaining(&self) -> u64 {
        self.plans().count(self.start, self.end)
    }

    /// Takes the event that has `skipped` events before it, and these too.
    #[inline(always)]
    pub fn nth_front(&mut self, skipped: u64) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        self.front = Span::EMPTY;
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
    #[inline(always)]
    pub fn nth_back(&mut self, skipped: u64) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        self.back = Span::EMPTY;
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

    /// The next block of the front.
    #[inline(always)]
    fn refill_front(&mut self) -> Option<()> {
        if self.front.tokens.bits != 0 {
            let place = self.front.tokens.pop();
            self.front.events = self.plans().block(self.front.tokens.at(place));
        } else if self.start <= self.end {
            self.front = if self.start == self.plans().bounds().first
                && let Some(events) = self.plans().opening()
            {
                Span { events, tokens: Block::EMPTY }
            } else {
                span_from(self.plans(), self.start)
            };
        } else {
            return None;
        }
        Some(())
    }

    /// The next block of the back, reversed.
    #[inline(always)]
    fn refill_back(&mut self) -> Option<()> {
        if self.back.tokens.bits != 0 {
            let place = self.back.tokens.pop_back();
            self.back.events = self.plans().block(self.back.tokens.at(place)).reversed();
        } else if self.start <= self.end {
            self.back = if self.end == self.plans().bounds().last
                && let Some(events) = self.plans().closing()
            {
                Span { events: events.reversed(), tokens: Block::EMPTY }
            } else {
                span_to(self.plans(), self.end)
            };
        } else {
            return None;
        }
        Some(())
    }

    /// Takes the events of one block at the front, or as many equal steps as
    /// there are, but no more than there is room for. Returns how many it took, 0
    /// where nothing is left.
    #[inline(always)]
    pub fn next_block(&mut self, room: usize, mut take: impl FnMut(i64)) -> usize {
        if self.plans().step().is_some() {
            return self.next_steps(room, take);
        }
        if self.front.events.bits == 0 && self.refill_front().is_none() {
            return 0;
        }
        let block = self.front.events;
        let days = self.plans().list();
        let (first, len) = (bits::first(block.bits), bits::length(block.bits));
        let last = block.event(days, len.wrapping_sub(1));
        let mut count = 0;
        if room >= len as usize && last <= self.end {
            let mut put = |place| {
                take(instant(block.event(days, place)));
                count += 1;
            };
            if days.is_empty() {
                let mut bits = block.bits;
                while bits != 0 {
                    put(bits::first(bits));
                    bits &= bits - 1;
                }
            } else {
                // A list has no places between its days.
                (first..len).for_each(put);
            }
            self.front.events.bits = 0;
            self.start = last + 1;
            return count;
        }
        while count < room
            && self.front.events.bits != 0
            && let Some(event) = self.next()
        {
            take(event);
            count += 1;
        }
        count
    }

    /// Takes equal steps, as many as there is room for.
    #[inline(always)]
    fn next_steps(&mut self, room: usize, mut take: impl FnMut(i64)) -> usize {
        let step = self.plans().step().unwrap_or(1);
        let count = self.remaining().min(room as u64);
        for index in 0..count {
            take(instant(self.start + index * step));
        }
        self.start += count * step;
        usize::try_from(count).unwrap_or(room)
    }

    /// Nothing is left.
    #[inline]
    fn finish(&mut self) -> Option<i64> {
        (self.start, self.end) = (1, 0);
        (self.front, self.back) = (Span::EMPTY, Span::EMPTY);
        None
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
        if self.plans().step().is_some() {
            return self.take_front(self.start);
        }
        if self.front.events.bits == 0 {
            self.refill_front()?;
        }
        let place = self.front.events.pop();
        let event = self.front.events.event(self.plans().list(), place);
        self.take_front(event)
    }
}

impl DoubleEndedIterator for Walk {
    #[inline(always)]
    fn next_back(&mut self) -> Option<i64> {
        if self.plans().step().is_some() {
            return if self.start > self.end { None } else { self.take_back(self.end) };
        }
        if self.back.events.bits == 0 {
            self.refill_back()?;
        }
        let place = self.back.events.pop_back();
        let event = self.back.events.event(self.plans().list(), place);
        self.take_back(event)
    }
}
