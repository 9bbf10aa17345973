//! What a strategy of the time answers.

use crate::search::block::{Block, Enclosing};
use crate::search::range::Bounds;

/// Milliseconds in an hour.
pub(super) const HOUR: u32 = 3_600_000;

/// The times of day of a schedule.
///
/// Times are milliseconds since midnight. All parts but [`FixedTime`] take any offset
/// in their place and answer for the line of all days, on which their times
/// repeat.
///
/// A caller asks for what there is: within a day no `ceil` after the last time
/// and no `floor` before the first. What comes back otherwise lies in another
/// day, or has no meaning, but it comes back.
pub trait TimePart: Sync {
    /// The only time of a day, where this is [`FixedTime`].
    #[inline(always)]
    fn single(&self) -> Option<u32> {
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
    fn first(&self) -> u32;
    /// The last time of a day.
    fn last(&self) -> u32;
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
    fn enclosing(&self, time: u64, len: u64) -> Enclosing;
    /// The block of a token, where spans have more than one.
    #[inline(always)]
    fn block(&self, _: u64) -> Block {
        Block::EMPTY
    }
}
