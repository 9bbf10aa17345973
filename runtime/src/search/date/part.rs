//! [`DatePart`]: the searches of a date strategy; and [`Dates`], from which strategies are
//! built.

use crate::search::block::{Block, Enclosing};

/// The days of a schedule.
///
/// Days count from 2000-01-01. Callers must not call `ceil` after the last day, nor `floor`
/// before the first one: these return an unspecified value.
pub trait DatePart: Sync {
    /// Whether this is [`EveryDay`](super::EveryDay).
    #[inline(always)]
    fn is_every_day(&self) -> bool {
        false
    }
    /// Returns the distance between days if all are known to be equally spaced, except for
    /// every day.
    #[inline(always)]
    fn step(&self) -> Option<u16> {
        None
    }
    /// Returns the first day at or after `day`.
    fn ceil(&self, day: u32) -> u32;
    /// Returns the last day at or before `day`.
    fn floor(&self, day: u32) -> u32;
    /// Whether `day` belongs to the schedule.
    fn contains(&self, day: u32) -> bool;
    /// Returns how many days of the schedule precede `day`.
    fn rank(&self, day: u32) -> u32;
    /// Returns the day that `rank` days precede, where there is one.
    fn select(&self, rank: u32) -> u32;
    /// Returns the list that blocks index, of days counted from the block's base; empty if
    /// blocks are bits.
    #[inline(always)]
    fn list(&self) -> &[u16] {
        &[]
    }
    /// Returns the span that contains a day, in days.
    fn enclosing(&self, day: u32) -> Enclosing;
    /// Returns the block of a token, in days, where spans have more than one block.
    #[inline(always)]
    fn block(&self, _: u64) -> Block {
        Block::EMPTY
    }
}

/// The date fields of a schedule, as the strategies read them.
pub(crate) struct Dates {
    /// The days of a common year and of a leap year by month and day of month, as bits: six
    /// words each.
    pub(crate) rows: [u64; 12],
    /// The weekdays as bits; bit 0 is Sunday.
    pub(crate) weekdays: u8,
    /// The years as bits; bit 0 is 2000.
    pub(crate) years: u128,
}

/// All weekdays, as bits.
pub(crate) const ALL_WEEKDAYS: u8 = 0x7f;

/// The length of the list of a parsed schedule.
pub(crate) const LIST: usize = 222;
