//! [`Bitmap`]: a large set of numbers.

use core::hint::select_unpredictable;

use super::value_set::ValueSet;
use crate::{Milliseconds, bits};

/// A set of numbers below `64 * WORDS`, as words of bits with the neighbors and the rank of each
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
    /// Which of the first 64 words have values, as bits.
    occupied: u64,
    count: u16,
    first: u16,
    last: u16,
    /// The mean number of words for a value, in 2^16ths, if there are many words.
    slope: u32,
}

/// By how many words a guess may be off before the words are bisected.
const NEAR: u32 = 4;

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
            slope: 0,
        };
        // Sets of days are made in constant evaluation, one for each schedule on a calendar. So the
        // loops have few operations, and fewer calls, which take as long as ten operations. Even the
        // parameter of the type is evaluated each time.
        let len = WORDS;
        let (mut index, mut highest) = (0, 63 + BELOW);
        let (mut prev, mut count) = (before.wrapping_add(BELOW), 0);
        while index < len {
            let word = words[index];
            set.ranks[index] = count as u16;
            set.prevs[index] = prev as u16;
            if word != 0 {
                count += word.count_ones();
                prev = highest - word.leading_zeros();
            }
            index += 1;
            highest += 64;
        }
        let (mut lowest, mut next) = (64 * WORDS as u32, after);
        while index > 0 {
            index -= 1;
            lowest -= 64;
            let word = words[index];
            set.nexts[index] = next as u16;
            if word != 0 {
                next = lowest + word.trailing_zeros();
            }
        }
        while index < WORDS && index < 64 {
            set.occupied |= ((words[index] != 0) as u64) << index;
            index += 1;
        }
        let last = prev.wrapping_sub(BELOW);
        (set.count, set.first, set.last) = (count as u16, next as u16, last as u16);
        if WORDS > 64 && count > 0 {
            set.slope = ((WORDS as u32) << 16) / count;
        }
        set
    }

    /// Returns the bits.
    #[must_use]
    pub const fn words(&self) -> &[u64; WORDS] {
        &self.words
    }

    /// Whether the set has no values.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the first and the last value, and the number of values.
    pub(super) const fn ends(&self) -> ([u32; 2], u32) {
        ([self.first as u32, self.last as u32], self.count as u32)
    }

    /// Returns the value that is `steps` values after a place or, if negative, before it. If there is
    /// no value at the place, 0 steps are one step after it. The place is from -1 to the highest one.
    #[inline(always)]
    #[must_use]
    pub fn step(&self, place: i32, steps: i32) -> Option<u32> {
        // Where to start, and how many values to skip from there on.
        let is_after = i32::from(steps > 0);
        let (start, skipped) = (place + is_after, steps - is_after);
        let near = self.step_near(start, skipped);
        near.or_else(|| self.step_far(start, skipped))
    }

    /// Returns the value to step to if it is among the next or, with negative `steps`, the last eight
    /// places: all that a table of bytes can answer.
    #[inline(always)]
    fn step_near(&self, start: i32, steps: i32) -> Option<u32> {
        // A place out of range becomes a high one, where there are no words, and so no values.
        const { assert!(!WORDS.is_power_of_two()) };
        let first = if steps < 0 { start - 8 } else { start }.cast_unsigned();
        let low = bits::element(&self.words, first / 64, 0) >> (first % 64);
        let high = bits::element(&self.words, first / 64 + 1, 0) << 1 << (63 - first % 64);
        let places = bits::Places::of(low | high);
        let before = if steps < 0 { places.count() } else { 0 };
        let rank = before.wrapping_add_signed(steps);
        (rank < places.count()).then(|| first + places.at(rank))
    }

    /// Returns the value to step to. Looks first at the word where it is if all values are spread evenly.
    #[inline(never)]
    #[expect(clippy::cast_possible_truncation, reason = "a word out of range has no such value")]
    fn step_far(&self, start: i32, steps: i32) -> Option<u32> {
        let start = start.max(0).cast_unsigned();
        // Before the first value, it becomes higher than all ranks.
        let rank = self.rank(start).wrapping_add_signed(steps);
        let words = i64::from(start) * 1024 + i64::from(steps) * i64::from(self.slope);
        let guess = (words.cast_unsigned() >> 16) as u32;
        let word = bits::element(&self.words, guess, 0);
        let in_word = rank.wrapping_sub(bits::element(&self.ranks, guess, 0).into());
        let sums = bits::byte_sums(word);
        if u64::from(in_word) < sums >> 56 {
            return Some(guess * 64 + bits::select_by(word, sums, in_word));
        }
        self.select_any(rank)
    }

    /// Returns the value with `rank` values before it, if there is one.
    #[cold]
    #[inline(never)]
    fn select_any(&self, rank: u32) -> Option<u32> {
        (rank < self.count.into()).then(|| self.select(rank))
    }

    /// Whether a word has the value with `rank` values before it.
    #[inline(always)]
    fn has_rank(&self, index: u32, rank: u32) -> bool {
        let before = |index| u32::from(bits::element(&self.ranks, index, u16::MAX));
        before(index) <= rank && rank < before(index + 1)
    }

    /// Returns the value of a word with `rank` values before it.
    #[inline(always)]
    const fn select_in(&self, index: u32, rank: u32) -> u32 {
        let before = bits::element(&self.ranks, index, 0) as u32;
        index * 64 + bits::select(self.at(index * 64), rank.wrapping_sub(before) & 63)
    }

    /// Returns the index of the word with the value that has `rank` values before it.
    ///
    /// If the values are spread evenly, as the days of most calendars are, a guess is off by a word or
    /// two.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 words")]
    fn word_of(&self, rank: u32) -> u32 {
        let begins = |index: u32| u32::from(bits::element(&self.ranks, index, u16::MAX)) <= rank;
        let guess = (u64::from(rank) * u64::from(self.slope)) >> 16;
        let first = (guess as u32).saturating_sub(NEAR / 2);
        // Counting takes no branch.
        let index = first + (1..=NEAR).map(|step| u32::from(begins(first + step))).sum::<u32>();
        if self.has_rank(index, rank) {
            return index;
        }
        self.ranks[1..].partition_point(|before| u32::from(*before) <= rank) as u32
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
        let index = if WORDS > 64 {
            self.word_of(rank)
        } else {
            // Comparing all ranks takes a few vector instructions and no branch.
            self.ranks[1..].iter().map(|before| u32::from(is_before(before))).sum()
        };
        self.select_in(index, rank)
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
