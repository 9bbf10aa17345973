//! [`UnionPlan`]: the searches through several plans together.

use crate::overlap::{Overlap, last_where};
use crate::search::{Block, Bounds, DAY, DatePart, Enclosing, Plan, Search, Span, TimePart};

/// The plans of some schedules, whose events a union has, each instant once.
///
/// Unlike those of other schedules, these searches take any offsets.
pub trait Events: Sync {
    /// Returns the first event at or after an offset; `u64::MAX` if there is none.
    fn ceil(&self, offset: u64) -> u64;
    /// Returns the last event at or before an offset; 0 if there is none.
    fn floor(&self, offset: u64) -> u64;
    /// Whether an offset is an event.
    fn contains(&self, offset: u64) -> bool;
    /// Returns the number of events of some schedules, given as bits, before an offset, as if they
    /// had none in common.
    fn rank(&self, members: u16, offset: u64) -> u64;
    /// Whether one of the schedules repeats; see [`TimePart::repeats`].
    fn repeats(&self) -> bool;
    /// Whether all schedules have the same events on every day.
    fn is_daily(&self) -> bool;
}

/// Calls a search for the first event at or after an offset, which may be any.
#[inline(always)]
pub(crate) fn ceil_within(bounds: &Bounds, offset: u64, ceil: impl FnOnce(u64) -> u64) -> u64 {
    if offset <= bounds.last { ceil(offset) } else { u64::MAX }
}

/// Calls a search for the last event at or before an offset, which may be any.
#[inline(always)]
pub(crate) fn floor_within(bounds: &Bounds, offset: u64, floor: impl FnOnce(u64) -> u64) -> u64 {
    if bounds.first <= offset { floor(offset.min(bounds.last)) } else { 0 }
}

/// Calls a search for the number of events before an offset, which may be any.
#[inline(always)]
pub(crate) fn rank_within(bounds: &Bounds, offset: u64, rank: impl FnOnce(u64) -> u64) -> u64 {
    if bounds.first < offset { rank(offset.min(bounds.last + 1)) } else { 0 }
}

/// The most members of a union.
pub const MOST_MEMBERS: usize = 16;

/// All schedules of a union, as bits.
pub(crate) const ALL_MEMBERS: u16 = u16::MAX;

/// The plan that represents a schedule.
pub type PlanOf<D, T> = &'static Plan<D, T>;

impl<D: DatePart, T: TimePart> Events for PlanOf<D, T> {
    #[inline(always)]
    fn ceil(&self, offset: u64) -> u64 {
        // After the last of equally spaced events, the next step is beyond the range.
        if Search::is_daily(*self) && Search::step(*self).is_some() {
            return Search::ceil(*self, offset);
        }
        ceil_within(&self.bounds, offset, |offset| Search::ceil(*self, offset))
    }

    #[inline(always)]
    fn floor(&self, offset: u64) -> u64 {
        floor_within(&self.bounds, offset, |offset| Search::floor(*self, offset))
    }

    #[inline(always)]
    fn contains(&self, offset: u64) -> bool {
        Search::contains(*self, offset)
    }

    #[inline(always)]
    fn rank(&self, members: u16, offset: u64) -> u64 {
        if members & 1 == 0 {
            return 0;
        }
        rank_within(&self.bounds, offset, |offset| Search::rank(*self, offset))
    }

    #[inline(always)]
    fn repeats(&self) -> bool {
        Search::repeats(*self)
    }

    #[inline(always)]
    fn is_daily(&self) -> bool {
        Search::is_daily(*self)
    }
}

/// A schedule and others.
#[derive(Clone, Copy, Debug)]
pub struct Pair<A, B>(pub A, pub B);

impl<A: Events, B: Events> Events for Pair<A, B> {
    #[inline(always)]
    fn ceil(&self, offset: u64) -> u64 {
        self.0.ceil(offset).min(self.1.ceil(offset))
    }

    #[inline(always)]
    fn floor(&self, offset: u64) -> u64 {
        self.0.floor(offset).max(self.1.floor(offset))
    }

    #[inline(always)]
    fn contains(&self, offset: u64) -> bool {
        self.0.contains(offset) || self.1.contains(offset)
    }

    #[inline(always)]
    fn rank(&self, members: u16, offset: u64) -> u64 {
        self.0.rank(members, offset) + self.1.rank(members >> 1, offset)
    }

    #[inline(always)]
    fn repeats(&self) -> bool {
        self.0.repeats() || self.1.repeats()
    }

    #[inline(always)]
    fn is_daily(&self) -> bool {
        self.0.is_daily() && self.1.is_daily()
    }
}

/// The plans of a union, and how to count their events.
#[derive(Debug)]
pub struct UnionPlan<E> {
    pub(crate) events: E,
    pub(crate) bounds: Bounds,
    /// `None` if no two schedules have an event in common, so that their counts add up.
    overlap: Option<Overlap>,
}

impl<E> UnionPlan<E> {
    /// Returns the plan of some schedules with their bounds.
    #[must_use]
    pub const fn new(events: E, each: &[Bounds], overlap: Option<Overlap>) -> Self {
        let mut bounds = Bounds { first: u64::MAX, last: 0, count: 0 };
        let mut index = 0;
        while index < each.len() {
            let Bounds { first, last, count } = each[index];
            bounds.first = if bounds.first < first { bounds.first } else { first };
            bounds.last = if bounds.last > last { bounds.last } else { last };
            bounds.count += count;
            index += 1;
        }
        if let Some(overlap) = &overlap {
            bounds.count = overlap.total;
        }
        Self { events, bounds, overlap }
    }
}

/// Counts the events of some members of a union.
pub trait CountMembers: Sync {
    /// Returns the number of events from one offset to another, both included and within the
    /// bounds, that some members, given as bits, have together. Visits the days.
    fn count_members(&self, members: u16, range: [u64; 2]) -> u64;

    /// Visits each day from the first event to the last, with the number of events on it.
    fn visit_days(&self, visit: &mut dyn FnMut(u64, u64));
}

impl<E: Events> CountMembers for UnionPlan<E> {
    fn count_members(&self, members: u16, range: [u64; 2]) -> u64 {
        if let Some(overlap) = &self.overlap {
            return overlap.count_members(members, range);
        }
        let [first, last] = range;
        self.events.rank(members, last + 1) - self.events.rank(members, first)
    }

    fn visit_days(&self, visit: &mut dyn FnMut(u64, u64)) {
        let all = self.bounds.first / DAY..=self.bounds.last / DAY;
        if let Some(overlap) = &self.overlap {
            let mut counts = overlap.by_day();
            all.for_each(|day| visit(day, counts.of(day)));
            return;
        }
        let mut before = 0;
        for day in all {
            let up_to_day = self.events.rank(ALL_MEMBERS, (day + 1) * DAY);
            visit(day, up_to_day - before);
            before = up_to_day;
        }
    }
}

impl<E: Events> Search for UnionPlan<E> {
    fn repeats(&self) -> bool {
        self.events.repeats()
    }

    fn is_daily(&self) -> bool {
        self.events.is_daily()
    }

    #[inline(always)]
    fn step(&self) -> Option<u64> {
        None
    }

    #[inline(always)]
    fn ceil(&self, offset: u64) -> u64 {
        self.events.ceil(offset)
    }

    #[inline(always)]
    fn floor(&self, offset: u64) -> u64 {
        self.events.floor(offset)
    }

    #[inline(always)]
    fn contains(&self, offset: u64) -> bool {
        self.events.contains(offset)
    }

    fn rank(&self, offset: u64) -> u64 {
        match &self.overlap {
            // Ranges often start before all events.
            Some(_) if offset <= self.bounds.first => 0,
            Some(overlap) => overlap.rank(offset),
            None => self.events.rank(ALL_MEMBERS, offset),
        }
    }

    fn select(&self, rank: u64) -> u64 {
        let Bounds { first, last, .. } = self.bounds;
        match &self.overlap {
            Some(overlap) => overlap.select(rank),
            None => last_where([first, last + 1], |offset| self.rank(offset) <= rank),
        }
    }

    fn span_from(&self, offset: u64) -> Span {
        Enclosing::alone(Block::one(self.ceil(offset)), 0).from()
    }

    fn span_to(&self, offset: u64) -> Span {
        Enclosing::alone(Block::one(self.floor(offset)), 0).to()
    }

    #[inline(always)]
    fn block(&self, _: u64) -> Block {
        Block::EMPTY
    }

    #[inline(always)]
    fn list(&self) -> &[u16] {
        &[]
    }
}
