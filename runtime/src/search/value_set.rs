//! Sets of the values of one digit.

use core::hint::select_unpredictable;

use crate::{Milliseconds, bits};

/// The values of a digit, 0-999 at the most.
///
/// A caller asks for what there is: no `ceil` after the last value, no `floor`
/// before the first. What comes back otherwise has no meaning, but it comes back.
pub trait ValueSet: Sync {
    /// The lowest value.
    fn first(&self) -> u32;
    /// The highest value.
    fn last(&self) -> u32;
    /// How many values there are.
    fn count(&self) -> u32;
    /// The first value at or above `place`.
    fn ceil(&self, place: u32) -> u32;
    /// The last value at or below `place`.
    fn floor(&self, place: u32) -> u32;
    /// Whether `place` is a value.
    fn contains(&self, place: u32) -> bool;
    /// Whether the values are several equal steps from 0 on, of a digit with `radix`
    /// values.
    fn is_stepped(&self, radix: u32) -> bool;
    /// How many values are below `place`.
    fn rank(&self, place: u32) -> u32;
    /// The value that has `rank` values below it, where there is one.
    fn select(&self, rank: u32) -> u32;
    /// The 64 places that `place` is among: which of them are values, and the
    /// first of these places.
    fn word(&self, place: u32) -> (u64, u32);
    /// Which of these words have values, as bits.
    fn occupied(&self) -> u64;
}

/// One value.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "quoted whole by the macro")]
pub struct SingleValue(pub u32);

impl ValueSet for SingleValue {
    #[inline(always)]
    fn first(&self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        1
    }

    #[inline(always)]
    fn ceil(&self, _: u32) -> u32 {
        self.0
    }

    #[inline(always)]
    fn floor(&self, _: u32) -> u32 {
        self.0
    }

    #[inline(always)]
    fn contains(&self, place: u32) -> bool {
        place == self.0
    }

    #[inline(always)]
    fn is_stepped(&self, _: u32) -> bool {
        false
    }

    #[inline(always)]
    fn rank(&self, place: u32) -> u32 {
        u32::from(place > self.0)
    }

    #[inline(always)]
    fn select(&self, _: u32) -> u32 {
        self.0
    }

    #[inline(always)]
    fn word(&self, _: u32) -> (u64, u32) {
        (1, self.0)
    }

    #[inline(always)]
    fn occupied(&self) -> u64 {
        1
    }
}

/// Some of up to 64 values, as bits.
#[derive(Clone, Copy, Debug)]
pub struct SmallSet {
    bits: u64,
}

impl SmallSet {
    /// The set of these bits.
    #[must_use]
    pub const fn new(bits: u64) -> Self {
        Self { bits }
    }

    /// The bits that [`new`](Self::new) took.
    #[must_use]
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.bits
    }
}

impl ValueSet for SmallSet {
    #[inline(always)]
    fn first(&self) -> u32 {
        bits::first(self.bits)
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        bits::last(self.bits)
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.bits.count_ones()
    }

    #[inline(always)]
    fn ceil(&self, place: u32) -> u32 {
        bits::ceil(self.bits, place)
    }

    #[inline(always)]
    fn floor(&self, place: u32) -> u32 {
        bits::floor(self.bits, place)
    }

    #[inline(always)]
    fn contains(&self, place: u32) -> bool {
        bits::contains(self.bits, place)
    }

    #[inline(always)]
    fn is_stepped(&self, radix: u32) -> bool {
        bits::are_steps(self.bits, radix)
    }

    #[inline(always)]
    fn rank(&self, place: u32) -> u32 {
        bits::rank(self.bits, place)
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        bits::select(self.bits, rank)
    }

    #[inline(always)]
    fn word(&self, _: u32) -> (u64, u32) {
        (self.bits, 0)
    }

    #[inline(always)]
    fn occupied(&self) -> u64 {
        1
    }
}

/// Some of 1000 values: words of bits, each with its neighbors and its rank, so that a
/// search reads one word, and if that has no value on the right side, one number.
#[derive(Clone, Debug)]
pub struct MillisecondSet {
    words: Milliseconds,
    /// How many values are in the words before each.
    ranks: [u16; 16],
    /// The first value after each word, where there is one.
    nexts: [u16; 16],
    /// The last value before each word, where there is one.
    prevs: [u16; 16],
    /// Which words have values.
    occupied: u16,
    count: u16,
    first: u16,
    last: u16,
}

impl MillisecondSet {
    /// The set of these bits.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "16 words have at most 1024 bits")]
    pub const fn new(words: Milliseconds) -> Self {
        let mut set = Self {
            words,
            ranks: [0; 16],
            nexts: [0; 16],
            prevs: [0; 16],
            occupied: 0,
            count: 0,
            first: 0,
            last: 0,
        };
        let mut index = 0;
        while index < 16 {
            set.prevs[index] = set.last;
            if words[index] != 0 {
                set.last = (index as u32 * 64 + bits::last(words[index])) as u16;
                if set.count == 0 {
                    set.first = (index as u32 * 64 + bits::first(words[index])) as u16;
                }
            }
            set.ranks[index] = set.count;
            set.count += words[index].count_ones() as u16;
            set.occupied |= ((words[index] != 0) as u16) << index;
            index += 1;
        }
        let mut next = set.first;
        while index > 0 {
            index -= 1;
            set.nexts[index] = next;
            if words[index] != 0 {
                next = (index as u32 * 64 + bits::first(words[index])) as u16;
            }
        }
        set
    }

    /// The bits that [`new`](Self::new) took.
    #[must_use]
    pub const fn words(&self) -> &Milliseconds {
        &self.words
    }

    #[inline(always)]
    const fn at(&self, index: u32) -> u64 {
        self.words[index as usize & 15]
    }
}

impl ValueSet for MillisecondSet {
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
        u32::from(self.count)
    }

    #[inline(always)]
    fn ceil(&self, place: u32) -> u32 {
        let index = place / 64;
        let here = self.at(index) >> (place % 64);
        let in_next = u32::from(self.nexts[index as usize & 15]);
        select_unpredictable(here != 0, place + bits::first(here), in_next)
    }

    #[inline(always)]
    fn floor(&self, place: u32) -> u32 {
        let index = place / 64;
        let here = bits::up_to(self.at(index), place);
        let in_prev = u32::from(self.prevs[index as usize & 15]);
        select_unpredictable(here != 0, index * 64 + bits::last(here), in_prev)
    }

    #[inline(always)]
    fn contains(&self, place: u32) -> bool {
        bits::contains(self.at(place / 64), place % 64)
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
        let index = place / 64;
        u32::from(self.ranks[index as usize & 15]) + bits::rank(self.at(index), place % 64)
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        let is_before = |before: &u16| u32::from(u32::from(*before) <= rank);
        let index = self.ranks[1..].iter().map(is_before).sum::<u32>();
        let before = u32::from(self.ranks[index as usize & 15]);
        index * 64 + bits::select(self.at(index), rank.wrapping_sub(before) & 63)
    }

    #[inline(always)]
    fn word(&self, place: u32) -> (u64, u32) {
        (self.at(place / 64), place / 64 * 64)
    }

    #[inline(always)]
    fn occupied(&self) -> u64 {
        u64::from(self.occupied)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn words_are_a_walk() {
        for bits in [1, 1 << 63, 0b1011, 0x3ff, 0x7ff, u64::MAX, 0x8000_0100_0010_0001] {
            is_a_walk(&SmallSet::new(bits), &|place| bits >> place & 1 == 1, 64);
        }
    }

    #[test]
    fn wide_sets_are_a_walk() {
        let rules: [&dyn Fn(u32) -> bool; 6] = [
            &|place| place == 999,
            &|place| matches!(place, 1..=5 | 10 | 13 | 16 | 19),
            &|place| place % 250 == 0,
            // As many as are listed, one more, and all.
            &|place| place % 20 == 7 && place < 960,
            &|place| place % 20 == 7 && place < 980,
            &|_| true,
        ];
        for rule in rules {
            let mut words = [0; 16];
            for place in (0..1000).filter(|&place| rule(place)) {
                words[place as usize / 64] |= 1 << (place % 64);
            }
            is_a_walk(&MillisecondSet::new(words), rule, 1000);
        }
    }

    fn is_a_walk(set: &impl ValueSet, has: &dyn Fn(u32) -> bool, radix: u32) {
        let all: Vec<u32> = (0..radix).filter(|&place| has(place)).collect();
        let (first, last) = (all[0], all[all.len() - 1]);
        assert_eq!((set.first(), set.last(), set.count() as usize), (first, last, all.len()));
        for place in 0..radix {
            assert_eq!(set.contains(place), has(place));
            assert_eq!(set.rank(place) as usize, all.partition_point(|&it| it < place));
            if place <= last {
                assert_eq!(Some(set.ceil(place)), all.iter().copied().find(|&it| it >= place));
            }
            if place >= first {
                assert_eq!(Some(set.floor(place)), all.iter().copied().rfind(|&it| it <= place));
            }
        }
        for (rank, place) in (0..).zip(all) {
            assert_eq!(set.select(rank), place);
        }
    }
}
