//! [`DayMinutes`]: the minutes of a day in which a schedule has events.

use core::hint::select_unpredictable;

use crate::bits;

/// Minutes in a day.
pub(super) const MINUTES_PER_DAY: u32 = 1440;

/// The number of words in a bitmap of the minutes of a day.
const WORDS: usize = MINUTES_PER_DAY.div_ceil(64) as usize;

/// The minutes of a day, as a bitmap with the neighbors and the rank of each word.
///
/// Every search reads one word, and one more number if that word has no minute on the right side.
/// Minutes count from midnight. The set repeats every day: after the last minute of a day comes the
/// first minute of the next.
#[derive(Clone, Copy, Debug)]
pub struct DayMinutes {
    words: [u64; WORDS],
    /// The first minute after each word, which may be in the next day.
    nexts: [u16; WORDS],
    /// The last minute before each word, which may be in the previous day.
    prevs: [i16; WORDS],
    /// The number of minutes before each word.
    ranks: [u16; WORDS],
    hours: u32,
    minutes: u64,
}

impl DayMinutes {
    /// Returns the set of the given minutes in each of the given hours. Both are bits, and not
    /// empty.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the minutes of two days are below 2^12")]
    pub const fn new(hours: u32, minutes: u64) -> Self {
        let (tables, ranks) = ([0; WORDS], [0; WORDS]);
        let mut set =
            Self { words: [0; WORDS], nexts: tables, prevs: [0; WORDS], ranks, hours, minutes };
        let mut rest = hours;
        while rest != 0 {
            let place = (rest.trailing_zeros() % 24 * 60) as usize;
            let (word, bit) = (place / 64, place % 64);
            set.words[word] |= minutes << bit;
            if bit > 4 && word + 1 < WORDS {
                set.words[word + 1] |= minutes >> (64 - bit);
            }
            rest &= rest - 1;
        }
        let mut prev = set.last() as i16 - MINUTES_PER_DAY as i16;
        let mut next = (set.first() + MINUTES_PER_DAY) as u16;
        let mut rank = 0;
        let mut index = 0;
        while index < WORDS {
            set.prevs[index] = prev;
            set.ranks[index] = rank;
            rank += set.words[index].count_ones() as u16;
            if set.words[index] != 0 {
                prev = (index as u32 * 64 + bits::last(set.words[index])) as i16;
            }
            let back = WORDS - 1 - index;
            set.nexts[back] = next;
            if set.words[back] != 0 {
                next = (back as u32 * 64 + bits::first(set.words[back])) as u16;
            }
            index += 1;
        }
        set
    }

    /// Returns the arguments of [`new`](Self::new): the hours, and the minutes of an hour.
    #[must_use]
    #[inline(always)]
    pub const fn parts(&self) -> (u32, u64) {
        (self.hours, self.minutes)
    }

    /// Returns the number of minutes in a day.
    #[inline(always)]
    pub(super) const fn count(&self) -> u32 {
        self.hours.count_ones() * self.minutes.count_ones()
    }

    /// Returns the first minute of a day.
    #[inline(always)]
    pub(super) const fn first(&self) -> u32 {
        self.hours.trailing_zeros() * 60 + bits::first(self.minutes)
    }

    /// Returns the last minute of a day.
    #[inline(always)]
    pub(super) const fn last(&self) -> u32 {
        bits::last(self.hours as u64) * 60 + bits::last(self.minutes)
    }

    #[inline(always)]
    const fn word(&self, minute: u32) -> u64 {
        bits::element(&self.words, minute / 64, 0)
    }

    /// Returns the first minute at or after `minute`, which is in the day. A result of 1440 or
    /// more is in the next day.
    #[inline(always)]
    pub(super) fn ceil(&self, minute: u32) -> u32 {
        let word = self.word(minute) >> (minute % 64);
        let next = u32::from(bits::element(&self.nexts, minute / 64, 0));
        select_unpredictable(word != 0, minute + bits::first(word), next)
    }

    /// Returns the last minute at or before `minute`, which is in the day. A result below 0,
    /// wrapped, is in the previous day.
    #[inline(always)]
    pub(super) fn floor(&self, minute: u32) -> u32 {
        let word = self.word(minute) << (63 - minute % 64);
        let prev = i32::from(bits::element(&self.prevs, minute / 64, 0)).cast_unsigned();
        // Shifting the higher bits out takes one shift; masking them takes two. The 1 avoids
        // a special case for an empty word, whose result is not used.
        let in_word = minute.wrapping_sub((word | 1).leading_zeros());
        select_unpredictable(word != 0, in_word, prev)
    }

    /// Whether `minute`, which is in the day, belongs to the set.
    #[inline(always)]
    pub(super) fn contains(&self, minute: u32) -> bool {
        bits::contains(self.word(minute), minute)
    }

    /// Returns how many minutes of the set are before `minute`, which is in the day.
    #[inline(always)]
    pub(super) fn rank(&self, minute: u32) -> u32 {
        let before = u32::from(bits::element(&self.ranks, minute / 64, 0));
        before + bits::rank(self.word(minute), minute % 64)
    }

    /// Returns the minute of the day with `rank` minutes before it; `rank` must be below
    /// [`count`](Self::count).
    #[inline(always)]
    pub(super) fn select(&self, rank: u32) -> u32 {
        // Comparing all ranks takes a few vector instructions and no branch.
        let is_before = |before: &u16| u32::from(u32::from(*before) <= rank);
        let index = self.ranks[1..].iter().map(is_before).sum::<u32>();
        let before = u32::from(bits::element(&self.ranks, index, 0));
        let word = bits::element(&self.words, index, 0);
        index * 64 + bits::select(word, rank.wrapping_sub(before) & 63)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;

    #[test]
    fn searches_agree_with_a_scan_over_two_days() {
        let mut sets = vec![
            (1, 1),
            (1 << 23, 1 << 59),
            (0x00ff_ffff, (1 << 60) - 1),
            (0x00f0_82aa, 0x0000_1000_0090_9420),
            (0x0080_0001, 0x0800_0000_0000_0001),
        ];
        // Pseudo-random sets of any size, with Knuth's multiplier.
        sets.extend((1..40_u64).map(|seed| {
            let random = seed.wrapping_mul(6_364_136_223_846_793_005);
            let sparse = if seed % 2 == 0 { random.rotate_left(21) } else { u64::MAX };
            let hours = u32::try_from(random >> 40).unwrap();
            (hours | 1 << (seed % 24), (random >> 4) & sparse | 1 << seed)
        }));
        for (hours, minutes) in sets {
            let has = |minute: &u32| {
                hours >> (minute / 60 % 24) & 1 == 1 && minutes >> (minute % 60) & 1 == 1
            };
            check_against_scan(&DayMinutes::new(hours, minutes), has);
        }
    }

    fn check_against_scan(set: &DayMinutes, has: impl Fn(&u32) -> bool) {
        let all: Vec<u32> = (0..MINUTES_PER_DAY).filter(&has).collect();
        for minute in 0..MINUTES_PER_DAY {
            assert_eq!(set.ceil(minute), (minute..=2 * MINUTES_PER_DAY).find(&has).unwrap());
            let prev = (0..=minute + MINUTES_PER_DAY).rev().find(&has).unwrap();
            assert_eq!(set.floor(minute), prev.wrapping_sub(MINUTES_PER_DAY));
            assert_eq!(set.contains(minute), has(&minute));
            assert_eq!(set.rank(minute) as usize, all.partition_point(|&it| it < minute));
        }
        // `ceil` is also called with the first minute of the next day.
        assert_eq!(set.ceil(MINUTES_PER_DAY), MINUTES_PER_DAY + all[0]);
        assert_eq!(set.count() as usize, all.len());
        assert_eq!(
            (Some(set.first()), Some(set.last())),
            (all.first().copied(), all.last().copied())
        );
        for (rank, minute) in (0..).zip(all) {
            assert_eq!(set.select(rank), minute);
        }
    }
}
