//! [`Weekdays`]: some weekdays, on any date.

use super::part::DatePart;
use super::years::FIRST_WEEKDAY;
use crate::bits;
use crate::search::block::{Block, Enclosing, Span, part_of_row};
use crate::search::range::DAYS;

/// The days in the weeks that fit into a word.
const WEEKS: u32 = 63;

/// Every seventh bit, starting at bit 0.
const EACH_WEEK: u64 = 0x8102_0408_1020_4081;

/// Repeats a mask of weekdays over 64 days that start on weekday `first` (0-13).
#[inline(always)]
pub(crate) const fn weekday_pattern(mask: u8, first: u32) -> u64 {
    let mask = mask as u64;
    let week = ((mask | (mask << 7) | (mask << 14)) >> first) & 0x7f;
    // The 64th day cuts off the last week.
    week.wrapping_mul(EACH_WEEK)
}

/// Some weekdays, on any date.
///
/// Weeks start on the weekday of day 0. Each table has four bits for each day of the week.
#[derive(Clone, Copy, Debug)]
pub struct Weekdays {
    mask: u8,
    count: u32,
    /// The days of nine weeks, as bits.
    pattern: u64,
    /// By day of the week: the distance to the next day of the schedule.
    ahead: u32,
    /// By day of the week: the distance to the previous day of the schedule.
    behind: u32,
    /// By day of the week: the number of days of the schedule before it in that week.
    before: u32,
    /// By rank in the week: the day of the week.
    places: u32,
}

impl Weekdays {
    /// Returns the weekdays of a mask, which must not be empty; bit 0 is Sunday.
    #[must_use]
    pub const fn new(mask: u8) -> Self {
        let pattern = weekday_pattern(mask, FIRST_WEEKDAY) & (u64::MAX >> 1);
        let count = (mask & 0x7f).count_ones();
        let mut days = Self { mask, count, pattern, ahead: 0, behind: 0, before: 0, places: 0 };
        let mut day = 0;
        while day < 7 {
            // The second week has neighbors on both sides.
            let place = day + 7;
            let ahead = bits::ceil(pattern, place).wrapping_sub(place) & 7;
            let behind = place.wrapping_sub(bits::floor(pattern, place)) & 7;
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

    /// Returns the argument of [`new`](Self::new).
    #[must_use]
    pub const fn mask(self) -> u8 {
        self.mask
    }
}

/// Returns the four bits at index `place` of `table`.
#[inline(always)]
const fn nibble(table: u32, place: u32) -> u32 {
    (table >> ((4 * place) & 31)) & 15
}

impl DatePart for Weekdays {
    #[inline(always)]
    fn step(&self) -> Option<u16> {
        (self.count == 1).then_some(7)
    }

    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        day + nibble(self.ahead, day % 7)
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        day.saturating_sub(nibble(self.behind, day % 7))
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        bits::contains(self.pattern, day % 7)
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        day / 7 * self.count + nibble(self.before, day % 7)
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        let count = self.count.max(1);
        rank / count * 7 + nibble(self.places, rank % count)
    }

    /// A block is nine weeks, and its token is their first day.
    #[inline(always)]
    fn enclosing(&self, day: u32) -> Enclosing {
        let (index, place) = (u64::from(day / WEEKS), day % WEEKS);
        let events = self.block(u64::from(day - place));
        let (tokens, token) = part_of_row(0, WEEKS.into(), DAYS.div_ceil(WEEKS).into(), index);
        Enclosing { span: Span { events, tokens }, event: place, token }
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        Block::new(token, 1, self.pattern)
    }
}
