//! What a strategy of the date answers, and what it is made of.

use crate::search::block::{Block, Enclosing};

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
    /// The span that a day is in, in days.
    fn enclosing(&self, day: u32) -> Enclosing;
    /// The block of a token, in days, where spans have more than one.
    #[inline(always)]
    fn block(&self, _: u64) -> Block {
        Block::EMPTY
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

/// All weekdays, as bits.
pub(crate) const ALL_WEEKDAYS: u8 = 0x7f;

/// How many days the list of a parsed schedule has room for.
pub(crate) const LIST: usize = 222;
