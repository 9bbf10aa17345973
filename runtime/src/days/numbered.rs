//! Business days by their number in the month.

use super::months::{FIRST_DAYS, last_days};
use super::moves::adjusted;
use super::set::DaySet;

impl DaySet {
    /// Returns the days of this set with some numbers in their month: bit k - 1 of `numbered` for
    /// the k-th, bit n of `before_last` for the n-th before the last.
    pub(super) const fn numbered(&self, numbered: u32, before_last: u32) -> Self {
        match (numbered, before_last) {
            (_, 0) => self.taken(&FIRST_DAYS, numbered, false),
            (0, _) => self.taken(&last_days(), before_last, true),
            _ => self.numbered(numbered, 0).or(&self.numbered(0, before_last)),
        }
    }

    /// Returns the days of this set with some numbers, counted within their month from one of its
    /// ends on: `start` is that end of each month.
    const fn taken(&self, start: &Self, mut numbers: u32, is_back: bool) -> Self {
        let mut taken = Self::EMPTY;
        // A step that would leave the month stops at the start of the next one.
        let stops = self.or(start);
        let mut days = start.and(self).or(&start.minus(self).step(&stops, is_back).minus(start));
        while numbers != 0 {
            if numbers & 1 == 1 {
                taken = taken.or(&days);
            }
            numbers >>= 1;
            if numbers != 0 {
                days = days.step(&stops, is_back).minus(start);
            }
        }
        taken
    }

    /// Returns the next of some stops after each day or, if `is_back`, the last one before it.
    const fn step(&self, stops: &Self, is_back: bool) -> Self {
        adjusted(&if is_back { self.earlier() } else { self.later() }, stops, is_back)
    }
}
