//! [`Plan`]: a date part and a time part, searched together.

use super::block::{Block, Enclosing, Span};
use super::date::DatePart;
use super::range::{Bounds, DAY, DAYS, WHOLE_DAYS, day_from, day_of, split_day};
use super::time::TimePart;

/// The date and time strategies of a schedule.
///
/// The searches take offsets between the first and the last event, so that
/// there always is an answer; the callers have looked at the bounds.
#[derive(Clone, Debug)]
pub struct Plan<D, T> {
    /// The days.
    pub date: D,
    /// The times of day. [`FixedTime`] does not stand with [`EveryDay`]: one time on
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
        self.single().and_then(|_| Some(u64::from(self.date.step()?) * DAY))
    }

    #[inline(always)]
    fn ceil(&self, offset: u64) -> u64 {
        if self.date.is_every_day() {
            return self.time.ceil(offset);
        }
        if let Some(at) = self.single() {
            return u64::from(self.date.ceil(day_from(offset, at))) * DAY + at;
        }
        let midnight = u64::from(self.date.ceil(day_from(offset, self.time.last().into()))) * DAY;
        let first = midnight + u64::from(self.time.first());
        // A branch on data: at most instants no time of a day is close on either side.
        if offset <= first { first } else { midnight + self.time.ceil(offset - midnight) }
    }

    #[inline(always)]
    fn floor(&self, offset: u64) -> u64 {
        if self.date.is_every_day() {
            return self.time.floor(offset);
        }
        if let Some(at) = self.single() {
            return u64::from(self.date.floor(day_of(offset - at))) * DAY + at;
        }
        let opens = self.time.first();
        let midnight = u64::from(self.date.floor(day_of(offset - u64::from(opens)))) * DAY;
        let last = midnight + u64::from(self.time.last());
        // A branch, as in `ceil`.
        if offset >= last { last } else { midnight + self.time.floor(offset - midnight) }
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the days are below 2^16")]
    fn contains(&self, offset: u64) -> bool {
        if self.date.is_every_day() {
            return self.time.contains_between(offset, &self.bounds);
        }
        if let Some(at) = self.single() {
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
        if let Some(at) = self.single() {
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
        if let Some(at) = self.single() {
            return u64::from(self.date.select(rank as u32)) * DAY + at;
        }
        let per_day = u64::from(self.time.per_day());
        let day = self.date.select((rank / per_day) as u32);
        u64::from(day) * DAY + self.time.select(rank % per_day)
    }

    fn span_from(&self, offset: u64) -> Span {
        self.enclosing(self.ceil(offset)).from()
    }

    fn span_to(&self, offset: u64) -> Span {
        self.enclosing(self.floor(offset)).to()
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        match self.single() {
            Some(at) => self.date.block(token).scaled(DAY, at),
            None => self.time.block(token),
        }
    }

    #[inline(always)]
    fn list(&self) -> &[u16] {
        if self.single().is_some() { self.date.list() } else { &[] }
    }
}

impl<D: DatePart, T: TimePart> Plan<D, T> {
    /// The only time of a day, where not every day has it.
    #[inline(always)]
    fn single(&self) -> Option<u64> {
        if self.date.is_every_day() { None } else { self.time.single().map(u64::from) }
    }

    /// The span that an event is in.
    #[inline(always)]
    fn enclosing(&self, event: u64) -> Enclosing {
        if self.date.is_every_day() {
            return self.time.enclosing(event, u64::MAX);
        }
        let (day, time) = split_day(event);
        if let Some(at) = self.single() {
            let mut around = self.date.enclosing(day);
            around.span.events = around.span.events.scaled(DAY, at);
            return around;
        }
        let mut around = self.time.enclosing(u64::from(time), u64::from(self.time.per_day()));
        let midnight = u64::from(day) * DAY;
        around.span.events = around.span.events.shifted(midnight);
        around.span.tokens = around.span.tokens.shifted(midnight);
        around
    }
}
