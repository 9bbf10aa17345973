//! [`YearRows`]: days by the day of the year, the weekday and the year.

use core::hint::select_unpredictable;

use super::super::Block;
use super::super::block::{Around, Span};
use super::DatePart;
use super::weekdays::weekday_pattern;
use super::year::{YEARS, Year};
use crate::bits;

/// Days by the day of the year, the weekday and the year.
///
/// A year has one of 14 shapes, and all that month, day of month and weekday
/// can ask depends on that alone. The days of a shape are a row of 366 bits,
/// six words. The rows are not stored: a row is what month and day of month
/// take of a common or a leap year, one of two `rows`, where the weekday agrees;
/// and the weekdays of 64 days are one multiplication away. What is stored for
/// each shape are the days on both sides of each word, so that a search looks
/// at one word of this year, and where that has no day, at two numbers: the
/// first day of the words that follow, and the first day of the next year.
///
/// `SHAPES` is 14, or 2 where every weekday is taken.
#[derive(Clone, Debug)]
pub struct YearRows<const SHAPES: usize> {
    /// Six words of a common year, two of nothing, and the same of a leap year:
    /// so an index of four bits is safe.
    rows: [u64; 16],
    /// By shape: the first day in the words after `i`; at 6, in all.
    firsts: [Packed; SHAPES],
    /// By shape: the last day in the words before `i`; at 6, in all.
    lasts: [Packed; SHAPES],
    /// By shape: how many days there are in the words before `i`; at 6, in all.
    ranks: [Packed; SHAPES],
    /// The years that have days, as bits.
    years: [u64; 2],
    /// How many days lie before each fourth year.
    counts: [u16; BLOCKS + 1],
    weekdays: u8,
    /// Whether each year has days.
    is_every_year: bool,
}

/// All years of the range, as bits.
const ALL_YEARS: [u64; 2] = [u64::MAX, (1 << (YEARS - 64)) - 1];

/// How many blocks of four years the range has, the last of one year.
const BLOCKS: usize = YEARS.div_ceil(4);

/// Seven numbers of nine bits each, as of the days of a year or how many there
/// are of them.
#[derive(Clone, Copy, Debug)]
struct Packed(u64);

impl Packed {
    const EMPTY: Self = Self(0);
    /// No day.
    const NONE: u32 = 511;

    #[inline(always)]
    const fn get(self, index: u32) -> u32 {
        ((self.0 >> ((9 * index) & 63)) & 511) as u32
    }

    /// That at index 6.
    #[inline(always)]
    const fn last(self) -> u32 {
        (self.0 >> 54) as u32
    }

    const fn put(self, index: u32, value: u32) -> Self {
        Self(self.0 | (value as u64) << (9 * index))
    }
}

impl<const SHAPES: usize> YearRows<SHAPES> {
    /// The days that month and day of month take of a common and of a leap
    /// year, the weekdays with bit 0 for Sunday, and the years as bits.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "there are fewer than 2^16 days in the range, and 14 shapes"
    )]
    pub const fn new(rows: [u64; 12], weekdays: u8, years: [u64; 2]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = rows;
        let mut days = Self {
            rows: [a, b, c, d, e, f, 0, 0, g, h, i, j, k, l, 0, 0],
            firsts: [Packed::EMPTY; SHAPES],
            lasts: [Packed::EMPTY; SHAPES],
            ranks: [Packed::EMPTY; SHAPES],
            years: [0; 2],
            counts: [0; BLOCKS + 1],
            weekdays,
            is_every_year: false,
        };
        let mut totals = [0; SHAPES];
        let mut occupied = 0;
        let mut shape = 0;
        while shape < SHAPES {
            // Where the weekdays do not matter, any leap year will do.
            let year = Year::of_shape(if SHAPES == 2 { shape * 7 } else { shape });
            let mut words = [0; 6];
            let (mut last, mut lasts) = (Packed::NONE, Packed::EMPTY);
            let (mut rank, mut ranks) = (0, Packed::EMPTY);
            let mut index = 0;
            while index < 6 {
                lasts = lasts.put(index, last);
                ranks = ranks.put(index, rank);
                let word = days.word(&year, index);
                if word != 0 {
                    last = index * 64 + bits::last(word);
                    rank += word.count_ones();
                }
                words[index as usize] = word;
                index += 1;
            }
            days.lasts[shape] = lasts.put(6, last);
            days.ranks[shape] = ranks.put(6, rank);
            totals[shape] = rank as u16;
            occupied |= ((rank > 0) as u64) << shape;
            let (mut first, mut firsts) = (Packed::NONE, Packed::EMPTY);
            while index > 0 {
                index -= 1;
                firsts = firsts.put(index, first);
                let word = words[index as usize];
                if word != 0 {
                    first = index * 64 + bits::first(word);
                }
            }
            days.firsts[shape] = firsts.put(6, first);
            shape += 1;
        }
        let is_all = years[0] == ALL_YEARS[0] && years[1] == ALL_YEARS[1];
        days.is_every_year = is_all && occupied == (1 << SHAPES) - 1;
        if days.is_every_year {
            days.years = ALL_YEARS;
        }
        let mut count = 0;
        let mut block = 0;
        while block < BLOCKS {
            days.counts[block] = count;
            let mut index = block * 4;
            while index < block * 4 + 4 && index < YEARS {
                let year = Year::at(index as u32);
                let shape = if SHAPES == 2 { year.leap } else { year.shape } as usize;
                if days.is_every_year {
                    count += totals[shape];
                } else {
                    let is_taken = (years[index / 64] >> (index % 64)) & (occupied >> shape) & 1;
                    days.years[index / 64] |= is_taken << (index % 64);
                    count += totals[shape] * is_taken as u16;
                }
                index += 1;
            }
            block += 1;
        }
        days.counts[BLOCKS] = count;
        days
    }

    /// What [`new`](Self::new) took, the years without a day left out.
    #[must_use]
    pub const fn parts(&self) -> ([u64; 12], u8, [u64; 2]) {
        let [a, b, c, d, e, f, _, _, g, h, i, j, k, l, _, _] = self.rows;
        ([a, b, c, d, e, f, g, h, i, j, k, l], self.weekdays, self.years)
    }

    /// How many days there are.
    pub(crate) const fn count(&self) -> u16 {
        self.counts[BLOCKS]
    }

    /// The days, ascending.
    #[expect(clippy::cast_possible_truncation, reason = "below the length of the range")]
    pub(crate) fn days(&self) -> impl Iterator<Item = u16> {
        let mut years = self.years();
        let mut year = Year::at(0);
        let mut next = Packed::NONE;
        core::iter::from_fn(move || {
            if next == Packed::NONE {
                if years == 0 {
                    return None;
                }
                year = Year::at(years.trailing_zeros());
                years &= years - 1;
                next = Self::of(&self.firsts, year).last();
            }
            let day = next;
            let rest = self.word(year, day / 64) & (u64::MAX << (day % 64) << 1);
            next = if rest == 0 {
                Self::of(&self.firsts, year).get(day / 64)
            } else {
                day / 64 * 64 + bits::first(rest)
            };
            Some((year.start() + day) as u16)
        })
    }

    /// What a table has for a year.
    #[inline(always)]
    const fn of(table: &[Packed; SHAPES], year: &Year) -> Packed {
        let index = if SHAPES == 2 { year.leap } else { year.shape } as usize;
        if index < SHAPES { table[index] } else { Packed::EMPTY }
    }

    /// The days of a word of a year.
    #[inline(always)]
    const fn word(&self, year: &Year, index: u32) -> u64 {
        let dates = self.rows[(year.row as usize + index as usize) & 15];
        if SHAPES == 2 {
            dates
        } else {
            // 64 days on, the weekday is the next one.
            dates & weekday_pattern(self.weekdays, year.first_weekday as u32 + index)
        }
    }

    #[inline(always)]
    fn years(&self) -> u128 {
        let [low, high] = self.years;
        u128::from(low) | u128::from(high) << 64
    }

    /// How many days a year has.
    #[inline(always)]
    fn count_of(&self, index: u32) -> u32 {
        let count = Self::of(&self.ranks, Year::at(index)).get(6);
        if self.has_year(index) { count } else { 0 }
    }

    #[inline(always)]
    fn has_year(&self, index: u32) -> bool {
        self.is_every_year || (self.years() >> (index & 127)) & 1 != 0
    }

    /// The first year after `index` that has days, where there is one.
    #[inline(always)]
    fn year_after(&self, index: u32) -> &'static Year {
        Year::at(if self.is_every_year {
            index + 1
        } else {
            (self.years() & (u128::MAX << (index & 127) << 1)).trailing_zeros()
        })
    }

    /// The last year before `index` that has days, where there is one.
    #[inline(always)]
    fn year_before(&self, index: u32) -> &'static Year {
        Year::at(if self.is_every_year {
            index.wrapping_sub(1)
        } else {
            127_u32.wrapping_sub((self.years() & !(u128::MAX << (index & 127))).leading_zeros())
        })
    }
}

/// A day, taken apart.
struct Place {
    /// Its year, counted from 2000.
    index: u32,
    year: &'static Year,
    /// Its word in the year's row, and its bit there.
    word: u32,
    bit: u32,
    day_of_year: u32,
}

impl Place {
    #[inline(always)]
    const fn of(day: u32) -> Self {
        let index = Year::index_of(day);
        let year = Year::at(index);
        let day_of_year = day - year.start();
        Self { index, year, word: day_of_year / 64, bit: day_of_year % 64, day_of_year }
    }

    /// The day of bit 0 of the word.
    #[inline(always)]
    const fn start(&self) -> u32 {
        self.year.start() + self.word * 64
    }
}

impl<const SHAPES: usize> DatePart for YearRows<SHAPES> {
    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        let place = Place::of(day);
        let has_year = self.has_year(place.index);
        let word = self.word(place.year, place.word) >> place.bit;
        let word = if has_year { word } else { 0 };
        let in_word = place.day_of_year + bits::first(word);
        let after_word = Self::of(&self.firsts, place.year).get(place.word);
        let after_word = if has_year { after_word } else { Packed::NONE };
        let day_of_year = select_unpredictable(word != 0, in_word, after_word);
        let next = self.year_after(place.index);
        let in_next = next.start() + Self::of(&self.firsts, next).last();
        let is_over = day_of_year == Packed::NONE;
        select_unpredictable(is_over, in_next, place.year.start() + day_of_year)
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        let place = Place::of(day);
        let has_year = self.has_year(place.index);
        let word = self.word(place.year, place.word) & (u64::MAX >> (63 - place.bit));
        let word = if has_year { word } else { 0 };
        let in_word = (place.word * 64).wrapping_add(bits::last(word));
        let before_word = Self::of(&self.lasts, place.year).get(place.word);
        let before_word = if has_year { before_word } else { Packed::NONE };
        let day_of_year = select_unpredictable(word != 0, in_word, before_word);
        let prev = self.year_before(place.index);
        let in_prev = prev.start() + Self::of(&self.lasts, prev).last();
        let is_over = day_of_year == Packed::NONE;
        select_unpredictable(is_over, in_prev, place.year.start() + day_of_year)
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        let place = Place::of(day);
        self.has_year(place.index) & bits::contains(self.word(place.year, place.word), place.bit)
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        let place = Place::of(day);
        let in_year = Self::of(&self.ranks, place.year).get(place.word)
            + bits::rank(self.word(place.year, place.word), place.bit);
        let block = place.index & !3;
        let before_block = self.counts.get(block as usize / 4).copied().unwrap_or(0);
        let before_year = (0..3)
            .map(|year| if block + year < place.index { self.count_of(block + year) } else { 0 })
            .sum::<u32>();
        let in_year = if self.has_year(place.index) { in_year } else { 0 };
        u32::from(before_block) + before_year + in_year
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "there are 101 years")]
    fn select(&self, rank: u32) -> u32 {
        let count = |block: usize| u32::from(self.counts[block.min(BLOCKS)]);
        // Where all years have days, these are about even, and the guess is
        // right or off by one.
        let mut block = (rank * YEARS as u32 / count(BLOCKS).max(1)) as usize / 4;
        while block > 0 && count(block) > rank {
            block -= 1;
        }
        while block + 1 < BLOCKS && count(block + 1) <= rank {
            block += 1;
        }
        let first = block as u32 * 4;
        let rank = rank.wrapping_sub(count(block));
        // How many days there are up to each of the block's years, at once.
        let one = self.count_of(first);
        let two = one + self.count_of(first + 1);
        let three = two + self.count_of(first + 2);
        let index =
            first + u32::from(rank >= one) + u32::from(rank >= two) + u32::from(rank >= three);
        let before = select_unpredictable(rank >= one, one, 0);
        let before = select_unpredictable(rank >= two, two, before);
        let rank = rank - select_unpredictable(rank >= three, three, before);
        let year = Year::at(index);
        let ranks = Self::of(&self.ranks, year);
        let word = (1..6).map(|word| u32::from(ranks.get(word) <= rank)).sum::<u32>();
        let rank = rank.wrapping_sub(ranks.get(word));
        year.start() + word * 64 + bits::select(self.word(year, word), rank & 63)
    }

    /// A block is a word, and its token the year's place and the word's,
    /// `8 * year + word`. A span is eight years.
    #[inline]
    fn around(&self, day: u32) -> Around {
        let place = Place::of(day);
        let word = self.word(place.year, place.word);
        let events = Block { base: u64::from(place.start()), unit: 1, bits: word };
        let first = place.index & !7;
        let bits = (0..8).fold(0, |bits, index| {
            let year = Year::at(first + index);
            let is_taken = self.has_year(first + index);
            (0..6).fold(bits, |bits, word| {
                let has_days = is_taken & (self.word(year, word) != 0);
                bits | u64::from(has_days) << (8 * index + word)
            })
        });
        let tokens = Block { base: u64::from(first * 8), unit: 1, bits };
        let token = (place.index - first) * 8 + place.word;
        Around { span: Span { events, tokens }, event: place.bit, token }
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a token is below 8 * 128")]
    fn block(&self, token: u64) -> Block {
        let year = Year::at(token as u32 / 8);
        let word = token as u32 % 8;
        let bits = self.word(year, word);
        Block { base: u64::from(year.start() + word * 64), unit: 1, bits }
    }
}
