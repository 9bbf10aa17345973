//! [`Split`]: one list.

use core::hint::select_unpredictable;

use super::super::batch::Batch;
use super::super::set::DigitSet;
use super::super::{DAY, DAY_MILLIS};
use super::TimePart;
use crate::bits::Divisor;

/// A list of one digit under free ones, over fixed ones.
#[derive(Clone, Debug)]
pub struct Split<S> {
    /// The digit's unit, in milliseconds.
    unit: Divisor,
    /// How many values the digit could have.
    radix: Divisor,
    /// What the fixed digits below amount to.
    offset: u32,
    set: S,
}

impl<S> Split<S> {
    /// A digit of `unit` milliseconds with values below `radix`, of which those
    /// in `set` are taken, `offset` milliseconds after their start.
    #[must_use]
    pub const fn new(unit: u32, radix: u32, offset: u32, set: S) -> Self {
        Self { unit: Divisor::new(unit), radix: Divisor::new(radix), offset, set }
    }

    /// What [`new`](Self::new) took.
    #[must_use]
    pub const fn parts(&self) -> (u32, u32, u32, &S) {
        (self.unit.value(), self.radix.value(), self.offset, &self.set)
    }

    #[inline(always)]
    fn unit(&self) -> u64 {
        u64::from(self.unit.value())
    }

    /// From one turn of the digit to the next, in milliseconds.
    #[inline(always)]
    fn period(&self) -> u64 {
        u64::from(self.radix.value()) * self.unit()
    }

    /// The digit's turn, counted from the first, and its value at `units`.
    #[inline(always)]
    fn turn(&self, units: u64) -> (u64, u32) {
        (self.radix.quotient(units), self.radix.remainder(units))
    }

    #[inline(always)]
    fn at(&self, turn: u64, place: u32) -> u64 {
        turn * self.period() + u64::from(place) * self.unit() + u64::from(self.offset)
    }

    /// The units up to the first that begins at or after `time`.
    #[inline(always)]
    fn units(&self, time: u64) -> u64 {
        self.unit.quotient(time + (self.unit() - 1 - u64::from(self.offset)))
    }
}

impl<S: DigitSet> TimePart for Split<S> {
    #[inline(always)]
    fn opens(&self) -> u32 {
        self.offset + self.set.first() * self.unit.value()
    }

    #[inline(always)]
    fn closes(&self) -> u32 {
        let after_last = (self.radix.value() - self.set.last()) * self.unit.value();
        DAY_MILLIS - after_last + self.offset
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a day has fewer than 2^32 milliseconds")]
    fn per_day(&self) -> u32 {
        self.radix.quotient(self.unit.quotient(DAY)) as u32 * self.set.count()
    }

    #[inline(always)]
    fn ceil(&self, time: u64) -> u64 {
        let (turn, place) = self.turn(self.units(time));
        let found = self.set.ceil(place);
        let is_over = found >= S::END;
        let place = select_unpredictable(is_over, self.set.first(), found);
        self.at(turn + u64::from(is_over), place)
    }

    #[inline(always)]
    fn floor(&self, time: u64) -> u64 {
        let units = self.unit.quotient(time.saturating_sub(u64::from(self.offset)));
        let (turn, place) = self.turn(units);
        let found = self.set.floor(place);
        let is_under = found >= S::END;
        let place = select_unpredictable(is_under, self.set.last(), found);
        self.at(turn.saturating_sub(u64::from(is_under)), place)
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        // A turn more keeps the difference from going below zero.
        let time = time + self.period() - u64::from(self.offset);
        let units = self.unit.quotient(time);
        self.set.contains(self.radix.remainder(units)) & (units * self.unit() == time)
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        let (turn, place) = self.turn(self.units(time));
        turn * u64::from(self.set.count()) + u64::from(self.set.rank(place))
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below its divisor")]
    fn select(&self, rank: u64) -> u64 {
        let count = u64::from(self.set.count().max(1));
        self.at(rank / count, self.set.select((rank % count) as u32))
    }

    /// In steps of the digit's unit.
    #[inline]
    fn ahead(&self, time: u64, end: u64) -> Batch {
        let (turn, place) = self.turn(self.units(time));
        let mut batch = Batch::new(self.at(turn, 0), self.unit());
        let (mut first, mut from) = (0, place);
        while self.set.push_from(first, from, &mut batch) {
            first += self.radix.value();
            from = 0;
            if self.at(turn, first) > end {
                break;
            }
        }
        batch
    }

    #[inline]
    fn behind(&self, time: u64, start: u64) -> Batch {
        let (turn, place) = self.turn(self.units(time));
        let turns = turn.min(63);
        let first_turn = turn - turns;
        let mut batch = Batch::new(self.at(first_turn, 0), self.unit());
        let mut first = turns as u32 * self.radix.value();
        let mut to = place;
        while self.set.push_to(first, to, &mut batch) && first > 0 {
            if self.at(first_turn, first) <= start {
                break;
            }
            first -= self.radix.value();
            to = self.radix.value() - 1;
        }
        batch
    }
}
