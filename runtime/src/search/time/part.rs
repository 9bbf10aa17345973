//! [`TimePart`]: the searches of a time strategy.

use crate::search::block::{Block, Enclosing};
use crate::search::range::Bounds;

/// Milliseconds in an hour.
pub(super) const HOUR: u32 = 3_600_000;

/// The times of day of a schedule.
///
/// Times are milliseconds since midnight, or since the [`shift`](Self::shift). All strategies
/// except a fixed time and a window also take any offset, as if the schedule had events on every
/// day.
///
/// Within a day, callers must not call `ceil` after the last time, nor `floor` before the first
/// one: these return a time on another day, or an unspecified value.
pub trait TimePart: Sync {
    /// Returns the time if this is a [`FixedTime`](super::FixedTime).
    #[inline(always)]
    fn single(&self) -> Option<u32> {
        None
    }
    /// Returns the period if this is a [`Stride`](super::Stride).
    #[inline(always)]
    fn step(&self) -> Option<u64> {
        None
    }
    /// Whether the searches take any offset, as if the schedule had events on every day.
    #[inline(always)]
    fn takes_any_day(&self) -> bool {
        true
    }
    /// Returns how long after midnight a day begins, in milliseconds. Times count from there, and
    /// days count from the midnight before.
    #[inline(always)]
    fn shift(&self) -> u32 {
        0
    }
    /// Whether a field has several values, and they are exactly the values of `*` or `*/n`.
    fn repeats(&self) -> bool;
    /// Returns the first time of a day.
    fn first(&self) -> u32;
    /// Returns the last time of a day.
    fn last(&self) -> u32;
    /// Returns the number of times in a day.
    fn per_day(&self) -> u32;
    /// Returns the first time at or after `time`.
    fn ceil(&self, time: u64) -> u64;
    /// Returns the last time at or before `time`.
    fn floor(&self, time: u64) -> u64;
    /// Returns the first event at or after an offset, if the schedule has events on every day.
    #[inline(always)]
    fn ceil_daily(&self, offset: u64) -> u64 {
        self.ceil(offset)
    }
    /// Returns the last event at or before an offset, if the schedule has events on every day.
    #[inline(always)]
    fn floor_daily(&self, offset: u64) -> u64 {
        self.floor(offset)
    }
    /// Whether `time` belongs to the schedule.
    fn contains(&self, time: u64) -> bool;
    /// Whether `time` belongs to the schedule and is within the bounds. `time` may be any number.
    #[inline(always)]
    fn contains_between(&self, time: u64, bounds: &Bounds) -> bool {
        time <= bounds.last && self.contains(time)
    }
    /// Returns how many times precede `time`.
    fn rank(&self, time: u64) -> u64;
    /// Returns the time with `rank` times before it, if there is one.
    fn select(&self, rank: u64) -> u64;
    /// Returns the span that contains a time, if there are `len` times in total.
    fn enclosing(&self, time: u64, len: u64) -> Enclosing;
    /// Returns the block of a token, if spans have more than one block.
    #[inline(always)]
    fn block(&self, _: u64) -> Block {
        Block::EMPTY
    }
}
