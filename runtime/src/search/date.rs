//! The strategies of the date.
//!
//! | strategy | days | example |
//! | --- | --- | --- |
//! | [`EveryDay`] | all | `*:00:00` |
//! | [`Weekdays`] | some weekdays, any date | `*.*.* 1-5 09:30:00` |
//! | [`FewDays`] | at most 128, nowhere many together | `*.2.29 6 12:00:00` |
//! | [`YearRows`] | anything else | `*.*.1 01:30:00` |

use super::{Block, DAYS};
use crate::bits;
use crate::calendar::{YearShape, day_number};

/// The days of a schedule.
///
/// Days are counted from 2000-01-01. A caller asks for what there is: no `ceil`
/// after the last day, no `floor` before the first. What comes back otherwise
/// has no meaning, but it comes back.
pub trait DatePart {
    /// Whether this is [`EveryDay`].
    #[inline]
    fn is_every_day(&self) -> bool {
        false
    }
    /// The first day at or after `day`.
    fn ceil(&self, day: u32) -> u32;
    /// The last day at or before `day`.
    fn floor(&self, day: u32) -> u32;
    /// Whether `day` is one.
    fn contains(&self, day: u32) -> bool;
    /// How many days lie before `day`.
    fn rank(&self, day: u32) -> u32;
    /// The day that has `rank` days before it, where there is one.
    fn select(&self, rank: u32) -> u32;
    /// The block that a day is in, in days, and its place there.
    fn around(&self, day: u32) -> (Block, u32);
}

/// Every day.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs, reason = "quoted whole by the macro")]
pub struct EveryDay;

impl DatePart for EveryDay {
    #[inline]
    fn is_every_day(&self) -> bool {
        true
    }

    #[inline]
    fn ceil(&self, day: u32) -> u32 {
        day
    }

    #[inline]
    fn floor(&self, day: u32) -> u32 {
        day
    }

    #[inline]
    fn contains(&self, _: u32) -> bool {
        true
    }

    #[inline]
    fn rank(&self, day: u32) -> u32 {
        day
    }

    #[inline]
    fn select(&self, rank: u32) -> u32 {
        rank
    }

    #[inline]
    fn around(&self, day: u32) -> (Block, u32) {
        (
            Block {
                base: u64::from(day),
                unit: 1,
                bits: 1,
            },
            0,
        )
    }
}

/// The weekday of day 0, 2000-01-01: a Saturday.
const FIRST_WEEKDAY: u32 = 6;

/// A bit in each seventh place.
const EACH_WEEK: u64 = 0x8102_0408_1020_4081;

/// A mask of weekdays laid out over 64 days, the first of which falls on
/// weekday `first` (0-13).
#[inline]
const fn weekday_pattern(mask: u8, first: u32) -> u64 {
    let mask = mask as u64;
    let week = ((mask | (mask << 7) | (mask << 14)) >> first) & 0x7f;
    // The last of the weeks is cut off at the 64th day.
    week.wrapping_mul(EACH_WEEK)
}

/// Some weekdays, whatever the date.
///
/// Weeks are counted from day 0, and what there is to know of each of their
/// seven days fits a nibble of a word.
#[derive(Clone, Copy, Debug)]
pub struct Weekdays {
    mask: u8,
    len: u32,
    /// The days of the week, twice over, as bits from the weekday of day 0.
    pattern: u64,
    /// By the day of the week: how many days to the next one taken.
    ahead: u32,
    /// By the day of the week: how many days back to the last one taken.
    behind: u32,
    /// By the day of the week: how many are taken before it in its week.
    before: u32,
    /// By rank: the day of the week.
    places: u32,
}

impl Weekdays {
    /// A mask of weekdays, with bit 0 for Sunday, that is not empty.
    #[must_use]
    pub const fn new(mask: u8) -> Self {
        let pattern = weekday_pattern(mask, FIRST_WEEKDAY);
        let mut days = Self {
            mask,
            len: (mask & 0x7f).count_ones(),
            pattern,
            ahead: 0,
            behind: 0,
            before: 0,
            places: 0,
        };
        let mut day = 0;
        while day < 7 {
            // A week on, there are days on both sides.
            let ahead = (bits::ceil(pattern, day + 7).wrapping_sub(day + 7)) & 7;
            let behind = (day + 7).wrapping_sub(bits::floor(pattern, day + 7)) & 7;
            let before = bits::rank(pattern, day);
            days.ahead |= ahead << (4 * day);
            days.behind |= behind << (4 * day);
            days.before |= before << (4 * day);
            if bits::contains(pattern, day) {
                days.places |= day << (4 * before);
            }
            day += 1;
        }
        days
    }

    /// The mask that [`new`](Self::new) took.
    #[must_use]
    pub const fn mask(self) -> u8 {
        self.mask
    }
}

/// The nibble of `table` at `place`.
#[inline]
const fn nibble(table: u32, place: u32) -> u32 {
    (table >> ((4 * place) & 31)) & 15
}

impl DatePart for Weekdays {
    #[inline]
    fn ceil(&self, day: u32) -> u32 {
        day + nibble(self.ahead, day % 7)
    }

    #[inline]
    fn floor(&self, day: u32) -> u32 {
        day.saturating_sub(nibble(self.behind, day % 7))
    }

    #[inline]
    fn contains(&self, day: u32) -> bool {
        bits::contains(self.pattern, day % 7)
    }

    #[inline]
    fn rank(&self, day: u32) -> u32 {
        day / 7 * self.len + nibble(self.before, day % 7)
    }

    #[inline]
    fn select(&self, rank: u32) -> u32 {
        let len = self.len.max(1);
        rank / len * 7 + nibble(self.places, rank % len)
    }

    #[inline]
    fn around(&self, day: u32) -> (Block, u32) {
        let place = day % 7;
        let bits = self.pattern & (u64::MAX >> 1);
        (
            Block {
                base: u64::from(day - place),
                unit: 1,
                bits,
            },
            place,
        )
    }
}

/// Few days: a sorted list, and for each 256 days where in the list they begin.
///
/// At most [`SPREAD`](Self::SPREAD) days lie in any such 256, so a fixed number
/// of comparisons finds a day's place, with no year and no month computed.
/// `SIZE` is the number of days and `SPREAD` more.
#[derive(Clone, Debug)]
pub struct FewDays<const SIZE: usize> {
    len: u16,
    /// Ends with days that never come.
    days: [u16; SIZE],
    index: [u8; 145],
}

/// A day that never comes.
const NEVER: u16 = u16::MAX;

impl<const SIZE: usize> FewDays<SIZE> {
    /// How many days there may be in 256 that begin at a multiple of 256.
    pub const SPREAD: usize = 4;

    /// The `SIZE` for so many days.
    #[must_use]
    pub const fn size_for(days: usize) -> usize {
        days + Self::SPREAD
    }

    /// The days, ascending. `None` where they lie too close for the index, or
    /// where `SIZE` or the index can not hold so many.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "bounded by the length of the index"
    )]
    pub const fn new(list: &[u16]) -> Option<Self> {
        if Self::size_for(list.len()) > SIZE || list.len() > u8::MAX as usize {
            return None;
        }
        let mut days = [NEVER; SIZE];
        days.split_at_mut(list.len()).0.copy_from_slice(list);
        let mut index = [0; 145];
        let mut place = 0;
        let mut chunk = 0;
        while chunk < index.len() {
            index[chunk] = place as u8;
            let start = place;
            while days[place] as usize / 256 == chunk {
                place += 1;
            }
            if place - start > Self::SPREAD {
                return None;
            }
            chunk += 1;
        }
        Some(Self {
            len: list.len() as u16,
            days,
            index,
        })
    }

    /// The days, ascending.
    #[must_use]
    pub fn days(&self) -> &[u16] {
        &self.days[..usize::from(self.len).min(SIZE)]
    }

    #[inline]
    fn at(&self, place: u32) -> u32 {
        u32::from(self.days[(place as usize).min(SIZE - 1)])
    }
}

impl<const SIZE: usize> DatePart for FewDays<SIZE> {
    #[inline]
    fn ceil(&self, day: u32) -> u32 {
        self.at(self.rank(day))
    }

    #[inline]
    fn floor(&self, day: u32) -> u32 {
        self.at(self.rank(day + 1).wrapping_sub(1))
    }

    #[inline]
    fn contains(&self, day: u32) -> bool {
        self.at(self.rank(day)) == day
    }

    #[inline]
    fn rank(&self, day: u32) -> u32 {
        let start = u32::from(self.index[(day as usize / 256).min(144)]);
        let is_before = |place| u32::from(self.at(start + place) < day);
        start + is_before(0) + is_before(1) + is_before(2) + is_before(3)
    }

    #[inline]
    fn select(&self, rank: u32) -> u32 {
        self.at(rank)
    }

    #[inline]
    fn around(&self, day: u32) -> (Block, u32) {
        (
            Block {
                base: u64::from(day),
                unit: 1,
                bits: 1,
            },
            0,
        )
    }
}

/// What there is to know of a year of the range.
#[derive(Clone, Copy, Debug)]
struct Year {
    /// The day of 1 January.
    start: u16,
    is_leap: bool,
    first_weekday: u8,
}

/// How many years the range has.
const YEARS: usize = 101;

/// The years from 2000 on, as many as make an index of 7 bits safe.
static CALENDAR: [Year; 128] = {
    let mut years = [Year {
        start: 0,
        is_leap: false,
        first_weekday: 0,
    }; 128];
    let mut index = 0;
    while index < years.len() {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            clippy::cast_sign_loss,
            reason = "128 years have fewer than 2^16 days"
        )]
        {
            let year = 2000 + index as i32;
            let shape = YearShape::of(year);
            years[index] = Year {
                start: (day_number(year, 1, 1) - day_number(2000, 1, 1)) as u16,
                is_leap: shape.is_leap(),
                first_weekday: shape.first_weekday(),
            };
        }
        index += 1;
    }
    years
};

/// The place of a day's year. Between 2000 and 2100 each fourth year is a leap
/// year, the first of four, until 2100, which is the last: so `4 * day / 1461`
/// is exact, and the division is a multiplication.
#[inline]
const fn year_index(day: u32) -> u32 {
    4 * day / 1461
}

#[inline]
fn year(index: u32) -> Year {
    CALENDAR[index as usize & 127]
}

/// Days by the day of the year, the weekday and the year.
///
/// A year has one of 14 shapes, and all that month, day of month and weekday
/// can ask depends on that alone. The days of a shape are a row of 366 bits,
/// six words. The rows are not stored: a row is what month and day of month
/// take of a common or a leap year, one of two `rows`, where the weekday agrees;
/// and the weekdays of 64 days are one multiplication away. What is stored for
/// each shape is which of its words have days, so that a bit scan over this
/// year's words and the next one's finds the next word, and another one the day
/// in it.
///
/// `SHAPES` is 14, or 2 where every weekday is taken.
#[derive(Clone, Debug)]
pub struct YearRows<const SHAPES: usize> {
    rows: [[u64; 6]; 2],
    weekdays: u8,
    /// Whether each year has days.
    is_every_year: bool,
    /// Which words have days, by the shape of the year.
    occupied: [u8; SHAPES],
    /// The years that have days, as bits.
    years: u128,
    /// How many days of a year lie before a word, by the shape of the year.
    ranks: [[u16; 6]; SHAPES],
    /// How many days lie before a year.
    counts: [u16; YEARS + 1],
}

impl<const SHAPES: usize> YearRows<SHAPES> {
    /// The days that month and day of month take of a common and of a leap
    /// year, the weekdays with bit 0 for Sunday, and the years as bits.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "there are fewer than 2^16 days in the range"
    )]
    pub const fn new(rows: [[u64; 6]; 2], weekdays: u8, years: u128) -> Self {
        let mut days = Self {
            rows,
            weekdays,
            is_every_year: false,
            occupied: [0; SHAPES],
            years: 0,
            ranks: [[0; 6]; SHAPES],
            counts: [0; YEARS + 1],
        };
        let mut totals = [0; SHAPES];
        let mut shape = 0;
        while shape < SHAPES {
            let year = Year {
                start: 0,
                is_leap: shape * 2 >= SHAPES,
                first_weekday: (shape % 7) as u8,
            };
            let mut index = 0;
            while index < 6 {
                let word = days.word(year, index);
                days.ranks[shape][index as usize] = totals[shape];
                days.occupied[shape] |= ((word != 0) as u8) << index;
                totals[shape] += word.count_ones() as u16;
                index += 1;
            }
            shape += 1;
        }
        let mut index = 0;
        while index < YEARS {
            let total = totals[Self::shape(CALENDAR[index])];
            let is_taken = (years >> index & 1 != 0) & (total > 0);
            days.years |= (is_taken as u128) << index;
            days.counts[index + 1] = days.counts[index] + if is_taken { total } else { 0 };
            index += 1;
        }
        days.is_every_year = days.years.count_ones() as usize == YEARS;
        days
    }

    /// What [`new`](Self::new) took, the years without a day left out.
    #[must_use]
    pub const fn parts(&self) -> ([[u64; 6]; 2], u8, u128) {
        (self.rows, self.weekdays, self.years)
    }

    /// How many days there are.
    pub(crate) const fn len(&self) -> u16 {
        self.counts[YEARS]
    }

    /// The days, ascending.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "there are fewer than 2^16 days in the range"
    )]
    pub(crate) fn days(&self) -> impl Iterator<Item = u16> {
        let years = (0..YEARS as u32)
            .filter(|index| self.has_year(*index))
            .map(year);
        let words = years.flat_map(move |year| (0..6).map(move |place| self.row(year, place)));
        words
            .filter(|row| row.word != 0)
            .flat_map(|Row { start, word }| {
                (0..64)
                    .filter(move |place| bits::contains(word, *place))
                    .map(move |place| (start + place) as u16)
            })
    }

    #[inline]
    const fn shape(year: Year) -> usize {
        if SHAPES == 2 {
            year.is_leap as usize
        } else {
            year.is_leap as usize * 7 + year.first_weekday as usize
        }
    }

    /// The days of a word of a year.
    #[inline]
    const fn word(&self, year: Year, index: u32) -> u64 {
        let index = if index > 5 { 5 } else { index };
        let row = self.rows[year.is_leap as usize][index as usize];
        if SHAPES == 2 {
            row
        } else {
            // 64 days on, the weekday is the next one.
            row & weekday_pattern(self.weekdays, year.first_weekday as u32 + index)
        }
    }

    #[inline]
    fn has_year(&self, index: u32) -> bool {
        self.is_every_year || self.years >> (index & 127) & 1 != 0
    }

    /// Which words of a year have days.
    #[inline]
    fn occupied(&self, year: Year) -> u32 {
        u32::from(self.occupied[Self::shape(year).min(SHAPES - 1)])
    }

    /// The first year after `index` that has days, where there is one.
    #[inline]
    fn year_after(&self, index: u32) -> u32 {
        if self.is_every_year {
            index + 1
        } else {
            (self.years & (u128::MAX << (index & 127) << 1)).trailing_zeros()
        }
    }

    /// The last year before `index` that has days, where there is one.
    #[inline]
    fn year_before(&self, index: u32) -> u32 {
        if self.is_every_year {
            index.wrapping_sub(1)
        } else {
            127_u32.wrapping_sub((self.years & !(u128::MAX << (index & 127))).leading_zeros())
        }
    }

    /// The words of two years in a row that have days: those of the earlier
    /// year are bits 0-5, those of the later one bits 6-11.
    #[inline]
    fn occupied_pair(&self, earlier: Year, later: Year) -> u64 {
        u64::from(self.occupied(earlier) | self.occupied(later) << 6)
    }
}

/// A word of a year: where its days are counted from, and which are taken.
#[derive(Clone, Copy)]
struct Row {
    start: u32,
    word: u64,
}

impl<const SHAPES: usize> YearRows<SHAPES> {
    #[inline]
    fn row(&self, year: Year, index: u32) -> Row {
        Row {
            start: u32::from(year.start) + index * 64,
            word: self.word(year, index),
        }
    }

    /// The word at a place of a pair of years, as [`occupied_pair`](Self::occupied_pair)
    /// counts.
    #[inline]
    fn row_of_pair(&self, earlier: Year, later: Year, place: u32) -> Row {
        let is_later = place >= 6;
        let year = if is_later { later } else { earlier };
        self.row(
            year,
            if is_later {
                place.wrapping_sub(6)
            } else {
                place
            },
        )
    }
}

impl<const SHAPES: usize> DatePart for YearRows<SHAPES> {
    #[inline]
    fn ceil(&self, day: u32) -> u32 {
        let index = year_index(day);
        let (this, next) = (year(index), year(self.year_after(index)));
        let day_of_year = day - u32::from(this.start);
        let place = day_of_year / 64;
        let here = self.row(this, place);
        let has_year = self.has_year(index);
        let rest = if has_year {
            here.word & (u64::MAX << (day_of_year % 64))
        } else {
            0
        };
        let place = if has_year { place } else { 5 };
        let next = self.row_of_pair(
            this,
            next,
            bits::above(self.occupied_pair(this, next), place),
        );
        let found = if rest == 0 {
            next
        } else {
            Row { word: rest, ..here }
        };
        found.start + bits::first(found.word)
    }

    #[inline]
    fn floor(&self, day: u32) -> u32 {
        let index = year_index(day);
        let (this, prev) = (year(index), year(self.year_before(index)));
        let day_of_year = day - u32::from(this.start);
        let place = day_of_year / 64;
        let here = self.row(this, place);
        let has_year = self.has_year(index);
        let rest = if has_year {
            here.word & (u64::MAX >> (63 - day_of_year % 64))
        } else {
            0
        };
        let place = if has_year { place + 6 } else { 6 };
        let prev = self.row_of_pair(
            prev,
            this,
            bits::below(self.occupied_pair(prev, this), place),
        );
        let found = if rest == 0 {
            prev
        } else {
            Row { word: rest, ..here }
        };
        found.start.wrapping_add(bits::last(found.word))
    }

    #[inline]
    fn contains(&self, day: u32) -> bool {
        let index = year_index(day);
        let this = year(index);
        let day_of_year = day - u32::from(this.start);
        self.has_year(index) & bits::contains(self.word(this, day_of_year / 64), day_of_year % 64)
    }

    #[inline]
    fn rank(&self, day: u32) -> u32 {
        let index = year_index(day);
        let this = year(index);
        let day_of_year = day - u32::from(this.start);
        let place = day_of_year / 64;
        let before = self.ranks[Self::shape(this).min(SHAPES - 1)][place.min(5) as usize];
        let in_year = u32::from(before) + bits::rank(self.word(this, place), day_of_year % 64);
        let before_year = u32::from(self.counts[(index as usize).min(YEARS)]);
        before_year + if self.has_year(index) { in_year } else { 0 }
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "there are 101 years")]
    fn select(&self, rank: u32) -> u32 {
        let years = self.counts[1..].partition_point(|count| u32::from(*count) <= rank);
        let this = year(years as u32);
        let rank = rank.wrapping_sub(u32::from(self.counts[years.min(YEARS)]));
        let ranks = &self.ranks[Self::shape(this).min(SHAPES - 1)];
        let place = ranks[1..]
            .iter()
            .map(|before| u32::from(u32::from(*before) <= rank))
            .sum::<u32>();
        let rank = rank.wrapping_sub(u32::from(ranks[place.min(5) as usize]));
        u32::from(this.start) + place * 64 + bits::select(self.word(this, place), rank & 63)
    }

    #[inline]
    fn around(&self, day: u32) -> (Block, u32) {
        let this = year(year_index(day));
        let day_of_year = day - u32::from(this.start);
        let Row { start, word } = self.row(this, day_of_year / 64);
        (
            Block {
                base: u64::from(start),
                unit: 1,
                bits: word,
            },
            day_of_year % 64,
        )
    }
}

/// The date part of a schedule that was parsed while running.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_enums, reason = "quoted whole by the macro")]
#[allow(
    clippy::large_enum_variant,
    reason = "a plan is one allocation, of the size of the largest"
)]
pub enum DatePlan {
    /// See [`EveryDay`].
    EveryDay(EveryDay),
    /// See [`Weekdays`].
    Weekdays(Weekdays),
    /// See [`FewDays`].
    FewDays(FewDays<132>),
    /// See [`YearRows`], with all weekdays.
    Dates(YearRows<2>),
    /// See [`YearRows`], with some weekdays.
    DatesOnWeekdays(YearRows<14>),
}

/// Asks the strategy that the plan has.
macro_rules! dispatch {
    ($plan:expr, $part:ident => $answer:expr) => {
        match $plan {
            DatePlan::EveryDay($part) => $answer,
            DatePlan::Weekdays($part) => $answer,
            DatePlan::FewDays($part) => $answer,
            DatePlan::Dates($part) => $answer,
            DatePlan::DatesOnWeekdays($part) => $answer,
        }
    };
}

impl DatePart for DatePlan {
    #[inline]
    fn is_every_day(&self) -> bool {
        matches!(self, Self::EveryDay(_))
    }

    #[inline]
    fn ceil(&self, day: u32) -> u32 {
        dispatch!(self, part => part.ceil(day))
    }

    #[inline]
    fn floor(&self, day: u32) -> u32 {
        dispatch!(self, part => part.floor(day))
    }

    #[inline]
    fn contains(&self, day: u32) -> bool {
        dispatch!(self, part => part.contains(day))
    }

    #[inline]
    fn rank(&self, day: u32) -> u32 {
        dispatch!(self, part => part.rank(day))
    }

    #[inline]
    fn select(&self, rank: u32) -> u32 {
        dispatch!(self, part => part.select(rank))
    }

    #[inline]
    fn around(&self, day: u32) -> (Block, u32) {
        dispatch!(self, part => part.around(day))
    }
}

const _: () = {
    // 2100 ends the range, and is no leap year.
    assert!(CALENDAR[YEARS].start as u32 == DAYS);
    assert!(!CALENDAR[YEARS - 1].is_leap);
};
