//! [`Walk`]: the events of a range, from both ends.

use core::fmt;

use crate::handle::{ORIGIN, PlanHandle, PlanRef, instant, offset};
use crate::search::{PLACES, Span};

/// The events of a range, from both ends.
///
/// What is left is all events from `start` to `end`. Where these are equally far
/// from each other, `start` is one, and to walk is to add. Elsewhere each end
/// has the span that its next events come from; one that is used up is looked up
/// anew. The block of a span is cut to the range when it is looked up, so that no
/// event need be; and what is taken from one end makes the other forget its span.
#[derive(Clone)]
pub struct Walk {
    handle: PlanHandle,
    start: i64,
    /// Below `start` where nothing is left.
    end: i64,
    /// Of equally far events, the last one up to `end`. It is only looked at from the
    /// back, so that the compiler need not find it where nobody asks there.
    last: i64,
    /// Its events are instants; so are those of `back`, which are reversed.
    front: Span,
    back: Span,
}

impl Walk {
    /// The events from one instant to another, which are within the bounds;
    /// none where the second is below the first. Of equally far events the first
    /// instant is one, and `last` the last one.
    #[inline(always)]
    pub(crate) const fn new(handle: PlanHandle, [start, end]: [i64; 2], last: i64) -> Self {
        Self { handle, start, end, last, front: Span::EMPTY, back: Span::EMPTY }
    }

    #[inline(always)]
    fn plan(&self) -> PlanRef<'_> {
        self.handle.plan()
    }

    /// How many events are left.
    #[must_use]
    #[inline(always)]
    pub fn remaining(&self) -> u64 {
        self.plan().count(self.start, self.end)
    }

    /// Takes the event that has `skipped` events before it, and these too.
    #[inline(always)]
    pub fn nth_front(&mut self, skipped: u64) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let event = if let Some(step) = self.plan().step() {
            self.start.saturating_add_unsigned(skipped.saturating_mul(step))
        } else if skipped == 0 {
            // What is there to be found, be it beyond the end.
            instant(self.plan().ceil(offset(self.start)))
        } else {
            let start = offset(self.start);
            let rank = self.plan().rank(start).saturating_add(skipped);
            let is_there = rank < self.plan().bounds().count;
            if is_there { instant(self.plan().select(rank)) } else { i64::MAX }
        };
        self.take_front(event)
    }

    /// Takes the event that has `skipped` events after it, and these too.
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
        self.take_back(event)
    }

    /// Takes an event at the front, where it is one of those left.
    #[inline(always)]
    fn take_front(&mut self, event: i64) -> Option<i64> {
        if event > self.end {
            self.finish();
            return None;
        }
        self.start = event + self.step();
        (self.front, self.back) = (Span::EMPTY, Span::EMPTY);
        Some(event)
    }

    /// Takes an event at the back, where it is one of those left.
    #[inline(always)]
    fn take_back(&mut self, event: i64) -> Option<i64> {
        if event < self.start {
            self.finish();
            return None;
        }
        self.end = event - self.step();
        self.last = self.end;
        (self.front, self.back) = (Span::EMPTY, Span::EMPTY);
        Some(event)
    }

    /// The least that there is from one event to the next.
    #[inline(always)]
    fn step(&self) -> i64 {
        self.plan().step().map_or(1, u64::cast_signed)
    }

    /// The next block of the front; `None` where nothing is left.
    #[inline(always)]
    fn refill_front(&mut self) -> Option<()> {
        if !self.front.tokens.is_empty() {
            let token = self.front.tokens.pop(&[]);
            self.front.events = self.plan().block(token);
        } else if self.start <= self.end {
            self.front = span_from(self.plan(), offset(self.start));
        } else {
            return None;
        }
        let events = self.front.events.shifted(ORIGIN.cast_unsigned());
        self.front.events = events.until(self.plan().list(), self.end);
        if self.front.events.is_empty() {
            self.finish();
            return None;
        }
        Some(())
    }

    /// The next block of the back, reversed; `None` where nothing is left.
    #[inline(always)]
    fn refill_back(&mut self) -> Option<()> {
        if !self.back.tokens.is_empty() {
            let token = self.back.tokens.pop_back(&[]);
            self.back.events = self.plan().block(token).reversed();
        } else if self.start <= self.end {
            self.back = span_to(self.plan(), offset(self.end));
        } else {
            return None;
        }
        let events = self.back.events.shifted(ORIGIN.cast_unsigned());
        self.back.events = events.since(self.plan().list(), self.start);
        if self.back.events.is_empty() {
            self.finish();
            return None;
        }
        Some(())
    }

    /// Takes the events of one block at the front, or as many equal steps as
    /// there are, but no more than there is room for; and there is room for one.
    /// Returns whether anything was left.
    #[inline(always)]
    pub fn next_block(&mut self, room: usize, mut take: impl FnMut(i64)) -> bool {
        if self.plan().step().is_some() {
            return self.next_steps(room, take);
        }
        if self.front.events.is_empty() && self.refill_front().is_none() {
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

    /// Takes equal steps, as many as there is room for.
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

    /// Nothing is left.
    #[inline]
    fn finish(&mut self) {
        (self.start, self.end) = (1, 0);
        (self.front, self.back) = (Span::EMPTY, Span::EMPTY);
    }
}

/// A search for a span, which a walk seldom comes to.
#[cold]
#[inline(never)]
fn span_from(plan: PlanRef<'_>, start: u64) -> Span {
    plan.span_from(start)
}

/// See [`span_from`].
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
            return self.take_front(self.start);
        }
        // Once is enough; but after a loop the compiler knows that there is an event.
        while self.front.events.is_empty() {
            self.refill_front()?;
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
            return if self.start > self.end { None } else { self.take_back(self.last) };
        }
        while self.back.events.is_empty() {
            self.refill_back()?;
        }
        self.front.clear();
        let event = self.back.events.pop_back(self.handle.plan().list()).cast_signed();
        self.end = event - 1;
        Some(event)
    }
}
