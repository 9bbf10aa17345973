//! The search: a plan and an instant give an instant.
//!
//! Instants are *offsets* here: milliseconds since 2000-01-01 00:00:00.000, the
//! start of the range, so that all arithmetic is unsigned and below 2^42. Days
//! count from the same origin.
//!
//! A plan has a date part and a time part, each one of a few strategies
//! ([`DatePart`], [`TimePart`]), and a strategy answers for its part alone. [`Plan`]
//! puts the two answers together. The types are generic over the strategies: in
//! a compiled schedule they are known, with all their data, and the compiler
//! folds them to straight-line code; in a parsed one they are the enums
//! [`DatePlan`] and [`TimePlan`], and the same code dispatches on these.
//!
//! No search loops over days, months or years, and none branches on data where
//! the outcome would be hard to predict: a mispredicted branch costs more than
//! all the arithmetic of a search. Candidates are computed side by side and
//! selected; or, in the time, what cannot have an answer below a digit is rounded
//! up to the digit's next value before anything is looked up, or down where the
//! search goes backward, so that no digit carries. Only to select an event by its
//! rank may halve a list of years, some five times.
//!
//! What was tried, in nanoseconds for `next` at random instants, on a machine
//! where a round trip to the civil date and time and back took 8 to 9:
//!
//! - Dates alone (`*.*.01 01:30:00`): to scan the words of two years for one that
//!   has days took 6.9; with the day on the other side of a word in a table, 6.5;
//!   with the years' properties as bytes in place of bits of a word, 5.5; with the
//!   place of a row as one of these, 4.5. A list of the days of four years takes
//!   3.1, and is walked at 1.3 an event where words of a row took 2.4.
//! - Dates on weekdays (`*.9.*/2 1-5 10:00:00`), in the same steps: 10.2, 7.9, 7.4
//!   and 5.6; 4.9 without the time of day; 4.6 with fewer steps to a bit. To look up
//!   a day of the next year in the same table as one of this year, which needs 21
//!   kinds of years in place of 14 shapes, gave 4.3; to keep indices that are never
//!   out of bounds out of the way, 3.9. With a word for each shape of year, where that
//!   holds all days of a year: 3.0.
//! - One time a day: to compute the time of day and to compare it took 1.0 more
//!   than to round the offset up to a day.
//! - A time on few dates (`*.4.6,7 * *:*:*.1,2,3-5,10-20/3`): 9.5 where the time is
//!   always computed, 6.5 at that point behind the branch in `ceil`.
//! - Lists of several digits (`1,3-9/2:5,10-20/3:*/13`): 8.3 digit by digit; 6.0 on
//!   masks of which those below a digit that moves are empty; 4.6 with a table of
//!   the next hour; 4.2 with a bitmap of the day's minutes; 3.5 with that and rounding
//!   up. Rounding up without the bitmap took 4.1.
//! - One list (`*:*:*.1,2,3-5,10-20/3`): 3.6 where the digit carries, 2.4 with
//!   rounding up, 2.1 with no division for milliseconds.
//! - A function pointer for each search of each schedule: no faster than one trait
//!   object for all, and each schedule compiled eight functions: a release build
//!   took 26 to 34 ms a schedule, and takes 2 to 4.
//! - Lists of weekdays (`*.*.31 3 12:14:34`): 4.5 with four days compared one by one,
//!   3.5 with all four in one word.
//! - `prev` of one list: 3.6 with a case for words without a bit, 2.8 without it. Of
//!   several: 4.8 and 4.6 in these steps; 4.4 with minutes counted without the day; 4.1
//!   where a time is rounded down to its minute, and not up to look before that. To
//!   count the minutes of a day from 1, so that none is below 0, was no faster.
//! - `nth` of one list: 11 where the value is found by counting bits, 6.5 where the
//!   lowest are listed; of several, 30 and 11.5. Rows of years took 47 with counts of
//!   each four years and take 37 with those of each: what is looked up is needed for
//!   what is looked up next, six times over. Where all days of a year are in one word:
//!   11 with these listed and the year guessed.
//! - Iteration where each event is compared with the end of the range, and the place of
//!   a reversed bit is found by subtraction: 1.1 an event of one list, 1.2 backward, 1.3
//!   of days listed as bits. With blocks that are cut to the range once, and count
//!   down: 0.9, 0.75 and, by index, 0.9. A function that took and returned the block to be
//!   cut made all slower than before: it kept the block in memory.
//! - Parsing a list of weekdays (`*.*.20-32/5 5 12:14:34`): 750 with the days of each
//!   stretch counted where the index is, each waiting for the last, and a plan moved
//!   twice; 670 without; 550 with each shape of year listed once, and its days copied
//!   eight at a time. Copied from the first year of that shape, which has just been
//!   written, it took 700.
//! - Iteration by arrays of the next 32 events, filled by the strategy: 1.6 to 1.7
//!   times as slow as bits in a register for lists of times and of weekdays, since
//!   an array keeps the whole iterator in memory.
#![allow(
    clippy::needless_bitwise_bool,
    reason = "`&` between booleans is meant: `&&` would be a branch"
)]

pub(crate) mod block;
pub(crate) mod date;
pub(crate) mod set;
pub(crate) mod time;

use crate::bits::Multiples;
use block::{Around, Block, Span};
pub use date::{DatePart, DatePlan, EveryDay, FewDays, Season, Weekdays, YearRows};
pub(crate) use date::{Dates, LIST};
pub use set::{DigitSet, One, Wide, Word};
pub use time::{
    At, DayMinutes, Digits, HourMinutes, MinuteSet, RankedMinutes, Split, Stride, TimePart,
    TimePlan,
};

/// Milliseconds in a day, as times of day are.
pub(crate) const DAY_MILLIS: u32 = 86_400_000;

/// Milliseconds in a day, as offsets are.
pub(crate) const DAY: u64 = DAY_MILLIS as u64;

const _: () = assert!(DAY == crate::calendar::MILLIS_PER_DAY.unsigned_abs());

/// Tells the starts of days.
const WHOLE_DAYS: Multiples = Multiples::of(DAY_MILLIS);

/// Days in the range, 2000-01-01 to 2100-12-31.
pub(crate) const DAYS: u32 = 36_890;

/// Where the events of a schedule begin and end, and how many there are.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The first event.
    pub first: u64,
    /// The last event.
    pub last: u64,
    /// How many events there are.
    pub count: u64,
}

impl Bounds {
    /// Those of no events: where nobody asks, any more or as yet.
    pub(crate) const NONE: Self = Self { first: 0, last: 0, count: 0 };
}

/// The date and time strategies of a schedule.
///
/// The searches take offsets between the first and the last event, so that
/// there always is an answer; the callers have looked at the bounds.
#[derive(Clone, Debug)]
pub struct Plan<D, T> {
    /// The days.
    pub date: D,
    /// The times of day. [`At`] does not stand with [`EveryDay`]: one time on
    /// every day is a [`Stride`].
    pub time: T,
    /// Where the events begin and end.
    pub bounds: Bounds,
}

/// What a plan answers, whatever its strategies.
pub(crate) trait Search: Sync {
    /// See [`TimePart::repeats`].
    fn repeats(&self) -> bool;
    /// From each event to the next, where they are known to be equally far all
    /// through.
    fn step(&self) -> Option<u64>;
    /// The first event at or after an offset up to the last event.
    fn ceil(&self, offset: u64) -> u64;
    /// The last event at or before an offset between the first and the
    /// last event.
    fn floor(&self, offset: u64) -> u64;
    /// Whether any offset is an event.
    fn contains(&self, offset: u64) -> bool;
    /// How many events lie before an offset up to the one after the last event.
    fn rank(&self, offset: u64) -> u64;
    /// The event that has `rank` events before it, where there is one.
    fn select(&self, rank: u64) -> u64;
    /// The block of the first event, where no search is needed for that.
    fn opening(&self) -> Option<Block>;
    /// The block of the last event, where no search is needed for that.
    fn closing(&self) -> Option<Block>;
    /// The span of the first event at or after an offset up to the last event,
    /// from that event on.
    fn span_from(&self, offset: u64) -> Span;
    /// The span of the last event at or before an offset between the first
    /// and the last event, up to that event, reversed.
    fn span_to(&self, offset: u64) -> Span;
    /// The block of a token.
    fn block(&self, token: u64) -> Block;
    /// See [`DatePart::list`].
    fn list(&self) -> &[u16];
}

impl<D: DatePart, T: TimePart> Search for Plan<D, T> {
    #[inline(always)]
    fn repeats(&self) -> bool {
        self.time.repeats()
    }

    #[inline(always)]
    fn step(&self) -> Option<u64> {
        if self.date.is_every_day() {
            return self.time.step();
        }
        self.only().and_then(|_| Some(u64::from(self.date.step()?) * DAY))
    }

    #[inline(always)]
    fn ceil(&self, offset: u64) -> u64 {
        if self.date.is_every_day() {
            return self.time.ceil(offset);
        }
        if let Some(at) = self.only() {
            return u64::from(self.date.ceil(day_from(offset, at))) * DAY + at;
        }
        let midnight = u64::from(self.date.ceil(day_from(offset, self.time.closes().into()))) * DAY;
        // A branch on data: most days are not the schedule's, or most are.
        match offset.checked_sub(midnight) {
            Some(time) => midnight + self.time.ceil(time),
            None => midnight + u64::from(self.time.opens()),
        }
    }

    #[inline(always)]
    fn floor(&self, offset: u64) -> u64 {
        if self.date.is_every_day() {
            return self.time.floor(offset);
        }
        if let Some(at) = self.only() {
            return u64::from(self.date.floor(day_of(offset - at))) * DAY + at;
        }
        let opens = self.time.opens();
        let midnight = u64::from(self.date.floor(day_of(offset - u64::from(opens)))) * DAY;
        let time = offset - midnight;
        // A branch, as in `ceil`.
        if time < DAY {
            midnight + self.time.floor(time)
        } else {
            midnight + u64::from(self.time.closes())
        }
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the days are below 2^16")]
    fn contains(&self, offset: u64) -> bool {
        if self.date.is_every_day() {
            return self.time.contains_between(offset, &self.bounds);
        }
        if let Some(at) = self.only() {
            // What is no such time of a day is beyond all days.
            let day = WHOLE_DAYS.quotient(offset.wrapping_sub(at));
            return day < u64::from(DAYS) && self.date.contains(day as u32);
        }
        // Most times of a day are none, so the date is seldom asked.
        offset <= self.bounds.last
            && self.time.contains(offset)
            && self.date.contains(day_of(offset))
    }

    #[inline(always)]
    fn rank(&self, offset: u64) -> u64 {
        if self.date.is_every_day() {
            return self.time.rank(offset);
        }
        if let Some(at) = self.only() {
            return u64::from(self.date.rank(day_from(offset, at)));
        }
        let (day, time) = split_day(offset);
        // A branch, as in `ceil`.
        let today = if self.date.contains(day) { self.time.rank(u64::from(time)) } else { 0 };
        u64::from(self.date.rank(day)) * u64::from(self.time.per_day()) + today
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the days are below 2^16")]
    fn select(&self, rank: u64) -> u64 {
        if self.date.is_every_day() {
            return self.time.select(rank);
        }
        if let Some(at) = self.only() {
            return u64::from(self.date.select(rank as u32)) * DAY + at;
        }
        let per_day = u64::from(self.time.per_day());
        let day = self.date.select((rank / per_day) as u32);
        u64::from(day) * DAY + self.time.select(rank % per_day)
    }

    #[inline(always)]
    fn opening(&self) -> Option<Block> {
        self.only().and_then(|at| Some(self.date.opening()?.scaled(DAY, at)))
    }

    #[inline(always)]
    fn closing(&self) -> Option<Block> {
        self.only().and_then(|at| Some(self.date.closing()?.scaled(DAY, at)))
    }

    fn span_from(&self, offset: u64) -> Span {
        self.around(self.ceil(offset)).from()
    }

    fn span_to(&self, offset: u64) -> Span {
        self.around(self.floor(offset)).to()
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        match self.only() {
            Some(at) => self.date.block(token).scaled(DAY, at),
            None => self.time.block(token),
        }
    }

    #[inline(always)]
    fn list(&self) -> &[u16] {
        if self.only().is_some() { self.date.list() } else { &[] }
    }
}

impl<D: DatePart, T: TimePart> Plan<D, T> {
    /// The only time of a day, where not every day has it.
    #[inline(always)]
    fn only(&self) -> Option<u64> {
        if self.date.is_every_day() { None } else { self.time.only().map(u64::from) }
    }

    /// The span that an event is in.
    #[inline(always)]
    fn around(&self, event: u64) -> Around {
        if self.date.is_every_day() {
            return self.time.around(event, u64::MAX);
        }
        let (day, time) = split_day(event);
        if let Some(at) = self.only() {
            let mut around = self.date.around(day);
            around.span.events = around.span.events.scaled(DAY, at);
            return around;
        }
        let mut around = self.time.around(u64::from(time), u64::from(self.time.per_day()));
        let midnight = u64::from(day) * DAY;
        around.span.events = around.span.events.shifted(midnight);
        around.span.tokens = around.span.tokens.shifted(midnight);
        around
    }
}

/// The day of an offset, and the time of that day.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a time of day is below 2^27")]
const fn split_day(offset: u64) -> (u32, u32) {
    let day = day_of(offset);
    (day, (offset - day as u64 * DAY) as u32)
}

/// The day of an offset.
#[inline(always)]
const fn day_of(offset: u64) -> u32 {
    // A day is 2^10 times 84,375 ms. What is above these 10 bits is below 2^32, and
    // for such numbers this is the division by 84,375.
    (((offset >> 10) * RECIPROCAL) >> 46) as u32
}

/// `2^46 / 84,375`, rounded up by less than `2^14 / 84,375`: Granlund and
/// Montgomery as in [`Divisor`](crate::bits::Divisor).
const RECIPROCAL: u64 = (1_u64 << 46).div_ceil(84_375);

const _: () = assert!(RECIPROCAL * 84_375 - (1 << 46) < 1 << 14);

/// The first day of which the time `at` is not before an offset.
#[inline(always)]
const fn day_from(offset: u64, at: u64) -> u32 {
    day_of(offset + (DAY - 1 - at))
}
