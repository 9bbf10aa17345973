//! [`Digits`]: lists of several digits.

use super::super::batch::Batch;
use super::super::set::DigitSet;
use super::super::{DAY, split_day};
use super::TimePart;
use super::minutes::{MinuteSet, PER_DAY};
use crate::bits;

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
/// the first.
#[derive(Clone, Debug)]
pub struct Digits<M, L> {
    minutes: M,
    /// The seconds, as bits.
    seconds: u64,
    millis: L,
}

impl<M: MinuteSet, L: DigitSet> Digits<M, L> {
    /// The minutes of the day, the seconds as bits, and the milliseconds; none
    /// of them without one.
    #[must_use]
    pub const fn new(minutes: M, seconds: u64, millis: L) -> Self {
        Self { minutes, seconds, millis }
    }

    /// What [`new`](Self::new) took.
    #[must_use]
    pub const fn parts(&self) -> (&M, u64, &L) {
        (&self.minutes, self.seconds, &self.millis)
    }

    /// The first time of a minute that is taken.
    #[inline(always)]
    fn first(&self) -> u32 {
        bits::first(self.seconds) * SECOND + self.millis.first()
    }

    /// The last time of a minute that is taken.
    #[inline(always)]
    fn last(&self) -> u32 {
        bits::last(self.seconds) * SECOND + self.millis.last()
    }

    /// How many times a second and a minute have that are taken.
    #[inline(always)]
    fn counts(&self) -> (u32, u32) {
        let per_second = self.millis.count().max(1);
        (per_second, (per_second * self.seconds.count_ones()).max(1))
    }
}

/// A time of day, or a little more, by minute, second and millisecond.
#[inline(always)]
const fn split(time: u32) -> (u32, u32, u32) {
    let (minute, second) = (time / MINUTE, time / SECOND);
    (minute, second - minute * 60, time - second * SECOND)
}

impl<M: MinuteSet, L: DigitSet> TimePart for Digits<M, L> {
    #[inline(always)]
    fn opens(&self) -> u32 {
        self.minutes.fields().first() * MINUTE + self.first()
    }

    #[inline(always)]
    fn closes(&self) -> u32 {
        self.minutes.fields().last() * MINUTE + self.last()
    }

    #[inline(always)]
    fn per_day(&self) -> u32 {
        self.minutes.fields().count() * self.counts().1
    }

    #[inline(always)]
    fn ceil(&self, time: u64) -> u64 {
        let (day, time) = split_day(time);
        let minute = self.minutes.ceil((time + (MINUTE - 1 - self.last())) / MINUTE);
        let time = time.saturating_sub(minute * MINUTE);
        let second = bits::ceil(self.seconds, (time + (SECOND - 1 - self.millis.last())) / SECOND);
        let time = time.saturating_sub(second * SECOND);
        let milli = self.millis.ceil(time);
        u64::from(day) * DAY + u64::from((minute * 60 + second) * SECOND + milli)
    }

    #[inline(always)]
    fn floor(&self, time: u64) -> u64 {
        let (day, time) = split_day(time);
        let minute = self.minutes.before((time + (MINUTE - self.first())) / MINUTE);
        let time = time.wrapping_sub(minute.wrapping_mul(MINUTE)).min(MINUTE - 1);
        let second = bits::floor(self.seconds, (time - self.millis.first()) / SECOND);
        let time = (time - second * SECOND).min(SECOND - 1);
        let milli = self.millis.floor(time);
        // The minute may be of the day before.
        let minute = i64::from(minute.cast_signed()) * i64::from(MINUTE);
        let in_minute = u64::from(second * SECOND + milli);
        (u64::from(day) * DAY).wrapping_add(minute.cast_unsigned()).wrapping_add(in_minute)
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        let (minute, second, milli) = split(split_day(time).1);
        self.minutes.fields().contains(minute)
            & bits::contains(self.seconds, second)
            & self.millis.contains(milli)
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        let (day, time) = split_day(time);
        let (minute, second, milli) = split(time);
        let fields = self.minutes.fields();
        let (per_second, per_minute) = self.counts();
        // What lies before within a digit's value counts only if the value is
        // one of the set.
        let within = |is_taken, count: u32| if is_taken { count } else { 0 };
        let in_second = within(bits::contains(self.seconds, second), self.millis.rank(milli));
        let in_minute = bits::rank(self.seconds, second) * per_second + in_second;
        let in_minute = within(fields.contains(minute), in_minute);
        let in_day = fields.rank(minute) * per_minute + in_minute;
        u64::from(day) * u64::from(self.per_day()) + u64::from(in_day)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below its divisor")]
    fn select(&self, rank: u64) -> u64 {
        let per_day = u64::from(self.per_day().max(1));
        let (day, rank) = (rank / per_day, (rank % per_day) as u32);
        let (per_second, per_minute) = self.counts();
        let minute = self.minutes.fields().select(rank / per_minute);
        let rank = rank % per_minute;
        let second = bits::select(self.seconds, rank / per_second);
        let milli = self.millis.select(rank % per_second);
        day * DAY + u64::from((minute * 60 + second) * SECOND + milli)
    }

    /// Of one day: in steps of a second where the milliseconds are fixed, and
    /// else, of one minute, in milliseconds.
    #[inline]
    fn ahead(&self, time: u64, _: u64) -> Batch {
        let (day, time_of_day) = split_day(time);
        let (minute, mut second, milli) = split(time_of_day);
        let start = u64::from(day) * DAY + u64::from(minute * MINUTE);
        if self.millis.count() == 1 {
            let mut batch = Batch::new(start + u64::from(milli), u64::from(SECOND));
            let mut next = minute;
            while next < PER_DAY && next - minute < 1024 {
                let bits = self.seconds & (u64::MAX << second);
                if !batch.push_up((next - minute) * 60, bits) {
                    break;
                }
                next = self.minutes.ceil(next + 1);
                second = 0;
            }
            return batch;
        }
        let mut batch = Batch::new(start, 1);
        let mut bits = self.seconds & (u64::MAX << second << 1);
        let mut from = milli;
        while self.millis.push_from(second * SECOND, from, &mut batch) && bits != 0 {
            second = bits::first(bits);
            bits &= bits - 1;
            from = 0;
        }
        batch
    }

    #[inline]
    fn behind(&self, time: u64, _: u64) -> Batch {
        let (day, time_of_day) = split_day(time);
        let (minute, mut second, milli) = split(time_of_day);
        let start = u64::from(day) * DAY;
        if self.millis.count() == 1 {
            let first = minute.saturating_sub(1024);
            let base = start + u64::from(first * MINUTE) + u64::from(milli);
            let mut batch = Batch::new(base, u64::from(SECOND));
            let mut next = minute;
            while next < PER_DAY && next >= first {
                let bits = self.seconds & (u64::MAX >> (63 - second));
                if !batch.push_down((next - first) * 60, bits) {
                    break;
                }
                next = self.minutes.before(next);
                second = 63;
            }
            return batch;
        }
        let mut batch = Batch::new(start + u64::from(minute * MINUTE), 1);
        let mut bits = self.seconds & !(u64::MAX << second);
        let mut to = milli;
        while self.millis.push_to(second * SECOND, to, &mut batch) && bits != 0 {
            second = bits::last(bits);
            bits &= !(1 << second);
            to = SECOND - 1;
        }
        batch
    }
}
