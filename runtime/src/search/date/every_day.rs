//! [`EveryDay`]: all days.

use super::part::DatePart;
use crate::search::block::{Block, Enclosing};

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
    fn enclosing(&self, day: u32) -> Enclosing {
        Enclosing::alone(Block::one(u64::from(day)), 0)
    }
}
