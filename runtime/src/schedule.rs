//! [`Schedule`]: what a compiled and a parsed schedule have in common, asked in
//! milliseconds. The `millicron` crate wraps it in its public type.

#[cfg(feature = "alloc")]
use alloc::sync::Arc;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::Expression;
#[cfg(feature = "alloc")]
use crate::parsed::Parsed;
use crate::search::{Block, DatePart, Plan, TimePart};

/// 2000-01-01 00:00:00.000, from which offsets are counted, in milliseconds
/// since 1970-01-01 00:00:00.
const ORIGIN: i64 = 946_684_800_000;

/// A type that stands for one compiled schedule: its plan, as constants, so
/// that the search of just this plan can be compiled.
pub trait Compiled {
    /// The strategy of the date part.
    type Date: DatePart + 'static;
    /// The strategy of the time part.
    type Time: TimePart + 'static;
    /// The text as written.
    const TEXT: Static<Text>;
    /// The sets that the text stands for.
    const EXPRESSION: Static<Expression>;
    /// What answers.
    const PLAN: Static<Plan<Self::Date, Self::Time>>;
}

/// A reference to a constant.
pub type Static<T> = &'static T;

/// A text, named so that generated code need not name a primitive type, which
/// the code around it may have shadowed.
pub type Text = str;

/// The searches of one compiled schedule.
///
/// They are reached through pointers, so that every schedule is of one type.
/// Where a schedule is a constant, the optimiser sees the pointers and the
/// calls are direct.
#[derive(Debug)]
pub struct Code {
    text: &'static str,
    expression: &'static Expression,
    first: u64,
    last: u64,
    ceil: fn(u64) -> u64,
    floor: fn(u64) -> u64,
    contains: fn(u64) -> bool,
    rank: fn(u64) -> u64,
    select: fn(u64) -> u64,
    block_from: fn(u64) -> Block,
    block_to: fn(u64) -> Block,
}

impl Code {
    /// The searches of `S`.
    #[must_use]
    pub const fn of<S: Compiled>() -> Self {
        Self {
            text: S::TEXT,
            expression: S::EXPRESSION,
            first: S::PLAN.first,
            last: S::PLAN.last,
            ceil: |offset| S::PLAN.ceil(offset),
            floor: |offset| S::PLAN.floor(offset),
            contains: |offset| S::PLAN.contains(offset),
            rank: |offset| S::PLAN.rank(offset),
            select: |rank| S::PLAN.select(rank),
            block_from: |offset| S::PLAN.block_from(offset),
            block_to: |offset| S::PLAN.block_to(offset),
        }
    }
}

/// A schedule, compiled or parsed.
///
/// The questions are those of the `millicron` crate's `Schedule`, in
/// milliseconds since 1970-01-01 00:00:00, civil time.
#[derive(Clone)]
pub struct Schedule(Repr);

#[derive(Clone)]
enum Repr {
    Compiled(&'static Code),
    #[cfg(feature = "alloc")]
    Parsed(Arc<Parsed>),
}

/// Asks the plan that the schedule has.
macro_rules! ask {
    ($schedule:expr, $search:ident($argument:expr)) => {
        match &$schedule.0 {
            Repr::Compiled(code) => (code.$search)($argument),
            #[cfg(feature = "alloc")]
            Repr::Parsed(parsed) => parsed.plan.$search($argument),
        }
    };
}

impl Schedule {
    /// A compiled schedule.
    #[must_use]
    #[inline]
    pub const fn compiled(code: &'static Code) -> Self {
        Self(Repr::Compiled(code))
    }

    /// Reads a schedule.
    ///
    /// # Errors
    ///
    /// A text that is not a schedule, or one that would never fire.
    #[cfg(feature = "alloc")]
    pub fn parse(text: &str) -> Result<Self, crate::ParseError> {
        Ok(Self(Repr::Parsed(Arc::new(Parsed::new(text)?))))
    }

    /// The text as written.
    #[must_use]
    pub fn text(&self) -> &str {
        match &self.0 {
            Repr::Compiled(code) => code.text,
            #[cfg(feature = "alloc")]
            Repr::Parsed(parsed) => parsed.text(),
        }
    }

    /// The sets that the text stands for.
    #[must_use]
    pub fn expression(&self) -> &Expression {
        match &self.0 {
            Repr::Compiled(code) => code.expression,
            #[cfg(feature = "alloc")]
            Repr::Parsed(parsed) => &parsed.expression,
        }
    }

    #[inline]
    fn first(&self) -> u64 {
        match &self.0 {
            Repr::Compiled(code) => code.first,
            #[cfg(feature = "alloc")]
            Repr::Parsed(parsed) => parsed.plan.first,
        }
    }

    #[inline]
    fn last(&self) -> u64 {
        match &self.0 {
            Repr::Compiled(code) => code.last,
            #[cfg(feature = "alloc")]
            Repr::Parsed(parsed) => parsed.plan.last,
        }
    }

    /// The first event after `millis`.
    #[must_use]
    #[inline]
    pub fn next_event(&self, millis: i64) -> Option<i64> {
        self.event_from(millis.wrapping_sub(ORIGIN - 1), millis < ORIGIN)
    }

    /// The first event at or after `millis`.
    #[must_use]
    #[inline]
    pub fn nearest_event(&self, millis: i64) -> Option<i64> {
        self.event_from(millis.wrapping_sub(ORIGIN), millis < ORIGIN)
    }

    /// The last event before `millis`.
    #[must_use]
    #[inline]
    pub fn prev_event(&self, millis: i64) -> Option<i64> {
        self.event_to(millis.wrapping_sub(ORIGIN + 1), millis <= ORIGIN)
    }

    /// The last event at or before `millis`.
    #[must_use]
    #[inline]
    pub fn nearest_prev_event(&self, millis: i64) -> Option<i64> {
        self.event_to(millis.wrapping_sub(ORIGIN), millis < ORIGIN)
    }

    /// Whether `millis` is an event.
    #[must_use]
    #[inline]
    pub fn matches(&self, millis: i64) -> bool {
        let offset = millis.wrapping_sub(ORIGIN).cast_unsigned();
        offset <= self.last() && ask!(self, contains(offset))
    }

    /// The first event from an offset on. An offset that is not in the range,
    /// wrapped or not, is larger than all in it: one comparison finds the
    /// usual case.
    #[inline]
    fn event_from(&self, offset: i64, is_before: bool) -> Option<i64> {
        let offset = offset.cast_unsigned();
        if offset <= self.last() {
            Some(instant(ask!(self, ceil(offset))))
        } else if is_before {
            Some(instant(self.first()))
        } else {
            None
        }
    }

    /// The last event up to an offset: the mirror image of
    /// [`event_from`](Self::event_from).
    #[inline]
    fn event_to(&self, offset: i64, is_before: bool) -> Option<i64> {
        let offset = offset.cast_unsigned();
        let (first, last) = (self.first(), self.last());
        if offset.wrapping_sub(first) <= last - first {
            Some(instant(ask!(self, floor(offset))))
        } else if is_before || offset < first {
            None
        } else {
            Some(instant(last))
        }
    }

    /// The events from `start` to `end`, both included; none where `start` is
    /// after `end`.
    #[must_use]
    #[inline]
    pub fn walk(&self, start: i64, end: i64) -> Walk {
        let (first, last) = (instant(self.first()), instant(self.last()));
        let (start, end) = (start.max(first), end.min(last));
        let (start, end) = if start <= end {
            (start, end)
        } else {
            (first + 1, first)
        };
        Walk {
            schedule: self.clone(),
            start: (start - ORIGIN).cast_unsigned(),
            end: (end - ORIGIN).cast_unsigned(),
            front: Block::EMPTY,
            back: Block::EMPTY,
        }
    }
}

/// The instant of an offset.
#[inline]
const fn instant(offset: u64) -> i64 {
    ORIGIN + offset.cast_signed()
}

impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        self.expression() == other.expression()
    }
}

impl Eq for Schedule {}

impl Hash for Schedule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.expression().hash(state);
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schedule").field(&self.text()).finish()
    }
}

/// The events of a range, from both ends.
///
/// What is left is all events from `start` to `end`. Each end has the block
/// that its next events come from, so that most steps are a bit scan; a block
/// that is empty is looked up anew.
#[derive(Clone, Debug)]
pub struct Walk {
    schedule: Schedule,
    start: u64,
    /// Below `start` where nothing is left.
    end: u64,
    front: Block,
    back: Block,
}

impl Walk {
    /// How many events are left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        if self.start > self.end {
            return 0;
        }
        ask!(self.schedule, rank(self.end + 1)) - ask!(self.schedule, rank(self.start))
    }

    /// Passes over `count` events at the front.
    pub fn skip_front(&mut self, count: u64) {
        if count >= self.remaining() {
            self.finish();
        } else {
            let rank = ask!(self.schedule, rank(self.start)) + count;
            self.start = ask!(self.schedule, select(rank));
            self.front = Block::EMPTY;
        }
    }

    /// Passes over `count` events at the back.
    pub fn skip_back(&mut self, count: u64) {
        if count >= self.remaining() {
            self.finish();
        } else {
            let rank = ask!(self.schedule, rank(self.end + 1)) - 1 - count;
            self.end = ask!(self.schedule, select(rank));
            self.back = Block::EMPTY;
        }
    }

    fn finish(&mut self) {
        (self.start, self.end) = (1, 0);
        (self.front, self.back) = (Block::EMPTY, Block::EMPTY);
    }

    /// The first block of what is left.
    #[inline]
    fn refill_front(&mut self) -> Option<()> {
        if self.start > self.end {
            return None;
        }
        self.front = ask!(self.schedule, block_from(self.start));
        Some(())
    }

    /// The last block of what is left.
    #[inline]
    fn refill_back(&mut self) -> Option<()> {
        if self.start > self.end || self.end < self.schedule.first() {
            return None;
        }
        self.back = ask!(self.schedule, block_to(self.end));
        Some(())
    }

    /// Takes a whole block of 64 events at the front, if there is one: its
    /// first event, and the step to the next.
    #[inline]
    pub fn next_run(&mut self) -> Option<(i64, u64)> {
        if self.front.bits == 0 {
            self.refill_front()?;
        }
        let Block {
            base, unit, bits, ..
        } = self.front;
        let last = base + 63 * unit;
        if bits != u64::MAX || last > self.end {
            return None;
        }
        self.front.bits = 0;
        self.start = last + 1;
        Some((instant(base), unit))
    }
}

impl Iterator for Walk {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        if self.front.bits == 0 {
            self.refill_front()?;
        }
        let event = self.front.pop_first()?;
        if event > self.end {
            self.finish();
            return None;
        }
        self.start = event + 1;
        Some(instant(event))
    }
}

impl DoubleEndedIterator for Walk {
    #[inline]
    fn next_back(&mut self) -> Option<i64> {
        if self.back.bits == 0 {
            self.refill_back()?;
        }
        let event = self.back.pop_last()?;
        if event < self.start {
            self.finish();
            return None;
        }
        // `start` is 1 at the least where the event is 0, so nothing is left
        // below it.
        match event.checked_sub(1) {
            Some(end) => self.end = end,
            None => self.finish(),
        }
        Some(instant(event))
    }
}
