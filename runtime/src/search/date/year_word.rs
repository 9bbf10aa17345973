//! [`YearWord`]: a few days of every year, close together.

use core::hint::select_unpredictable;

use super::part::{DatePart, Dates};
use super::ranks::{slope, year_of};
use super::years::{
    AHEAD, BEHIND, CYCLE, LAST, NEXT_YEARS, PREVIOUS_YEARS, SHAPES, YEAR_BEFORE, YEARS, Year,
};
use crate::bits;
use crate::search::block::{Block, Enclosing, Span, part_of_row};

/// From 1 to 24 days of every year, all within 64 days: the working days of a month, or some days
/// of two months.
///
/// The days of a year are one word, and there is one word for each of the 14 shapes. Before and
/// after these days, the answer is in an adjacent year, and is stored by pair of years. To find a
/// day by its rank, there is a list for each shape. The year is guessed, if the years are so
/// similar that the guess is never off by more than one.
#[derive(Clone, Debug)]
pub struct YearWord {
    /// By shape: the days, as bits.
    pub words: [u64; SHAPES],
    /// By shape: the places of the bits, in order.
    pub days: [[u8; MOST]; SHAPES],
    /// By index of the next year: the place of its first day.
    pub nexts: [u16; AHEAD],
    /// By index of the previous year: the place of its last day, counted from 366 days earlier.
    pub prevs: [u16; BEHIND],
    /// The number of days before each year of a cycle, and in the whole cycle.
    pub before: [u16; CYCLE as usize + 1],
    /// The place of bit 0.
    pub start: u16,
    /// The approximate number of years per day, in 2^14ths; 0 if a guess could be off by more than
    /// one.
    pub slope: u32,
}

/// The most days that a year may have: the working days of a month are at most 23.
const MOST: usize = 24;

impl YearWord {
    pub(crate) const EMPTY: Self = Self {
        words: [0; SHAPES],
        days: [[0; MOST]; SHAPES],
        nexts: [0; AHEAD],
        prevs: [0; BEHIND],
        before: [0; CYCLE as usize + 1],
        start: 0,
        slope: 0,
    };

    /// Fills in the days of some dates of every year, and returns whether they fit.
    #[expect(clippy::cast_possible_truncation, reason = "a place is below 2^16")]
    pub(crate) fn fill(&mut self, dates: &Dates) -> bool {
        let all = dates.days.all();
        let Some(first) = all.iter().position(|word| *word != 0) else { return false };
        let start = first as u32 * 64 + bits::first(all[first]);
        let from_start = |row: &[u64; 6]| {
            let next = row.get(first + 1).copied().unwrap_or(0);
            ((u128::from(next) << 64 | u128::from(row[first])) >> (start % 64)) as u64
        };
        // Bits are lost if the days are further apart than a word.
        let ones = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        if from_start(&all).count_ones() != ones(&all) {
            return false;
        }
        self.start = start as u16;
        for shape in 0..SHAPES {
            let word = from_start(&dates.days.words(shape));
            if word == 0 || word.count_ones() as usize > MOST {
                return false;
            }
            self.words[shape] = word;
            let mut rest = word;
            for day in self.days[shape].iter_mut().take(word.count_ones() as usize) {
                *day = bits::first(rest) as u8;
                rest &= rest - 1;
            }
        }
        self.fill_neighbors();
        self.count_years();
        self.slope = slope(&self.before);
        true
    }

    /// Fills in the tables of neighbors.
    #[expect(clippy::cast_possible_truncation, reason = "places in two years")]
    fn fill_neighbors(&mut self) {
        let ends = |words: &[u64; SHAPES], shape: u8| {
            let word = words[usize::from(shape)];
            [bits::first(word), bits::last(word)].map(|place| u32::from(self.start) + place)
        };
        for (slot, pair) in self.nexts.iter_mut().zip(NEXT_YEARS) {
            let [first, _] = ends(&self.words, pair.other);
            *slot = (first + u32::from(pair.distance)) as u16;
        }
        for (slot, pair) in self.prevs.iter_mut().zip(PREVIOUS_YEARS) {
            let [_, last] = ends(&self.words, pair.other);
            *slot = (last + YEAR_BEFORE - u32::from(pair.distance)) as u16;
        }
    }

    /// Counts the days before each year of a cycle.
    #[expect(clippy::cast_possible_truncation, reason = "days of a year")]
    fn count_years(&mut self) {
        for (place, year) in Year::all()[..CYCLE as usize].iter().enumerate() {
            self.before[place + 1] = self.before[place] + self.word(year).count_ones() as u16;
        }
    }

    /// Returns the year of the day with `rank` days of a cycle before it.
    #[inline(always)]
    fn year_of(&self, rank: u32) -> u32 {
        year_of(&self.before, self.slope, rank)
    }

    #[inline(always)]
    fn word(&self, year: &Year) -> u64 {
        bits::element(&self.words, year.shape.into(), 0)
    }

    /// Returns the day of bit 0 in a year.
    #[inline(always)]
    fn start_in(&self, year: &Year) -> u32 {
        year.day(u32::from(self.start))
    }

    #[inline(always)]
    fn before(&self, place: u32) -> u32 {
        bits::element(&self.before, place, 0).into()
    }

    #[inline(always)]
    fn per_cycle(&self) -> u32 {
        self.before(CYCLE).max(1)
    }
}

/// Returns the bits before `day`, where bit 0 is `start`.
#[inline(always)]
fn below(word: u64, start: u32, day: u32) -> u64 {
    word & !u64::MAX.checked_shl(bits::difference(day, start)).unwrap_or(0)
}

impl DatePart for YearWord {
    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        let year = Year::at(Year::index_of(day));
        let start = self.start_in(year);
        let passed = bits::difference(day, start);
        let here = self.word(year).checked_shr(passed).unwrap_or(0);
        let next = bits::element(&self.nexts, year.ahead.into(), 0);
        let in_year = start + passed + bits::first(here);
        select_unpredictable(here != 0, in_year, year.day(u32::from(next)))
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        let year = Year::at(Year::index_of(day));
        let start = self.start_in(year);
        let here = below(self.word(year), start, day + 1);
        let prev = bits::element(&self.prevs, year.behind.into(), 0);
        let before = year.day(u32::from(prev)).wrapping_sub(YEAR_BEFORE);
        select_unpredictable(here != 0, start + bits::last(here), before)
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        let year = Year::at(Year::index_of(day));
        let place = day.wrapping_sub(self.start_in(year));
        self.word(year).checked_shr(place).unwrap_or(0) & 1 != 0
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        let index = Year::index_of(day);
        let year = Year::at(index);
        let in_year = below(self.word(year), self.start_in(year), day).count_ones();
        index / CYCLE * self.per_cycle() + self.before(index % CYCLE) + in_year
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        let cycle = rank / self.per_cycle();
        let rank = rank % self.per_cycle();
        let place = self.year_of(rank);
        // 2100 may have more days than the year at its place in a full cycle.
        let place = if cycle == LAST / CYCLE { place.min(LAST % CYCLE) } else { place };
        let year = Year::at(cycle * CYCLE + place);
        let days = bits::element(&self.days, year.shape.into(), [0; MOST]);
        self.start_in(year) + u32::from(bits::element(&days, rank - self.before(place), 0))
    }

    /// A block is the word of a year, and its token is the index of the year. A span consists of 64
    /// years.
    #[inline(always)]
    fn enclosing(&self, day: u32) -> Enclosing {
        let index = Year::index_of(day);
        let events = self.block(index.into());
        let (tokens, token) = part_of_row(0, 1, YEARS as u64, index.into());
        let event = day.wrapping_sub(self.start_in(Year::at(index)));
        Enclosing { span: Span { events, tokens }, event, token }
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a token is below 128")]
    fn block(&self, token: u64) -> Block {
        let year = Year::at(token as u32);
        Block::new(self.start_in(year).into(), 1, self.word(year))
    }
}
