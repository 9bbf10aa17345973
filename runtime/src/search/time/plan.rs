//! [`TimePlan`]: the time strategy of a parsed schedule.

use super::field_product::FieldProduct;
use super::fixed_time::FixedTime;
use super::one_field::OneField;
use super::part::TimePart;
use super::stride::Stride;
use super::window_steps::WindowSteps;
use crate::search::block::{Block, Enclosing};
use crate::search::range::Bounds;
use crate::search::value_set::{MillisecondSet, SingleValue, SmallSet};

/// The time part of a schedule parsed at run time.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a parsed plan is stored once, in one allocation")]
pub enum TimePlan {
    /// See [`FixedTime`].
    FixedTime(FixedTime),
    /// See [`Stride`].
    Stride(Stride),
    /// A [`OneField`] of hours, minutes or seconds.
    OneSmallField(OneField<SmallSet>),
    /// A [`OneField`] of milliseconds.
    OneMillisecondField(OneField<MillisecondSet>),
    /// See [`WindowSteps`].
    WindowSteps(WindowSteps),
    /// A [`FieldProduct`] with one millisecond.
    ProductWithOneMillisecond(FieldProduct<SingleValue>),
    /// A [`FieldProduct`] with several milliseconds.
    ProductWithMilliseconds(FieldProduct<MillisecondSet>),
}

/// Evaluates an expression for the strategy of the plan.
macro_rules! dispatch {
    ($plan:expr, $part:ident => $answer:expr) => {
        match $plan {
            TimePlan::FixedTime($part) => $answer,
            TimePlan::Stride($part) => $answer,
            TimePlan::OneSmallField($part) => $answer,
            TimePlan::OneMillisecondField($part) => $answer,
            TimePlan::WindowSteps($part) => $answer,
            TimePlan::ProductWithOneMillisecond($part) => $answer,
            TimePlan::ProductWithMilliseconds($part) => $answer,
        }
    };
}

impl TimePart for TimePlan {
    #[inline(always)]
    fn single(&self) -> Option<u32> {
        match self {
            Self::FixedTime(at) => at.single(),
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
    fn takes_any_day(&self) -> bool {
        !matches!(self, Self::WindowSteps(_))
    }

    #[inline(always)]
    fn shift(&self) -> u32 {
        match self {
            Self::WindowSteps(window) => window.shift(),
            _ => 0,
        }
    }

    #[inline(always)]
    fn repeats(&self) -> bool {
        dispatch!(self, part => part.repeats())
    }

    #[inline(always)]
    fn first(&self) -> u32 {
        dispatch!(self, part => part.first())
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        dispatch!(self, part => part.last())
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
    fn ceil_daily(&self, offset: u64) -> u64 {
        match self {
            Self::WindowSteps(window) => window.ceil_daily(offset),
            _ => self.ceil(offset),
        }
    }

    #[inline(always)]
    fn floor_daily(&self, offset: u64) -> u64 {
        match self {
            Self::WindowSteps(window) => window.floor_daily(offset),
            _ => self.floor(offset),
        }
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
    fn enclosing(&self, time: u64, len: u64) -> Enclosing {
        dispatch!(self, part => part.enclosing(time, len))
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        dispatch!(self, part => part.block(token))
    }
}
