//! [`Stride`]: equal steps through the day.

use super::part::{HOUR, TimePart};
use crate::bits::{Divisor, Multiples};
use crate::calendar::DAY_MILLIS;
use crate::search::block::{Enclosing, part_of_row};
use crate::search::range::{Bounds, DAY};

/// Every `period` milliseconds, starting at `offset`. The period divides a day.
#[derive(Clone, Copy, Debug)]
pub struct Stride {
    period: Divisor,
    multiples: Multiples,
    offset: u32,
}

impl Stride {
    /// Returns a stride with a period from 1 ms to a day, and an offset below the period, both in
    /// milliseconds.
    #[must_use]
    pub const fn new(period: u32, offset: u32) -> Self {
        Self { period: Divisor::new(period), multiples: Multiples::of(period), offset }
    }

    /// Returns the arguments of [`new`](Self::new): the period and the offset.
    #[must_use]
    pub const fn parts(self) -> (u32, u32) {
        (self.period.value(), self.offset)
    }

    #[inline(always)]
    fn period(self) -> u64 {
        u64::from(self.period.value())
    }

    #[inline(always)]
    fn offset(self) -> u64 {
        u64::from(self.offset)
    }

    /// Returns the index of the first time at or after `time`.
    #[inline(always)]
    fn index(self, time: u64) -> u64 {
        self.period.quotient(time + (self.period() - 1 - self.offset()))
    }

    #[inline(always)]
    fn at(self, index: u64) -> u64 {
        index * self.period() + self.offset()
    }
}

impl TimePart for Stride {
    #[inline(always)]
    fn step(&self) -> Option<u64> {
        Some(self.period())
    }

    #[inline(always)]
    fn repeats(&self) -> bool {
        // If the period is below an hour, the hours are free. Otherwise, the hour is the field with
        // the step, which starts at the hour of the offset.
        let (period, offset) = self.parts();
        period < HOUR || (period < DAY_MILLIS && offset < HOUR)
    }

    #[inline(always)]
    fn first(&self) -> u32 {
        self.offset
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        DAY_MILLIS - self.period.value() + self.offset
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a day has fewer than 2^32 milliseconds")]
    fn per_day(&self) -> u32 {
        self.period.quotient(DAY) as u32
    }

    #[inline(always)]
    fn ceil(&self, time: u64) -> u64 {
        self.at(self.index(time))
    }

    #[inline(always)]
    fn floor(&self, time: u64) -> u64 {
        self.at(self.period.quotient(time.saturating_sub(self.offset())))
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        self.period.remainder(time + (self.period() - self.offset())) == 0
    }

    /// Multiplying by the inverse of the period maps only its multiples to small quotients, so one
    /// comparison checks the step and both bounds.
    #[inline(always)]
    fn contains_between(&self, time: u64, bounds: &Bounds) -> bool {
        self.multiples.quotient(time.wrapping_sub(bounds.first)) < bounds.count
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        self.index(time)
    }

    #[inline(always)]
    fn select(&self, rank: u64) -> u64 {
        self.at(rank)
    }

    #[inline(always)]
    fn enclosing(&self, time: u64, len: u64) -> Enclosing {
        let (events, event) = part_of_row(self.offset(), self.period(), len, self.index(time));
        Enclosing::alone(events, event)
    }
}
