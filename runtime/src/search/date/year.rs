//! The years of the range, 2000-2100, in tables that all schedules share.

use super::super::DAYS;
use crate::calendar::{YearShape, day_number};

/// How many years the range has.
pub(super) const YEARS: usize = 101;

/// The weekday of day 0, 2000-01-01: a Saturday.
pub(super) const FIRST_WEEKDAY: u32 = 6;

/// What there is to know of a year, ready for the indices that are made of it.
#[derive(Clone, Copy, Debug)]
#[repr(align(8))]
pub(super) struct Year {
    /// The day of 1 January.
    pub(super) start: u16,
    /// The weekday of that day.
    pub(super) first_weekday: u8,
    /// 0 for a common year, 1 for a leap year.
    pub(super) leap: u8,
    /// Where its row begins, among six words of a common year and six of a leap
    /// year.
    pub(super) row: u8,
    /// The place of its shape among those that are told apart: common and leap
    /// years, or either by the weekday of 1 January.
    pub(super) shape: u8,
    /// Where it stands among the years before a common year, those before a
    /// leap year, and leap years; each by the weekday where that is told apart.
    pub(super) ahead: u8,
    /// Where it stands among the years after a common year, those after a leap
    /// year, and leap years.
    pub(super) behind: u8,
}

impl Year {
    /// The year at a place, counted from 2000, where so many shapes are told
    /// apart: 2 or 14.
    #[inline(always)]
    pub(super) const fn at<const SHAPES: usize>(index: u32) -> &'static Self {
        let years = if SHAPES == 2 { &BY_LENGTH } else { &BY_WEEKDAY };
        &years[index as usize & 127]
    }

    /// The place of a day's year. From 2000 to 2100 each fourth year is a leap
    /// year, the first of four, but for 2100, which is the last of all: so
    /// `4 * day / 1461` is exact, and for these days it is a multiplication.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a day is below 2^16")]
    pub(super) const fn index_of(day: u32) -> u32 {
        const RECIPROCAL: u64 = (4_u64 << 32).div_ceil(1461);
        ((day as u64 * RECIPROCAL) >> 32) as u32
    }

    /// The day of 1 January.
    #[inline(always)]
    pub(super) const fn start(&self) -> u32 {
        self.start as u32
    }

    /// A year that stands for all of a shape, or of a place before or after
    /// others: common ones at first, and leap years last.
    pub(super) const fn model<const SHAPES: usize>(place: usize, places: usize) -> Self {
        let weekdays = if SHAPES == 2 { 1 } else { 7 };
        let leap = (place + weekdays >= places) as usize;
        #[expect(clippy::cast_possible_truncation, reason = "a weekday")]
        Self {
            start: 0,
            first_weekday: (place % weekdays) as u8,
            leap: leap as u8,
            row: 6 * leap as u8,
            shape: (place % weekdays + leap * weekdays) as u8,
            ahead: 0,
            behind: 0,
        }
    }

    /// Models of the year after and of the one before a model of a kind.
    pub(super) const fn neighbours<const SHAPES: usize>(&self, kind: usize) -> (Self, Self) {
        let weekdays = if SHAPES == 2 { 1 } else { 7 };
        let leap = (kind / weekdays == 1) as usize;
        let ahead = (self.first_weekday as usize + self.len() as usize) % weekdays;
        let behind = (self.first_weekday as usize + 7 * 53 - 365 - leap) % weekdays;
        (
            Self::model::<SHAPES>(leap * weekdays + ahead, SHAPES),
            Self::model::<SHAPES>(leap * weekdays + behind, SHAPES),
        )
    }

    /// How many days it has.
    pub(super) const fn len(&self) -> u32 {
        365 + self.leap as u32
    }
}

static BY_LENGTH: [Year; 128] = years(1);
static BY_WEEKDAY: [Year; 128] = years(7);

/// The years from 2000 on, as many as make an index of 7 bits safe.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "an index below 128, a weekday"
)]
const fn years(weekdays: usize) -> [Year; 128] {
    let mut years = [Year { start: 0, first_weekday: 0, leap: 0, row: 0, shape: 0, ahead: 0, behind: 0 }; 128];
    let mut index = 0;
    let mut start = 0;
    while index < years.len() {
        let year = 2000 + index as i32;
        let weekday = YearShape::of(year).index() % 7;
        let is_leap = YearShape::of(year).is_leap();
        // Where each of three kinds of years begins, the leap years last.
        let ahead = if is_leap { 2 } else { YearShape::of(year + 1).is_leap() as usize };
        let behind = if is_leap { 2 } else { YearShape::of(year - 1).is_leap() as usize };
        let place = weekday % weekdays;
        years[index] = Year {
            start,
            first_weekday: weekday as u8,
            leap: is_leap as u8,
            row: 6 * is_leap as u8,
            shape: (is_leap as usize * weekdays + place) as u8,
            ahead: (ahead * weekdays + place) as u8,
            behind: (behind * weekdays + place) as u8,
        };
        start += if is_leap { 366 } else { 365 };
        index += 1;
    }
    years
}

const _: () = {
    assert!(Year::at::<2>(101).start() == DAYS);
    assert!(day_number(2100, 12, 31) - day_number(2000, 1, 1) == DAYS as i64 - 1);
    assert!(Year::at::<14>(0).first_weekday as u32 == FIRST_WEEKDAY);
    assert!(Year::at::<14>(100).leap == 0);
    let mut day = 0;
    while day <= DAYS {
        assert!(Year::index_of(day) == 4 * day / 1461);
        day += 1;
    }
};
