//! [`Block`] and [`Span`]: events that an iterator takes without a search.

use crate::bits;

/// Consecutive events, as a word of bits or as days in a list.
///
/// The event of bit `i` is `base + i * unit`. If the days are a list, the block is `bits`
/// days of that list, starting at index `first`, and the event of a day is
/// `base + day * unit`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Block {
    /// The event at place 0.
    pub base: u64,
    /// The distance between two places.
    pub unit: u64,
    /// The places that are events, as bits, or the number of listed days; 0 if the block is empty.
    pub bits: u64,
    /// The index of the first listed day; 0 if there is no list.
    pub first: u64,
}

/// The number of places in a block of bits.
pub(crate) const PLACES: u32 = u64::BITS;

impl Block {
    /// A block without events.
    pub const EMPTY: Self = Self { base: 0, unit: 0, bits: 0, first: 0 };

    /// Returns a block of bits.
    #[inline(always)]
    pub(crate) const fn new(base: u64, unit: u64, bits: u64) -> Self {
        Self { base, unit, bits, first: 0 }
    }

    /// Returns a block of `len` listed days. The first day has index 1 or more.
    #[inline(always)]
    pub(crate) const fn listed(base: u64, first: u64, len: u64) -> Self {
        Self { base, unit: 1, bits: len, first }
    }

    /// Returns a block of one event.
    #[inline(always)]
    pub(crate) const fn one(base: u64) -> Self {
        Self::new(base, 0, 1)
    }

    /// Whether the block has no events.
    #[inline(always)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.bits == 0
    }

    /// Takes the first event. For an empty block the result is unspecified.
    #[inline(always)]
    pub(crate) fn pop(&mut self, list: &[u16]) -> u64 {
        if list.is_empty() {
            return self.base.wrapping_add(self.pop_distance());
        }
        let event = self.day(list, self.first);
        self.first = self.first.wrapping_add(1);
        self.bits = self.bits.wrapping_sub(1);
        event
    }

    /// Takes the last event of a [reversed](Self::reversed) block. For an empty block the result
    /// is unspecified.
    #[inline(always)]
    pub(crate) fn pop_back(&mut self, list: &[u16]) -> u64 {
        if list.is_empty() {
            return self.base.wrapping_sub(self.pop_distance());
        }
        self.bits = self.bits.wrapping_sub(1);
        self.day(list, self.first.wrapping_add(self.bits))
    }

    /// Drops the first `days` listed days.
    #[inline(always)]
    pub(crate) const fn skip(&mut self, days: usize) {
        let days = days as u64;
        (self.first, self.bits) = (self.first.wrapping_add(days), self.bits.wrapping_sub(days));
    }

    /// Takes the first place and returns its distance from the base.
    #[inline(always)]
    const fn pop_distance(&mut self) -> u64 {
        let place = bits::first(self.bits) as u64;
        self.bits &= self.bits.wrapping_sub(1);
        place.wrapping_mul(self.unit)
    }

    /// Returns the event at a place.
    #[inline(always)]
    pub(crate) const fn at(&self, place: u32) -> u64 {
        self.base.wrapping_add((place as u64).wrapping_mul(self.unit))
    }

    /// Returns the event of the day at an index of the list.
    #[inline(always)]
    fn day(&self, list: &[u16], index: u64) -> u64 {
        let day = usize::try_from(index).ok().and_then(|index| list.get(index));
        self.on(day.map_or_else(|| bits::missing(0), |day| *day))
    }

    /// Returns the event of a listed day.
    #[inline(always)]
    pub(crate) const fn on(&self, day: u16) -> u64 {
        self.base.wrapping_add((day as u64).wrapping_mul(self.unit))
    }

    /// Returns the listed days of the block.
    #[inline(always)]
    pub(crate) fn days<'a>(&self, list: &'a [u16]) -> &'a [u16] {
        let [first, len] = [self.first, self.bits].map(|it| usize::try_from(it).unwrap_or(0));
        list.get(first..).and_then(|days| days.get(..len)).unwrap_or(&[])
    }

    /// Returns the same events in reverse order. The places count down from the base, because
    /// the lowest bit of a word is cheaper to find and clear than the highest.
    #[inline(always)]
    pub(crate) const fn reversed(self) -> Self {
        if self.first != 0 {
            return self;
        }
        let base = self.base.wrapping_add(self.unit.wrapping_mul(PLACES as u64 - 1));
        Self { base, bits: self.bits.reverse_bits(), ..self }
    }

    /// Drops the events before a place, which is a bit or the index of a listed day.
    #[inline(always)]
    const fn from(self, place: u32) -> Self {
        let days = place as u64;
        if self.first == 0 {
            Self { bits: self.bits & (u64::MAX << (place & 63)), ..self }
        } else {
            Self { first: self.first + days, bits: self.bits - days, ..self }
        }
    }

    /// Drops the events after a place, and reverses the rest.
    #[inline(always)]
    const fn to(self, place: u32) -> Self {
        let bits = if self.first == 0 { bits::up_to(self.bits, place) } else { place as u64 + 1 };
        Self { bits, ..self }.reversed()
    }

    /// Multiplies all events by `scale`, then adds `by`.
    #[inline(always)]
    pub(crate) const fn scaled(self, scale: u64, by: u64) -> Self {
        Self { base: self.base * scale + by, unit: self.unit * scale, ..self }
    }

    /// Adds `by` to all events.
    #[inline(always)]
    pub(crate) const fn shifted(self, by: u64) -> Self {
        Self { base: self.base.wrapping_add(by), ..self }
    }

    /// Drops the events after `end`, which are usually none.
    #[inline(always)]
    pub(crate) fn until(self, list: &[u16], end: i64) -> Self {
        if list.is_empty() {
            return self.no_further_than(end - self.base.cast_signed());
        }
        let final_event = self.day(list, self.first.wrapping_add(self.bits).wrapping_sub(1));
        let is_whole = final_event.cast_signed() <= end;
        let bits = if is_whole { self.bits } else { days_up_to(self, list, end) };
        Self { bits, ..self }
    }

    /// Drops the events before `start` of a [reversed](Self::reversed) block.
    #[inline(always)]
    pub(crate) fn since(self, list: &[u16], start: i64) -> Self {
        if list.is_empty() {
            return self.no_further_than(self.base.cast_signed() - start);
        }
        let is_whole = self.day(list, self.first).cast_signed() >= start;
        let before = if is_whole { 0 } else { days_up_to(self, list, start - 1) };
        Self {
            first: self.first.wrapping_add(before),
            bits: self.bits.wrapping_sub(before),
            ..self
        }
    }

    /// Drops the places that are further than `distance` from the base.
    #[inline(always)]
    fn no_further_than(self, distance: i64) -> Self {
        let is_whole = self.unit.wrapping_mul(u64::from(PLACES) - 1).cast_signed() <= distance;
        let bits = if is_whole { self.bits } else { bits_within(self.bits, self.unit, distance) };
        Self { bits, ..self }
    }
}

// The next two functions are rarely called. They return a number: a block would have to be in
// memory even if nothing is dropped.

/// Returns the bits whose place, times `unit`, is at most `distance`.
#[cold]
#[inline(never)]
#[expect(clippy::cast_possible_truncation, reason = "below 63")]
fn bits_within(bits: u64, unit: u64, distance: i64) -> u64 {
    let Ok(distance) = u64::try_from(distance) else {
        return 0;
    };
    // A block whose unit is 0 has only place 0.
    let last = distance.checked_div(unit).unwrap_or(0);
    bits::up_to(bits, last as u32)
}

/// Returns the number of listed days of a block whose events are not after an instant.
#[cold]
#[inline(never)]
fn days_up_to(block: Block, list: &[u16], instant: i64) -> u64 {
    block.days(list).partition_point(|&day| block.on(day).cast_signed() <= instant) as u64
}

/// A block and the *tokens* of neighboring blocks, from which the plan computes those blocks
/// without a search.
///
/// An iterator has a span at each end. An event takes a bit scan (or a load from the list) and a
/// multiplication; a new block takes the same again to pop its token, and a lookup of its bits.
/// Only a new span takes a search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    /// The events of the current block.
    pub events: Block,
    /// The tokens of the remaining blocks, as a block of their own.
    pub tokens: Block,
}

impl Span {
    /// A span without events or tokens.
    pub(crate) const EMPTY: Self = Self { events: Block::EMPTY, tokens: Block::EMPTY };

    /// Drops all events and tokens.
    #[inline(always)]
    pub(crate) const fn clear(&mut self) {
        (self.events.bits, self.tokens.bits) = (0, 0);
    }
}

/// The span that contains an event, and the event's place in it.
#[derive(Clone, Copy, Debug)]
pub struct Enclosing {
    pub(crate) span: Span,
    /// The place of the event in its block.
    pub(crate) event: u32,
    /// The place of the block's token.
    pub(crate) token: u32,
}

impl Enclosing {
    /// Returns the position of an event in a span of one block.
    #[inline(always)]
    pub(crate) const fn alone(events: Block, event: u32) -> Self {
        Self { span: Span { events, tokens: Block::EMPTY }, event, token: 0 }
    }

    /// Returns the event and all events after it.
    #[inline(always)]
    pub(crate) const fn from(self) -> Span {
        let Span { events, mut tokens } = self.span;
        tokens.bits &= u64::MAX << (self.token & 63) << 1;
        Span { events: events.from(self.event), tokens }
    }

    /// Returns the event and all events before it, reversed.
    #[inline(always)]
    pub(crate) const fn to(self) -> Span {
        let Span { events, mut tokens } = self.span;
        tokens.bits &= !(u64::MAX << (self.token & 63));
        Span { events: events.to(self.event), tokens: tokens.reversed() }
    }
}

/// Returns the part of a row that contains the element at `index`, as a block of up to 64 elements;
/// and the place of that element in the block. The row has `len` elements, and element `i` is
/// `base + i * unit`.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a place below 64")]
pub(crate) const fn part_of_row(base: u64, unit: u64, len: u64, index: u64) -> (Block, u32) {
    let first = index & !63;
    let rest = len.wrapping_sub(first);
    let bits = if rest >= 64 { u64::MAX } else { !(u64::MAX << rest) };
    (Block::new(base + first * unit, unit, bits), (index - first) as u32)
}
