//! [`YearRows`]: days by the day of the year, the weekday and the year.

use core::hint::select_unpredictable;

use super::part::{DatePart, Dates};
use super::weekdays::weekday_pattern;
use super::year_summary::{NeighborDays, WordRanks, YearSummary};
use super::years::{CYCLE, LAST, YEAR_BEFORE, YEARS, Year, YearPair};
use crate::bits;
use crate::search::block::{Block, Enclosing, Span};

/// Days by the day of the year, the weekday and the year.
///
/// A year has one of 14 shapes, and all that month, day of month and weekday
/// can ask depends on that alone. The days of a shape are a row of 366 bits,
/// six words. The rows are not stored: a row is what month and day of month
/// take of a common or a leap year, one of two `rows`, where the weekday agrees;
/// and the weekdays of 64 days are one multiplication away. What is stored are
/// the days on both sides of each word, be they of the next year or of the one
/// before, so that a search looks at one word, and where that has no day, at one
/// number. For this a common year before or after a leap year is told from
/// one among its like.
///
/// `SHAPES` is 14, and `KINDS`, of years with their neighbour, is 21; or 2 and 3
/// where every weekday is taken.
#[derive(Clone, Debug)]
pub struct YearRows<const SHAPES: usize, const KINDS: usize> {
    /// Six words of a common year, then six of a leap year.
    pub rows: [u64; 12],
    /// By the kind of year: the first day after each word.
    pub nexts: [u64; KINDS],
    /// By the kind of year: the last day before each word.
    pub prevs: [u64; KINDS],
    /// By shape: how many days there are up to the end of each word.
    pub ranks: [u64; SHAPES],
    /// The years that have days, as bits.
    pub years: [u64; 2],
    /// Where each year has days: how many lie before the end of each year of a
    /// cycle, but for the last. Else: how many lie before each fourth year.
    pub counts: [u16; COUNTS],
    /// With bit 0 for Sunday.
    pub weekdays: u8,
    /// Whether each year has days.
    pub is_every_year: bool,
}

/// All years of the range, as bits.
const ALL_YEARS: u128 = (1 << YEARS) - 1;

/// How many blocks of four years the range has, the last of one year.
const BLOCKS: usize = YEARS.div_ceil(4);

/// Enough for the years of a cycle but the last, and for the blocks.
const COUNTS: usize = CYCLE as usize - 1;

const _: () = assert!(BLOCKS <= COUNTS);

impl<const SHAPES: usize, const KINDS: usize> YearRows<SHAPES, KINDS> {
    pub(crate) const EMPTY: Self = Self {
        rows: [0; 12],
        nexts: [0; KINDS],
        prevs: [0; KINDS],
        ranks: [0; SHAPES],
        years: [0; 2],
        counts: [0; COUNTS],
        weekdays: 0,
        is_every_year: false,
    };

    /// Takes the days of some dates, and returns whether there are any.
    #[expect(clippy::cast_possible_truncation, reason = "split into its halves")]
    pub(crate) fn fill(&mut self, dates: &Dates) -> bool {
        (self.rows, self.weekdays) = (dates.rows, dates.weekdays);
        self.years = [dates.years as u64, (dates.years >> 64) as u64];
        self.is_every_year = dates.years == ALL_YEARS;
        let mut words = [YearSummary::EMPTY; SHAPES];
        for (words, year) in words.iter_mut().zip(&Self::MODELS) {
            for index in 0..6 {
                words.add(index, self.word(year, index));
            }
            self.is_every_year &= words.ranks.total() > 0;
        }
        self.ranks = words.each_ref().map(|words| words.ranks.0);
        self.link_years(&words);
        if self.is_every_year {
            self.count_cycle();
        } else {
            self.count_blocks();
        }
        self.years != [0; 2]
    }

    const MODELS: [Year; SHAPES] = Year::models();
    const KINDS: [YearPair; KINDS] = YearPair::all();

    /// Fills the tables of neighbours, given the words of each shape.
    fn link_years(&mut self, words: &[YearSummary; SHAPES]) {
        let of = |shape: u8| &words[usize::from(shape)];
        for (place, kind) in Self::KINDS.iter().enumerate() {
            let (next, prev) = if self.is_every_year {
                (kind.next(of(kind.after).first), kind.prev(of(kind.before).last))
            } else {
                (NeighborDays::NONE, NeighborDays::NONE)
            };
            self.nexts[place] = of(kind.shape).nexts(next).0;
            self.prevs[place] = of(kind.shape).prevs(prev).0;
        }
    }

    /// Counts the days of a cycle by its years.
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 days")]
    fn count_cycle(&mut self) {
        let mut count = 0;
        for index in 0..COUNTS {
            count += self.total(index as u32);
            self.counts[index] = count as u16;
        }
    }

    /// Counts the days of each fourth year, and leaves out the years that have none.
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 days")]
    fn count_blocks(&mut self) {
        let mut years = self.years();
        let mut count = 0;
        for index in 0..YEARS {
            if index % 4 == 0 {
                self.counts[index / 4] = count;
            }
            let of_year = self.total(index as u32) as u16;
            if of_year == 0 {
                years &= !(1 << index);
            } else if years >> index & 1 != 0 {
                count += of_year;
            }
        }
        self.years = [years as u64, (years >> 64) as u64];
    }

    #[inline(always)]
    const fn ranks_of(ranks: &[u64; SHAPES], year: &Year) -> WordRanks {
        WordRanks(bits::element(ranks, year.shape as u32, 0))
    }

    /// What a table has for a kind of year.
    #[inline(always)]
    const fn beside(table: &[u64; KINDS], kind: u8) -> NeighborDays {
        NeighborDays(bits::element(table, kind as u32, 0))
    }

    /// The days of a word of a year.
    #[inline(always)]
    const fn word(&self, year: &Year, index: u32) -> u64 {
        let dates = bits::element(&self.rows, year.row as u32 + index, 0);
        if SHAPES == 2 {
            dates
        } else {
            // 64 days on, the weekday is the next one.
            dates & weekday_pattern(self.weekdays, year.first_weekday as u32 + index)
        }
    }

    #[inline(always)]
    const fn has_year(&self, index: u32) -> bool {
        self.is_every_year || (self.years[(index as usize / 64) & 1] >> (index & 63)) & 1 != 0
    }

    #[inline(always)]
    const fn years(&self) -> u128 {
        let [low, high] = self.years;
        low as u128 | (high as u128) << 64
    }

    /// The place of the first year after `index` that has days; 128 where there
    /// is none.
    #[inline(always)]
    fn year_after(&self, index: u32) -> u32 {
        if self.is_every_year {
            index + 1
        } else {
            (self.years() & (u128::MAX << (index & 127) << 1)).trailing_zeros()
        }
    }

    /// The place of the last year before `index` that has days, wrapped below 0
    /// where there is none.
    #[inline(always)]
    fn year_before(&self, index: u32) -> u32 {
        if self.is_every_year {
            index.wrapping_sub(1)
        } else {
            127_u32.wrapping_sub((self.years() & !(u128::MAX << (index & 127))).leading_zeros())
        }
    }

    /// The first day of a year that has days, where not every year has.
    #[inline(always)]
    fn first_of(&self, year: &Year) -> u32 {
        let word = self.word(year, 0);
        let after = Self::beside(&self.nexts, year.ahead).get(0);
        year.start() + if word == 0 { after } else { bits::first(word) }
    }

    /// The last day of a year that has days, where not every year has.
    #[inline(always)]
    fn last_of(&self, year: &Year) -> u32 {
        let word = self.word(year, 5);
        let before = Self::beside(&self.prevs, year.behind).get(5) - YEAR_BEFORE;
        year.start() + if word == 0 { before } else { 5 * 64 + bits::last(word) }
    }

    /// How many days a year has, if it has any.
    #[inline(always)]
    const fn total(&self, index: u32) -> u32 {
        Self::ranks_of(&self.ranks, Year::at::<SHAPES>(index)).total()
    }

    /// How many days the years of a block have, up to each but the last.
    #[inline(always)]
    const fn counts_in(&self, block: u32) -> [u32; 3] {
        let mut counts = [0; 3];
        let mut count = 0;
        let mut place = 0;
        while place < 3 {
            let index = 4 * block + place;
            count += if self.has_year(index) { self.total(index) } else { 0 };
            counts[place as usize] = count;
            place += 1;
        }
        counts
    }

    /// How many days a cycle has, where each year has days.
    #[inline(always)]
    const fn per_cycle(&self) -> u32 {
        self.counts[COUNTS - 1] as u32 + self.total(CYCLE - 1)
    }

    /// How many days lie before a year.
    #[inline(always)]
    const fn before_year(&self, index: u32) -> u32 {
        if self.is_every_year {
            return index / CYCLE * self.per_cycle() + self.before_in_cycle(index % CYCLE);
        }
        let before_block = bits::element(&self.counts, index / 4, 0) as u32;
        let [one, two, three] = self.counts_in(index / 4);
        before_block + [0, one, two, three][index as usize % 4]
    }

    /// How many days of a cycle lie before one of its years.
    #[inline(always)]
    const fn before_in_cycle(&self, place: u32) -> u32 {
        let up_to_last = bits::element(&self.counts, place.saturating_sub(1), 0) as u32;
        if place == 0 { 0 } else { up_to_last }
    }

    /// The year of the day that has `rank` days before it, where there is one, and how
    /// many days lie before that year.
    #[inline(always)]
    fn year_of(&self, rank: u32) -> (u32, u32) {
        if self.is_every_year {
            let per_cycle = self.per_cycle().max(1);
            let cycle = rank / per_cycle;
            let place = up_to(&self.counts, rank - cycle * per_cycle);
            // 2100 may have more days than the year that would be in its place.
            let place = if cycle == LAST / CYCLE { place.min(LAST % CYCLE) } else { place };
            return (cycle * CYCLE + place, cycle * per_cycle + self.before_in_cycle(place));
        }
        let block = up_to(&self.counts[1..BLOCKS], rank);
        let before = u32::from(self.counts[block as usize % BLOCKS]);
        let in_block = rank.wrapping_sub(before);
        let [one, two, three] = self.counts_in(block);
        let place = [one, two, three].map(|count| u32::from(count <= in_block)).iter().sum::<u32>();
        (4 * block + place, before + [0, one, two, three][place as usize % 4])
    }
}

/// How many of some ascending counts are at most `rank`. By halves: where years differ
/// much a guess would have to be corrected, and to compare all of them takes longer.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the days are below 2^16")]
pub(super) fn up_to(counts: &[u16], rank: u32) -> u32 {
    let rank = rank as u16;
    counts.partition_point(|count| *count <= rank) as u32
}

/// A day, taken apart.
struct Place {
    /// Its year, counted from 2000.
    index: u32,
    year: &'static Year,
    /// Counted from 1 January.
    day: u32,
    /// Its word in the year's row.
    word: u32,
}

impl Place {
    #[inline(always)]
    const fn of<const SHAPES: usize>(day: u32) -> Self {
        let index = Year::index_of(day);
        let year = Year::at::<SHAPES>(index);
        let day_of_year = day - year.start();
        Self { index, year, day: day_of_year, word: day_of_year / 64 }
    }
}

impl<const SHAPES: usize, const KINDS: usize> DatePart for YearRows<SHAPES, KINDS> {
    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        let Place { index, year, day: of_year, word } = Place::of::<SHAPES>(day);
        let here = self.word(year, word) >> (of_year % 64);
        let after = Self::beside(&self.nexts, year.ahead).get(word);
        let found = select_unpredictable(here != 0, day + bits::first(here), year.start() + after);
        if self.is_every_year {
            return found;
        }
        let stays = self.has_year(index) & ((here != 0) | (after != NeighborDays::NONE));
        let next = Year::at::<SHAPES>(self.year_after(index));
        select_unpredictable(stays, found, self.first_of(next))
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        let Place { index, year, day: of_year, word } = Place::of::<SHAPES>(day);
        let here = bits::up_to(self.word(year, word), of_year);
        let before = Self::beside(&self.prevs, year.behind).get(word);
        let before_word = (year.start() + before).wrapping_sub(YEAR_BEFORE);
        let in_word = year.start() + 64 * word + bits::last(here);
        let found = select_unpredictable(here != 0, in_word, before_word);
        if self.is_every_year {
            return found;
        }
        let stays = self.has_year(index) & ((here != 0) | (before != NeighborDays::NONE));
        let prev = Year::at::<SHAPES>(self.year_before(index));
        select_unpredictable(stays, found, self.last_of(prev))
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        let Place { index, year, day: of_year, word } = Place::of::<SHAPES>(day);
        self.has_year(index) & bits::contains(self.word(year, word), of_year)
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        let Place { index, year, day: of_year, word } = Place::of::<SHAPES>(day);
        let in_year = Self::ranks_of(&self.ranks, year).before(word)
            + bits::rank(self.word(year, word), of_year);
        self.before_year(index) + if self.has_year(index) { in_year } else { 0 }
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        let (index, before) = self.year_of(rank);
        let rank = rank.wrapping_sub(before);
        let year = Year::at::<SHAPES>(index);
        let ranks = Self::ranks_of(&self.ranks, year);
        let word = ranks.word_of(rank);
        let rank = rank.wrapping_sub(ranks.before(word));
        year.start() + word * 64 + bits::select(self.word(year, word), rank & 63)
    }

    /// A block is a word, and its token the year's place and the word's,
    /// `8 * year + word`. A span is eight years.
    #[inline(always)]
    fn enclosing(&self, day: u32) -> Enclosing {
        let Place { index, year, day: of_year, word } = Place::of::<SHAPES>(day);
        let base = u64::from(year.start() + word * 64);
        let events = Block::new(base, 1, self.word(year, word));
        let first = index & !7;
        let bits = (0..8).fold(0, |bits, index| {
            let year = Year::at::<SHAPES>(first + index);
            let words = Self::ranks_of(&self.ranks, year).occupied();
            let is_taken = self.has_year(first + index);
            bits | if is_taken { words << (8 * index) } else { 0 }
        });
        let tokens = Block::new(u64::from(first * 8), 1, bits);
        let token = (index - first) * 8 + word;
        Enclosing { span: Span { events, tokens }, event: of_year % 64, token }
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a token is below 8 * 128")]
    fn block(&self, token: u64) -> Block {
        let year = Year::at::<SHAPES>(token as u32 / 8);
        let word = token as u32 % 8;
        Block::new(u64::from(year.start() + word * 64), 1, self.word(year, word))
    }
}
