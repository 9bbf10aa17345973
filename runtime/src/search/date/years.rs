//! Tables of the years 2000-2100, which all schedules share.

use crate::calendar::{YearShape, day_number};
use crate::search::range::DAYS;

/// The number of years in the range.
pub(super) const YEARS: usize = 101;

/// The number of years after which the calendar repeats, until 2100.
pub(super) const CYCLE: u32 = 28;

/// The index of 2100.
pub(super) const LAST: u32 = 100;

const _: () = assert!(LAST as usize == YEARS - 1);

/// The days of the previous year count from this many days before 1 January.
pub(super) const YEAR_BEFORE: u32 = 366;

/// The weekday of day 0, 2000-01-01: a Saturday.
pub(super) const FIRST_WEEKDAY: u32 = 6;

/// The properties of a year, in the form of indices into the tables of the strategies.
#[derive(Debug)]
#[repr(align(8))]
pub(super) struct Year {
    /// The day of 1 January.
    pub(super) start: u16,
    /// The weekday of that day.
    pub(super) first_weekday: u8,
    /// 0 for a common year, 1 for a leap year.
    pub(super) leap: u8,
    /// The index of its first word, among six words of a common year and six of a leap year.
    pub(super) row: u8,
    /// The index of its shape: common years by the weekday of 1 January, then leap years.
    pub(super) shape: u8,
    /// The index of the pair that it forms with the next year: years before a common year,
    /// years before a leap year, leap years, each by the weekday of 1 January.
    pub(super) ahead: u8,
    /// The index of the pair that it forms with the previous year: years after a common year,
    /// years after a leap year, leap years, each by the weekday of 1 January.
    pub(super) behind: u8,
}

impl Year {
    /// Returns the years from 2000 on, including some beyond the range.
    #[inline(always)]
    pub(super) const fn all() -> &'static [Self; 128] {
        &ALL
    }

    /// Returns the year with an index, counted from 2000.
    #[inline(always)]
    pub(super) const fn at(index: u32) -> &'static Self {
        &ALL[index as usize & 127]
    }

    /// Returns the index of a day's year. From 2000 on, the first of every four years is a leap
    /// year, except 2100, which is the last year of the range. So `4 * day / 1461` is exact,
    /// and for these days it is a multiplication.
    #[inline(always)]
    pub(super) const fn index_of(day: u32) -> u32 {
        const RECIPROCAL: u64 = (4_u64 << 32).div_ceil(1461);
        ((day as u64 * RECIPROCAL) >> 32) as u32
    }

    /// Returns the day of 1 January.
    #[inline(always)]
    pub(super) const fn start(&self) -> u32 {
        self.start as u32
    }

    const NONE: Self =
        Self { start: 0, first_weekday: 0, leap: 0, row: 0, shape: 0, ahead: 0, behind: 0 };
}

/// A year and an adjacent one, both by their shapes. [`Year::ahead`] and [`Year::behind`] are
/// indices of pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct YearPair {
    pub(super) shape: u8,
    /// The number of days in the year.
    pub(super) len: u16,
    /// The shape of the next year, for an index `ahead`.
    pub(super) after: u8,
    /// The shape of the previous year, for an index `behind`.
    pub(super) before: u8,
    /// The number of days in the previous year.
    pub(super) len_before: u16,
}

impl YearPair {
    /// Converts a day of the next year, counted from its 1 January, to count from 1 January of
    /// this year.
    pub(super) const fn next(self, day: u32) -> u32 {
        self.len as u32 + day
    }

    /// Converts a day of the previous year, counted from its 1 January, to count from
    /// [`YEAR_BEFORE`] days before 1 January of this year.
    pub(super) const fn prev(self, day: u32) -> u32 {
        YEAR_BEFORE - self.len_before as u32 + day
    }
}

/// The number of shapes of years.
pub(super) const SHAPES: usize = 14;

/// The number of pairs of adjacent years.
pub(super) const PAIRS: usize = 21;

/// A year of each shape.
#[expect(clippy::cast_possible_truncation, reason = "a shape is below 14")]
pub(super) const SHAPE_YEARS: [Year; SHAPES] = {
    let mut years = [const { Year::NONE }; SHAPES];
    let mut shape = 0;
    while shape < SHAPES {
        let leap = (shape / 7) as u8;
        let first_weekday = (shape % 7) as u8;
        let shape_u8 = shape as u8;
        years[shape] = Year { first_weekday, leap, row: 6 * leap, shape: shape_u8, ..Year::NONE };
        shape += 1;
    }
    years
};

/// All pairs: common years next to common ones, common years next to leap years, leap years.
/// A leap year is only ever next to common years.
#[expect(clippy::cast_possible_truncation, reason = "fewer than 2^8 shapes")]
pub(super) const YEAR_PAIRS: [YearPair; PAIRS] = {
    let mut pairs = [YearPair { shape: 0, len: 0, after: 0, before: 0, len_before: 0 }; PAIRS];
    let mut pair = 0;
    while pair < PAIRS {
        let (weekday, is_leap) = (pair % 7, pair / 7 == 2);
        let is_next_to_leap = (pair / 7 == 1) as usize;
        let len = 365 + is_leap as usize;
        let len_before = 365 + is_next_to_leap;
        let after = (weekday + len) % 7;
        // 371 days are 53 weeks.
        let before = (weekday + 371 - len_before) % 7;
        pairs[pair] = YearPair {
            shape: (is_leap as usize * 7 + weekday) as u8,
            len: len as u16,
            after: (is_next_to_leap * 7 + after) as u8,
            before: (is_next_to_leap * 7 + before) as u8,
            len_before: len_before as u16,
        };
        pair += 1;
    }
    pairs
};

/// The years from 2000 on, enough for any index of 7 bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "an index below 128, a weekday"
)]
static ALL: [Year; 128] = {
    let mut years = [const { Year::NONE }; 128];
    let mut index = 0;
    let mut start = 0;
    while index < years.len() {
        let year = 2000 + index as i32;
        let weekday = YearShape::of(year).index() % 7;
        let is_leap = YearShape::of(year).is_leap();
        // The three groups of pairs; leap years are the last.
        let ahead = if is_leap { 2 } else { YearShape::of(year + 1).is_leap() as usize };
        let behind = if is_leap { 2 } else { YearShape::of(year - 1).is_leap() as usize };
        years[index] = Year {
            start,
            first_weekday: weekday as u8,
            leap: is_leap as u8,
            row: 6 * is_leap as u8,
            shape: (is_leap as usize * 7 + weekday) as u8,
            ahead: (ahead * 7 + weekday) as u8,
            behind: (behind * 7 + weekday) as u8,
        };
        start += if is_leap { 366 } else { 365 };
        index += 1;
    }
    years
};

const _: () = {
    assert!(Year::at(101).start() == DAYS);
    assert!(day_number(2100, 12, 31) - day_number(2000, 1, 1) == DAYS as i64 - 1);
    assert!(Year::at(0).first_weekday as u32 == FIRST_WEEKDAY);
    assert!(Year::at(LAST).leap == 0);
    // The day after the last one counts as a day of 2100, so that ranks up to it include the
    // days of that year.
    assert!(Year::index_of(DAYS) == LAST);
    let mut day = 0;
    while day <= DAYS {
        assert!(Year::index_of(day) == 4 * day / 1461);
        day += 1;
    }
};
