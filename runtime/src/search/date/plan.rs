//! [`DatePlan`]: the date strategy of a parsed schedule.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

#[cfg(feature = "alloc")]
use super::day_bitmap::DayBitmap;
use super::day_list::DayList;
use super::day_steps::DaySteps;
#[cfg(feature = "alloc")]
use super::day_tables::DayTables;
use super::every_day::EveryDay;
use super::part::{DatePart, LIST};
use super::weekdays::Weekdays;
#[cfg(feature = "alloc")]
use super::window_ends::EndRanks;
use super::window_ends::WindowEnds;
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
    DayBitmap(DayBitmap<Box<DayTables>, Box<EndRanks>>),
}

/// Defines searches of a [`DatePlan`], each of which its strategy answers. In WebAssembly, the size of so
/// many copies matters more than a call.
macro_rules! searches {
    ($($search:ident($($argument:ident: $ty:ty),*) -> $answer:ty,)*) => {
        $(#[cfg_attr(not(target_family = "wasm"), inline(always))]
        fn $search(&self, $($argument: $ty),*) -> $answer {
            match self {
                Self::EveryDay(part) => part.$search($($argument),*),
                Self::Weekdays(part) => part.$search($($argument),*),
                Self::DayList(part) => part.$search($($argument),*),
                Self::DayListOf4Years(part) => part.$search($($argument),*),
                Self::DayListOf28Years(part) => part.$search($($argument),*),
                Self::DaySteps(part) => part.$search($($argument),*),
                Self::YearWord(part) => part.$search($($argument),*),
                Self::YearRows(part) => part.$search($($argument),*),
                #[cfg(feature = "alloc")]
                Self::DayBitmap(part) => part.$search($($argument),*),
            }
        })*
    };
}

impl DatePart for DatePlan {
    // One comparison each, as every search asks these first.

    #[inline(always)]
    fn is_every_day(&self) -> bool {
        matches!(self, Self::EveryDay(_))
    }

    #[inline(always)]
    fn ends(&self) -> Option<WindowEnds<'_>> {
        match self {
            #[cfg(feature = "alloc")]
            Self::DayBitmap(part) => part.ends(),
            _ => None,
        }
    }

    searches! {
        step() -> Option<u16>,
        ceil(day: u32) -> u32,
        floor(day: u32) -> u32,
        contains(day: u32) -> bool,
        rank(day: u32) -> u32,
        select(rank: u32) -> u32,
        list() -> &[u16],
        enclosing(day: u32) -> Enclosing,
        block(token: u64) -> Block,
    }
}
