//! [`DatePlan`]: the date strategy of a parsed schedule.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

#[cfg(feature = "alloc")]
use super::day_bitmap::DayBitmap;
use super::day_list::DayList;
use super::day_steps::DaySteps;
use super::day_tables::DayTables;
use super::every_day::EveryDay;
use super::part::{DatePart, LIST};
use super::weekdays::Weekdays;
use super::year_rows::YearRows;
use super::year_word::YearWord;
use crate::search::block::{Block, Enclosing};

/// The date part of a schedule parsed at run time.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a parsed plan is stored once, in one allocation")]
pub enum DatePlan {
    /// See [`EveryDay`].
    EveryDay(EveryDay),
    /// See [`Weekdays`].
    Weekdays(Weekdays),
    /// A [`DayList`] of all years.
    DayList(DayList<LIST, 101>),
    /// A [`DayList`] of four years, which repeat.
    DayListOf4Years(DayList<LIST, 4>),
    /// A [`DayList`] of 28 years, which repeat.
    DayListOf28Years(DayList<LIST, 28>),
    /// See [`DaySteps`].
    DaySteps(DaySteps),
    /// See [`YearWord`].
    YearWord(YearWord),
    /// See [`YearRows`].
    YearRows(YearRows),
    /// See [`DayBitmap`].
    #[cfg(feature = "alloc")]
    DayBitmap(DayBitmap<Box<DayTables>>),
}

/// Evaluates an expression for the strategy of the plan.
macro_rules! dispatch {
    ($plan:expr, $part:ident => $answer:expr) => {
        match $plan {
            DatePlan::EveryDay($part) => $answer,
            DatePlan::Weekdays($part) => $answer,
            DatePlan::DayList($part) => $answer,
            DatePlan::DayListOf4Years($part) => $answer,
            DatePlan::DayListOf28Years($part) => $answer,
            DatePlan::DaySteps($part) => $answer,
            DatePlan::YearWord($part) => $answer,
            DatePlan::YearRows($part) => $answer,
            #[cfg(feature = "alloc")]
            DatePlan::DayBitmap($part) => $answer,
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
    fn ends(&self) -> Option<&DayTables> {
        match self {
            #[cfg(feature = "alloc")]
            Self::DayBitmap(days) => days.ends(),
            _ => None,
        }
    }

    #[inline(always)]
    fn enclosing(&self, day: u32) -> Enclosing {
        dispatch!(self, part => part.enclosing(day))
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        dispatch!(self, part => part.block(token))
    }
}
