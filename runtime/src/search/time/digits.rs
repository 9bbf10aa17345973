//! [`Digits`]: lists of several digits.

use core::hint::select_unpredictable;

use super::super::block::{Around, Span};
use super::super::set::DigitSet;
use super::super::{Block, DAY, DAY_MILLIS, split_day};
use super::TimePart;
use crate::bits;

/// Lists of several digits.
#[derive(Clone, Debug)]
pub struct Digits<L> {
    /// The hours, as bits.
    pub hours: u64,
    /// The minutes, as bits.
    pub minutes: u64,
    /// The seconds, as bits.
    pub seconds: u64,
    /// The milliseconds.
    pub millis: L,
}

/// A second of a day, or of two, by its digits.
struct Clock {
    hour: u32,
    minute_of_day: u32,
    minute: u32,
    second: u32,
}

impl Clock {
    #[inline(always)]
    const fn of(second: u32) -> Self {
        let (hour, minute_of_day) = (second / 3600, second / 60);
        Self {
            hour,
            minute_of_day,
            minute: minute_of_day - hour * 60,
            second: second - minute_of_day * 60,
        }
    }
}

/// The second and the millisecond of a time of day.
#[inline(always)]
const fn split_second(time: u32) -> (u32, u32) {
    (time / 1000, time % 1000)
}

impl<L: DigitSet> Digits<L> {
    /// The hours of two days, and the minutes and seconds that stay open at an
    /// hour and minute: none where a digit above them is not taken, and so does
    /// not stay.
    #[inline(always)]
    const fn open(&self, hour: u32, minute: u32) -> [u64; 3] {
        let hours = self.hours | (self.hours << 24);
        let minutes = if bits::contains(hours, hour) { self.minutes } else { 0 };
        let seconds = if bits::contains(minutes, minute) { self.seconds } else { 0 };
        [hours, minutes, seconds]
    }

    /// The first second at or after `second`, of a day or of the next: the
    /// lowest digit that can go up goes up, and those below start anew.
    ///
    /// All digits are looked up at once. To carry from digit to digit, from the
    /// lowest up, takes fewer instructions, but each waits for the one before.
    #[inline(always)]
    fn ceil_second(&self, second: u32) -> u32 {
        let Clock { hour, minute_of_day, minute, second } = Clock::of(second);
        let [hours, minutes, seconds] = self.open(hour, minute);
        let in_minute = bits::ceil(seconds, second);
        let in_hour = bits::above(minutes, minute);
        let next_hour = bits::above(hours, hour);
        let moves = in_hour < 64;
        let hour = select_unpredictable(moves, hour, next_hour);
        let minute = select_unpredictable(moves, in_hour, bits::first(self.minutes));
        let stays = in_minute < 64;
        let minute = select_unpredictable(stays, minute_of_day, hour * 60 + minute);
        minute * 60 + select_unpredictable(stays, in_minute, bits::first(self.seconds))
    }

    /// The last second at or before `second`, of a day or of the one before,
    /// from whose start both are counted: the mirror image of
    /// [`ceil_second`](Self::ceil_second).
    #[inline(always)]
    fn floor_second(&self, second: u32) -> u32 {
        let Clock { hour, minute_of_day, minute, second } = Clock::of(second);
        let [hours, minutes, seconds] = self.open(hour, minute);
        let in_minute = bits::floor(seconds, second);
        let in_hour = bits::below(minutes, minute);
        let prev_hour = bits::below(hours, hour) & 63;
        let moves = in_hour < 64;
        let hour = select_unpredictable(moves, hour, prev_hour);
        let minute = select_unpredictable(moves, in_hour, bits::last(self.minutes));
        let stays = in_minute < 64;
        let minute = select_unpredictable(stays, minute_of_day, hour * 60 + minute);
        minute * 60 + select_unpredictable(stays, in_minute, bits::last(self.seconds))
    }

    /// How many times a day has.
    #[inline(always)]
    fn per_day(&self) -> u64 {
        u64::from(self.counts().2) * u64::from(self.hours.count_ones().max(1))
    }

    /// How many times a second, a minute and an hour have that are taken.
    #[inline(always)]
    fn counts(&self) -> (u32, u32, u32) {
        let per_second = self.millis.count();
        let per_minute = per_second * self.seconds.count_ones();
        (per_second.max(1), per_minute.max(1), (per_minute * self.minutes.count_ones()).max(1))
    }
}

impl<L: DigitSet> TimePart for Digits<L> {
    #[inline(always)]
    fn ceil(&self, time: u64) -> u64 {
        let (day, time) = split_day(time);
        let (second, found_milli) = self.millis.ceil_below(time);
        let found_second = self.ceil_second(second);
        let stays = found_second == second;
        let milli = select_unpredictable(stays, found_milli, self.millis.first());
        u64::from(day) * DAY + u64::from(found_second) * 1000 + u64::from(milli)
    }

    #[inline(always)]
    fn floor(&self, time: u64) -> u64 {
        let (day, time) = split_day(time);
        // From the start of the day before, so that nothing is below zero.
        let (second, found_milli) = self.millis.floor_below(time + DAY_MILLIS);
        let found_second = self.floor_second(second);
        let stays = found_second == second;
        let milli = select_unpredictable(stays, found_milli, self.millis.last());
        (u64::from(day) * DAY + u64::from(found_second) * 1000 + u64::from(milli))
            .saturating_sub(DAY)
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        let (second, milli) = split_second(split_day(time).1);
        let Clock { hour, minute, second, .. } = Clock::of(second);
        bits::contains(self.hours, hour)
            & bits::contains(self.minutes, minute)
            & bits::contains(self.seconds, second)
            & self.millis.contains(milli)
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        let (day, time) = split_day(time);
        let (second, milli) = split_second(time);
        let Clock { hour, minute, second, .. } = Clock::of(second);
        // What lies before within a digit's value counts only if the value is
        // one of the set.
        let within = |bits, place, count: u32| if bits::contains(bits, place) { count } else { 0 };
        let (per_second, per_minute, per_hour) = self.counts();
        let in_second = within(self.seconds, second, self.millis.rank(milli));
        let in_minute = bits::rank(self.seconds, second) * per_second + in_second;
        let in_minute = within(self.minutes, minute, in_minute);
        let in_hour = bits::rank(self.minutes, minute) * per_minute + in_minute;
        let in_hour = within(self.hours, hour, in_hour);
        let in_day = bits::rank(self.hours, hour) * per_hour + in_hour;
        u64::from(day) * self.per_day() + u64::from(in_day)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below its divisor")]
    fn select(&self, rank: u64) -> u64 {
        let (day, rank) = (rank / self.per_day(), (rank % self.per_day()) as u32);
        let (per_second, per_minute, per_hour) = self.counts();
        let hour = bits::select(self.hours, rank / per_hour);
        let minute = bits::select(self.minutes, rank % per_hour / per_minute);
        let second = bits::select(self.seconds, rank % per_minute / per_second);
        let milli = self.millis.select(rank % per_second);
        let second = (hour * 60 + minute) * 60 + second;
        day * DAY + u64::from(second) * 1000 + u64::from(milli)
    }

    /// A block is a word of the lowest digit that is not fixed. Its token is
    /// its offset; a span is a turn of the digit above, or of the milliseconds
    /// where these have several words.
    #[inline]
    fn around(&self, time: u64, _: u64) -> Around {
        let (second, milli) = split_second(split_day(time).1);
        let Clock { hour, minute, second, .. } = Clock::of(second);
        let (hours, minutes, seconds) = (u64::from(hour), u64::from(minute), u64::from(second));
        let (words, first) = (self.millis.occupied(), self.millis.word(milli).1);
        if !words.is_power_of_two() {
            let base = time - u64::from(milli);
            let tokens = Block { base, unit: 64, bits: words };
            self.span(tokens, first / 64, milli - first)
        } else if self.millis.count() > 1 {
            let base = time - u64::from(milli - first) - seconds * 1000;
            let tokens = Block { base, unit: 1000, bits: self.seconds };
            self.span(tokens, second, milli - first)
        } else if self.seconds.count_ones() > 1 {
            let base = time - seconds * 1000 - minutes * 60_000;
            let tokens = Block { base, unit: 60_000, bits: self.minutes };
            self.span(tokens, minute, second)
        } else {
            let base = time - minutes * 60_000 - hours * 3_600_000;
            let tokens = Block { base, unit: 3_600_000, bits: self.hours };
            self.span(tokens, hour, minute)
        }
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        if self.millis.count() > 1 {
            let (_, milli) = split_second(split_day(token).1);
            Block { base: token, unit: 1, bits: self.millis.word(milli).0 }
        } else if self.seconds.count_ones() > 1 {
            Block { base: token, unit: 1000, bits: self.seconds }
        } else {
            Block { base: token, unit: 60_000, bits: self.minutes }
        }
    }
}

impl<L: DigitSet> Digits<L> {
    /// The span of these tokens, at one of them and an event of its block.
    #[inline]
    fn span(&self, tokens: Block, token: u32, event: u32) -> Around {
        let events = self.block(tokens.base + u64::from(token) * tokens.unit);
        Around { span: Span { events, tokens }, event, token }
    }
}
