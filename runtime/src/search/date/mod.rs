//! The strategies of the date.
//!
//! | strategy | days | example |
//! | --- | --- | --- |
//! | [`EveryDay`] | all | `*:00:00` |
//! | [`Weekdays`] | some weekdays, any date | `*.*.* 1-5 09:30:00` |
//! | [`FewDays`] | a list, of all days or of those of a cycle of years | `*.*.1 01:30:00` |
//! | [`Season`] | some in every year, at most 24 and within 64 days | `*.9.*/2 1-5 10:00:00` |
//! | [`YearRows`] | anything else | `*.*.1-7 1-5 10:00:00` |

mod few;
mod list;
mod packed;
mod rows;
mod season;
mod weekdays;
mod year;

use super::block::{Around, Block};
pub use few::FewDays;
pub use rows::YearRows;
pub use season::Season;
pub use weekdays::Weekdays;

/// The days of a schedule.
///
/// Days are counted from 2000-01-01. A caller asks for what there is: no `ceil`
/// after the last day, no `floor` before the first. What comes back otherwise
/// has no meaning, but it comes back.
pub trait DatePart: Sync {
    /// Whether this is [`EveryDay`].
    #[inline(always)]
    fn is_every_day(&self) -> bool {
        false
    }
    /// From each day to the next, where these are known to be equally far all through,
    /// and are not every day.
    #[inline(always)]
    fn step(&self) -> Option<u16> {
        None
    }
    /// The first day at or after `day`.
    fn ceil(&self, day: u32) -> u32;
    /// The last day at or before `day`.
    fn floor(&self, day: u32) -> u32;
    /// Whether `day` is one.
    fn contains(&self, day: u32) -> bool;
    /// How many days lie before `day`.
    fn rank(&self, day: u32) -> u32;
    /// The day that has `rank` days before it, where there is one.
    fn select(&self, rank: u32) -> u32;
    /// The list that blocks point into, of days counted from their start; empty where
    /// blocks are bits.
    #[inline(always)]
    fn list(&self) -> &[u16] {
        &[]
    }
    /// The first block, in days, where no search is needed for that.
    #[inline(always)]
    fn opening(&self) -> Option<Block> {
        None
    }
    /// The last block, in days, where no search is needed for that.
    #[inline(always)]
    fn closing(&self) -> Option<Block> {
        None
    }
    /// The span that a day is in, in days.
    fn around(&self, day: u32) -> Around;
    /// The block of a token, in days, where spans have more than one.
    #[inline(always)]
    fn block(&self, _: u64) -> Block {
        Block::EMPTY
    }
}

/// Every day.
#[derive(Clone, Copy, Debug)]
pub struct EveryDay;

impl DatePart for EveryDay {
    #[inline(always)]
    fn is_every_day(&self) -> bool {
        true
    }

    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        day
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        day
    }

    #[inline(always)]
    fn contains(&self, _: u32) -> bool {
        true
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        day
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        rank
    }

    #[inline(always)]
    fn around(&self, day: u32) -> Around {
        Around::alone(Block::one(u64::from(day)), 0)
    }
}

/// What the days of a schedule depend on.
pub(crate) struct Dates {
    /// The days that month and day of month take of a common and of a leap
    /// year, six words each.
    pub(crate) rows: [u64; 12],
    /// With bit 0 for Sunday.
    pub(crate) weekdays: u8,
    /// Counted from 2000, as bits.
    pub(crate) years: u128,
}

/// How many days the list of a parsed schedule has room for.
pub(crate) const LIST: usize = 222;

/// The date part of a schedule that was parsed while running.
#[derive(Clone, Debug)]
pub enum DatePlan {
    /// See [`EveryDay`].
    EveryDay(EveryDay),
    /// See [`Weekdays`].
    Weekdays(Weekdays),
    /// See [`FewDays`], of all years.
    FewDays(FewDays<LIST, 101>),
    /// See [`FewDays`], of each four years.
    FewDays4(FewDays<LIST, 4>),
    /// See [`FewDays`], of each 28 years.
    FewDays28(FewDays<LIST, 28>),
    /// See [`Season`].
    Season(Season),
    /// See [`YearRows`], with all weekdays.
    Dates(YearRows<2, 3>),
    /// See [`YearRows`], with some weekdays.
    DatesOnWeekdays(YearRows<14, 21>),
}

/// Asks the strategy that the plan has.
macro_rules! dispatch {
    ($plan:expr, $part:ident => $answer:expr) => {
        match $plan {
            DatePlan::EveryDay($part) => $answer,
            DatePlan::Weekdays($part) => $answer,
            DatePlan::FewDays($part) => $answer,
            DatePlan::FewDays4($part) => $answer,
            DatePlan::FewDays28($part) => $answer,
            DatePlan::Season($part) => $answer,
            DatePlan::Dates($part) => $answer,
            DatePlan::DatesOnWeekdays($part) => $answer,
        }
    };
}

impl DatePart for DatePlan {
    #[inline(always)]
    fn is_every_day(&self) -> bool {
        matches!(self, Self::EveryDay(_))
    }

    #[inline(always)]
    fn step(&self) -> Option<u16> {
        dispatch!(self, part => part.step())
    }

    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        dispatch!(self, part => part.ceil(day))
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        dispatch!(self, part => part.floor(day))
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        dispatch!(self, part => part.contains(day))
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        dispatch!(self, part => part.rank(day))
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        dispatch!(self, part => part.select(rank))
    }

    #[inline(always)]
    fn list(&self) -> &[u16] {
        dispatch!(self, part => part.list())
    }

    #[inline(always)]
    fn opening(&self) -> Option<Block> {
        dispatch!(self, part => part.opening())
    }

    #[inline(always)]
    fn closing(&self) -> Option<Block> {
        dispatch!(self, part => part.closing())
    }

    #[inline(always)]
    fn around(&self, day: u32) -> Around {
        dispatch!(self, part => part.around(day))
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        dispatch!(self, part => part.block(token))
    }
}
