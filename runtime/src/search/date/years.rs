//! The years of the range, 2000-2100, in tables that all schedules share.

use crate::calendar::{YearShape, day_number};
use crate::search::range::DAYS;

/// How many years the range has.
pub(super) const YEARS: usize = 101;

/// After how many years the calendar repeats, up to 2100.
pub(super) const CYCLE: u32 = 28;

/// The place of 2100.
pub(super) const LAST: u32 = 100;

const _: () = assert!(LAST as usize == YEARS - 1);

/// How long before 1 January the days of the year before are counted from.
pub(super) const YEAR_BEFORE: u32 = 366;

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

    /// The place of a day's year. From 2000 to 2100 each fourth year is a leap
    /// year, the first of four, but for 2100, which is the last of all: so
    /// `4 * day / 1461` is exact, and for these days it is a multiplication.
    #[inline(always)]
    pub(super) const fn index_of(day: u32) -> u32 {
        const RECIPROCAL: u64 = (4_u64 << 32).div_ceil(1461);
        ((day as u64 * RECIPROCAL) >> 32) as u32
    }

    /// The day of 1 January.
    #[inline(always)]
    pub(super) const fn start(&self) -> u32 {
        self.start as u32
    }

    const NONE: Self =
        Self { start: 0, first_weekday: 0, leap: 0, row: 0, shape: 0, ahead: 0, behind: 0 };
}

/// A year beside another, both by their shapes: what [`Year::ahead`] and
/// [`Year::behind`] tell apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct YearPair {
    pub(super) shape: u8,
    /// How many days the year has.
    pub(super) len: u16,
    /// The shape of the year after, where this is one `ahead`.
    pub(super) after: u8,
    /// The shape of the year before, where this is one `behind`.
    pub(super) before: u8,
    /// How many days that one has.
    pub(super) len_before: u16,
}

impl YearPair {
    /// The first day of the year after, counted from 1 January of this year, where in its
    /// own year it is `day`.
    pub(super) const fn next(self, day: u32) -> u32 {
        self.len as u32 + day
    }

    /// The last day of the year before, counted from [`YEAR_BEFORE`] days before 1 January
    /// of this year, where in its own year it is `day`.
    pub(super) const fn prev(self, day: u32) -> u32 {
        YEAR_BEFORE - self.len_before as u32 + day
    }
}

/// How many shapes of years there are.
pub(super) const SHAPES: usize = 14;

/// How many pairs of a year and its neighbor there are.
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

/// The years from 2000 on, as many as make an index of 7 bits safe.
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
        // Where each of three kinds of years begins, the leap years last.
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
    // The day after the last one is one of 2100 still: ranks up to it count the days of
    // that year, and not those of the year that would have its place in a cycle.
    assert!(Year::index_of(DAYS) == LAST);
    let mut day = 0;
    while day <= DAYS {
        assert!(Year::index_of(day) == 4 * day / 1461);
        day += 1;
    }
};
