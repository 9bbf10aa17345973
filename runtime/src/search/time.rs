//! The strategies of the time of day.
//!
//! Hour, minute, second and millisecond are the digits of a mixed-radix number.
//! What is asked of them depends on where they are free (every value), fixed
//! (one value) or a list:
//!
//! | strategy | digits | example |
//! | --- | --- | --- |
//! | [`At`] | all fixed | `09:30:00` |
//! | [`Stride`] | free, then a step that divides its radix, then fixed | `*:*/15:00` |
//! | [`Split`] | free, then one list, then fixed | `*:*:*.1,2,3-5` |
//! | [`Digits`] | anything else | `8-17:*/20,59:00` |

use super::set::{DigitSet, One, Wide, Word};
use super::{Block, DAY};
use crate::bits::{self, Divisor};

/// The times of day of a schedule.
///
/// Times are milliseconds since midnight; a *periodic* part takes any offset in
/// their place. A caller asks for what there is: no `ceil` after the last time,
/// no `floor` before the first. What comes back otherwise has no meaning, but
/// it comes back.
pub trait TimePart {
    /// Whether the times go on in the same steps over midnight.
    fn is_periodic(&self) -> bool;
    /// The first time at or after `time`.
    fn ceil(&self, time: u64) -> u64;
    /// The last time at or before `time`.
    fn floor(&self, time: u64) -> u64;
    /// Whether `time` is one.
    fn contains(&self, time: u64) -> bool;
    /// How many times of a day lie before `time`.
    fn rank(&self, time: u64) -> u32;
    /// The time of day that has `rank` times before it, where there is one.
    fn select(&self, rank: u32) -> u64;
    /// The block that a time is in, of a run of `len` times in all, and its
    /// place there.
    fn around(&self, time: u64, len: u64) -> (Block, u32);
}

/// One time of day.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs, reason = "quoted whole by the macro")]
pub struct At(pub u32);

impl TimePart for At {
    #[inline]
    fn is_periodic(&self) -> bool {
        false
    }

    #[inline]
    fn ceil(&self, _: u64) -> u64 {
        u64::from(self.0)
    }

    #[inline]
    fn floor(&self, _: u64) -> u64 {
        u64::from(self.0)
    }

    #[inline]
    fn contains(&self, time: u64) -> bool {
        time == u64::from(self.0)
    }

    #[inline]
    fn rank(&self, time: u64) -> u32 {
        u32::from(time > u64::from(self.0))
    }

    #[inline]
    fn select(&self, _: u32) -> u64 {
        u64::from(self.0)
    }

    #[inline]
    fn around(&self, time: u64, _: u64) -> (Block, u32) {
        (
            Block {
                base: time,
                unit: DAY,
                bits: 1,
            },
            0,
        )
    }
}

/// Every `period`, which divides a day, from `offset` on.
#[derive(Clone, Copy, Debug)]
pub struct Stride {
    period: Divisor,
    offset: u32,
}

impl Stride {
    /// A period from 1 to a day, and an offset below it, in milliseconds.
    #[must_use]
    pub const fn new(period: u32, offset: u32) -> Self {
        Self {
            period: Divisor::new(period),
            offset,
        }
    }

    /// The period and the offset that [`new`](Self::new) took.
    #[must_use]
    pub const fn parts(self) -> (u32, u32) {
        (self.period.value(), self.offset)
    }

    #[inline]
    fn period(self) -> u64 {
        u64::from(self.period.value())
    }

    #[inline]
    fn offset(self) -> u64 {
        u64::from(self.offset)
    }

    /// Which stride the first time at or after `time` is.
    #[inline]
    fn index(self, time: u64) -> u64 {
        self.period
            .quotient(time + (self.period() - 1 - self.offset()))
    }

    #[inline]
    fn at(self, index: u64) -> u64 {
        index * self.period() + self.offset()
    }
}

impl TimePart for Stride {
    #[inline]
    fn is_periodic(&self) -> bool {
        true
    }

    #[inline]
    fn ceil(&self, time: u64) -> u64 {
        self.at(self.index(time))
    }

    #[inline]
    fn floor(&self, time: u64) -> u64 {
        self.at(self.period.quotient(time.saturating_sub(self.offset())))
    }

    #[inline]
    fn contains(&self, time: u64) -> bool {
        self.period
            .remainder(time + (self.period() - self.offset()))
            == 0
    }

    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a day has fewer than 2^27 milliseconds"
    )]
    fn rank(&self, time: u64) -> u32 {
        self.index(time) as u32
    }

    #[inline]
    fn select(&self, rank: u32) -> u64 {
        self.at(u64::from(rank))
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "at most 64")]
    fn around(&self, time: u64, len: u64) -> (Block, u32) {
        let index = self.index(time);
        let first = index & !63;
        let width = len.wrapping_sub(first).clamp(1, 64) as u32;
        let bits = u64::MAX >> (64 - width);
        (
            Block {
                base: self.at(first),
                unit: self.period(),
                bits,
            },
            (index - first) as u32,
        )
    }
}

/// A list of one digit under free ones, over fixed ones.
#[derive(Clone, Debug)]
pub struct Split<S> {
    /// The digit's unit, in milliseconds.
    unit: Divisor,
    /// How many values the digit could have.
    radix: Divisor,
    /// What the fixed digits below amount to.
    offset: u32,
    set: S,
}

impl<S> Split<S> {
    /// A digit of `unit` milliseconds with values below `radix`, of which those
    /// in `set` are taken, `offset` milliseconds after their start.
    #[must_use]
    pub const fn new(unit: u32, radix: u32, offset: u32, set: S) -> Self {
        Self {
            unit: Divisor::new(unit),
            radix: Divisor::new(radix),
            offset,
            set,
        }
    }

    /// What [`new`](Self::new) took.
    #[must_use]
    pub const fn parts(&self) -> (u32, u32, u32, &S) {
        (
            self.unit.value(),
            self.radix.value(),
            self.offset,
            &self.set,
        )
    }
}

impl<S: DigitSet> Split<S> {
    /// The period, counted from the first, and the value of the digit at
    /// `units`.
    #[inline]
    fn split(&self, units: u64) -> (u64, u32) {
        (self.radix.quotient(units), self.radix.remainder(units))
    }

    #[inline]
    fn at(&self, period: u64, place: u32) -> u64 {
        (period * u64::from(self.radix.value()) + u64::from(place)) * u64::from(self.unit.value())
            + u64::from(self.offset)
    }

    /// The units up to the first that begins at or after `time`.
    #[inline]
    fn units(&self, time: u64) -> u64 {
        self.unit
            .quotient(time + u64::from(self.unit.value() - 1 - self.offset))
    }
}

impl<S: DigitSet> TimePart for Split<S> {
    #[inline]
    fn is_periodic(&self) -> bool {
        true
    }

    #[inline]
    fn ceil(&self, time: u64) -> u64 {
        let (period, place) = self.split(self.units(time));
        let found = self.set.ceil(place);
        let is_over = found >= S::END;
        let place = if is_over { self.set.first() } else { found };
        self.at(period + u64::from(is_over), place)
    }

    #[inline]
    fn floor(&self, time: u64) -> u64 {
        let (period, place) = self.split(
            self.unit
                .quotient(time.saturating_sub(u64::from(self.offset))),
        );
        let found = self.set.floor(place);
        let is_under = found >= S::END;
        let place = if is_under { self.set.last() } else { found };
        self.at(period.saturating_sub(u64::from(is_under)), place)
    }

    #[inline]
    fn contains(&self, time: u64) -> bool {
        let period = u64::from(self.radix.value()) * u64::from(self.unit.value());
        // A period more keeps the difference from going below zero.
        let time = time + period - u64::from(self.offset);
        let units = self.unit.quotient(time);
        self.set.contains(self.radix.remainder(units))
            & (units * u64::from(self.unit.value()) == time)
    }

    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a day has fewer than 2^27 milliseconds"
    )]
    fn rank(&self, time: u64) -> u32 {
        let (period, place) = self.split(self.units(time));
        period as u32 * self.set.count() + self.set.rank(place)
    }

    #[inline]
    fn select(&self, rank: u32) -> u64 {
        let len = self.set.count();
        self.at(u64::from(rank / len), self.set.select(rank % len))
    }

    #[inline]
    fn around(&self, time: u64, _: u64) -> (Block, u32) {
        let (period, place) = self.split(self.units(time));
        let (bits, first) = self.set.word(place);
        let unit = u64::from(self.unit.value());
        (
            Block {
                base: self.at(period, first),
                unit,
                bits,
            },
            place - first,
        )
    }
}

/// Lists of several digits.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_structs, reason = "quoted whole by the macro")]
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

/// A time of day by its digits.
#[derive(Clone, Copy)]
struct Clock {
    hour: u32,
    minute: u32,
    second: u32,
}

impl Clock {
    /// The digits of a second of the day.
    #[inline]
    const fn of(second: u32) -> Self {
        Self {
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
        }
    }

    #[inline]
    const fn seconds(self) -> u32 {
        (self.hour * 60 + self.minute) * 60 + self.second
    }
}

impl<L: DigitSet> Digits<L> {
    /// The first second at or after `second` (0-86,400) that the upper digits
    /// have: the lowest digit that can go up goes up, those below start anew.
    #[inline]
    fn ceil_second(&self, second: u32) -> u32 {
        let Clock {
            hour,
            minute,
            second,
        } = Clock::of(second);
        let found_second = bits::ceil(self.seconds, second);
        let found_minute = bits::above(self.minutes, minute);
        let found_hour = bits::above(self.hours, hour);
        let is_hour = bits::contains(self.hours, hour);
        let stays = is_hour & bits::contains(self.minutes, minute) & (found_second < 64);
        let moves = is_hour & (found_minute < 64);
        let first_minute = bits::first(self.minutes);
        let first_second = bits::first(self.seconds);
        let found = Clock {
            hour: found_hour,
            minute: first_minute,
            second: first_second,
        };
        let found = if moves {
            Clock {
                hour,
                minute: found_minute,
                second: first_second,
            }
        } else {
            found
        };
        if stays {
            Clock {
                hour,
                minute,
                second: found_second,
            }
        } else {
            found
        }
        .seconds()
    }

    /// The last second at or before `second` that the upper digits have: the
    /// mirror image of [`ceil_second`](Self::ceil_second).
    #[inline]
    fn floor_second(&self, second: u32) -> u32 {
        let Clock {
            hour,
            minute,
            second,
        } = Clock::of(second);
        let found_second = bits::floor(self.seconds, second);
        let found_minute = bits::below(self.minutes, minute);
        let found_hour = bits::below(self.hours, hour);
        let is_hour = bits::contains(self.hours, hour);
        let stays = is_hour & bits::contains(self.minutes, minute) & (found_second < 64);
        let moves = is_hour & (found_minute < 64);
        let last_minute = bits::last(self.minutes);
        let last_second = bits::last(self.seconds);
        let found = Clock {
            hour: found_hour & 31,
            minute: last_minute,
            second: last_second,
        };
        let found = if moves {
            Clock {
                hour,
                minute: found_minute,
                second: last_second,
            }
        } else {
            found
        };
        if stays {
            Clock {
                hour,
                minute,
                second: found_second,
            }
        } else {
            found
        }
        .seconds()
    }

    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a time of day is below 2^27"
    )]
    const fn split(time: u64) -> (u32, u32) {
        (time as u32 / 1000, time as u32 % 1000)
    }
}

impl<L: DigitSet> TimePart for Digits<L> {
    #[inline]
    fn is_periodic(&self) -> bool {
        false
    }

    #[inline]
    fn ceil(&self, time: u64) -> u64 {
        let (second, milli) = Self::split(time);
        let found_milli = self.millis.ceil(milli);
        let is_over = found_milli >= L::END;
        let found_second = self.ceil_second(second + u32::from(is_over));
        let stays = (found_second == second) & !is_over;
        let milli = if stays {
            found_milli
        } else {
            self.millis.first()
        };
        u64::from(found_second * 1000 + milli)
    }

    #[inline]
    fn floor(&self, time: u64) -> u64 {
        let (second, milli) = Self::split(time);
        let found_milli = self.millis.floor(milli);
        let is_under = found_milli >= L::END;
        let found_second = self.floor_second(second.saturating_sub(u32::from(is_under)));
        let stays = (found_second == second) & !is_under;
        let milli = if stays {
            found_milli
        } else {
            self.millis.last()
        };
        u64::from(found_second * 1000 + milli)
    }

    #[inline]
    fn contains(&self, time: u64) -> bool {
        let (second, milli) = Self::split(time);
        let clock = Clock::of(second);
        bits::contains(self.hours, clock.hour)
            & bits::contains(self.minutes, clock.minute)
            & bits::contains(self.seconds, clock.second)
            & self.millis.contains(milli)
    }

    #[inline]
    fn rank(&self, time: u64) -> u32 {
        let (second, milli) = Self::split(time);
        let clock = Clock::of(second);
        // What lies before within a digit's value counts only if the value is
        // one of the set.
        let within = |bits, place, count: u32| {
            if bits::contains(bits, place) {
                count
            } else {
                0
            }
        };
        let per_second = self.millis.count();
        let per_minute = per_second * self.seconds.count_ones();
        let per_hour = per_minute * self.minutes.count_ones();
        let in_second = within(self.seconds, clock.second, self.millis.rank(milli));
        let in_minute = bits::rank(self.seconds, clock.second) * per_second + in_second;
        let in_minute = within(self.minutes, clock.minute, in_minute);
        let in_hour = bits::rank(self.minutes, clock.minute) * per_minute + in_minute;
        let in_hour = within(self.hours, clock.hour, in_hour);
        bits::rank(self.hours, clock.hour) * per_hour + in_hour
    }

    #[inline]
    fn select(&self, rank: u32) -> u64 {
        let per_second = self.millis.count();
        let per_minute = per_second * self.seconds.count_ones();
        let per_hour = per_minute * self.minutes.count_ones();
        let clock = Clock {
            hour: bits::select(self.hours, rank / per_hour),
            minute: bits::select(self.minutes, rank % per_hour / per_minute),
            second: bits::select(self.seconds, rank % per_minute / per_second),
        };
        u64::from(clock.seconds()) * 1000 + u64::from(self.millis.select(rank % per_second))
    }

    /// A block of the lowest digit that is not fixed.
    #[inline]
    fn around(&self, time: u64, _: u64) -> (Block, u32) {
        let (second, milli) = Self::split(time);
        let clock = Clock::of(second);
        if self.millis.count() > 1 {
            let (bits, first) = self.millis.word(milli);
            let base = u64::from(second) * 1000 + u64::from(first);
            (
                Block {
                    base,
                    unit: 1,
                    bits,
                },
                milli - first,
            )
        } else if self.seconds.count_ones() > 1 {
            let base = time - u64::from(clock.second) * 1000;
            (
                Block {
                    base,
                    unit: 1000,
                    bits: self.seconds,
                },
                clock.second,
            )
        } else {
            let base = time - u64::from(clock.minute) * 60_000;
            (
                Block {
                    base,
                    unit: 60_000,
                    bits: self.minutes,
                },
                clock.minute,
            )
        }
    }
}

/// The time part of a schedule that was parsed while running.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_enums, reason = "quoted whole by the macro")]
#[allow(
    clippy::large_enum_variant,
    reason = "a plan is one allocation, of the size of the largest"
)]
pub enum TimePlan {
    /// See [`At`].
    At(At),
    /// See [`Stride`].
    Stride(Stride),
    /// See [`Split`], over hours, minutes or seconds.
    SplitWord(Split<Word>),
    /// See [`Split`], over milliseconds.
    SplitWide(Split<Wide>),
    /// See [`Digits`], with one value of milliseconds.
    DigitsOne(Digits<One>),
    /// See [`Digits`], with several values of milliseconds.
    DigitsWide(Digits<Wide>),
}

/// Asks the strategy that the plan has.
macro_rules! dispatch {
    ($plan:expr, $part:ident => $answer:expr) => {
        match $plan {
            TimePlan::At($part) => $answer,
            TimePlan::Stride($part) => $answer,
            TimePlan::SplitWord($part) => $answer,
            TimePlan::SplitWide($part) => $answer,
            TimePlan::DigitsOne($part) => $answer,
            TimePlan::DigitsWide($part) => $answer,
        }
    };
}

impl TimePart for TimePlan {
    #[inline]
    fn is_periodic(&self) -> bool {
        dispatch!(self, part => part.is_periodic())
    }

    #[inline]
    fn ceil(&self, time: u64) -> u64 {
        dispatch!(self, part => part.ceil(time))
    }

    #[inline]
    fn floor(&self, time: u64) -> u64 {
        dispatch!(self, part => part.floor(time))
    }

    #[inline]
    fn contains(&self, time: u64) -> bool {
        dispatch!(self, part => part.contains(time))
    }

    #[inline]
    fn rank(&self, time: u64) -> u32 {
        dispatch!(self, part => part.rank(time))
    }

    #[inline]
    fn select(&self, rank: u32) -> u64 {
        dispatch!(self, part => part.select(rank))
    }

    #[inline]
    fn around(&self, time: u64, len: u64) -> (Block, u32) {
        dispatch!(self, part => part.around(time, len))
    }
}
