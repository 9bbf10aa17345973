//! [`Schedule`]: what a compiled and a parsed schedule have in common, asked in
//! milliseconds. The `millicron` crate wraps it in its public type.

use core::fmt;
use core::hash::{Hash, Hasher};

use crate::calendar::{MILLIS_PER_DAY, day_number};
use crate::expression::{Fields, Milliseconds};
#[cfg(feature = "alloc")]
use crate::parsed::{Parsed, Shared};
use crate::search::{Block, Bounds, DatePart, Plan, Span, TimePart};
use crate::{CalendarDigits, Expression, bits};

/// 2000-01-01 00:00:00.000, from which offsets are counted, in milliseconds
/// since 1970-01-01 00:00:00.
const ORIGIN: i64 = 946_684_800_000;

const _: () = assert!(ORIGIN == day_number(2000, 1, 1) * MILLIS_PER_DAY);

/// A type that stands for one compiled schedule: its plan, as constants, so
/// that the search of just this plan can be compiled.
pub trait Compiled {
    /// The strategy of the date part.
    type Date: DatePart + 'static;
    /// The strategy of the time part.
    type Time: TimePart + 'static;
    /// The text as written.
    const TEXT: Static<Text>;
    /// The sets that the text stands for, but for the milliseconds.
    const FIELDS: Static<Fields>;
    /// The milliseconds.
    const MILLISECONDS: Static<Milliseconds> = &Expression::ZERO;
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
    fields: &'static Fields,
    milliseconds: &'static Milliseconds,
    bounds: &'static Bounds,
    ceil: fn(u64) -> u64,
    floor: fn(u64) -> u64,
    contains: fn(u64) -> bool,
    rank: fn(u64) -> u64,
    select: fn(u64) -> u64,
    span_from: fn(u64) -> Span,
    span_to: fn(u64) -> Span,
    block: fn(u64) -> Block,
}

impl Code {
    /// The searches of `S`.
    #[must_use]
    pub const fn of<S: Compiled>() -> Self {
        Self {
            text: S::TEXT,
            fields: S::FIELDS,
            milliseconds: S::MILLISECONDS,
            bounds: &S::PLAN.bounds,
            ceil: |offset| S::PLAN.ceil(offset),
            floor: |offset| S::PLAN.floor(offset),
            contains: |offset| S::PLAN.contains(offset),
            rank: |offset| S::PLAN.rank(offset),
            select: |rank| S::PLAN.select(rank),
            span_from: |offset| S::PLAN.span_from(offset),
            span_to: |offset| S::PLAN.span_to(offset),
            block: |token| S::PLAN.block(token),
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
    Parsed(Shared),
    /// Nothing can be parsed, but a schedule has drop glue as if it could: a
    /// feature that another crate turns on must not take away what compiles
    /// without it.
    #[cfg(not(feature = "alloc"))]
    #[expect(dead_code, reason = "it can not be made")]
    Parsed(Nothing),
}

#[cfg(not(feature = "alloc"))]
#[derive(Clone)]
enum Nothing {}

#[cfg(not(feature = "alloc"))]
impl Drop for Nothing {
    fn drop(&mut self) {}
}

/// Asks the plan that the schedule has.
macro_rules! ask {
    ($schedule:expr, $search:ident($argument:expr)) => {
        match &$schedule.0 {
            Repr::Compiled(code) => (code.$search)($argument),
            #[cfg(feature = "alloc")]
            Repr::Parsed(shared) => {
                shared.get().map(|parsed| parsed.plan.$search($argument)).unwrap_or_default()
            }
            #[cfg(not(feature = "alloc"))]
            Repr::Parsed(nothing) => match *nothing {},
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
        Ok(Self(Repr::Parsed(Shared::new(Parsed::new(text)?))))
    }

    /// The text as written.
    #[must_use]
    pub fn text(&self) -> &str {
        match &self.0 {
            Repr::Compiled(code) => code.text,
            #[cfg(feature = "alloc")]
            Repr::Parsed(shared) => shared.get().map_or("", Parsed::text),
            #[cfg(not(feature = "alloc"))]
            Repr::Parsed(nothing) => match *nothing {},
        }
    }

    /// The sets that the text stands for.
    #[must_use]
    pub fn expression(&self) -> Expression {
        match &self.0 {
            Repr::Compiled(code) => {
                Expression { fields: *code.fields, millisecond: *code.milliseconds }
            }
            #[cfg(feature = "alloc")]
            Repr::Parsed(shared) => {
                shared.get().map_or(Expression::MIDNIGHTS, |parsed| parsed.expression.clone())
            }
            #[cfg(not(feature = "alloc"))]
            Repr::Parsed(nothing) => match *nothing {},
        }
    }

    #[inline]
    fn bounds(&self) -> &Bounds {
        match &self.0 {
            Repr::Compiled(code) => code.bounds,
            #[cfg(feature = "alloc")]
            Repr::Parsed(shared) => {
                shared.get().map_or(&Bounds::NONE, |parsed| &parsed.plan.bounds)
            }
            #[cfg(not(feature = "alloc"))]
            Repr::Parsed(nothing) => match *nothing {},
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
        // What is before the range is, wrapped, beyond it.
        ask!(self, contains(millis.wrapping_sub(ORIGIN).cast_unsigned()))
    }

    /// The first event from an offset on. An offset that is not in the range,
    /// wrapped or not, is larger than all in it: one comparison finds the
    /// usual case.
    #[inline]
    fn event_from(&self, offset: i64, is_before: bool) -> Option<i64> {
        let offset = offset.cast_unsigned();
        if offset <= self.bounds().last {
            Some(instant(ask!(self, ceil(offset))))
        } else if is_before {
            Some(instant(self.bounds().first))
        } else {
            None
        }
    }

    /// The last event up to an offset: the mirror image of
    /// [`event_from`](Self::event_from).
    #[inline]
    fn event_to(&self, offset: i64, is_before: bool) -> Option<i64> {
        let offset = offset.cast_unsigned();
        let Bounds { first, last, .. } = *self.bounds();
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
        let (first, last) = (instant(self.bounds().first), instant(self.bounds().last));
        let (start, end) = (start.max(first), end.min(last));
        let (start, end) = if start <= end { (start, end) } else { (first + 1, first) };
        Walk {
            schedule: self.clone(),
            start: (start - ORIGIN).cast_unsigned(),
            end: (end - ORIGIN).cast_unsigned(),
            front: Span::EMPTY,
            back: Span::EMPTY,
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
    /// How many events are left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        if self.start > self.end {
            return 0;
        }
        ask!(self.schedule, rank(self.end + 1)) - ask!(self.schedule, rank(self.start))
    }

    /// Takes the event that has `skipped` events before it, and these too.
    #[inline]
    pub fn nth_front(&mut self, skipped: u64) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let rank = ask!(self.schedule, rank(self.start)).saturating_add(skipped);
        self.front = Span::EMPTY;
        let event = if rank < self.schedule.bounds().count {
            ask!(self.schedule, select(rank))
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
        let rank = ask!(self.schedule, rank(self.end + 1)).checked_sub(skipped);
        self.back = Span::EMPTY;
        match rank.and_then(|rank| rank.checked_sub(1)) {
            Some(rank) => self.take_back(ask!(self.schedule, select(rank))),
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
            self.front.events = ask!(self.schedule, block(self.front.tokens.pop()));
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
            self.back.events = ask!(self.schedule, block(self.back.tokens.pop())).reversed();
        } else if self.start <= self.end && self.end >= self.schedule.bounds().first {
            self.back = span_to(self.schedule.plans(), self.end);
        } else {
            return None;
        }
        Some(())
    }

    /// Takes the events of one block at the front, as many as there are up to
    /// `most`, which is not 0. Where there are more, or some are beyond the end,
    /// it takes one.
    #[inline(always)]
    pub fn next_block(&mut self, most: usize, mut take: impl FnMut(i64)) -> usize {
        if self.front.events.bits == 0 && self.refill_front().is_none() {
            return 0;
        }
        let Block { base, unit, mut bits } = self.front.events;
        let last = self.front.events.event(bits::last(bits));
        let count = bits.count_ones() as usize;
        if count > most || last > self.end {
            return self.next().map_or(0, |event| {
                take(event);
                1
            });
        }
        if bits == u64::MAX {
            // No bits to look for.
            (0..64).for_each(|place| take(instant(base + place * unit)));
        } else {
            while bits != 0 {
                take(instant(base + u64::from(bits::first(bits)) * unit));
                bits &= bits - 1;
            }
        }
        self.front.events.bits = 0;
        self.start = last + 1;
        count
    }
}

/// A schedule, borrowed: what is asked without the address of a walk, which
/// can stay in registers so.
#[derive(Clone, Copy)]
enum Plans<'a> {
    Compiled(&'a Code),
    #[cfg(feature = "alloc")]
    Parsed(Option<&'a Parsed>),
}

impl Schedule {
    #[inline(always)]
    fn plans(&self) -> Plans<'_> {
        match &self.0 {
            Repr::Compiled(code) => Plans::Compiled(code),
            #[cfg(feature = "alloc")]
            Repr::Parsed(shared) => Plans::Parsed(shared.get()),
            #[cfg(not(feature = "alloc"))]
            Repr::Parsed(nothing) => match *nothing {},
        }
    }
}

/// A search for a span, which a walk seldom comes to.
#[cold]
#[inline(never)]
fn span_from(plans: Plans<'_>, start: u64) -> Span {
    match plans {
        Plans::Compiled(code) => (code.span_from)(start),
        #[cfg(feature = "alloc")]
        Plans::Parsed(parsed) => {
            parsed.map(|parsed| parsed.plan.span_from(start)).unwrap_or_default()
        }
    }
}

/// See [`span_from`].
#[cold]
#[inline(never)]
fn span_to(plans: Plans<'_>, end: u64) -> Span {
    match plans {
        Plans::Compiled(code) => (code.span_to)(end),
        #[cfg(feature = "alloc")]
        Plans::Parsed(parsed) => parsed.map(|parsed| parsed.plan.span_to(end)).unwrap_or_default(),
    }
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
