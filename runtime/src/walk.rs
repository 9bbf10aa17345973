//! [`Walk`]: a double-ended iterator over the events in a range.

use core::fmt;

use crate::handle::{ORIGIN, PlanHandle, PlanRef, instant, offset};
use crate::search::{PLACES, Span};

/// A double-ended iterator over the events in a range.
///
/// The remaining events are those from `start` to `end`. If events are equally spaced, `start` is
/// an event, and the iterator adds. Otherwise, each end takes its next events from a span, and
/// looks up another one when the span is used up. Each block is cut to the range as a whole, so
/// that single events need not be compared with it. Taking an event from one end clears the span of
/// the other.
#[derive(Clone)]
pub struct Walk {
    handle: PlanHandle,
    start: i64,
    /// Below `start` if no event remains.
    end: i64,
    /// The last event up to `end`, if events are equally spaced. Only the back end reads it, so
    /// the compiler omits its search from forward iteration.
    last: i64,
    /// The span of the front end. Its events are instants.
    front: Span,
    /// The span of the back end. Its events are instants, reversed.
    back: Span,
}

impl Walk {
    /// Returns the events from `start` to `end`, which are within the bounds; none if `start` is
    /// above `end`. If events are equally spaced, `start` is an event and `last` is the last
    /// one.
    #[inline(always)]
    pub(crate) const fn new(handle: PlanHandle, [start, end]: [i64; 2], last: i64) -> Self {
        Self { handle, start, end, last, front: Span::EMPTY, back: Span::EMPTY }
    }

    #[inline(always)]
    fn plan(&self) -> PlanRef<'_> {
        self.handle.plan()
    }

    /// Returns the number of remaining events.
    #[must_use]
    #[inline(always)]
    pub fn remaining(&self) -> u64 {
        self.plan().count(self.start, self.end)
    }

    /// Skips `skipped` events at the front and takes the next one.
    #[inline(always)]
    pub fn nth_front(&mut self, skipped: u64) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let event = if let Some(step) = self.plan().step() {
            self.start.saturating_add_unsigned(skipped.saturating_mul(step))
        } else if skipped == 0 {
            // The search finds an event, though possibly beyond the end.
            instant(self.plan().ceil(offset(self.start)))
        } else {
            let start = offset(self.start);
            let rank = self.plan().rank(start).saturating_add(skipped);
            let is_there = rank < self.plan().bounds().count;
            if is_there { instant(self.plan().select(rank)) } else { i64::MAX }
        };
        self.take::<false>(event)
    }

    /// Skips `skipped` events at the back and takes the next one.
    #[inline(always)]
    pub fn nth_back(&mut self, skipped: u64) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let event = if let Some(step) = self.plan().step() {
            self.last.saturating_sub_unsigned(skipped.saturating_mul(step))
        } else if skipped == 0 {
            instant(self.plan().floor(offset(self.end)))
        } else {
            let rank = self.plan().rank(offset(self.end) + 1).checked_sub(skipped);
            let rank = rank.and_then(|rank| rank.checked_sub(1));
            rank.map_or(i64::MIN, |rank| instant(self.plan().select(rank)))
        };
        self.take::<true>(event)
    }

    /// Takes an event at one end, if it remains.
    #[inline(always)]
    fn take<const IS_BACK: bool>(&mut self, event: i64) -> Option<i64> {
        let is_outside = if IS_BACK { event < self.start } else { event > self.end };
        if is_outside {
            self.finish();
            return None;
        }
        if IS_BACK {
            self.end = event - self.step();
            self.last = self.end;
        } else {
            self.start = event + self.step();
        }
        (self.front, self.back) = (Span::EMPTY, Span::EMPTY);
        Some(event)
    }

    /// Returns the distance between equally spaced events, otherwise 1.
    #[inline(always)]
    fn step(&self) -> i64 {
        self.plan().step().map_or(1, u64::cast_signed)
    }

    /// Looks up the next block at one end, reversed at the back; `None` if no event remains.
    #[inline(always)]
    fn refill<const IS_BACK: bool>(&mut self) -> Option<()> {
        let span = if IS_BACK { &mut self.back } else { &mut self.front };
        if !span.tokens.is_empty() {
            span.events = if IS_BACK {
                self.handle.plan().block(span.tokens.pop_back(&[])).reversed()
            } else {
                self.handle.plan().block(span.tokens.pop(&[]))
            };
        } else if self.start <= self.end {
            *span = if IS_BACK {
                span_to(self.handle.plan(), offset(self.end))
            } else {
                span_from(self.handle.plan(), offset(self.start))
            };
        } else {
            return None;
        }
        let events = span.events.shifted(ORIGIN.cast_unsigned());
        span.events = if IS_BACK {
            events.since(self.handle.plan().list(), self.start)
        } else {
            events.until(self.handle.plan().list(), self.end)
        };
        if span.events.is_empty() {
            self.finish();
            return None;
        }
        Some(())
    }

    /// Takes up to `room` events at the front, which is at least 1: those of one block, or any
    /// number of equally spaced ones. Returns whether any event remained.
    #[inline(always)]
    pub fn next_block(&mut self, room: usize, mut take: impl FnMut(i64)) -> bool {
        if self.plan().step().is_some() {
            return self.next_steps(room, take);
        }
        if self.front.events.is_empty() && self.refill::<false>().is_none() {
            return false;
        }
        self.back.clear();
        let list = self.handle.plan().list();
        let block = &mut self.front.events;
        let mut taken = self.start;
        let mut put = |event: u64| {
            taken = event.cast_signed();
            take(taken);
        };
        if !list.is_empty() {
            let days = block.days(list).iter().take(room);
            block.skip(days.len());
            days.for_each(|&day| put(block.on(day)));
        } else if room >= PLACES as usize {
            while !block.is_empty() {
                put(block.pop(list));
            }
        } else {
            let mut room = room;
            while !block.is_empty() && room > 0 {
                put(block.pop(list));
                room -= 1;
            }
        }
        self.start = taken + 1;
        true
    }

    /// Takes up to `room` equally spaced events.
    #[inline(always)]
    fn next_steps(&mut self, room: usize, mut take: impl FnMut(i64)) -> bool {
        let step = self.step();
        let count = usize::try_from(self.remaining()).unwrap_or(room).min(room);
        for _ in 0..count {
            take(self.start);
            self.start += step;
        }
        count > 0
    }

    /// Drops all remaining events.
    #[inline]
    fn finish(&mut self) {
        (self.start, self.end) = (1, 0);
        (self.front, self.back) = (Span::EMPTY, Span::EMPTY);
    }
}

/// Searches for a span, which iteration does rarely.
#[cold]
#[inline(never)]
fn span_from(plan: PlanRef<'_>, start: u64) -> Span {
    plan.span_from(start)
}

/// Searches for a reversed span, like [`span_from`].
#[cold]
#[inline(never)]
fn span_to(plan: PlanRef<'_>, end: u64) -> Span {
    plan.span_to(end)
}

impl fmt::Debug for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("schedule", &format_args!("Schedule({:?})", self.plan().text()))
            .field("from", &self.start)
            .field("to", &self.end)
            .field("remaining", &self.remaining())
            .finish_non_exhaustive()
    }
}

impl Iterator for Walk {
    type Item = i64;

    #[inline(always)]
    fn next(&mut self) -> Option<i64> {
        if self.plan().step().is_some() {
            return self.take::<false>(self.start);
        }
        // One call suffices, but after a loop the compiler knows that there is an event.
        while self.front.events.is_empty() {
            self.refill::<false>()?;
        }
        self.back.clear();
        let event = self.front.events.pop(self.handle.plan().list()).cast_signed();
        self.start = event + 1;
        Some(event)
    }
}

impl DoubleEndedIterator for Walk {
    #[inline(always)]
    fn next_back(&mut self) -> Option<i64> {
        if self.plan().step().is_some() {
            return if self.start > self.end { None } else { self.take::<true>(self.last) };
        }
        while self.back.events.is_empty() {
            self.refill::<true>()?;
        }
        self.front.clear();
        let event = self.back.events.pop_back(self.handle.plan().list()).cast_signed();
        self.end = event - 1;
        Some(event)
    }
}
