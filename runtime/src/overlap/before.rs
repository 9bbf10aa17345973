//! [`Before`]: the number of events before words of days.

use super::last_where;
use crate::search::{DAYS, WORDS};

/// The distance from one number to the next, in words.
const INTERVAL: usize = 2;

const NUMBERS: usize = WORDS.div_ceil(INTERVAL);

/// The size of a group of numbers that differ by less than 2^40: 64 times 128 days have 7.1e11 milliseconds.
const GROUP: usize = 64;

// The number before the last word is stored, so no word needs one beyond.
const _: () = assert!(WORDS % INTERVAL == 1);

/// The number of events before every other word of days, in little more than five bytes each, since a literal should be
/// small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    /// The lowest 32 bits.
    low: [u32; NUMBERS],
    /// How much the bits above these have grown since the first number of the group.
    high: [u8; NUMBERS],
    /// These bits of the first number of each group.
    groups: [u16; NUMBERS.div_ceil(GROUP)],
}

impl Before {
    /// No events.
    pub(super) const ZERO: Self =
        Self { low: [0; NUMBERS], high: [0; NUMBERS], groups: [0; NUMBERS.div_ceil(GROUP)] };

    /// Sets the number of events before a word, if it is one of those. The words must be set in order.
    #[expect(clippy::cast_possible_truncation, reason = "parts of a number below 2^48")]
    pub(super) const fn set(&mut self, word: usize, count: u64) {
        if !word.is_multiple_of(INTERVAL) {
            return;
        }
        let index = word / INTERVAL;
        let (low, high) = (count as u32, (count >> 32) as u16);
        if index.is_multiple_of(GROUP) {
            self.groups[index / GROUP] = high;
        }
        self.low[index] = low;
        self.high[index] = (high - self.groups[index / GROUP]) as u8;
    }

    /// Returns the number of events before a word or, if it is not one of those, before the next one.
    pub(super) const fn word_or_next(&self, word: usize) -> u64 {
        self.number(word.div_ceil(INTERVAL))
    }

    /// Returns a range of days that contains the event with a rank: its first day, and the day after its last one.
    #[expect(clippy::cast_possible_truncation, reason = "an index")]
    pub(super) fn days_around(&self, rank: u64) -> [u64; 2] {
        const DAYS_APART: u64 = 64 * INTERVAL as u64;
        let has_reached = |index| self.number(index as usize) <= rank;
        let index = last_where([0, NUMBERS as u64], has_reached);
        [DAYS_APART * index, (DAYS_APART * (index + 1)).min(DAYS.into())]
    }

    const fn number(&self, index: usize) -> u64 {
        let high = self.groups[index / GROUP] + self.high[index] as u16;
        (high as u64) << 32 | self.low[index] as u64
    }
}
