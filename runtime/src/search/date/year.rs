//! The years of the range, 2000-2100, in a table that all schedules share.

use super::super::DAYS;
use crate::calendar::{YearShape, day_number};

/// How many years the range has.
pub(super) const YEARS: usize = 101;

/// The weekday of day 0, 2000-01-01: a Saturday.
pub(super) const FIRST_WEEKDAY: u32 = 6;

/// What there is to know of a year, in one word, so that it is one load and one
/// selection: the day of 1 January in the upper half, then the weekday of that
/// day and whether the year is a leap year.
#[derive(Clone, Copy, Debug)]
pub(super) struct Year(u32);

impl Year {
    const LEAP: u32 = 8;

    pub(super) const fn new(start: u32, is_leap: bool, first_weekday: u32) -> Self {
        Self((start << 16) | if is_leap { Self::LEAP } else { 0 } | first_weekday)
    }

    /// The year at a place, counted from 2000.
    #[inline]
    pub(super) const fn at(index: u32) -> Self {
        CALENDAR[index as usize & 127]
    }

    /// The place of a day's year. From 2000 to 2100 each fourth year is a leap
    /// year, the first of four, but for 2100, which is the last of all: so
    /// `4 * day / 1461` is exact, and that division is a multiplication.
    #[inline]
    pub(super) const fn index_of(day: u32) -> u32 {
        4 * day / 1461
    }

    /// The day of 1 January.
    #[inline]
    pub(super) const fn start(self) -> u32 {
        self.0 >> 16
    }

    #[inline]
    pub(super) const fn is_leap(self) -> bool {
        self.0 & Self::LEAP != 0
    }

    /// The weekday of 1 January.
    #[inline]
    pub(super) const fn first_weekday(self) -> u32 {
        self.0 & 7
    }
}

/// The years from 2000 on, as many as make an index of 7 bits safe.
static CALENDAR: [Year; 128] = {
    let mut years = [Year(0); 128];
    let mut index = 0;
    let mut start = 0;
    while index < years.len() {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            reason = "an index below 128"
        )]
        let year = 2000 + index as i32;
        let shape = YearShape::of(year);
        years[index] = Year::new(start, shape.is_leap(), shape.first_weekday() as u32);
        start += if shape.is_leap() { 366 } else { 365 };
        index += 1;
    }
    years
};

const _: () = {
    assert!(Year::at(101).start() == DAYS);
    assert!(day_number(2100, 12, 31) - day_number(2000, 1, 1) == DAYS as i64 - 1);
    assert!(Year::at(0).first_weekday() == FIRST_WEEKDAY);
    assert!(!Year::at(100).is_leap());
};
