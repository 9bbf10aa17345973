//! [`DayTables`]: any days, as bits with ranks and neighbors.

use super::ranks::up_to;
use crate::bits;
use crate::search::range::DAYS;

/// The number of words in the range.
pub(super) const WORDS: usize = DAYS.div_ceil(64) as usize;

/// The tables of a `DayBitmap`.
#[derive(Clone, Debug)]
pub struct DayTables {
    /// The days, as bits.
    pub words: [u64; WORDS],
    /// The number of days before each word, and the total.
    pub before: [u16; WORDS + 1],
    /// The first day after each word.
    pub nexts: [u16; WORDS],
    /// The last day before each word.
    pub prevs: [u16; WORDS],
}

impl DayTables {
    pub(crate) const EMPTY: Self =
        Self { words: [0; WORDS], before: [0; WORDS + 1], nexts: [0; WORDS], prevs: [0; WORDS] };

    /// Fills in some days, and returns whether there are any.
    #[expect(clippy::cast_possible_truncation, reason = "a day is below 2^16")]
    pub(crate) fn fill(&mut self, days: impl Iterator<Item = u32>) -> bool {
        for day in days {
            self.words[day as usize / 64] |= 1 << (day % 64);
        }
        let mut last = 0;
        for (index, word) in self.words.iter().enumerate() {
            self.before[index + 1] = self.before[index] + word.count_ones() as u16;
            self.prevs[index] = last;
            if *word != 0 {
                last = 64 * index as u16 + bits::last(*word) as u16;
            }
        }
        let mut next = DAYS as u16;
        for (index, word) in self.words.iter().enumerate().rev() {
            self.nexts[index] = next;
            if *word != 0 {
                next = 64 * index as u16 + bits::first(*word) as u16;
            }
        }
        self.before[WORDS] > 0
    }

    #[inline(always)]
    pub(super) const fn word(&self, day: u32) -> u64 {
        bits::element(&self.words, day / 64, 0)
    }

    /// Returns the first day at or after `day`, or a day after the range.
    #[inline(always)]
    pub(crate) fn ceil(&self, day: u32) -> u32 {
        let here = self.word(day) >> (day % 64);
        let next = bits::element(&self.nexts, day / 64, 0);
        if here == 0 { next.into() } else { day + bits::first(here) }
    }

    /// Returns the last day at or before `day`, or 0.
    #[inline(always)]
    pub(crate) fn floor(&self, day: u32) -> u32 {
        let here = bits::up_to(self.word(day), day);
        let prev = bits::element(&self.prevs, day / 64, 0);
        if here == 0 { prev.into() } else { day / 64 * 64 + bits::last(here) }
    }

    /// Whether `day` is one of the days.
    #[inline(always)]
    pub(crate) fn contains(&self, day: u32) -> bool {
        bits::contains(self.word(day), day)
    }

    /// Returns how many days precede `day`.
    #[inline(always)]
    pub(crate) fn rank(&self, day: u32) -> u32 {
        let before = bits::element(&self.before, day / 64, 0);
        u32::from(before) + bits::rank(self.word(day), day)
    }

    /// Returns the day with `rank` days before it, if there is one.
    #[inline(always)]
    pub(crate) fn select(&self, rank: u32) -> u32 {
        let index = up_to(&self.before[1..WORDS], rank);
        let rank = rank.wrapping_sub(bits::element(&self.before, index, 0).into());
        64 * index + bits::select(self.word(64 * index), rank & 63)
    }
}
