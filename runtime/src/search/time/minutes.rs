//! Sets of the minutes of a day.

use core::hint::select_unpredictable;

use crate::bits;

/// How many minutes a day has.
pub(super) const PER_DAY: u32 = 1440;

/// The minutes of a day, which are the same in each hour that has any.
///
/// Minutes count from midnight. There is no bound to either side: what follows
/// the last minute is the first of the next day.
pub trait MinuteSet: Sync {
    /// The first minute at or after `minute`, which is of the day; 1440 and more are
    /// of the next one.
    fn ceil(&self, minute: u32) -> u32;
    /// The last minute at or before `minute`, which is of the day; below 0, as
    /// wrapping arithmetic has it, are those of the day before.
    fn floor(&self, minute: u32) -> u32;
    /// Whether `minute` is one of the day's.
    fn contains(&self, minute: u32) -> bool;
    /// How many minutes of the day are before `minute`, which is one of it.
    #[inline(always)]
    fn rank(&self, minute: u32) -> u32 {
        self.fields().rank(minute)
    }
    /// The minute of the day that has `rank` minutes before it, where there is one.
    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        self.fields().select(rank)
    }
    /// The hours and minutes themselves.
    fn fields(&self) -> &HourMinutes;
}

/// Hours and minutes as two words of bits.
#[derive(Clone, Copy, Debug)]
pub struct HourMinutes {
    hours: u32,
    /// Low and high: a `u64` would leave a gap.
    minutes: [u32; 2],
}

impl HourMinutes {
    /// The hours and the minutes, as bits, neither without one.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "split into its halves")]
    pub const fn new(hours: u32, minutes: u64) -> Self {
        Self { hours, minutes: [minutes as u32, (minutes >> 32) as u32] }
    }

    /// What [`new`](Self::new) took.
    #[must_use]
    pub const fn parts(&self) -> (u32, u64) {
        (self.hours, self.minutes())
    }

    #[inline(always)]
    const fn minutes(&self) -> u64 {
        let [low, high] = self.minutes;
        low as u64 | (high as u64) << 32
    }

    /// The hours of two days.
    #[inline(always)]
    const fn hours(&self) -> u64 {
        self.hours as u64 | (self.hours as u64) << 24
    }

    /// How many minutes an hour has that is taken.
    #[inline(always)]
    const fn per_hour(&self) -> u32 {
        self.minutes().count_ones()
    }

    /// How many minutes there are.
    #[inline(always)]
    pub(super) const fn count(&self) -> u32 {
        self.hours.count_ones() * self.per_hour()
    }

    /// The first minute.
    #[inline(always)]
    pub(super) const fn first(&self) -> u32 {
        self.hours.trailing_zeros() * 60 + bits::first(self.minutes())
    }

    /// The last minute.
    #[inline(always)]
    pub(super) const fn last(&self) -> u32 {
        bits::last(self.hours as u64) * 60 + bits::last(self.minutes())
    }

    /// See [`MinuteSet::rank`].
    #[inline(always)]
    const fn rank(&self, minute: u32) -> u32 {
        let (hour, minute) = (minute / 60, minute % 60);
        let in_hour = bits::rank(self.minutes(), minute);
        let in_hour = if bits::contains(self.hours as u64, hour) { in_hour } else { 0 };
        bits::rank(self.hours as u64, hour) * self.per_hour() + in_hour
    }

    /// See [`MinuteSet::select`].
    #[inline(always)]
    const fn select(&self, rank: u32) -> u32 {
        let (hour, minute) = self.split_rank(rank);
        bits::select(self.hours as u64, hour) * 60 + bits::select(self.minutes(), minute)
    }

    /// The hour and the minute that have `rank` minutes before them, each by its rank.
    #[inline(always)]
    const fn split_rank(&self, rank: u32) -> (u32, u32) {
        let per_hour = if self.minutes() == 0 { 1 } else { self.per_hour() };
        (rank / per_hour, rank % per_hour)
    }
}

impl MinuteSet for HourMinutes {
    #[inline(always)]
    fn ceil(&self, minute: u32) -> u32 {
        let hour = minute / 60;
        let hours = self.hours() >> (hour & 63);
        let minutes = if hours & 1 != 0 { self.minutes() } else { 0 };
        let minutes = minutes >> (minute % 60);
        let next_hour = hour + bits::first(hours & !1);
        let in_next_hour = next_hour * 60 + bits::first(self.minutes());
        select_unpredictable(minutes != 0, minute + bits::first(minutes), in_next_hour)
    }

    #[inline(always)]
    fn floor(&self, minute: u32) -> u32 {
        // A day on, nothing is below zero.
        let hour = minute / 60 + 24;
        let hours = self.hours();
        let minutes = if bits::contains(hours, hour) { self.minutes() } else { 0 };
        let in_hour = bits::up_to(minutes, minute % 60);
        let previous = bits::below(hours, hour) * 60 + bits::last(self.minutes());
        let found = select_unpredictable(in_hour != 0, hour * 60 + bits::last(in_hour), previous);
        found.wrapping_sub(PER_DAY)
    }

    #[inline(always)]
    fn contains(&self, minute: u32) -> bool {
        bits::contains(self.hours.into(), minute / 60) & bits::contains(self.minutes(), minute % 60)
    }

    #[inline(always)]
    fn fields(&self) -> &HourMinutes {
        self
    }
}

/// A bitmap of the day, and what lies on both sides of each of its words: a
/// minute is found with one shift, whatever the hours.
#[derive(Clone, Copy, Debug)]
pub struct DayMinutes {
    words: [u64; WORDS],
    /// The first minute after each word, be it of the next day.
    nexts: [u16; WORDS],
    /// The last minute before each word, be it of the day before.
    prevs: [i16; WORDS],
    fields: HourMinutes,
}

const WORDS: usize = PER_DAY.div_ceil(64) as usize;

impl DayMinutes {
    /// The hours and the minutes, as bits, neither without one.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the minutes of two days are below 2^12")]
    pub const fn new(hours: u32, minutes: u64) -> Self {
        let fields = HourMinutes::new(hours, minutes);
        let mut words = [0; WORDS];
        let mut rest = hours;
        while rest != 0 {
            let place = (rest.trailing_zeros() % 24 * 60) as usize;
            let (word, bit) = (place / 64, place % 64);
            words[word] |= minutes << bit;
            if bit > 4 && word + 1 < WORDS {
                words[word + 1] |= minutes >> (64 - bit);
            }
            rest &= rest - 1;
        }
        let mut nexts = [0; WORDS];
        let mut prevs = [0; WORDS];
        let mut prev = fields.last() as i16 - PER_DAY as i16;
        let mut next = (fields.first() + PER_DAY) as u16;
        let mut index = 0;
        while index < WORDS {
            prevs[index] = prev;
            if words[index] != 0 {
                prev = (index as u32 * 64 + bits::last(words[index])) as i16;
            }
            let back = WORDS - 1 - index;
            nexts[back] = next;
            if words[back] != 0 {
                next = (back as u32 * 64 + bits::first(words[back])) as u16;
            }
            index += 1;
        }
        Self { words, nexts, prevs, fields }
    }
}

impl MinuteSet for DayMinutes {
    #[inline(always)]
    fn ceil(&self, minute: u32) -> u32 {
        let word = bits::element(&self.words, minute / 64, 0) >> (minute % 64);
        let next = u32::from(bits::element(&self.nexts, minute / 64, 0));
        select_unpredictable(word != 0, minute + bits::first(word), next)
    }

    #[inline(always)]
    fn floor(&self, minute: u32) -> u32 {
        let word = bits::element(&self.words, minute / 64, 0) << (63 - minute % 64);
        let prev = i32::from(bits::element(&self.prevs, minute / 64, 0)).cast_unsigned();
        // One shift, where to cut the bits above takes two. The place in no bits would
        // be a case of its own, and is not looked at.
        let in_word = minute.wrapping_sub((word | 1).leading_zeros());
        select_unpredictable(word != 0, in_word, prev)
    }

    #[inline(always)]
    fn contains(&self, minute: u32) -> bool {
        bits::contains(bits::element(&self.words, minute / 64, 0), minute)
    }

    #[inline(always)]
    fn fields(&self) -> &HourMinutes {
        &self.fields
    }
}

/// [`DayMinutes`] with tables to count by: more than a parsed schedule has room for.
#[derive(Clone, Copy, Debug)]
pub struct RankedMinutes {
    day: DayMinutes,
    /// How many minutes there are in the words before each.
    ranks: [u16; WORDS],
    /// The hours, and the minutes of an hour, by their ranks.
    hours: [u8; 24],
    minutes: [u8; 60],
}

impl RankedMinutes {
    /// The hours and the minutes, as bits, neither without one.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the minutes of a day are below 2^11")]
    pub const fn new(hours: u32, minutes: u64) -> Self {
        let day = DayMinutes::new(hours, minutes);
        let mut ranks = [0; WORDS];
        let mut index = 1;
        while index < WORDS {
            ranks[index] = ranks[index - 1] + day.words[index - 1].count_ones() as u16;
            index += 1;
        }
        Self { day, ranks, hours: places(hours as u64), minutes: places(minutes) }
    }
}

/// The places of set bits, in order.
#[expect(clippy::cast_possible_truncation, reason = "at most 63")]
const fn places<const SIZE: usize>(bits: u64) -> [u8; SIZE] {
    let mut places = [0; SIZE];
    let mut rest = bits;
    let mut rank = 0;
    while rest != 0 && rank < SIZE {
        places[rank] = bits::first(rest) as u8;
        rest &= rest - 1;
        rank += 1;
    }
    places
}

impl MinuteSet for RankedMinutes {
    #[inline(always)]
    fn ceil(&self, minute: u32) -> u32 {
        self.day.ceil(minute)
    }

    #[inline(always)]
    fn floor(&self, minute: u32) -> u32 {
        self.day.floor(minute)
    }

    #[inline(always)]
    fn contains(&self, minute: u32) -> bool {
        self.day.contains(minute)
    }

    #[inline(always)]
    fn rank(&self, minute: u32) -> u32 {
        let before = u32::from(bits::element(&self.ranks, minute / 64, 0));
        before + bits::rank(bits::element(&self.day.words, minute / 64, 0), minute % 64)
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        let (hour, minute) = self.day.fields.split_rank(rank);
        let hour = u32::from(bits::element(&self.hours, hour, 0));
        hour * 60 + u32::from(bits::element(&self.minutes, minute, 0))
    }

    #[inline(always)]
    fn fields(&self) -> &HourMinutes {
        self.day.fields()
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;

    #[test]
    fn all_sets_are_a_walk_over_two_days() {
        let mut sets = vec![
            (1, 1),
            (1 << 23, 1 << 59),
            (0x00ff_ffff, (1 << 60) - 1),
            (0x00f0_82aa, 0x0000_1000_0090_9420),
            (0x0080_0001, 0x0800_0000_0000_0001),
        ];
        // Knuth's multiplier, for some of any size.
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
            is_a_walk(&HourMinutes::new(hours, minutes), has);
            is_a_walk(&DayMinutes::new(hours, minutes), has);
            is_a_walk(&RankedMinutes::new(hours, minutes), has);
        }
    }

    fn is_a_walk(set: &impl MinuteSet, has: impl Fn(&u32) -> bool) {
        let all: Vec<u32> = (0..PER_DAY).filter(&has).collect();
        for minute in 0..=PER_DAY {
            assert_eq!(set.ceil(minute), (minute..=2 * PER_DAY).find(&has).unwrap());
            if minute < PER_DAY {
                let prev = (0..=minute + PER_DAY).rev().find(&has).unwrap();
                assert_eq!(set.floor(minute), prev.wrapping_sub(PER_DAY));
                assert_eq!(set.contains(minute), has(&minute));
                assert_eq!(set.rank(minute) as usize, all.partition_point(|&it| it < minute));
            }
        }
        let fields = set.fields();
        assert_eq!(fields.count() as usize, all.len());
        assert_eq!(
            (Some(fields.first()), Some(fields.last())),
            (all.first().copied(), all.last().copied())
        );
        for (rank, minute) in (0..).zip(all) {
            assert_eq!(set.select(rank), minute);
        }
    }
}
