//! [`FieldProduct`]: lists of several digits.

use super::minutes::{DayMinutes, MINUTES_PER_DAY};
use super::part::{HOUR, TimePart};
use crate::bits::{self, SmallDivisor};
use crate::search::block::{Block, Enclosing, Span};
use crate::search::range::DAY;
use crate::search::value_set::{SmallSet, ValueSet};

/// Milliseconds in a second.
const SECOND: u32 = 1000;
/// Milliseconds in a minute.
const MINUTE: u32 = 60_000;

/// Lists of several digits.
///
/// They are looked up from the highest down. So that none has to carry into the
/// one above it, a time is rounded up first: what is after the last second of a
/// minute belongs to the next minute, and what is after the last millisecond of
/// a second to the next second. Then there always is an answer below, and where
/// the digit above has moved on, nothing is left of the time and the answer is
/// the first. A search backward rounds down in the same way.
#[derive(Clone, Debug)]
pub struct FieldProduct<L> {
    minutes: DayMinutes,
    seconds: SmallSet,
    millis: L,
}

impl<L: ValueSet> FieldProduct<L> {
    /// The minutes of the day, the seconds as bits, and the milliseconds; none
    /// of them without one.
    #[must_use]
    pub const fn new(minutes: DayMinutes, seconds: u64, millis: L) -> Self {
        Self { minutes, seconds: SmallSet::new(seconds), millis }
    }

    /// What [`new`](Self::new) took.
    #[must_use]
    pub const fn parts(&self) -> (&DayMinutes, u64, &L) {
        (&self.minutes, self.seconds.bits(), &self.millis)
    }

    /// The first time of a minute that is taken.
    #[inline(always)]
    fn first_in_minute(&self) -> u32 {
        self.seconds.first() * SECOND + self.millis.first()
    }

    /// The last time of a minute that is taken.
    #[inline(always)]
    fn last_in_minute(&self) -> u32 {
        self.seconds.last() * SECOND + self.millis.last()
    }

    /// How many times a second and a minute have that are taken.
    #[inline(always)]
    fn counts(&self) -> (u32, u32) {
        let per_second = self.millis.count().max(1);
        (per_second, (per_second * self.seconds.count()).max(1))
    }
}

/// Tells the minutes of times.
const MINUTES: SmallDivisor = SmallDivisor::new(MINUTE);

/// The midnight before a time, counted in minutes from the first, and the minute of
/// its day.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^26 minutes")]
const fn split_minute(time: u64) -> (u32, u32) {
    let minute = MINUTES.quotient(time) as u32;
    let midnight = minute / MINUTES_PER_DAY * MINUTES_PER_DAY;
    (midnight, minute - midnight)
}

/// Where a minute begins, counted from the first.
#[inline(always)]
const fn start_of(minute: u32) -> u64 {
    minute as u64 * MINUTE as u64
}

/// The second of a time in its minute, and the millisecond in that.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "less than a minute")]
const fn second_and_milli(time: u64, minute: u32) -> (u32, u32) {
    let time = (time - start_of(minute)) as u32;
    (time / SECOND, time % SECOND)
}

impl<L: ValueSet> TimePart for FieldProduct<L> {
    #[inline(always)]
    fn repeats(&self) -> bool {
        let (hours, minutes) = self.minutes.parts();
        bits::are_steps(hours.into(), 24)
            || bits::are_steps(minutes, 60)
            || self.seconds.is_stepped(60)
            || self.millis.is_stepped(SECOND)
    }

    #[inline(always)]
    fn first(&self) -> u32 {
        self.minutes.first() * MINUTE + self.first_in_minute()
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        self.minutes.last() * MINUTE + self.last_in_minute()
    }

    #[inline(always)]
    fn per_day(&self) -> u32 {
        self.minutes.count() * self.counts().1
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "they are less than a day apart")]
    fn ceil(&self, time: u64) -> u64 {
        let (midnight, minute) = split_minute(time + u64::from(MINUTE - 1 - self.last_in_minute()));
        let start = start_of(midnight + self.minutes.ceil(minute));
        let time = bits::difference(time as u32, start as u32);
        let second = self.seconds.ceil((time + (SECOND - 1 - self.millis.last())) / SECOND);
        let milli = self.millis.ceil(bits::difference(time, second * SECOND));
        start + u64::from(second * SECOND + milli)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "they are less than two days apart")]
    fn floor(&self, time: u64) -> u64 {
        let (midnight, minute) = split_minute(time.wrapping_sub(self.first_in_minute().into()));
        // The minute may be of the day before.
        let start = start_of(midnight.wrapping_add(self.minutes.floor(minute)));
        let time = (time.wrapping_sub(start) as u32).min(MINUTE - 1);
        let second = self.seconds.floor(time.wrapping_sub(self.millis.first()) / SECOND);
        let milli = self.millis.floor(time.wrapping_sub(second * SECOND).min(SECOND - 1));
        start + u64::from(second * SECOND + milli)
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        let (midnight, minute) = split_minute(time);
        let (second, milli) = second_and_milli(time, midnight + minute);
        // Most minutes are not taken, or most are.
        self.minutes.contains(minute) && self.seconds.contains(second) & self.millis.contains(milli)
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        let (midnight, minute) = split_minute(time);
        let (per_second, per_minute) = self.counts();
        let mut in_day = self.minutes.rank(minute) * per_minute;
        // What lies before within a digit's value counts only if the value is
        // one of the set.
        if self.minutes.contains(minute) {
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
        let minute = self.minutes.select(rank / per_minute);
        let rank = rank % per_minute;
        let second = self.seconds.select(rank / per_second);
        let milli = self.millis.select(rank % per_second);
        day * DAY + u64::from((minute * 60 + second) * SECOND + milli)
    }

    /// A block is a word of the lowest digit that is not fixed. Its token is
    /// its offset; a span is a turn of the digit above, or of the milliseconds
    /// where these have several words.
    #[inline(always)]
    fn enclosing(&self, time: u64, _: u64) -> Enclosing {
        let (midnight, minute_of_day) = split_minute(time);
        let (second, milli) = second_and_milli(time, midnight + minute_of_day);
        let (hours, minutes) = self.minutes.parts();
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
            let tokens = Block::new(base, SECOND.into(), self.seconds.bits());
            self.span(tokens, second, milli - first)
        } else if self.seconds.count() > 1 {
            let base = time - in_hour + u64::from(milli);
            let tokens = Block::new(base, MINUTE.into(), minutes);
            self.span(tokens, minute, second)
        } else {
            let in_day = in_hour + u64::from(hour) * u64::from(HOUR);
            let base = time - in_day + in_minute;
            let tokens = Block::new(base, HOUR.into(), hours.into());
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
            Block::new(token, SECOND.into(), self.seconds.bits())
        } else {
            Block::new(token, MINUTE.into(), self.minutes.parts().1)
        }
    }
}

impl<L: ValueSet> FieldProduct<L> {
    /// The span of these tokens, at one of them and an event of its block.
    #[inline(always)]
    fn span(&self, tokens: Block, token: u32, event: u32) -> Enclosing {
        let events = self.block(tokens.at(token));
        Enclosing { span: Span { events, tokens }, event, token }
    }
}
