//! [`DatePart`]: the searches of a date strategy; and [`Dates`]: the days from which strategies are
//! built.

use super::day_tables::WORDS;
use super::window_ends::WindowEnds;
use super::years::{LAST, SHAPES, Year, march_weekday, row_of};
use crate::bits;
use crate::search::block::{Block, Enclosing};

/// The days of a schedule.
///
/// Days count from 2000-01-01. Callers must not call `ceil` after the last day, nor `floor` before
/// the first one: the result would be unspecified.
pub trait DatePart: Sync {
    /// Whether this is [`EveryDay`](super::EveryDay).
    #[inline(always)]
    fn is_every_day(&self) -> bool {
        false
    }
    /// Returns the distance between days if all are known to be equally spaced, except if they are
    /// every day.
    #[inline(always)]
    fn step(&self) -> Option<u16> {
        None
    }
    /// Returns the first day at or after `day`.
    fn ceil(&self, day: u32) -> u32;
    /// Returns the last day at or before `day`.
    fn floor(&self, day: u32) -> u32;
    /// Whether `day` belongs to the schedule.
    fn contains(&self, day: u32) -> bool;
    /// Returns how many days of the schedule precede `day`.
    fn rank(&self, day: u32) -> u32;
    /// Returns the day with `rank` days before it, if there is one.
    fn select(&self, rank: u32) -> u32;
    /// Returns the list that blocks index, whose days count from the block's base; empty if blocks
    /// are bits.
    #[inline(always)]
    fn list(&self) -> &[u16] {
        &[]
    }
    /// Returns the days on which only a window of the day before ends, if there may be any.
    #[inline(always)]
    fn ends(&self) -> Option<WindowEnds<'_>> {
        None
    }
    /// Returns the span that contains a day, in days.
    fn enclosing(&self, day: u32) -> Enclosing;
    /// Returns the block of a token, in days, if spans have more than one block.
    #[inline(always)]
    fn block(&self, _: u64) -> Block {
        Block::EMPTY
    }
}

/// The days of a schedule, as the input of the strategies.
pub(crate) struct Dates {
    /// The days by shape of year.
    pub(crate) days: YearDays,
    /// The years as bits; bit 0 is 2000.
    pub(crate) years: u128,
    /// Whether the weekdays matter, so that the days repeat after 28 years instead of 4.
    pub(crate) has_weekdays: bool,
    /// About how many days there are.
    pub(crate) about: u32,
}

/// The days of each shape of year, as words of bits, by place: 64 places before 1 March, and 320
/// places from 1 March on.
///
/// The words before March come first, by shape; then five for each weekday of 1 March.
#[derive(Clone, Copy, Debug)]
pub struct YearDays(pub [u64; 49]);

impl YearDays {
    pub(crate) const EMPTY: Self = Self([0; 49]);

    /// Returns a word of a year with some shape; `row` comes from [`row_of`].
    #[inline(always)]
    pub(super) const fn word(&self, shape: u8, row: u8, word: u32) -> u64 {
        let index = if word == 0 { shape as u32 } else { row as u32 + word };
        bits::element(&self.0, index, 0)
    }

    /// Adds the days of some years, of which 2000 is bit 0, to words of days.
    #[expect(clippy::cast_possible_truncation, reason = "halves of the bits")]
    pub(crate) const fn add_to(&self, days: &mut [u64; WORDS], years: u128) {
        let mut index = 0;
        while index <= LAST {
            let year = Year::at(index);
            // Counted from `MARCH` days before the range, since the first word of 2000 begins
            // before it. It has no days there.
            let (start, place) = (year.march as usize / 64, year.march % 64);
            let mut word = if years >> index & 1 == 1 { 0 } else { 6 };
            while word < 6 {
                // `Self::word`, without a call, which would take constant evaluation too long.
                let bits = self.0[if word == 0 { year.shape } else { year.row + word } as usize];
                if bits != 0 {
                    let (next, bits) = (start + word as usize, (bits as u128) << place);
                    if next > 0 {
                        days[next - 1] |= bits as u64;
                    }
                    if next < WORDS {
                        days[next] |= (bits >> 64) as u64;
                    }
                }
                word += 1;
            }
            index += 1;
        }
    }

    /// Whether all days are 29 February.
    pub(super) fn are_leap_days(&self) -> bool {
        self.0[..7] == [0; 7] && self.0[SHAPES..] == [0; 35]
    }

    /// Returns the days that occur in any shape.
    pub(super) fn all(&self) -> [u64; 6] {
        let mut all = [0; 6];
        let (before_march, rests) = self.0.split_at(SHAPES);
        all[0] = before_march.iter().fold(0, |all, word| all | word);
        for words in rests.as_chunks::<5>().0 {
            for (all, word) in all[1..].iter_mut().zip(words) {
                *all |= word;
            }
        }
        all
    }

    /// Returns the words of a shape.
    pub(super) fn words(&self, shape: usize) -> [u64; 6] {
        #[expect(clippy::cast_possible_truncation, reason = "below 14")]
        let row = row_of(march_weekday(shape as u32) as usize);
        core::array::from_fn(|word| self.0[if word == 0 { shape } else { row + word }])
    }

    /// Returns the mutable words before March, one for each shape.
    pub(crate) fn before_march_mut(&mut self) -> &mut [u64] {
        &mut self.0[..SHAPES]
    }

    /// Returns the mutable words from March on, five for each weekday of 1 March.
    pub(crate) fn since_march_mut(&mut self) -> &mut [[u64; 5]] {
        self.0[SHAPES..].as_chunks_mut().0
    }
}

/// All weekdays, as bits.
pub(crate) const ALL_WEEKDAYS: u8 = 0x7f;

/// The length of the list of a parsed schedule.
pub(crate) const LIST: usize = 222;
