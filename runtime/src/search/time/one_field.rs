//! [`OneField`]: a list in one field.

use super::part::{HOUR, TimePart};
use crate::bits::{self, SmallDivisor};
use crate::calendar::DAY_MILLIS;
use crate::search::block::{Block, Enclosing, Span, part_of_row};
use crate::search::range::DAY;
use crate::search::value_set::ValueSet;

/// A list of values in one field; the fields above are free and those below are fixed.
#[derive(Clone, Debug)]
pub struct OneField<S> {
    /// The unit of the field, in milliseconds.
    unit: SmallDivisor,
    /// The number of values that the field could have.
    radix: SmallDivisor,
    /// The value of the fixed fields below, in milliseconds.
    offset: u32,
    set: S,
}

impl<S> OneField<S> {
    /// Returns the values in `set` of a field with `radix` values of `unit` milliseconds each,
    /// `offset` milliseconds after the start of each value.
    #[must_use]
    pub const fn new(unit: u32, radix: u32, offset: u32, set: S) -> Self {
        Self { unit: SmallDivisor::new(unit), radix: SmallDivisor::new(radix), offset, set }
    }

    /// Returns the arguments of [`new`](Self::new).
    #[must_use]
    pub const fn parts(&self) -> (u32, u32, u32, &S) {
        (self.unit.value(), self.radix.value(), self.offset, &self.set)
    }

    #[inline(always)]
    fn unit(&self) -> u64 {
        u64::from(self.unit.value())
    }

    /// Returns the whole units before a time. Milliseconds need no division.
    #[inline(always)]
    fn whole_units(&self, time: u64) -> u64 {
        if self.unit.value() == 1 { time } else { self.unit.quotient(time) }
    }

    /// Returns how long the field takes to go through its values, in milliseconds: the length of
    /// one cycle.
    #[inline(always)]
    fn period(&self) -> u64 {
        u64::from(self.radix.value()) * self.unit()
    }

    /// Returns the index of the cycle at `units`, and the value of the field.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "below the radix")]
    fn cycle(&self, units: u64) -> (u64, u32) {
        let cycle = self.radix.quotient(units);
        (cycle, (units - cycle * u64::from(self.radix.value())) as u32)
    }

    #[inline(always)]
    fn at(&self, cycle: u64, place: u32) -> u64 {
        let units = cycle * u64::from(self.radix.value()) + u64::from(place);
        units * self.unit() + u64::from(self.offset)
    }

    /// Returns the number of units that begin before `time`, adjusted for the offset.
    #[inline(always)]
    fn units(&self, time: u64) -> u64 {
        self.whole_units(time + (self.unit() - 1 - u64::from(self.offset)))
    }
}

impl<S: ValueSet> TimePart for OneField<S> {
    #[inline(always)]
    fn repeats(&self) -> bool {
        // Every field above the list is free.
        self.unit.value() < HOUR || self.set.is_stepped(self.radix.value())
    }

    #[inline(always)]
    fn first(&self) -> u32 {
        self.offset + self.set.first() * self.unit.value()
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        let after_last = (self.radix.value() - self.set.last()) * self.unit.value();
        DAY_MILLIS - after_last + self.offset
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a day has fewer than 2^32 milliseconds")]
    fn per_day(&self) -> u32 {
        self.radix.quotient(self.whole_units(DAY)) as u32 * self.set.count()
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "less than two cycles")]
    fn ceil(&self, time: u64) -> u64 {
        let units = self.units(time);
        // A place after the last value belongs to the next cycle.
        let after_last = self.radix.value() - 1 - self.set.last();
        let cycle = self.radix.quotient(units + u64::from(after_last));
        let place = bits::difference(units as u32, (cycle * u64::from(self.radix.value())) as u32);
        self.at(cycle, self.set.ceil(place))
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "less than two cycles")]
    fn floor(&self, time: u64) -> u64 {
        let units = self.whole_units(time.saturating_sub(u64::from(self.offset)));
        // A place before the first value belongs to the previous cycle.
        let cycle = self.radix.quotient(units.saturating_sub(u64::from(self.set.first())));
        let place = (units - cycle * u64::from(self.radix.value())) as u32;
        self.at(cycle, self.set.floor(place.min(self.radix.value() - 1)))
    }

    #[inline(always)]
    fn contains(&self, time: u64) -> bool {
        // One more cycle keeps the difference from underflowing.
        let time = time + self.period() - u64::from(self.offset);
        let units = self.whole_units(time);
        self.set.contains(self.radix.remainder(units)) & (units * self.unit() == time)
    }

    #[inline(always)]
    fn rank(&self, time: u64) -> u64 {
        let (cycle, place) = self.cycle(self.units(time));
        cycle * u64::from(self.set.count()) + u64::from(self.set.rank(place))
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below its divisor")]
    fn select(&self, rank: u64) -> u64 {
        let count = u64::from(self.set.count().max(1));
        self.at(rank / count, self.set.select((rank % count) as u32))
    }

    /// A block is a word of the set, and its token is its offset. A span consists of the words of
    /// one cycle, or of 64 cycles if the set is a single word.
    #[inline(always)]
    fn enclosing(&self, time: u64, len: u64) -> Enclosing {
        let (cycle, place) = self.cycle(self.units(time));
        let (bits, first) = self.set.word(place);
        let events = Block::new(self.at(cycle, first), self.unit(), bits);
        let event = place - first;
        let words = self.set.occupied();
        let (tokens, token) = if words.is_power_of_two() {
            let cycles = len / u64::from(self.set.count().max(1));
            part_of_row(self.at(0, first), self.period(), cycles, cycle)
        } else {
            (Block::new(self.at(cycle, 0), 64 * self.unit(), words), first / 64)
        };
        Enclosing { span: Span { events, tokens }, event, token }
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        let is_single = self.set.occupied().is_power_of_two();
        let place = if is_single { self.set.first() } else { self.cycle(self.units(token)).1 };
        let (bits, _) = self.set.word(place);
        Block::new(token, self.unit(), bits)
    }
}
