//! The years of the range, 2000-2100, in a table that all schedules share.

use super::super::DAYS;
use crate::calendar::{YearShape, day_number};

/// How many years the range has.
pub(super) const YEARS: usize = 101;

/// The weekday of day 0, 2000-01-01: a Saturday.
pub(super) const FIRST_WEEKDAY: u32 = 6;

/// What there is to know of a year, ready for the indices that are made of it.
#[derive(Debug)]
#[repr(align(8))]
pub(super) struct Year {
    /// The day of 1 January.
    pub(super) start: u16,
    /// The weekday of that day.
    pub(super) first_weekday: u8,
    /// 0 for a common year, 1 for a leap year.
    pub(super) leap: u8,
    /// Where its row begins among the words of both.
    pub(super) row: u8,
    /// The place of its shape among the 14.
    pub(super) shape: u8,
}

impl Year {
    /// The year at a place, counted from 2000.
    #[inline(always)]
    pub(super) const fn at(index: u32) -> &'static Self {
        &CALENDAR[index as usize & 127]
    }

    /// The place of a day's year. From 2000 to 2100 each fourth year is a leap
    /// year, the first of four, but for 2100, which is the last of all: so
    /// `4 * day / 1461` is exact, and that division is a multiplication.
    #[inline(always)]
    pub(super) const fn index_of(day: u32) -> u32 {
        4 * day / 1461
    }

    /// The day of 1 January.
    #[inline(always)]
    pub(super) const fn start(&self) -> u32 {
        self.start as u32
    }

    /// A year of each shape, from day 0.
    #[expect(clippy::cast_possible_truncation, reason = "there are 14 shapes")]
    pub(super) const fn of_shape(shape: usize) -> Self {
        let shape = shape as u8;
        let leap = (shape >= 7) as u8;
        Self { start: 0, first_weekday: shape % 7, leap, row: 8 * leap, shape }
    }
}

/// The years from 2000 on, as many as make an index of 7 bits safe.
static CALENDAR: [Year; 128] = {
    let mut years = [const { Year::of_shape(0) }; 128];
    let mut index = 0;
    let mut start = 0;
    while index < years.len() {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            reason = "an index below 128"
        )]
        let year = 2000 + index as i32;
        let shape = YearShape::of(year);
        years[index] = Year { start, ..Year::of_shape(shape.index()) };
        start += if shape.is_leap() { 366 } else { 365 };
        index += 1;
    }
    years
};

const _: () = {
    assert!(Year::at(101).start() == DAYS);
    assert!(day_number(2100, 12, 31) - day_number(2000, 1, 1) == DAYS as i64 - 1);
    assert!(Year::at(0).first_weekday as u32 == FIRST_WEEKDAY);
    assert!(Year::at(100).leap == 0);
};
