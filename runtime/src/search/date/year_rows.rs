//! [`YearRows`]: days by year and day of the year.

use core::hint::select_unpredictable;

use super::part::{DatePart, Dates, YearDays};
use super::ranks::{slope, year_of};
use super::year_summary::{NeighborDays, WordRanks, YearSummary};
use super::years::{AHEAD, NEXT_YEARS, SHAPES, YEAR_BEFORE, YEARS, Year, year_before};
use crate::bits;
use crate::search::block::{Block, Enclosing, Span};

/// Days by year and day of the year.
///
/// A year has one of 14 shapes, which alone determines where month, day of month and weekday match.
/// From March on, only the weekday of 1 March matters, so 49 words contain the days of all shapes.
/// The neighbors of each word are stored, even those in an adjacent year, so a search reads one
/// word, and one more number if that word has no day on the right side.
#[derive(Clone, Debug)]
pub struct YearRows {
    /// The days of each shape.
    pub days: YearDays,
    /// By index of the next year: the first place with a day after each word.
    pub nexts: [u64; AHEAD],
    /// By shape: the last place with a day before each word.
    pub prevs: [u64; SHAPES],
    /// By shape: the number of days up to the end of each word.
    pub ranks: [u64; SHAPES],
    /// The years that have days, as bits; bit 0 is 2000.
    pub years: [u64; 2],
    /// The number of days before each year, and the total.
    pub before: [u16; YEARS + 1],
    /// The approximate number of years per day, in 2^14ths; 0 if a guess could be off by more than
    /// one.
    pub slope: u32,
    /// Whether every year has days from March on, so that words have neighbors in adjacent years.
    pub is_linked: bool,
}

/// All years in the range, as bits.
const ALL_YEARS: u128 = (1 << YEARS) - 1;

impl YearRows {
    pub(crate) const EMPTY: Self = Self {
        days: YearDays::EMPTY,
        nexts: [0; AHEAD],
        prevs: [0; SHAPES],
        ranks: [0; SHAPES],
        years: [0; 2],
        before: [0; YEARS + 1],
        slope: 0,
        is_linked: false,
    };

    /// Fills in the days of some dates, and returns whether there are any.
    #[expect(clippy::cast_possible_truncation, reason = "split into its halves")]
    pub(crate) fn fill(&mut self, dates: &Dates) -> bool {
        self.days = dates.days;
        self.years = [dates.years as u64, (dates.years >> 64) as u64];
        self.is_linked = dates.years == ALL_YEARS;
        let mut words = [YearSummary::EMPTY; SHAPES];
        for shape in 0..SHAPES {
            if shape % 7 > 0 && !dates.has_weekdays {
                words[shape] = words[shape - 1];
                continue;
            }
            for (index, word) in (0..).zip(dates.days.words(shape)) {
                words[shape].add(index, word);
            }
            self.is_linked &= words[shape].has_days_from_march();
        }
        self.ranks = words.each_ref().map(|words| words.ranks.0);
        self.fill_neighbors(&words);
        self.count_years();
        self.slope = slope(&self.before);
        self.before[YEARS] > 0
    }

    /// Fills in the tables of neighbors, given the words of each shape.
    fn fill_neighbors(&mut self, words: &[YearSummary; SHAPES]) {
        let of = |shape: u8| &words[usize::from(shape)];
        for (slot, pair) in self.nexts.iter_mut().zip(NEXT_YEARS) {
            let next = of(pair.other).first + u32::from(pair.distance);
            let next = if self.is_linked { next } else { NeighborDays::NONE };
            *slot = of(pair.shape).nexts(next).0;
        }
        for (shape, slot) in (0..).zip(&mut self.prevs) {
            // The previous year is the same from March on, whether or not it is a leap year.
            let (other, distance) = year_before(shape);
            let prev = (words[other].last + YEAR_BEFORE).wrapping_sub(distance);
            let prev = if self.is_linked { prev } else { NeighborDays::NONE };
            *slot = words[shape].prevs(prev).0;
        }
    }

    /// Counts the days before each year, and removes the years without days.
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 days")]
    fn count_years(&mut self) {
        let mut totals = [0; 16];
        for (total, ranks) in totals.iter_mut().zip(self.ranks) {
            *total = WordRanks(ranks).total() as u16;
        }
        let mut count = 0;
        for (word, taken) in self.years.iter_mut().enumerate() {
            let (mut rest, mut with_days) = (*taken, 0);
            for place in 0..64.min(YEARS - 64 * word) {
                let index = 64 * word + place;
                let total = totals[usize::from(Year::all()[index].shape) & 15];
                count += total & 0_u16.wrapping_sub(rest as u16 & 1);
                self.before[index + 1] = count;
                with_days |= u64::from(total > 0) << place;
                rest >>= 1;
            }
            *taken &= with_days;
        }
    }

    #[inline(always)]
    const fn ranks_of(ranks: &[u64; SHAPES], year: &Year) -> WordRanks {
        WordRanks(bits::element(ranks, year.shape as u32, 0))
    }

    /// Returns the first place with a day after each word of a year.
    #[inline(always)]
    const fn nexts(&self, year: &Year) -> NeighborDays {
        NeighborDays(bits::element(&self.nexts, year.ahead as u32, 0))
    }

    /// Returns the last place with a day before each word of a year.
    #[inline(always)]
    const fn prevs(&self, year: &Year) -> NeighborDays {
        NeighborDays(bits::element(&self.prevs, year.shape as u32, 0))
    }

    /// Returns the days of a word of a year, as bits.
    #[inline(always)]
    const fn word(&self, year: &Year, word: u32) -> u64 {
        self.days.word(year.shape, year.row, word)
    }

    #[inline(always)]
    const fn has_year(&self, index: u32) -> bool {
        self.is_linked || (self.years[(index as usize / 64) & 1] >> (index & 63)) & 1 != 0
    }

    #[inline(always)]
    const fn years(&self) -> u128 {
        let [low, high] = self.years;
        low as u128 | (high as u128) << 64
    }

    /// Returns the index of the first year with days after `index`; 128 if not found.
    #[inline(always)]
    fn year_after(&self, index: u32) -> u32 {
        if self.is_linked {
            index + 1
        } else {
            (self.years() & (u128::MAX << (index & 127) << 1)).trailing_zeros()
        }
    }

    /// Returns the index of the last year with days before `index`; -1, wrapped, if not found.
    #[inline(always)]
    fn year_before(&self, index: u32) -> u32 {
        if self.is_linked {
            index.wrapping_sub(1)
        } else {
            127_u32.wrapping_sub((self.years() & !(u128::MAX << (index & 127))).leading_zeros())
        }
    }

    /// Returns the first day of a year with days, if not every year has days.
    #[inline(always)]
    fn first_of(&self, year: &Year) -> u32 {
        let word = self.word(year, 0);
        let after = self.nexts(year).get(0);
        year.day(if word == 0 { after } else { bits::first(word) })
    }

    /// Returns the last day of a year with days, if not every year has days.
    #[inline(always)]
    fn last_of(&self, year: &Year) -> u32 {
        let word = self.word(year, 5);
        let before = self.prevs(year).get(5).wrapping_sub(YEAR_BEFORE);
        year.day(if word == 0 { before } else { 5 * 64 + bits::last(word) })
    }
}

/// A day, split into year and place.
struct DayPlace {
    /// The index of the year.
    index: u32,
    year: &'static Year,
    /// The place of the day.
    place: u32,
    /// The word of the day in its row.
    word: u32,
}

impl DayPlace {
    #[inline(always)]
    const fn of(day: u32) -> Self {
        let index = Year::index_of(day);
        let year = Year::at(index);
        let place = year.place(day);
        Self { index, year, place, word: place / 64 }
    }
}

impl DatePart for YearRows {
    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        let DayPlace { index, year, place, word } = DayPlace::of(day);
        let here = self.word(year, word) >> (place % 64);
        let after = self.nexts(year).get(word);
        let found = select_unpredictable(here != 0, day + bits::first(here), year.day(after));
        if self.is_linked {
            return found;
        }
        let stays = self.has_year(index) & ((here != 0) | (after != NeighborDays::NONE));
        let next = Year::at(self.year_after(index));
        select_unpredictable(stays, found, self.first_of(next))
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        let DayPlace { index, year, place, word } = DayPlace::of(day);
        // The day itself is the highest bit.
        let here = self.word(year, word) << (63 - place % 64);
        let before = self.prevs(year).get(word);
        let before_word = year.day(before).wrapping_sub(YEAR_BEFORE);
        let in_word = day.wrapping_sub(63).wrapping_add(bits::last(here));
        let found = select_unpredictable(here != 0, in_word, before_word);
        if self.is_linked {
            return found;
        }
        let stays = self.has_year(index) & ((here != 0) | (before != NeighborDays::NONE));
        let prev = Year::at(self.year_before(index));
        select_unpredictable(stays, found, self.last_of(prev))
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        let DayPlace { index, year, place, word } = DayPlace::of(day);
        self.has_year(index) & bits::contains(self.word(year, word), place)
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        let DayPlace { index, year, place, word } = DayPlace::of(day);
        let in_year = Self::ranks_of(&self.ranks, year).before(word)
            + bits::rank(self.word(year, word), place);
        u32::from(bits::element(&self.before, index, 0))
            + if self.has_year(index) { in_year } else { 0 }
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        let index = year_of(&self.before, self.slope, rank);
        let rank = rank.wrapping_sub(bits::element(&self.before, index, 0).into());
        let year = Year::at(index);
        let ranks = Self::ranks_of(&self.ranks, year);
        let word = ranks.word_of(rank);
        let rank = rank.wrapping_sub(ranks.before(word));
        year.day(word * 64 + bits::select(self.word(year, word), rank & 63))
    }

    /// A block is a word, and its token is `8 * year + word`, both as indices. A span consists of
    /// eight years.
    #[inline(always)]
    fn enclosing(&self, day: u32) -> Enclosing {
        let DayPlace { index, word, .. } = DayPlace::of(day);
        let events = self.block(u64::from(8 * index + word));
        let first = index & !7;
        let bits = (0..8).fold(0, |bits, index| {
            let year = Year::at(first + index);
            let words = Self::ranks_of(&self.ranks, year).occupied();
            let is_taken = self.has_year(first + index);
            bits | if is_taken { words << (8 * index) } else { 0 }
        });
        let tokens = Block::new(u64::from(first * 8), 1, bits);
        let token = (index - first) * 8 + word;
        Enclosing { span: Span { events, tokens }, event: block_place(day, &events), token }
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a token is below 8 * 128")]
    fn block(&self, token: u64) -> Block {
        let year = Year::at(token as u32 / 8);
        let word = token as u32 % 8;
        let (start, place) = year.word_start(word);
        Block::new(start.into(), 1, self.word(year, word) >> place)
    }
}

/// Returns the place of a day in its block.
#[expect(clippy::cast_possible_truncation, reason = "below 64")]
const fn block_place(day: u32, events: &Block) -> u32 {
    day - events.base as u32
}
