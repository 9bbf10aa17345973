//! [`ValueSet`]: a set of numbers.

use crate::bits;

/// A set of numbers, such as the values of a field.
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
    /// Returns which of the first 64 words have values, as bits.
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
pub type SmallSet = u64;

impl ValueSet for SmallSet {
    #[inline(always)]
    fn first(&self) -> u32 {
        bits::first(*self)
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        bits::last(*self)
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.count_ones()
    }

    #[inline(always)]
    fn ceil(&self, place: u32) -> u32 {
        bits::ceil(*self, place)
    }

    #[inline(always)]
    fn floor(&self, place: u32) -> u32 {
        bits::floor(*self, place)
    }

    #[inline(always)]
    fn contains(&self, place: u32) -> bool {
        bits::contains(*self, place)
    }

    #[inline(always)]
    fn is_stepped(&self, radix: u32) -> bool {
        bits::are_steps(*self, radix)
    }

    #[inline(always)]
    fn rank(&self, place: u32) -> u32 {
        bits::rank(*self, place)
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        bits::select(*self, rank)
    }

    #[inline(always)]
    fn word(&self, _: u32) -> (u64, u32) {
        (*self, 0)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::search::bitmap::MillisecondSet;

    #[test]
    fn small_sets_agree_with_a_scan() {
        for bits in [1, 1 << 63, 0b1011, 0x3ff, 0x7ff, u64::MAX, 0x8000_0100_0010_0001] {
            check_against_scan(&bits, &|place| bits >> place & 1 == 1, 64);
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
