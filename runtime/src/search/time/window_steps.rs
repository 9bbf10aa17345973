//! [`WindowSteps`]: equal steps within a part of the day.

use super::part::TimePart;
use crate::bits::Divisor;
use crate::search::block::{Block, Enclosing, Span, part_of_row};
use crate::search::range::{DAY, split_day};

/// Equal steps within a part of the day, which may extend past midnight.
///
/// Days begin with the window, so no window continues past the end of its day, and times count from
/// there.
#[derive(Clone, Copy, Debug)]
pub struct WindowSteps {
    /// The start of the window, in milliseconds since midnight.
    from: u32,
    step: Divisor,
    /// The number of steps in a day.
    count: u32,
    /// The last step of a day.
    last: u32,
}

impl WindowSteps {
    /// Returns `count` steps of `step` milliseconds. The last one must be less than a day after the
    /// first.
    #[must_use]
    pub const fn new(from: u32, step: u32, count: u32) -> Self {
        Self { from, step: Divisor::new(step), count, last: (count - 1) * step }
    }

    /// Returns the arguments of [`new`](Self::new).
    #[must_use]
    pub const fn parts(&self) -> (u32, u32, u32) {
        (self.from, self.step.value(), self.count)
    }

    #[inline(always)]
    fn step(&self) -> u64 {
        self.step.value().into()
    }

    /// Returns the number of steps before `time`, as if the window had no end.
    #[inline(always)]
    fn steps(&self, time: u64) -> u64 {
        self.step.quotient(time + (self.step() - 1))
    }
}

impl TimePart for WindowSteps {
    #[inline(always)]
    fn takes_any_day(&self) -> bool {
        false
    }

    #[inline(always)]
    fn shift(&self) -> u32 {
        self.from
    }

    #[inline(always)]
    fn repeats(&self) -> bool {
        true
    }

    #[inline(always)]
    fn first(&self) -> u32 {
        0
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        self.last
    }

    #[inline(always)]
    fn per_day(&self) -> u32 {
        self.count
    }

    #[inline(always)]
    fn ceil(&self, time: u64) -> u64 {
        self.steps(time) * self.step()
    }

    #[inline(always)]
    fn floor(&self, time: u64) -> u64 {
        self.step.quotient(time) * self.step()
    }

    #[inline(always)]
    fn ceil_daily(&self, offset: u64) -> u64 {
        let offset = offset.saturating_sub(self.from.into());
        let (day, time) = split_day(offset);
        let midnight = u64::from(day) * DAY;
        let step = self.ceil(time.into());
        let is_today = step <= u64::from(self.last());
        u64::from(self.from) + midnight + if is_today { step } else { DAY }
    }

    #[inline(always)]
    fn floor_daily(&self, offset: u64) -> u64 {
        let offset = offset.saturating_sub(self.from.into());
        let (day, time) = split_day(offset);
        let step = self.floor(time.into()).min(self.last().into());
        u64::from(self.from) + u64::from(day) * DAY + step
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        let (_, time) = split_day(time);
        time <= self.last() && self.step.remainder(time.into()) == 0
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        self.steps(time).min(self.count.into())
    }

    #[inline(always)]
    fn select(&self, rank: u64) -> u64 {
        rank * self.step()
    }

    /// A block is 64 steps, and its token is its first step. A span consists of 64 blocks of a day.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a place below 64")]
    fn enclosing(&self, time: u64, _: u64) -> Enclosing {
        let index = self.steps(time);
        let events = self.block(index / 64 * 64 * self.step());
        let blocks = u64::from(self.count.div_ceil(64));
        let (tokens, token) = part_of_row(0, 64 * self.step(), blocks, index / 64);
        Enclosing { span: Span { events, tokens }, event: index as u32 % 64, token }
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        let (_, time) = split_day(token);
        let steps = part_of_row(0, self.step(), self.count.into(), self.steps(time.into())).0;
        Block { base: token, ..steps }
    }
}
