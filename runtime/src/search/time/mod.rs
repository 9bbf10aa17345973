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

mod digits;
mod minutes;
mod split;
mod stride;

use super::Bounds;
use super::block::{Around, Block};
use super::set::{One, Wide, Word};
pub use digits::Digits;
pub use minutes::{DayMinutes, HourMinutes, MinuteSet, RankedMinutes};
pub use split::Split;
pub use stride::Stride;

/// Milliseconds in an hour.
const HOUR: u32 = 3_600_000;

/// The times of day of a schedule.
///
/// Times are milliseconds since midnight. All parts but [`At`] take any offset
/// in their place and answer for the line of all days, on which their times
/// repeat.
///
/// A caller asks for what there is: within a day no `ceil` after the last time
/// and no `floor` before the first. What comes back otherwise lies in another
/// day, or has no meaning, but it comes back.
pub trait TimePart: Sync {
    /// The only time of a day, where this is [`At`].
    #[inline(always)]
    fn only(&self) -> Option<u32> {
        None
    }
    /// From each time to the next, where this is a [`Stride`].
    #[inline(always)]
    fn step(&self) -> Option<u64> {
        None
    }
    /// Whether a digit is stepped from 0 on, as by `*` or `*/n`.
    fn repeats(&self) -> bool;
    /// The first time of a day.
    fn opens(&self) -> u32;
    /// The last time of a day.
    fn closes(&self) -> u32;
    /// How many times a day has.
    fn per_day(&self) -> u32;
    /// The first time at or after `time`.
    fn ceil(&self, time: u64) -> u64;
    /// The last time at or before `time`.
    fn floor(&self, time: u64) -> u64;
    /// Whether `time` is one.
    fn contains(&self, time: u64) -> bool;
    /// Whether `time`, which may be any number, is one and within the bounds.
    #[inline(always)]
    fn contains_between(&self, time: u64, bounds: &Bounds) -> bool {
        time <= bounds.last && self.contains(time)
    }
    /// How many times lie before `time`.
    fn rank(&self, time: u64) -> u64;
    /// The time that has `rank` times before it, where there is one.
    fn select(&self, rank: u64) -> u64;
    /// The span that a time is in, of a line of `len` times in all.
    fn around(&self, time: u64, len: u64) -> Around;
    /// The block of a token, where spans have more than one.
    #[inline(always)]
    fn block(&self, _: u64) -> Block {
        Block::EMPTY
    }
}

/// One time of day.
#[derive(Clone, Copy, Debug)]
pub struct At(pub u32);

impl TimePart for At {
    #[inline(always)]
    fn only(&self) -> Option<u32> {
        Some(self.0)
    }

    #[inline(always)]
    fn repeats(&self) -> bool {
        false
    }

    #[inline(always)]
    fn opens(&self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn closes(&self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn per_day(&self) -> u32 {
        1
    }

    #[inline(always)]
    fn ceil(&self, _: u64) -> u64 {
        u64::from(self.0)
    }

    #[inline(always)]
    fn floor(&self, _: u64) -> u64 {
        u64::from(self.0)
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        time == u64::from(self.0)
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        u64::from(time > u64::from(self.0))
    }

    #[inline(always)]
    fn select(&self, _: u64) -> u64 {
        u64::from(self.0)
    }

    #[inline(always)]
    fn around(&self, time: u64, _: u64) -> Around {
        Around::alone(Block::one(time), 0)
    }
}

/// The time part of a schedule that was parsed while running.
#[derive(Clone, Debug)]
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
    DigitsOne(Digits<DayMinutes, One>),
    /// See [`Digits`], with several values of milliseconds.
    DigitsWide(Digits<HourMinutes, Wide>),
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
    #[inline(always)]
    fn only(&self) -> Option<u32> {
        match self {
            Self::At(at) => at.only(),
            _ => None,
        }
    }

    #[inline(always)]
    fn step(&self) -> Option<u64> {
        match self {
            Self::Stride(stride) => stride.step(),
            _ => None,
        }
    }

    #[inline(always)]
    fn repeats(&self) -> bool {
        dispatch!(self, part => part.repeats())
    }

    #[inline(always)]
    fn opens(&self) -> u32 {
        dispatch!(self, part => part.opens())
    }

    #[inline(always)]
    fn closes(&self) -> u32 {
        dispatch!(self, part => part.closes())
    }

    #[inline(always)]
    fn per_day(&self) -> u32 {
        dispatch!(self, part => part.per_day())
    }

    #[inline(never)]
    fn ceil(&self, time: u64) -> u64 {
        dispatch!(self, part => part.ceil(time))
    }

    #[inline(never)]
    fn floor(&self, time: u64) -> u64 {
        dispatch!(self, part => part.floor(time))
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        dispatch!(self, part => part.contains(time))
    }

    #[inline(always)]
    fn contains_between(&self, time: u64, bounds: &Bounds) -> bool {
        dispatch!(self, part => part.contains_between(time, bounds))
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        dispatch!(self, part => part.rank(time))
    }

    #[inline(always)]
    fn select(&self, rank: u64) -> u64 {
        dispatch!(self, part => part.select(rank))
    }

    #[inline(always)]
    fn around(&self, time: u64, len: u64) -> Around {
        dispatch!(self, part => part.around(time, len))
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        dispatch!(self, part => part.block(token))
    }
}
