//! [`DaySet`]: any days, as bits.

use crate::bits;
use crate::expression::MONDAY_TO_FRIDAY;
use crate::search::{DAYS, DayTables, WORDS, YearDays, weekday_pattern};

/// Any days of the range, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DaySet(pub [u64; WORDS]);

impl DaySet {
    /// Monday to Friday, the business days of a schedule without a calendar.
    pub const MONDAY_TO_FRIDAY: Self = {
        let mut words = [0; WORDS];
        // Day 0 is a Saturday, and 64 days later the weekday has advanced by one.
        let (mut index, mut weekday) = (0, 6);
        while index < WORDS {
            words[index] = weekday_pattern(MONDAY_TO_FRIDAY, weekday);
            weekday = (weekday + 1) % 7;
            index += 1;
        }
        Self(words).and(&Self::ALL)
    };

    /// No days.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Every day.
    pub const ALL: Self = {
        let mut all = [u64::MAX; WORDS];
        all[WORDS - 1] = u64::MAX >> (63 - (DAYS - 1) % 64);
        Self(all)
    };

    /// Returns the days of some years, 2000 being bit 0.
    #[must_use]
    pub const fn of_years(days: &YearDays, years: u128) -> Self {
        let mut words = [0; WORDS];
        days.add_to(&mut words, years);
        Self(words)
    }

    /// Returns the days that are in both sets.
    #[must_use]
    pub const fn and(mut self, other: &Self) -> Self {
        let mut index = 0;
        while index < WORDS {
            self.0[index] &= other.0[index];
            index += 1;
        }
        self
    }

    /// Returns the days that are in either set.
    #[must_use]
    pub const fn or(mut self, other: &Self) -> Self {
        let mut index = 0;
        while index < WORDS {
            self.0[index] |= other.0[index];
            index += 1;
        }
        self
    }

    /// Returns the days that are in this set only.
    #[must_use]
    pub const fn minus(mut self, other: &Self) -> Self {
        let mut index = 0;
        while index < WORDS {
            self.0[index] &= !other.0[index];
            index += 1;
        }
        self
    }

    /// Returns the days after the days of the set.
    pub(crate) const fn later(&self) -> Self {
        let mut next = Self::EMPTY;
        let (mut index, mut carry) = (0, 0);
        while index < WORDS {
            next.0[index] = self.0[index] << 1 | carry;
            carry = self.0[index] >> 63;
            index += 1;
        }
        next.0[WORDS - 1] &= Self::ALL.0[WORDS - 1];
        next
    }

    /// Returns the days before the days of the set.
    pub(super) const fn earlier(&self) -> Self {
        let mut previous = Self::EMPTY;
        let (mut index, mut carry) = (WORDS, 0);
        while index > 0 {
            index -= 1;
            previous.0[index] = self.0[index] >> 1 | carry;
            carry = self.0[index] << 63;
        }
        previous
    }

    /// Whether the set has no days.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        let mut index = 0;
        while index < WORDS {
            if self.0[index] != 0 {
                return false;
            }
            index += 1;
        }
        true
    }

    /// Returns the set with the tables that its searches need.
    #[must_use]
    pub const fn tables(&self) -> DayTables {
        DayTables::new(&self.0)
    }

    /// Returns the days that are in both sets, with the tables that their searches need.
    pub(super) const fn tables_within(&self, other: &Self) -> DayTables {
        DayTables::within(&self.0, &other.0)
    }

    /// Whether a day is in the set.
    #[must_use]
    pub const fn contains(&self, day: u32) -> bool {
        bits::contains(self.0[day as usize / 64], day)
    }

    /// Adds a day.
    pub const fn insert(&mut self, day: u32) {
        self.0[day as usize / 64] |= 1 << (day % 64);
    }

    /// Removes a day.
    pub(crate) const fn remove(&mut self, day: u32) {
        self.0[day as usize / 64] &= !(1 << (day % 64));
    }

    /// Returns the days from one to another, both included.
    pub(crate) const fn between(from: u32, to: u32) -> Self {
        let mut days = Self::EMPTY;
        let (first, last) = (from as usize / 64, to as usize / 64);
        let mut index = first;
        while index <= last {
            days.0[index] = u64::MAX;
            index += 1;
        }
        days.0[first] &= u64::MAX << (from % 64);
        days.0[last] &= u64::MAX >> (63 - to % 64);
        days
    }
}

/// [`DaySet::ALL`], which a program has once, however many constants refer to it.
pub static ALL_DAYS: DaySet = DaySet::ALL;

/// [`DaySet::MONDAY_TO_FRIDAY`], which a program has once, however many constants refer to it.
pub static MONDAYS_TO_FRIDAYS: DaySet = DaySet::MONDAY_TO_FRIDAY;

/// Dates that depend on the shape of the year alone, in some years, of which 2000 is bit 0.
#[derive(Clone, Copy, Debug)]
pub struct Years(pub YearDays, pub u128);

impl Years {
    pub(super) const fn days(&self) -> DaySet {
        DaySet::of_years(&self.0, self.1)
    }
}
