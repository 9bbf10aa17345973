//! [`Union`]: the events of several schedules.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use super::{PlanHandle, PlanRef, Schedule, instant};
use crate::days::DaySet;
use crate::overlap::{Counts, Part, count_of};
use crate::search::{Block, Bounds, Enclosing, Span};

/// Several schedules, whose events it has, each instant once.
#[derive(Debug)]
pub struct Union {
    pub(super) text: Text,
    pub(super) bounds: Bounds,
    members: Members,
    /// `None` if no two members have an event in common, so that their counts add up.
    overlap: Option<Overlap>,
}

/// A list that is constant or owned.
#[derive(Debug)]
pub(crate) enum List<T: 'static> {
    Constant(&'static [T]),
    #[cfg(feature = "alloc")]
    Owned(Box<[T]>),
}

/// The text of a union.
#[derive(Debug)]
pub(super) enum Text {
    Constant(&'static str),
    #[cfg(feature = "alloc")]
    Owned(Box<str>),
}

type Members = List<Schedule>;

/// The parts of schedules that have events in common.
#[derive(Debug)]
pub struct Overlap {
    parts: List<Part>,
    days: List<DaySet>,
    counts: Counts,
}

impl<T> List<T> {
    #[inline(always)]
    pub(super) const fn as_slice(&self) -> &[T] {
        match self {
            Self::Constant(items) => items,
            #[cfg(feature = "alloc")]
            Self::Owned(items) => items,
        }
    }
}

impl Text {
    pub(super) const fn as_str(&self) -> &str {
        match self {
            Self::Constant(text) => text,
            #[cfg(feature = "alloc")]
            Self::Owned(text) => text,
        }
    }
}

impl Overlap {
    /// Returns the overlap of constant parts, which refer to constant sets of days; for `per_day`, see
    /// [`Counts::of`].
    #[must_use]
    pub const fn compiled(
        parts: &'static [Part],
        days: &'static [DaySet],
        per_day: &[u32],
    ) -> Self {
        let counts = Counts::of(parts, days, per_day);
        Self { parts: List::Constant(parts), days: List::Constant(days), counts }
    }

    /// Returns the overlap of some parts, which refer to sets of days.
    #[cfg(feature = "alloc")]
    pub(crate) fn new(parts: Box<[Part]>, days: Box<[DaySet]>) -> Self {
        let counts = Counts::of(&parts, &days, &[]);
        Self { parts: List::Owned(parts), days: List::Owned(days), counts }
    }

    const fn rank(&self, offset: u64) -> u64 {
        self.counts.rank(self.parts.as_slice(), self.days.as_slice(), offset)
    }
}

impl Union {
    /// Returns the union of constant schedules.
    #[must_use]
    pub const fn compiled(
        text: &'static str,
        members: &'static [Schedule],
        overlap: Option<Overlap>,
    ) -> Self {
        let (mut bounds, mut index) = (NO_EVENTS, 0);
        while index < members.len() {
            // All constant schedules but unions, which have no unions as members.
            if let PlanHandle::Compiled(plan) = &members[index].0 {
                bounds = joined(bounds, plan.bounds);
            }
            index += 1;
        }
        Self {
            text: Text::Constant(text),
            bounds: counted(bounds, overlap.as_ref()),
            members: List::Constant(members),
            overlap,
        }
    }

    /// Returns the union of some schedules.
    #[cfg(feature = "alloc")]
    pub(crate) fn new(text: &str, members: Box<[Schedule]>, overlap: Option<Overlap>) -> Self {
        let each = members.iter().map(|member| member.0.plan().bounds());
        let bounds = each.fold(NO_EVENTS, joined);
        Self {
            text: Text::Owned(text.into()),
            bounds: counted(bounds, overlap.as_ref()),
            members: List::Owned(members),
            overlap,
        }
    }

    /// Returns the members.
    #[inline(always)]
    pub(crate) const fn members(&self) -> &[Schedule] {
        self.members.as_slice()
    }
}

/// The bounds of a union without members.
const NO_EVENTS: Bounds = Bounds { first: u64::MAX, last: 0, count: 0 };

/// Returns the bounds of both, as if they had no event in common.
const fn joined(all: Bounds, other: &Bounds) -> Bounds {
    Bounds {
        first: if all.first < other.first { all.first } else { other.first },
        last: if all.last > other.last { all.last } else { other.last },
        count: all.count + other.count,
    }
}

/// Returns the bounds with the number of events.
const fn counted(bounds: Bounds, overlap: Option<&Overlap>) -> Bounds {
    match overlap {
        Some(overlap) => Bounds { count: overlap.rank(bounds.last + 1), ..bounds },
        None => bounds,
    }
}

/// The searches, as in a [`Plan`](crate::search::Plan).
impl Union {
    fn plans(&self) -> impl Iterator<Item = PlanRef<'_>> {
        self.members().iter().map(|member| member.0.plan())
    }

    pub(super) fn ceil(&self, offset: u64) -> u64 {
        let events = self
            .plans()
            .map(|plan| if offset <= plan.bounds().last { plan.ceil(offset) } else { u64::MAX });
        events.min().unwrap_or(u64::MAX)
    }

    pub(super) fn floor(&self, offset: u64) -> u64 {
        let events = self.plans().map(|plan| {
            let Bounds { first, last, .. } = *plan.bounds();
            if first <= offset { plan.floor(offset.min(last)) } else { 0 }
        });
        events.max().unwrap_or(0)
    }

    pub(super) fn contains(&self, offset: u64) -> bool {
        self.plans().any(|plan| plan.contains(offset))
    }

    #[expect(clippy::unused_self, reason = "as in a plan")]
    pub(super) const fn step(&self) -> Option<u64> {
        None
    }

    pub(super) fn repeats(&self) -> bool {
        self.plans().any(PlanRef::repeats)
    }

    pub(super) fn is_daily(&self) -> bool {
        self.plans().all(PlanRef::is_daily)
    }

    pub(super) fn rank(&self, offset: u64) -> u64 {
        if let Some(overlap) = &self.overlap {
            return overlap.rank(offset);
        }
        let ranks = self.plans().map(|plan| {
            let Bounds { first, last, .. } = *plan.bounds();
            if offset <= first { 0 } else { plan.rank(offset.min(last + 1)) }
        });
        ranks.sum()
    }

    /// Returns the number of events from one offset to another, both included and within the
    /// bounds, that some members, given as bits, have together. Visits the days.
    pub(crate) fn count_members(&self, members: u16, range: [u64; 2]) -> u64 {
        if let Some(Overlap { parts, days, .. }) = &self.overlap {
            return count_of(parts.as_slice(), days.as_slice(), members, range);
        }
        let chosen = (0..).zip(self.members()).filter(|(place, _)| members >> place & 1 == 1);
        let [first, last] = range.map(instant);
        let counts = chosen.filter_map(|(_, member)| {
            let plan = member.0.plan();
            plan.within(first, last).map(|[first, last]| plan.count(first, last))
        });
        counts.sum()
    }

    /// Bisects the time.
    pub(super) fn select(&self, rank: u64) -> u64 {
        let Bounds { first, last, .. } = self.bounds;
        let (mut event, mut after) = (first, last + 1);
        while after - event > 1 {
            let middle = u64::midpoint(event, after);
            *(if self.rank(middle) <= rank { &mut event } else { &mut after }) = middle;
        }
        event
    }

    pub(super) fn span_from(&self, offset: u64) -> Span {
        Enclosing::alone(Block::one(self.ceil(offset)), 0).from()
    }

    pub(super) fn span_to(&self, offset: u64) -> Span {
        Enclosing::alone(Block::one(self.floor(offset)), 0).to()
    }

    #[expect(clippy::unused_self, reason = "as in a plan")]
    pub(super) const fn block(&self, _: u64) -> Block {
        Block::EMPTY
    }
}
