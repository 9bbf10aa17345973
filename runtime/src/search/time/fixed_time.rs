//! [`FixedTime`]: one time of day.

use super::part::TimePart;
use crate::search::block::{Block, Enclosing};

/// One time of day.
#[derive(Clone, Copy, Debug)]
pub struct FixedTime(pub u32);

impl TimePart for FixedTime {
    #[inline(always)]
    fn single(&self) -> Option<u32> {
        Some(self.0)
    }

    #[inline(always)]
    fn repeats(&self) -> bool {
        false
    }

    #[inline(always)]
    fn first(&self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn per_day(&self) -> u32 {
        1
    }

    #[inline(always)]
    fn ceil(&self, _: u64) -> u64 {
        u64::from(self.0)
    }

    #[inline(always)]
    fn floor(&self, _: u64) -> u64 {
        u64::from(self.0)
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        time == u64::from(self.0)
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        u64::from(time > u64::from(self.0))
    }

    #[inline(always)]
    fn select(&self, _: u64) -> u64 {
        u64::from(self.0)
    }

    #[inline(always)]
    fn enclosing(&self, time: u64, _: u64) -> Enclosing {
        Enclosing::alone(Block::one(time), 0)
    }
}
