//! [`Bitmap`]: a set of up to 4,096 numbers.

use core::hint::select_unpredictable;

use super::value_set::ValueSet;
use crate::{Milliseconds, bits};

/// A set of numbers below `64 * WORDS`, of at most 64 words, as words of bits with the neighbors and the rank of each
/// word.
///
/// Every search reads one word, and one more number if that word has no value on the right side.
/// Before the first value, that number may be up to `BELOW` below 0.
#[derive(Clone, Debug)]
pub struct Bitmap<const WORDS: usize, const BELOW: u32 = 0> {
    words: [u64; WORDS],
    /// The number of values before each word.
    ranks: [u16; WORDS],
    /// The first value after each word.
    nexts: [u16; WORDS],
    /// The last value before each word, plus `BELOW`.
    prevs: [u16; WORDS],
    /// Which words have values, as bits.
    occupied: u64,
    count: u16,
    first: u16,
    last: u16,
}

/// A set of milliseconds.
pub type MillisecondSet = Bitmap<16>;

impl MillisecondSet {
    /// Returns a set with the given bits, of which at least one must be set.
    #[must_use]
    pub const fn new(words: Milliseconds) -> Self {
        Self::with_ends(&words, 0, 0)
    }
}

impl<const WORDS: usize, const BELOW: u32> Bitmap<WORDS, BELOW> {
    /// Returns a set with the given bits, and the results of searches before its first value and
    /// after its last one.
    #[expect(clippy::cast_possible_truncation, reason = "a value is below 2^16")]
    pub(super) const fn with_ends(words: &[u64; WORDS], before: u32, after: u32) -> Self {
        let mut set = Self {
            words: *words,
            ranks: [0; WORDS],
            nexts: [0; WORDS],
            prevs: [0; WORDS],
            occupied: 0,
            count: 0,
            first: 0,
            last: 0,
        };
        let mut index = 0;
        let (mut prev, mut count) = (before.wrapping_add(BELOW), 0);
        while index < WORDS {
            let word = words[index];
            set.ranks[index] = count as u16;
            set.prevs[index] = prev as u16;
            if word != 0 {
                set.occupied |= 1 << index;
                count += word.count_ones();
                prev = 64 * index as u32 + bits::last(word) + BELOW;
            }
            index += 1;
        }
        let mut next = after;
        while index > 0 {
            index -= 1;
            let word = words[index];
            set.nexts[index] = next as u16;
            if word != 0 {
                next = 64 * index as u32 + bits::first(word);
            }
        }
        let last = prev.wrapping_sub(BELOW);
        (set.count, set.first, set.last) = (count as u16, next as u16, last as u16);
        set
    }

    /// Returns the bits.
    #[must_use]
    pub const fn words(&self) -> &[u64; WORDS] {
        &self.words
    }

    #[inline(always)]
    const fn at(&self, place: u32) -> u64 {
        bits::element(&self.words, place / 64, 0)
    }
}

impl<const WORDS: usize, const BELOW: u32> ValueSet for Bitmap<WORDS, BELOW> {
    #[inline(always)]
    fn first(&self) -> u32 {
        self.first.into()
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        self.last.into()
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.count.into()
    }

    #[inline(always)]
    fn ceil(&self, place: u32) -> u32 {
        let here = self.at(place) >> (place % 64);
        let next = bits::element(&self.nexts, place / 64, 0).into();
        select_unpredictable(here != 0, place + bits::first(here), next)
    }

    #[inline(always)]
    fn floor(&self, place: u32) -> u32 {
        let here = self.at(place) << (63 - place % 64);
        let prev = u32::from(bits::element(&self.prevs, place / 64, 0)).wrapping_sub(BELOW);
        // Shifting the higher bits out takes one shift; masking them takes two. The 1 avoids
        // a special case for an empty word, whose result is not used.
        let in_word = place.wrapping_sub((here | 1).leading_zeros());
        select_unpredictable(here != 0, in_word, prev)
    }

    #[inline(always)]
    fn contains(&self, place: u32) -> bool {
        bits::contains(self.at(place), place)
    }

    fn is_stepped(&self, radix: u32) -> bool {
        if self.count < 2 || self.first > 0 {
            return false;
        }
        let mut steps = (0..radix).step_by(self.select(1) as usize);
        steps.len() == usize::from(self.count) && steps.all(|place| self.contains(place))
    }

    #[inline(always)]
    fn rank(&self, place: u32) -> u32 {
        let before = u32::from(bits::element(&self.ranks, place / 64, 0));
        before + bits::rank(self.at(place), place)
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        let is_before = |before: &u16| u32::from(*before) <= rank;
        // Comparing all ranks takes a few vector instructions and no branch.
        let index = self.ranks[1..].iter().map(|before| u32::from(is_before(before))).sum();
        let before = u32::from(bits::element(&self.ranks, index, 0));
        index * 64 + bits::select(self.at(index * 64), rank.wrapping_sub(before) & 63)
    }

    #[inline(always)]
    fn word(&self, place: u32) -> (u64, u32) {
        (self.at(place), place / 64 * 64)
    }

    #[inline(always)]
    fn occupied(&self) -> u64 {
        self.occupied
    }
}
