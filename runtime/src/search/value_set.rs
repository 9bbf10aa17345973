//! [`ValueSet`]: the values of one field.

use core::hint::select_unpredictable;

use crate::{Milliseconds, bits};

/// A set of values of one field, at most 0-999.
///
/// Callers must not call `ceil` after the last value, nor `floor` before the first one: the result
/// would be unspecified.
pub trait ValueSet: Sync {
    /// Returns the lowest value.
    fn first(&self) -> u32;
    /// Returns the highest value.
    fn last(&self) -> u32;
    /// Returns the number of values.
    fn count(&self) -> u32;
    /// Returns the first value at or above `place`.
    fn ceil(&self, place: u32) -> u32;
    /// Returns the last value at or below `place`.
    fn floor(&self, place: u32) -> u32;
    /// Whether `place` is a value.
    fn contains(&self, place: u32) -> bool;
    /// Whether there are several values, and they are exactly the values of `*` or `*/n` in a field
    /// with `radix` values.
    fn is_stepped(&self, radix: u32) -> bool;
    /// Returns how many values are below `place`.
    fn rank(&self, place: u32) -> u32;
    /// Returns the value with `rank` values below it, if there is one.
    fn select(&self, rank: u32) -> u32;
    /// Returns the word that contains `place`: its values as bits, and the place of its first bit.
    fn word(&self, place: u32) -> (u64, u32);
    /// Returns the words that have values, as bits.
    #[inline(always)]
    fn occupied(&self) -> u64 {
        1
    }
}

/// A set of one value.
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
}

/// A set of values below 64, as bits.
#[derive(Clone, Copy, Debug)]
pub struct SmallSet {
    bits: u64,
}

impl SmallSet {
    /// Returns a set with the given bits.
    #[must_use]
    pub const fn new(bits: u64) -> Self {
        Self { bits }
    }

    /// Returns the argument of [`new`](Self::new).
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
}

/// A set of values below 1000, as words of bits with the neighbors and the rank of each word.
///
/// Every search reads one word, and one more number if that word has no value on the right side.
#[derive(Clone, Debug)]
pub struct MillisecondSet {
    words: Milliseconds,
    /// The number of values before each word.
    ranks: [u16; 16],
    /// The first value after each word, if there is one.
    nexts: [u16; 16],
    /// The last value before each word, if there is one.
    prevs: [u16; 16],
    /// The words that have values, as bits.
    occupied: u16,
    count: u16,
    first: u16,
    last: u16,
}

impl MillisecondSet {
    /// Returns a set with the given bits.
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

    /// Returns the argument of [`new`](Self::new).
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
    fn small_sets_agree_with_a_scan() {
        for bits in [1, 1 << 63, 0b1011, 0x3ff, 0x7ff, u64::MAX, 0x8000_0100_0010_0001] {
            check_against_scan(&SmallSet::new(bits), &|place| bits >> place & 1 == 1, 64);
        }
    }

    #[test]
    fn millisecond_sets_agree_with_a_scan() {
        let rules: [&dyn Fn(u32) -> bool; 6] = [
            &|place| place == 999,
            &|place| matches!(place, 1..=5 | 10 | 13 | 16 | 19),
            &|place| place % 250 == 0,
            &|place| place % 20 == 7 && place < 960,
            &|place| place % 20 == 7 && place < 980,
            &|_| true,
        ];
        for rule in rules {
            let mut words = [0; 16];
            for place in (0..1000).filter(|&place| rule(place)) {
                words[place as usize / 64] |= 1 << (place % 64);
            }
            check_against_scan(&MillisecondSet::new(words), rule, 1000);
        }
    }

    fn check_against_scan(set: &impl ValueSet, has: &dyn Fn(u32) -> bool, radix: u32) {
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
