//! What there is to know of the six words of a year, packed into one.

use super::years::YEAR_BEFORE;
use crate::bits;

/// The lowest bit of each of six places of ten bits.
const EACH: u64 = 0x0004_0100_4010_0401;

/// The words of a year, before it is known which years are beside it.
#[derive(Clone, Copy)]
pub(super) struct YearSummary {
    pub(super) ranks: WordRanks,
    /// The first day after each word, and the last before it, as in [`Neighbours`], as far
    /// as they are of this year.
    nexts: u64,
    prevs: u64,
    /// Where they are of another year: the bits of their places.
    is_last: u64,
    is_first: u64,
    /// The first and the last day, counted from 1 January, if there are any.
    pub(super) first: u32,
    pub(super) last: u32,
}

impl YearSummary {
    pub(super) const EMPTY: Self = Self {
        ranks: WordRanks(0),
        nexts: 0,
        prevs: 0,
        is_last: u64::MAX,
        is_first: u64::MAX,
        first: 0,
        last: 0,
    };

    /// Adds a word, after all those before it.
    pub(super) const fn add(&mut self, index: u32, word: u64) {
        if word == 0 {
            return;
        }
        let (first, last) = (64 * index + bits::first(word), 64 * index + bits::last(word));
        let (from_here, after) = (u64::MAX << (10 * index), u64::MAX << (10 * index + 10));
        self.nexts |= each(first) & self.is_last & !from_here;
        self.is_last &= from_here;
        self.prevs = (self.prevs & !after) | (each(YEAR_BEFORE + last) & after);
        if self.is_first == u64::MAX {
            (self.first, self.is_first) = (first, !after);
        }
        self.last = last;
        self.ranks.0 += each(word.count_ones()) & from_here;
    }

    /// The first days after each word, if that of the next year is `day`.
    pub(super) const fn nexts(&self, day: u32) -> NeighborDays {
        NeighborDays(self.nexts | (each(day) & self.is_last))
    }

    /// The last days before each word, if that of the year before is `day`.
    pub(super) const fn prevs(&self, day: u32) -> NeighborDays {
        NeighborDays(self.prevs | (each(day) & self.is_first))
    }
}

/// A number in each place.
const fn each(number: u32) -> u64 {
    number as u64 * EACH
}

/// The days beside each of six words, ten bits each: those after counted from 1
/// January, those before from [`YEAR_BEFORE`] days earlier.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeighborDays(pub(super) u64);

impl NeighborDays {
    /// No day in this year, where not every year has days.
    pub(super) const NONE: u32 = 1023;

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "cut to ten bits")]
    pub(super) const fn get(self, word: u32) -> u32 {
        (self.0 >> ((10 * word) & 63)) as u32 & 1023
    }
}

/// How many days there are in each of six words and those before it, ten bits
/// each, of which the highest is free.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordRanks(pub(super) u64);

impl WordRanks {
    /// The highest bit of each of the six.
    const HIGH: u64 = EACH << 9;

    /// How many days there are in the words before one.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "cut to ten bits")]
    pub(super) const fn before(self, word: u32) -> u32 {
        (self.0 << 10 >> ((10 * word) & 63)) as u32 & 1023
    }

    /// The word of the day that has `rank` days before it, where there is one.
    #[inline(always)]
    pub(super) const fn word_of(self, rank: u32) -> u32 {
        let are_up_to = (rank as u64).wrapping_mul(EACH) | Self::HIGH;
        let are_up_to = are_up_to.wrapping_sub(self.0) & Self::HIGH;
        ((are_up_to >> 9).wrapping_mul(EACH) >> 50) as u32 & 7
    }

    /// Which words have days, as bits.
    #[inline(always)]
    pub(super) const fn occupied(self) -> u64 {
        // What a word adds is not 0. The highest of its ten bits tells so, and the
        // multiplication brings them together.
        let added = self.0 ^ (self.0 << 10);
        let are_any = (added & !Self::HIGH).wrapping_add(Self::HIGH - EACH) & Self::HIGH;
        ((are_any >> 9).wrapping_mul(0x0004_0201_0080_4020) >> 50) & 0o77
    }

    #[inline(always)]
    pub(super) const fn total(self) -> u32 {
        (self.0 >> 50) as u32
    }
}
