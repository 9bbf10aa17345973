//! [`DaySteps`]: days in equal steps from a date.

use core::hint::select_unpredictable;

use super::part::DatePart;
use super::years::FIRST_WEEKDAY;
use crate::bits::{self, DayDivisor};
use crate::search::block::{Block, Enclosing, Span, part_of_row};
use crate::search::range::DAYS;
use crate::{DateSteps, StepUnit};

/// Days in equal steps from a date, possibly without some of the steps.
///
/// A cycle consists of seven steps, or begins with a week of days. The first step of each cycle is
/// a day of the schedule.
#[derive(Clone, Copy, Debug)]
pub struct DaySteps {
    /// The first day.
    first: u32,
    /// The length of a cycle, in days.
    cycle: DayDivisor,
    /// The distance between the steps of a cycle, in days.
    step: DayDivisor,
    /// The steps of a cycle that are days of the schedule, at most seven bits.
    pattern: u8,
}

/// The steps of a cycle.
const STEPS: u32 = 7;

/// The longest cycle: longer than the range, and short enough for a [`DayDivisor`].
const LONGEST: u32 = u16::MAX as u32;

impl DaySteps {
    /// Returns the days of a `pattern` of steps, in which bit 0 must be set.
    #[must_use]
    pub const fn new(first: u32, cycle: u32, step: u32, pattern: u8) -> Self {
        let (cycle, step) = (DayDivisor::new(cycle), DayDivisor::new(step));
        Self { first, cycle, step, pattern }
    }

    /// Returns the arguments of [`new`](Self::new).
    #[must_use]
    pub const fn parts(&self) -> (u32, u32, u32, u8) {
        (self.first, self.cycle.value(), self.step.value(), self.pattern)
    }

    /// Returns the steps from the day `anchor` on some weekdays; `None` if there are no days.
    pub(crate) fn of(anchor: u32, steps: DateSteps, weekdays: u8) -> Option<Self> {
        let DateSteps { days, unit } = steps;
        let are_weeks = unit == StepUnit::Week;
        // The weekdays repeat after seven steps.
        let (step, cycle) = if are_weeks { (1, days) } else { (days, STEPS * days) };
        let is_on = |index: u32| weekdays >> ((anchor + FIRST_WEEKDAY + index * step) % 7) & 1;
        let pattern = (0..STEPS).fold(0, |pattern, index| pattern | is_on(index) << index);
        if pattern == 0x7f && !are_weeks {
            return Some(Self::new(anchor, step, 1, 1));
        }
        let skipped = pattern.trailing_zeros();
        let (first, pattern) = (anchor + skipped * step, pattern.checked_shr(skipped)?);
        (first < DAYS).then(|| Self::new(first, cycle.min(LONGEST), step, pattern))
    }

    const fn count(&self) -> u32 {
        self.pattern.count_ones()
    }

    /// Returns the index of a day's cycle, counted from the first cycle, and the day within the
    /// cycle.
    #[inline(always)]
    fn split(&self, day: u32) -> (u32, u32) {
        let day = day.saturating_sub(self.first);
        let index = self.cycle.quotient(day);
        (index, day - index * self.cycle.value())
    }

    /// Returns the number of steps, at most seven, that begin in the first `days` days of a cycle.
    #[inline(always)]
    fn steps_in(&self, days: u32) -> u32 {
        // The usual steps need no division.
        if self.step.value() == 1 {
            return days.min(STEPS);
        }
        self.step.quotient(days + self.step.value() - 1).min(STEPS)
    }

    #[inline(always)]
    const fn at(&self, cycle: u32, step: u32) -> u32 {
        self.first + cycle * self.cycle.value() + step * self.step.value()
    }
}

impl DatePart for DaySteps {
    #[inline(always)]
    fn step(&self) -> Option<u16> {
        if self.pattern == 1 { u16::try_from(self.cycle.value()).ok() } else { None }
    }

    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        let (cycle, day) = self.split(day);
        if self.pattern == 1 {
            return self.at(cycle + u32::from(day > 0), 0);
        }
        let passed = self.steps_in(day);
        let rest = u32::from(self.pattern) >> passed;
        let step = select_unpredictable(rest == 0, 0, passed + rest.trailing_zeros());
        self.at(cycle + u32::from(rest == 0), step)
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        let (cycle, day) = self.split(day);
        if self.pattern == 1 {
            return self.at(cycle, 0);
        }
        let passed = bits::up_to(self.pattern.into(), self.steps_in(day + 1) - 1);
        self.at(cycle, bits::last(passed))
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        let (cycle, of_cycle) = self.split(day);
        let step = self.steps_in(of_cycle);
        self.pattern >> step & 1 != 0 && self.at(cycle, step) == day
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        let (cycle, day) = self.split(day);
        cycle * self.count() + bits::rank(self.pattern.into(), self.steps_in(day))
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        let count = self.count().max(1);
        self.at(rank / count, bits::select(self.pattern.into(), rank % count))
    }

    /// A block is a cycle, and its token is its first day. A span is 64 cycles.
    #[inline(always)]
    fn enclosing(&self, day: u32) -> Enclosing {
        let (cycle, of_cycle) = self.split(day);
        let events = self.block(self.at(cycle, 0).into());
        let len = self.cycle.value();
        let cycles = (DAYS - self.first).div_ceil(len.max(1));
        let (tokens, token) =
            part_of_row(self.first.into(), len.into(), cycles.into(), cycle.into());
        Enclosing { span: Span { events, tokens }, event: self.steps_in(of_cycle), token }
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        Block::new(token, self.step.value().into(), self.pattern.into())
    }
}
