//! [`FieldProduct`]: lists in several fields.

use super::part::{HOUR, TimePart};
use crate::bits::{self, SmallDivisor};
use crate::search::bitmap::Bitmap;
use crate::search::block::{Block, Enclosing, Span};
use crate::search::range::DAY;
use crate::search::value_set::{SmallSet, ValueSet};

/// Milliseconds in a second.
const SECOND: u32 = 1000;
/// Milliseconds in a minute.
const MINUTE: u32 = 60_000;
/// Minutes in a day.
const MINUTES_PER_DAY: u32 = 1440;

/// The number of words in a bitmap of the minutes of a day.
const WORDS: usize = MINUTES_PER_DAY.div_ceil(64) as usize;

/// Lists in several fields: the product of their sets.
///
/// The search goes from the highest field down. To keep a field from carrying into the one above,
/// the time is rounded up first: a time after the last second of a minute belongs to the next
/// minute, and one after the last millisecond of a second to the next second. The fields below then
/// always have an answer, and if the field above has advanced, it is the first value. A backward
/// search rounds down in the same way.
#[derive(Clone, Debug)]
pub struct FieldProduct<L> {
    hours: u64,
    /// The minutes of an hour.
    minutes: u64,
    minutes_of_day: Bitmap<WORDS, MINUTES_PER_DAY>,
    seconds: SmallSet,
    millis: L,
}

impl<L: ValueSet> FieldProduct<L> {
    /// Returns the product of the hours, the minutes of an hour and the seconds, each as bits, and
    /// the milliseconds. None of them may be empty.
    #[must_use]
    pub const fn new(hours: u64, minutes: u64, seconds: SmallSet, millis: L) -> Self {
        let minutes_of_day = minutes_of_day(hours, minutes);
        Self { hours, minutes, minutes_of_day, seconds, millis }
    }

    /// Returns the arguments of [`new`](Self::new).
    #[must_use]
    pub const fn parts(&self) -> (u64, u64, SmallSet, &L) {
        (self.hours, self.minutes, self.seconds, &self.millis)
    }

    /// Returns the first time within a minute.
    #[inline(always)]
    fn first_in_minute(&self) -> u32 {
        self.seconds.first() * SECOND + self.millis.first()
    }

    /// Returns the last time within a minute.
    #[inline(always)]
    fn last_in_minute(&self) -> u32 {
        self.seconds.last() * SECOND + self.millis.last()
    }

    /// Returns the number of times in a second and in a minute.
    #[inline(always)]
    fn counts(&self) -> (u32, u32) {
        let per_second = self.millis.count().max(1);
        (per_second, (per_second * self.seconds.count()).max(1))
    }
}

/// Returns the given minutes of the given hours. The set repeats every day: after the last minute of
/// a day comes the first minute of the next.
const fn minutes_of_day(hours: u64, minutes: u64) -> Bitmap<WORDS, MINUTES_PER_DAY> {
    let mut words = [0; WORDS];
    let mut rest = hours;
    while rest != 0 {
        let place = (bits::first(rest) % 24 * 60) as usize;
        let (word, bit) = (place / 64, place % 64);
        words[word] |= minutes << bit;
        if bit > 4 && word + 1 < WORDS {
            words[word + 1] |= minutes >> (64 - bit);
        }
        rest &= rest - 1;
    }
    let first = bits::first(hours) * 60 + bits::first(minutes);
    let last = bits::last(hours) * 60 + bits::last(minutes);
    Bitmap::with_ends(&words, last.wrapping_sub(MINUTES_PER_DAY), first + MINUTES_PER_DAY)
}

/// Divides times into minutes.
const MINUTES: SmallDivisor = SmallDivisor::new(MINUTE);

/// Returns the midnight before a time, in minutes since the first midnight, and the minute of the
/// day.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^26 minutes")]
const fn split_minute(time: u64) -> (u32, u32) {
    let minute = MINUTES.quotient(time) as u32;
    let midnight = minute / MINUTES_PER_DAY * MINUTES_PER_DAY;
    (midnight, minute - midnight)
}

/// Returns the start of a minute, counted from the first midnight, as an offset.
#[inline(always)]
const fn start_of(minute: u32) -> u64 {
    minute as u64 * MINUTE as u64
}

/// Returns the second and the millisecond of a time.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "less than a minute")]
const fn second_and_milli(time: u64, minute: u32) -> (u32, u32) {
    let time = (time - start_of(minute)) as u32;
    (time / SECOND, time % SECOND)
}

impl<L: ValueSet> TimePart for FieldProduct<L> {
    #[inline(always)]
    fn repeats(&self) -> bool {
        bits::are_steps(self.hours, 24)
            || bits::are_steps(self.minutes, 60)
            || self.seconds.is_stepped(60)
            || self.millis.is_stepped(SECOND)
    }

    #[inline(always)]
    fn first(&self) -> u32 {
        self.minutes_of_day.first() * MINUTE + self.first_in_minute()
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        self.minutes_of_day.last() * MINUTE + self.last_in_minute()
    }

    #[inline(always)]
    fn per_day(&self) -> u32 {
        self.minutes_of_day.count() * self.counts().1
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "they are less than a day apart")]
    fn ceil(&self, time: u64) -> u64 {
        let (midnight, minute) = split_minute(time + u64::from(MINUTE - 1 - self.last_in_minute()));
        let start = start_of(midnight + self.minutes_of_day.ceil(minute));
        let time = bits::difference(time as u32, start as u32);
        let second = self.seconds.ceil((time + (SECOND - 1 - self.millis.last())) / SECOND);
        let milli = self.millis.ceil(bits::difference(time, second * SECOND));
        start + u64::from(second * SECOND + milli)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "they are less than two days apart")]
    fn floor(&self, time: u64) -> u64 {
        let (midnight, minute) = split_minute(time.wrapping_sub(self.first_in_minute().into()));
        // The minute may be in the previous day.
        let start = start_of(midnight.wrapping_add(self.minutes_of_day.floor(minute)));
        let time = (time.wrapping_sub(start) as u32).min(MINUTE - 1);
        let second = self.seconds.floor(time.wrapping_sub(self.millis.first()) / SECOND);
        let milli = self.millis.floor(time.wrapping_sub(second * SECOND).min(SECOND - 1));
        start + u64::from(second * SECOND + milli)
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        let (midnight, minute) = split_minute(time);
        let (second, milli) = second_and_milli(time, midnight + minute);
        // A branch on data: usually the set has few minutes, or nearly all.
        self.minutes_of_day.contains(minute)
            && self.seconds.contains(second) & self.millis.contains(milli)
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        let (midnight, minute) = split_minute(time);
        let (per_second, per_minute) = self.counts();
        let mut in_day = self.minutes_of_day.rank(minute) * per_minute;
        // A preceding time in the same minute or second counts only if that minute or second
        // is in the set.
        if self.minutes_of_day.contains(minute) {
            let (second, milli) = second_and_milli(time, midnight + minute);
            in_day += self.seconds.rank(second) * per_second;
            let in_second = self.millis.rank(milli);
            in_day += if self.seconds.contains(second) { in_second } else { 0 };
        }
        u64::from(midnight / MINUTES_PER_DAY) * u64::from(self.per_day()) + u64::from(in_day)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below its divisor")]
    fn select(&self, rank: u64) -> u64 {
        let per_day = u64::from(self.per_day().max(1));
        let (day, rank) = (rank / per_day, (rank % per_day) as u32);
        let (per_second, per_minute) = self.counts();
        let minute = self.minutes_of_day.select(rank / per_minute);
        let rank = rank % per_minute;
        let second = self.seconds.select(rank / per_second);
        let milli = self.millis.select(rank % per_second);
        day * DAY + u64::from((minute * 60 + second) * SECOND + milli)
    }

    /// A block is a word of the lowest field that is not fixed, and its token is its offset. A span
    /// covers all values of the field above, or of the milliseconds if they have several words.
    #[inline(always)]
    fn enclosing(&self, time: u64, _: u64) -> Enclosing {
        let (midnight, minute_of_day) = split_minute(time);
        let (second, milli) = second_and_milli(time, midnight + minute_of_day);
        let (hour, minute) = (minute_of_day / 60, minute_of_day % 60);
        let in_second = u64::from(milli);
        let in_minute = in_second + u64::from(second * SECOND);
        let in_hour = in_minute + u64::from(minute * MINUTE);
        let (words, first) = (self.millis.occupied(), self.millis.word(milli).1);
        if !words.is_power_of_two() {
            let tokens = Block::new(time - in_second, 64, words);
            self.span(tokens, first / 64, milli - first)
        } else if self.millis.count() > 1 {
            let base = time - in_minute + u64::from(first);
            let tokens = Block::new(base, SECOND.into(), self.seconds);
            self.span(tokens, second, milli - first)
        } else if self.seconds.count() > 1 {
            let base = time - in_hour + u64::from(milli);
            let tokens = Block::new(base, MINUTE.into(), self.minutes);
            self.span(tokens, minute, second)
        } else {
            let in_day = in_hour + u64::from(hour) * u64::from(HOUR);
            let base = time - in_day + in_minute;
            let tokens = Block::new(base, HOUR.into(), self.hours);
            self.span(tokens, hour, minute)
        }
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        if self.millis.count() > 1 {
            let (midnight, minute) = split_minute(token);
            let (_, milli) = second_and_milli(token, midnight + minute);
            Block::new(token, 1, self.millis.word(milli).0)
        } else if self.seconds.count() > 1 {
            Block::new(token, SECOND.into(), self.seconds)
        } else {
            Block::new(token, MINUTE.into(), self.minutes)
        }
    }
}

impl<L: ValueSet> FieldProduct<L> {
    /// Returns the place of an event in the block of a token.
    #[inline(always)]
    fn span(&self, tokens: Block, token: u32, event: u32) -> Enclosing {
        let events = self.block(tokens.at(token));
        Enclosing { span: Span { events, tokens }, event, token }
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
            let hours = random >> 40;
            (hours | 1 << (seed % 24), (random >> 4) & sparse | 1 << seed)
        }));
        for (hours, minutes) in sets {
            let has = |minute: &u32| {
                hours >> (minute / 60 % 24) & 1 == 1 && minutes >> (minute % 60) & 1 == 1
            };
            check_against_scan(&minutes_of_day(hours, minutes), has);
        }
    }

    fn check_against_scan(set: &Bitmap<WORDS, MINUTES_PER_DAY>, has: impl Fn(&u32) -> bool) {
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
