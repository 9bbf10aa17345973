//! Tables of the years 2000-2100, shared by all schedules.

use crate::calendar::{day_number, is_leap_year, year_shape};
use crate::search::range::DAYS;

/// The number of years in the range.
pub(super) const YEARS: usize = 101;

/// The number of years after which the calendar repeats, until 2100.
pub(super) const CYCLE: u32 = 28;

/// The index of 2100.
pub(super) const LAST: u32 = 100;

const _: () = assert!(LAST as usize == YEARS - 1);

/// Places in the previous year count from this many days earlier.
pub(super) const YEAR_BEFORE: u32 = 366;

/// The weekday of day 0, 2000-01-01: a Saturday.
pub(super) const FIRST_WEEKDAY: u32 = 6;

/// The first word of a year ends before 1 March, so that all years are alike from there on: the
/// *place* of a day counts from 64 days before 1 March.
pub(super) const MARCH: u32 = 64;

/// The properties of a year, as indices into the tables of the strategies.
#[derive(Debug)]
#[repr(align(8))]
pub(super) struct Year {
    /// The day of 1 March.
    pub(super) march: u16,
    /// The index of its shape: common years by the weekday of 1 January, then leap years.
    pub(super) shape: u8,
    /// The number to add to the index of a word from March on: see [`YearDays`](super::YearDays).
    pub(super) row: u8,
    /// The index of the time after February: years before a common year, years before a leap year,
    /// each by the weekday of 1 March.
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
    /// year, except 2100, which is the last year of the range. So `4 * day / 1461` is exact, and
    /// for these days it is a multiplication.
    #[inline(always)]
    pub(super) const fn index_of(day: u32) -> u32 {
        const RECIPROCAL: u64 = (4_u64 << 32).div_ceil(1461);
        ((day as u64 * RECIPROCAL) >> 32) as u32
    }

    /// Returns the day of 1 January.
    #[inline(always)]
    pub(super) const fn start(&self) -> u32 {
        self.march as u32 - days_before_march(self.shape as u32)
    }

    /// Returns the place of a day of the year.
    #[inline(always)]
    pub(super) const fn place(&self, day: u32) -> u32 {
        (day + MARCH).wrapping_sub(self.march as u32)
    }

    /// Returns the day at a place, which may be in an adjacent year.
    #[inline(always)]
    pub(super) const fn day(&self, place: u32) -> u32 {
        (self.march as u32 + place).wrapping_sub(MARCH)
    }

    /// Returns the first day of a word, and its place in the word.
    #[inline(always)]
    pub(super) const fn word_start(&self, word: u32) -> (u32, u32) {
        let place = if word == 0 { MARCH - days_before_march(self.shape as u32) } else { 0 };
        (self.day(64 * word + place), place)
    }

    const NONE: Self = Self { march: 0, shape: 0, row: 0, ahead: 0, behind: 0 };
}

/// The number of shapes of years.
pub(super) const SHAPES: usize = 14;

/// Returns the number of days before 1 March in a shape.
pub(crate) const fn days_before_march(shape: u32) -> u32 {
    59 + shape / 7
}

/// Returns the weekday of 1 March in a shape.
pub(crate) const fn march_weekday(shape: u32) -> u32 {
    (shape % 7 + days_before_march(shape)) % 7
}

/// Returns the number to add to the index of a word from March on, by the weekday of
/// 1 March, in [`YearDays`](super::YearDays).
pub(super) const fn row_of(march_weekday: usize) -> usize {
    // The words from March on have numbers 1 to 5.
    SHAPES - 1 + 5 * march_weekday
}

/// The number of values of [`Year::ahead`].
pub(super) const AHEAD: usize = 14;

/// The number of values of [`Year::behind`].
pub(super) const BEHIND: usize = 21;

/// A year and an adjacent year, both by their shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct YearPair {
    pub(super) shape: u8,
    /// The shape of the next or the previous year.
    pub(super) other: u8,
    /// The distance between the places of the two years, in days.
    pub(super) distance: u16,
}

/// By [`Year::ahead`]: a year that is alike from March on, and the year after it.
#[expect(clippy::cast_possible_truncation, reason = "a shape is below 14")]
pub(super) const NEXT_YEARS: [YearPair; AHEAD] = {
    let mut pairs = [YearPair { shape: 0, other: 0, distance: 0 }; AHEAD];
    let mut index = 0;
    while index < AHEAD {
        let (march, is_before_leap) = (index % 7, index / 7);
        pairs[index] = YearPair {
            // 1 January of a common year is 59 days before 1 March, and 63 days are nine weeks.
            shape: ((march + 63 - 59) % 7) as u8,
            // There are 306 days from March to December.
            other: (is_before_leap * 7 + (march + 306) % 7) as u8,
            distance: 365 + is_before_leap as u16,
        };
        index += 1;
    }
    pairs
};

/// By [`Year::behind`]: a year and the one before it. A leap year is always adjacent to common
/// years.
#[expect(clippy::cast_possible_truncation, reason = "a shape is below 14")]
pub(super) const PREVIOUS_YEARS: [YearPair; BEHIND] = {
    let mut pairs = [YearPair { shape: 0, other: 0, distance: 0 }; BEHIND];
    let mut index = 0;
    while index < BEHIND {
        let (weekday, is_leap, is_after_leap) = (index % 7, index / 7 == 2, index / 7 == 1);
        // 371 days are 53 weeks.
        let before = (weekday + 371 - 365 - is_after_leap as usize) % 7;
        pairs[index] = YearPair {
            shape: (is_leap as usize * 7 + weekday) as u8,
            other: (is_after_leap as usize * 7 + before) as u8,
            distance: 365 + is_leap as u16,
        };
        index += 1;
    }
    pairs
};

/// Returns a shape that, from March on, is like the year before a given shape, and the distance
/// between the places of the two years, in days.
pub(super) const fn year_before(shape: usize) -> (usize, u32) {
    // There are 306 days from March to December, and 308 days are 44 weeks.
    let march = shape % 7 + 308 - 306;
    // As in `NEXT_YEARS`.
    ((march + 63 - 59) % 7, if shape < 7 { 365 } else { 366 })
}

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
        let shape = year_shape(year);
        let is_leap = is_leap_year(year);
        let march = march_weekday(shape as u32) as usize;
        let ahead = 7 * is_leap_year(year + 1) as usize + march;
        // There are three groups of pairs; leap years are the last one.
        let behind = if is_leap { 2 } else { is_leap_year(year - 1) as usize };
        years[index] = Year {
            march: start + days_before_march(shape as u32) as u16,
            shape: shape as u8,
            row: row_of(march) as u8,
            ahead: ahead as u8,
            behind: (behind * 7 + shape % 7) as u8,
        };
        start += 365 + is_leap as u16;
        index += 1;
    }
    years
};

const _: () = {
    assert!(Year::at(101).start() == DAYS);
    assert!(day_number(2100, 12, 31) - day_number(2000, 1, 1) == DAYS as i64 - 1);
    assert!(Year::at(0).shape as u32 == 7 + FIRST_WEEKDAY);
    assert!(Year::at(LAST).shape < 7);
    // The day after the last one counts as a day of 2100, so that ranks up to it include the days
    // of that year.
    assert!(Year::index_of(DAYS) == LAST);
    let mut day = 0;
    while day <= DAYS {
        assert!(Year::index_of(day) == 4 * day / 1461);
        day += 1;
    }
};
