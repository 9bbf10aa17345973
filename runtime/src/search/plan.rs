//! [`Plan`]: a date part and a time part, searched together.

use super::block::{Block, Enclosing, Span};
use super::date::{DatePart, WindowEnds};
use super::range::{Bounds, DAY, DAYS, WHOLE_DAYS, day_from, day_of, split_day};
use super::time::TimePart;

/// The date and time strategies of a schedule.
///
/// Callers compare with the bounds first: searches take only offsets for which there is an answer.
#[derive(Clone, Debug)]
pub struct Plan<D, T> {
    /// The strategy of the date part.
    pub date: D,
    /// The strategy of the time part. One time on every day is a stride of a day, so a fixed time
    /// is never combined with [`EveryDay`](super::EveryDay).
    pub time: T,
    /// The first and the last time of a day, so that a parsed plan need not dispatch for them.
    pub times: [u32; 2],
    /// The first and the last event, and the number of events.
    pub bounds: Bounds,
}

/// The searches of a plan with any strategies.
pub(crate) trait Search: Sync {
    /// See [`TimePart::repeats`].
    fn repeats(&self) -> bool;
    /// Whether every day has the same events, apart from the first and the last of a window over
    /// midnight.
    fn is_daily(&self) -> bool;
    /// Returns the distance between events if all are known to be equally spaced.
    fn step(&self) -> Option<u64>;
    /// Returns the first event at or after an offset up to the last event.
    fn ceil(&self, offset: u64) -> u64;
    /// Returns the last event at or before an offset between the first and the last event.
    fn floor(&self, offset: u64) -> u64;
    /// Whether an offset is an event. The offset may be any number.
    fn contains(&self, offset: u64) -> bool;
    /// Returns the number of events before an offset. The offset is at most 1 above the last event.
    fn rank(&self, offset: u64) -> u64;
    /// Returns the event with `rank` events before it, if there is one.
    fn select(&self, rank: u64) -> u64;
    /// Returns the span of the first event at or after an offset up to the last event, without the
    /// events before that event.
    fn span_from(&self, offset: u64) -> Span;
    /// Returns the span of the last event at or before an offset between the first and the last
    /// event, reversed and without the events after that event.
    fn span_to(&self, offset: u64) -> Span;
    /// Returns the block of a token.
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
    fn is_daily(&self) -> bool {
        self.date.is_every_day()
    }

    #[inline(always)]
    fn step(&self) -> Option<u64> {
        if self.is_every_day() {
            return self.time.step();
        }
        self.single().and_then(|_| Some(u64::from(self.date.step()?) * DAY))
    }

    #[inline(always)]
    fn ceil(&self, offset: u64) -> u64 {
        if self.date.is_every_day() {
            return self.time.ceil_daily(offset);
        }
        if let Some(at) = self.single() {
            return u64::from(self.date.ceil(day_from(offset, at))) * DAY + at;
        }
        let shift = u64::from(self.time.shift());
        let offset = offset.saturating_sub(shift);
        let [first, last] = self.times;
        let midnight = u64::from(self.date.ceil(day_from(offset, last.into()))) * DAY;
        let first = midnight + u64::from(first);
        // Search the time only if it is not the first of its day. This branch on data pays off:
        // with few dates it is well predicted, and often otherwise too.
        let event =
            if offset <= first { first } else { midnight + self.time.ceil(offset - midnight) };
        shift
            + match self.date.ends() {
                Some(ends) => event.min(u64::from(ends.ceil(day_from(offset, 0))) * DAY),
                None => event,
            }
    }

    #[inline(always)]
    fn floor(&self, offset: u64) -> u64 {
        if self.date.is_every_day() {
            return self.time.floor_daily(offset);
        }
        if let Some(at) = self.single() {
            return u64::from(self.date.floor(day_of(offset - at))) * DAY + at;
        }
        let shift = u64::from(self.time.shift());
        let offset = offset.saturating_sub(shift);
        let [first, last] = self.times;
        let midnight = u64::from(self.date.floor(day_of(offset - u64::from(first)))) * DAY;
        let last = midnight + u64::from(last);
        // A branch, as in `ceil`.
        let event =
            if offset >= last { last } else { midnight + self.time.floor(offset - midnight) };
        shift
            + match self.date.ends() {
                Some(ends) => event.max(u64::from(ends.floor(day_of(offset))) * DAY),
                None => event,
            }
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the days are below 2^16")]
    fn contains(&self, offset: u64) -> bool {
        if self.is_every_day() {
            return self.time.contains_between(offset, &self.bounds);
        }
        if let Some(at) = self.single() {
            // For an offset at any other time of day, the quotient is above all days.
            let day = WHOLE_DAYS.quotient(offset.wrapping_sub(at));
            return day < u64::from(DAYS) && self.date.contains(day as u32);
        }
        let shift = u64::from(self.time.shift());
        if offset > self.bounds.last || offset < shift {
            return false;
        }
        let offset = offset - shift;
        // Most times do not match, so the date is rarely checked.
        self.time.contains(offset) && self.date.contains(day_of(offset))
            || self.date.ends().is_some_and(|ends| {
                let (day, time) = split_day(offset);
                time == 0 && ends.contains(day)
            })
    }

    #[inline(always)]
    fn rank(&self, offset: u64) -> u64 {
        if self.is_every_day() {
            return self.time.rank(offset);
        }
        if let Some(at) = self.single() {
            return u64::from(self.date.rank(day_from(offset, at)));
        }
        let offset = offset.saturating_sub(self.time.shift().into());
        let (day, time) = split_day(offset);
        // A branch, as in `ceil`.
        let today = if self.date.contains(day) { self.time.rank(u64::from(time)) } else { 0 };
        let ends = self.date.ends().map_or(0, |ends| ends.rank(day_from(offset, 0)));
        u64::from(self.date.rank(day)) * u64::from(self.time.per_day()) + today + u64::from(ends)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the days are below 2^16")]
    fn select(&self, rank: u64) -> u64 {
        if self.is_every_day() {
            return self.time.select(rank);
        }
        if let Some(at) = self.single() {
            return u64::from(self.date.select(rank as u32)) * DAY + at;
        }
        let per_day = u64::from(self.time.per_day());
        if let Some(ends) = self.date.ends() {
            return self.select_with(ends, rank);
        }
        let day = self.date.select((rank / per_day) as u32);
        u64::from(day) * DAY + self.time.select(rank % per_day) + u64::from(self.time.shift())
    }

    fn span_from(&self, offset: u64) -> Span {
        self.enclosing(self.ceil(offset)).from()
    }

    fn span_to(&self, offset: u64) -> Span {
        self.enclosing(self.floor(offset)).to()
    }

    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        if let Some(at) = self.single() {
            return self.date.block(token).scaled(DAY, at);
        }
        let shift = u64::from(self.time.shift());
        self.time.block(token - shift).shifted(shift)
    }

    #[inline(always)]
    fn list(&self) -> &[u16] {
        if self.single().is_some() { self.date.list() } else { &[] }
    }
}

impl<D: DatePart, T: TimePart> Plan<D, T> {
    /// Whether the time alone determines the events.
    #[inline(always)]
    fn is_every_day(&self) -> bool {
        self.date.is_every_day() && self.time.takes_any_day()
    }

    /// Returns the event with `rank` events before it, if some days have only the end of a window.
    #[cold]
    fn select_with(&self, ends: WindowEnds<'_>, rank: u64) -> u64 {
        let per_day = u64::from(self.time.per_day());
        let before =
            |day: u32| u64::from(self.date.rank(day)) * per_day + u64::from(ends.rank(day));
        let (mut day, mut after) = (0, DAYS);
        while after - day > 1 {
            let middle = u32::midpoint(day, after);
            *(if before(middle) <= rank { &mut day } else { &mut after }) = middle;
        }
        u64::from(day) * DAY + self.time.select(rank - before(day)) + u64::from(self.time.shift())
    }

    /// Returns the single time of a day, if the schedule has one and does not have every day.
    #[inline(always)]
    fn single(&self) -> Option<u64> {
        if self.date.is_every_day() { None } else { self.time.single().map(u64::from) }
    }

    /// Returns the span that contains an event.
    #[inline(always)]
    fn enclosing(&self, event: u64) -> Enclosing {
        if self.is_every_day() {
            return self.time.enclosing(event, u64::MAX);
        }
        let shift = u64::from(self.time.shift());
        let (day, time) = split_day(event - shift);
        if let Some(at) = self.single() {
            let mut around = self.date.enclosing(day);
            around.span.events = around.span.events.scaled(DAY, at);
            return around;
        }
        if self.date.ends().is_some_and(|ends| ends.contains(day)) {
            return Enclosing::alone(Block::one(event), 0);
        }
        let mut around = self.time.enclosing(u64::from(time), u64::from(self.time.per_day()));
        let start = u64::from(day) * DAY + shift;
        around.span.events = around.span.events.shifted(start);
        around.span.tokens = around.span.tokens.shifted(start);
        around
    }
}
