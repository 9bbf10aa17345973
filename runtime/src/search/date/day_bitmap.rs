//! [`DayBitmap`]: any days.

use core::ops::Deref;

use super::day_tables::{DayTables, WORDS};
use super::part::DatePart;
use super::window_ends::{EndRanks, WindowEnds};
use crate::search::block::{Block, Enclosing, Span, part_of_row};

/// Any days of the range, even if they follow no calendar, such as every 14th day that is also a
/// second Friday.
///
/// The tables are behind references or boxes, because they take 6 KiB.
#[derive(Clone, Debug)]
pub struct DayBitmap<D = &'static DayTables, E = &'static EndRanks> {
    /// The days.
    pub days: D,
    /// The ranks of the days after them, if those are [`WindowEnds`].
    pub ends: Option<E>,
}

// What a literal on a calendar may take besides the calendar.
const _: () = assert!(size_of::<DayTables>() + size_of::<EndRanks>() < 8 << 10);

impl<D, E> DatePart for DayBitmap<D, E>
where
    D: Deref<Target = DayTables> + Sync,
    E: Deref<Target = EndRanks> + Sync,
{
    #[inline(always)]
    fn ends(&self) -> Option<WindowEnds<'_>> {
        self.ends.as_deref().map(|ranks| WindowEnds { windows: &self.days, ranks })
    }

    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        self.days.ceil(day)
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        self.days.floor(day)
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        self.days.contains(day)
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        self.days.rank(day)
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        self.days.select(rank)
    }

    /// A block is a word, and its token is its first day. A span is 64 words.
    #[inline(always)]
    fn enclosing(&self, day: u32) -> Enclosing {
        let index = day / 64;
        let (mut tokens, token) = part_of_row(0, 64, WORDS as u64, index.into());
        // Words without days are not blocks.
        let words = self.days.words().iter().skip((index - token) as usize).take(64).enumerate();
        tokens.bits = words.fold(0, |taken, (place, word)| taken | u64::from(*word != 0) << place);
        let events = self.block((64 * index).into());
        Enclosing { span: Span { events, tokens }, event: day % 64, token }
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a day is below 2^16")]
    fn block(&self, token: u64) -> Block {
        Block::new(token, 1, self.days.at(token as u32))
    }
}
