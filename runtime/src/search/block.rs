//! [`Block`]: up to 64 places in equal steps, and the events among them;
//! [`Span`]: a block, and the blocks around it.

use crate::bits;

/// Events as bits: that of bit `i` is `base + i * unit`, or, where the days are a
/// list, `base + list[first + i] * unit`. Between two events of a block there are
/// no others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Block {
    /// Where the block's line begins: an offset, or a day.
    pub base: u64,
    /// What a place on that line is worth.
    pub unit: u64,
    /// The places that are events.
    pub bits: u64,
    /// Where in a list bit 0 is; 0 where there is none.
    pub first: u64,
}

impl Block {
    /// No events.
    pub const EMPTY: Self = Self { base: 0, unit: 0, bits: 0, first: 0 };

    /// Places, or a list from its start on.
    #[inline(always)]
    pub(crate) const fn new(base: u64, unit: u64, bits: u64) -> Self {
        Self { base, unit, bits, first: 0 }
    }

    /// One event.
    #[inline(always)]
    pub(crate) const fn one(base: u64) -> Self {
        Self::new(base, 0, 1)
    }

    /// Takes the first place; of a block without one, some place.
    #[inline(always)]
    pub(crate) const fn pop(&mut self) -> u32 {
        let place = bits::first(self.bits);
        self.bits &= self.bits.wrapping_sub(1);
        place
    }

    /// Takes the last place of a block that is [reversed](Self::reversed).
    #[inline(always)]
    pub(crate) const fn pop_back(&mut self) -> u32 {
        63_u32.wrapping_sub(self.pop())
    }

    /// The same places, to be taken from the last on: to find and clear the first
    /// bit of a word is cheaper than the last.
    #[inline(always)]
    pub(crate) const fn reversed(self) -> Self {
        Self { bits: self.bits.reverse_bits(), ..self }
    }

    /// `place` units from the base.
    #[inline(always)]
    pub(crate) const fn at(&self, place: u32) -> u64 {
        self.base.wrapping_add((place as u64).wrapping_mul(self.unit))
    }

    /// The event of a place, where that may be one of a list.
    #[inline(always)]
    pub(crate) fn event(&self, list: &[u16], place: u32) -> u64 {
        if list.is_empty() {
            return self.at(place);
        }
        let index = self.first.wrapping_add(place.into());
        let listed = usize::try_from(index).ok().and_then(|index| list.get(index));
        self.at(listed.copied().map_or(0, u32::from))
    }

    /// The block with its units lengthened `scale` times, then moved by `by`.
    #[inline(always)]
    pub(crate) const fn scaled(self, scale: u64, by: u64) -> Self {
        Self { base: self.base * scale + by, unit: self.unit * scale, ..self }
    }

    /// The block moved by `by`.
    #[inline(always)]
    pub(crate) const fn shifted(self, by: u64) -> Self {
        Self { base: self.base + by, ..self }
    }
}

/// A block, and *tokens* for the blocks around it, with which the plan makes
/// these without a search.
///
/// This is what iteration walks, at each end: an event costs a bit scan and a
/// multiplication, whatever the schedule; a new block costs that once more, and
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
}

/// A place in a span: all its events and tokens, and which are those asked for.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    pub(crate) span: Span,
    /// The place of the event in its block.
    pub(crate) event: u32,
    /// The place of the block's token.
    pub(crate) token: u32,
}

impl Around {
    /// A place in a block that stands alone.
    #[inline(always)]
    pub(crate) const fn alone(events: Block, event: u32) -> Self {
        Self { span: Span { events, tokens: Block::EMPTY }, event, token: 0 }
    }

    /// The event, and what comes after it.
    #[inline(always)]
    pub(crate) const fn from(self) -> Span {
        let mut span = self.span;
        span.events.bits &= u64::MAX << (self.event & 63);
        span.tokens.bits &= u64::MAX << (self.token & 63) << 1;
        span
    }

    /// The event, and what comes before it, reversed.
    #[inline(always)]
    pub(crate) const fn to(self) -> Span {
        let Span { mut events, mut tokens } = self.span;
        events.bits &= u64::MAX >> (63 - (self.event & 63));
        tokens.bits &= !(u64::MAX << (self.token & 63));
        Span { events: events.reversed(), tokens: tokens.reversed() }
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
