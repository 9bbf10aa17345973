//! [`TimePlan`]: the time strategy of a parsed schedule.

use super::field_product::FieldProduct;
use super::fixed_time::FixedTime;
use super::one_field::OneField;
use super::part::TimePart;
use super::stride::Stride;
use super::window_steps::WindowSteps;
use crate::search::bitmap::MillisecondSet;
use crate::search::block::{Block, Enclosing};
use crate::search::range::Bounds;
use crate::search::value_set::{SingleValue, SmallSet};

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

/// Defines searches of a [`TimePlan`], each of which its strategy answers, with an attribute.
macro_rules! searches {
    (#[$inline:meta] $($search:ident($($argument:ident: $ty:ty),*) -> $answer:ty,)*) => {
        $(#[$inline]
        fn $search(&self, $($argument: $ty),*) -> $answer {
            match self {
                Self::FixedTime(part) => part.$search($($argument),*),
                Self::Stride(part) => part.$search($($argument),*),
                Self::OneSmallField(part) => part.$search($($argument),*),
                Self::OneMillisecondField(part) => part.$search($($argument),*),
                Self::WindowSteps(part) => part.$search($($argument),*),
                Self::ProductWithOneMillisecond(part) => part.$search($($argument),*),
                Self::ProductWithMilliseconds(part) => part.$search($($argument),*),
            }
        })*
    };
}

impl TimePart for TimePlan {
    // One comparison each, where a table of all strategies makes `matches` up to 1.8 times as slow.

    #[inline(always)]
    fn single(&self) -> Option<u32> {
        if let Self::FixedTime(part) = self { part.single() } else { None }
    }

    #[inline(always)]
    fn step(&self) -> Option<u64> {
        if let Self::Stride(part) = self { part.step() } else { None }
    }

    #[inline(always)]
    fn takes_any_day(&self) -> bool {
        !matches!(self, Self::WindowSteps(_))
    }

    #[inline(always)]
    fn shift(&self) -> u32 {
        if let Self::WindowSteps(part) = self { part.shift() } else { 0 }
    }

    searches! {
        #[inline(always)]
        repeats() -> bool,
        first() -> u32,
        last() -> u32,
    }

    searches! {
        #[inline(never)]
        ceil(time: u64) -> u64,
        floor(time: u64) -> u64,
        ceil_daily(offset: u64) -> u64,
        floor_daily(offset: u64) -> u64,
    }

    // In WebAssembly, the size of so many copies matters more than a call.
    searches! {
        #[cfg_attr(not(target_family = "wasm"), inline(always))]
        per_day() -> u32,
        contains(time: u64) -> bool,
        contains_between(time: u64, bounds: &Bounds) -> bool,
        rank(time: u64) -> u64,
        select(rank: u64) -> u64,
        enclosing(time: u64, len: u64) -> Enclosing,
        block(token: u64) -> Block,
    }
}
