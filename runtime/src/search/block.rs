//! [`Block`]: up to 64 places in equal steps and the events among them, or days of a
//! list; [`Span`]: a block, and the blocks around it.

use crate::bits;

/// Some events. Between two events of a block there are no others.
///
/// Mostly they are bits: that of bit `i` is `base + i * unit`. Where the days are a
/// list, the next `bits` days of that are meant, from `first` on, and a day's event is
/// `base + day * unit`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Block {
    /// Where the block's line begins.
    pub base: u64,
    /// What a place on that line is worth.
    pub unit: u64,
    /// The places that are events, as bits; of a list, how many days. 0 where there is
    /// no event.
    pub bits: u64,
    /// Where in the list the first of the days is; 0 where there is no list.
    pub first: u64,
}

/// How many places a block of bits has.
pub(crate) const PLACES: u32 = u64::BITS;

impl Block {
    /// No events.
    pub const EMPTY: Self = Self { base: 0, unit: 0, bits: 0, first: 0 };

    /// Places, as bits.
    #[inline(always)]
    pub(crate) const fn new(base: u64, unit: u64, bits: u64) -> Self {
        Self { base, unit, bits, first: 0 }
    }

    /// So many days of a list, which begins at place 1.
    #[inline(always)]
    pub(crate) const fn listed(base: u64, first: u64, len: u64) -> Self {
        Self { base, unit: 1, bits: len, first }
    }

    /// One event.
    #[inline(always)]
    pub(crate) const fn one(base: u64) -> Self {
        Self::new(base, 0, 1)
    }

    /// Whether there is no event.
    #[inline(always)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.bits == 0
    }

    /// Takes the first event; of a block without one, something.
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

    /// Takes the last event of a block that is [reversed](Self::reversed); of one
    /// without any, something.
    #[inline(always)]
    pub(crate) fn pop_back(&mut self, list: &[u16]) -> u64 {
        if list.is_empty() {
            return self.base.wrapping_sub(self.pop_distance());
        }
        self.bits = self.bits.wrapping_sub(1);
        self.day(list, self.first.wrapping_add(self.bits))
    }

    /// Takes so many days, which it has.
    #[inline(always)]
    pub(crate) const fn skip(&mut self, days: usize) {
        let days = days as u64;
        (self.first, self.bits) = (self.first.wrapping_add(days), self.bits.wrapping_sub(days));
    }

    /// Takes the first place, and returns how far it is from the base.
    #[inline(always)]
    const fn pop_distance(&mut self) -> u64 {
        let place = bits::first(self.bits) as u64;
        self.bits &= self.bits.wrapping_sub(1);
        place.wrapping_mul(self.unit)
    }

    /// `place` units from the base.
    #[inline(always)]
    pub(crate) const fn at(&self, place: u32) -> u64 {
        self.base.wrapping_add((place as u64).wrapping_mul(self.unit))
    }

    /// The event of a day of the list.
    #[inline(always)]
    fn day(&self, list: &[u16], index: u64) -> u64 {
        let day = usize::try_from(index).ok().and_then(|index| list.get(index));
        self.on(day.map_or_else(|| bits::missing(0), |day| *day))
    }

    /// The event on a day.
    #[inline(always)]
    pub(crate) const fn on(&self, day: u16) -> u64 {
        self.base.wrapping_add((day as u64).wrapping_mul(self.unit))
    }

    /// Its days of the list.
    #[inline(always)]
    pub(crate) fn days<'a>(&self, list: &'a [u16]) -> &'a [u16] {
        let [first, len] = [self.first, self.bits].map(|it| usize::try_from(it).unwrap_or(0));
        list.get(first..).and_then(|days| days.get(..len)).unwrap_or(&[])
    }

    /// The same events, to be taken from the last on. Places then count down from
    /// the base: to find and clear the first bit of a word is cheaper than the last.
    #[inline(always)]
    pub(crate) const fn reversed(self) -> Self {
        if self.first != 0 {
            return self;
        }
        let base = self.base.wrapping_add(self.unit.wrapping_mul(PLACES as u64 - 1));
        Self { base, bits: self.bits.reverse_bits(), ..self }
    }

    /// From a place of it on, be it a bit or one of its days.
    #[inline(always)]
    const fn from(self, place: u32) -> Self {
        let days = place as u64;
        if self.first == 0 {
            Self { bits: self.bits & (u64::MAX << (place & 63)), ..self }
        } else {
            Self { first: self.first + days, bits: self.bits - days, ..self }
        }
    }

    /// Up to a place of it, reversed.
    #[inline(always)]
    const fn to(self, place: u32) -> Self {
        let bits = if self.first == 0 { bits::up_to(self.bits, place) } else { place as u64 + 1 };
        Self { bits, ..self }.reversed()
    }

    /// The block with its units lengthened `scale` times, then moved by `by`.
    #[inline(always)]
    pub(crate) const fn scaled(self, scale: u64, by: u64) -> Self {
        Self { base: self.base * scale + by, unit: self.unit * scale, ..self }
    }

    /// The block moved by `by`.
    #[inline(always)]
    pub(crate) const fn shifted(self, by: u64) -> Self {
        Self { base: self.base.wrapping_add(by), ..self }
    }

    /// What of it is not after `end`. Seldom is anything.
    #[inline(always)]
    pub(crate) fn until(self, list: &[u16], end: i64) -> Self {
        if list.is_empty() {
            return self.no_further_than(end - self.base.cast_signed());
        }
        let ultimate = self.day(list, self.first.wrapping_add(self.bits).wrapping_sub(1));
        let is_whole = ultimate.cast_signed() <= end;
        let bits = if is_whole { self.bits } else { days_up_to(self, list, end) };
        Self { bits, ..self }
    }

    /// What of it is not before `start`, if it is [reversed](Self::reversed).
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

    /// The places that are no further from the base.
    #[inline(always)]
    fn no_further_than(self, distance: i64) -> Self {
        let is_whole = self.unit.wrapping_mul(u64::from(PLACES) - 1).cast_signed() <= distance;
        let bits = if is_whole { self.bits } else { bits_within(self.bits, self.unit, distance) };
        Self { bits, ..self }
    }
}

// What follows is seldom come to, and returns a number, not a block: that would have
// to be in memory, also where nothing is cut.

/// The places in steps of `unit` that are no further than `distance`.
#[cold]
#[inline(never)]
#[expect(clippy::cast_possible_truncation, reason = "below 63")]
fn bits_within(bits: u64, unit: u64, distance: i64) -> u64 {
    let Ok(distance) = u64::try_from(distance) else {
        return 0;
    };
    // The only place of a block without a unit is 0.
    let last = distance.checked_div(unit).unwrap_or(0);
    bits::up_to(bits, last as u32)
}

/// How many days of a block are not after an instant.
#[cold]
#[inline(never)]
fn days_up_to(block: Block, list: &[u16], instant: i64) -> u64 {
    block.days(list).partition_point(|&day| block.on(day).cast_signed() <= instant) as u64
}

/// A block, and *tokens* for the blocks around it, with which the plan makes
/// these without a search.
///
/// This is what iteration walks, at each end: an event costs a bit scan, or where
/// days are listed a load, and a multiplication; a new block costs that once more, and
/// what it takes to look up its bits; only a new span takes a search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    /// The events.
    pub events: Block,
    /// The other blocks of the span.
    pub tokens: Block,
}

impl Span {
    /// No events, and no other blocks.
    pub(crate) const EMPTY: Self = Self { events: Block::EMPTY, tokens: Block::EMPTY };

    /// Nothing is left in it.
    #[inline(always)]
    pub(crate) const fn clear(&mut self) {
        (self.events.bits, self.tokens.bits) = (0, 0);
    }
}

/// A place in a span: all its events and tokens, and which are those asked for.
#[derive(Clone, Copy, Debug)]
pub struct Enclosing {
    pub(crate) span: Span,
    /// The place of the event in its block.
    pub(crate) event: u32,
    /// The place of the block's token.
    pub(crate) token: u32,
}

impl Enclosing {
    /// A place in a block that stands alone.
    #[inline(always)]
    pub(crate) const fn alone(events: Block, event: u32) -> Self {
        Self { span: Span { events, tokens: Block::EMPTY }, event, token: 0 }
    }

    /// The event, and what comes after it.
    #[inline(always)]
    pub(crate) const fn from(self) -> Span {
        let Span { events, mut tokens } = self.span;
        tokens.bits &= u64::MAX << (self.token & 63) << 1;
        Span { events: events.from(self.event), tokens }
    }

    /// The event, and what comes before it, reversed.
    #[inline(always)]
    pub(crate) const fn to(self) -> Span {
        let Span { events, mut tokens } = self.span;
        tokens.bits &= !(u64::MAX << (self.token & 63));
        Span { events: events.to(self.event), tokens: tokens.reversed() }
    }
}

/// The 64 of `len` places that `index` is among: the first of them, and those
/// that there are, as bits.
#[inline(always)]
pub(crate) const fn group(index: u64, len: u64) -> (u64, u64) {
    let first = index & !63;
    let rest = len.wrapping_sub(first);
    (first, if rest >= 64 { u64::MAX } else { !(u64::MAX << rest) })
}
