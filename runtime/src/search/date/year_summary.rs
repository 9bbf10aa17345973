//! [`YearSummary`]: the neighbors and ranks of the six words of a year, each packed into one
//! word.

use super::years::YEAR_BEFORE;
use crate::bits;

/// The lowest bit of each of six ten-bit numbers.
const EACH: u64 = 0x0004_0100_4010_0401;

/// The neighbors and ranks of the words of a year, without the days of adjacent years.
#[derive(Clone, Copy)]
pub(super) struct YearSummary {
    pub(super) ranks: WordRanks,
    /// The first day after each word and the last one before it, as in [`NeighborDays`], if they
    /// are in this year.
    nexts: u64,
    prevs: u64,
    /// The bits of the neighbors that are in an adjacent year.
    is_last: u64,
    is_first: u64,
    /// The first and the last day, counted from 1 January, if the year has days.
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

    /// Adds the next word.
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

    /// Whether there are days after the first word.
    pub(super) const fn has_days_from_march(&self) -> bool {
        self.ranks.total() > self.ranks.before(1)
    }

    /// Returns the first day after each word, where `day` is the first one in the next year.
    pub(super) const fn nexts(&self, day: u32) -> NeighborDays {
        NeighborDays(self.nexts | (each(day) & self.is_last))
    }

    /// Returns the last day before each word, where `day` is the last one in the previous year.
    pub(super) const fn prevs(&self, day: u32) -> NeighborDays {
        NeighborDays(self.prevs | (each(day) & self.is_first))
    }
}

/// Repeats a number six times.
const fn each(number: u32) -> u64 {
    number as u64 * EACH
}

/// The neighbors of six words, ten bits each: the days after them, counted from 1 January, or
/// the days before them, counted from [`YEAR_BEFORE`] days earlier.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeighborDays(pub(super) u64);

impl NeighborDays {
    /// No neighbor in this year, in a schedule that has years without days.
    pub(super) const NONE: u32 = 1023;

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "cut to ten bits")]
    pub(super) const fn get(self, word: u32) -> u32 {
        (self.0 >> ((10 * word) & 63)) as u32 & 1023
    }
}

/// The number of days up to the end of each of six words, ten bits each. The highest of the
/// ten bits is 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordRanks(pub(super) u64);

impl WordRanks {
    /// The highest bit of each of the six numbers.
    const HIGH: u64 = EACH << 9;

    /// Returns the number of days before a word.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "cut to ten bits")]
    pub(super) const fn before(self, word: u32) -> u32 {
        (self.0 << 10 >> ((10 * word) & 63)) as u32 & 1023
    }

    /// Returns the word that contains the day with `rank` days before it, if there is one.
    #[inline(always)]
    pub(super) const fn word_of(self, rank: u32) -> u32 {
        let are_up_to = (rank as u64).wrapping_mul(EACH) | Self::HIGH;
        let are_up_to = are_up_to.wrapping_sub(self.0) & Self::HIGH;
        ((are_up_to >> 9).wrapping_mul(EACH) >> 50) as u32 & 7
    }

    /// Returns the words that have days, as bits.
    #[inline(always)]
    pub(super) const fn occupied(self) -> u64 {
        // A word has days if its number differs from that of the word before. The addition carries
        // the difference into the highest of the ten bits, and the multiplication gathers these
        // bits.
        let added = self.0 ^ (self.0 << 10);
        let are_any = (added & !Self::HIGH).wrapping_add(Self::HIGH - EACH) & Self::HIGH;
        ((are_any >> 9).wrapping_mul(0x0004_0201_0080_4020) >> 50) & 0o77
    }

    #[inline(always)]
    pub(super) const fn total(self) -> u32 {
        (self.0 >> 50) as u32
    }
}
