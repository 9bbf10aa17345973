//! Unions of schedules: [`CompiledUnion`] and [`Union`].

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use core::fmt;

use super::{CompiledPlan, Schedule};
#[cfg(feature = "alloc")]
use crate::overlap::Overlap;
#[cfg(feature = "alloc")]
use crate::search::Bounds;
use crate::union_plan::{CountMembers, Events, UnionPlan};
#[cfg(feature = "alloc")]
use crate::union_plan::{ceil_within, floor_within, rank_within};

/// A compiled union.
pub struct CompiledUnion {
    pub(super) plan: CompiledPlan,
    pub(super) members: &'static [Schedule],
    pub(super) counts: &'static dyn CountMembers,
}

impl fmt::Debug for CompiledUnion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CompiledUnion").field(&self.plan.text).finish()
    }
}

impl CompiledUnion {
    /// Returns the union of some compiled schedules, given their plans.
    #[must_use]
    pub const fn new<E: Events>(
        text: &'static str,
        members: &'static [Schedule],
        plan: &'static UnionPlan<E>,
    ) -> Self {
        let compiled = CompiledPlan { text, bounds: &plan.bounds, search: plan };
        Self { plan: compiled, members, counts: plan }
    }

    /// Returns the text of a member: the part of a union's text from one byte to another.
    ///
    /// # Panics
    ///
    /// Panics if they are not between characters of the text, in constant evaluation only.
    #[must_use]
    pub const fn text_of_member(text: &'static str, from: usize, to: usize) -> &'static str {
        text.split_at(to).0.split_at(from).1
    }
}

/// A union that was made at run time.
#[cfg(feature = "alloc")]
pub(crate) struct Union {
    pub(super) text: Box<str>,
    pub(super) plan: UnionPlan<Members>,
}

/// Schedules, which are no unions themselves.
#[cfg(feature = "alloc")]
pub(super) struct Members(pub(super) Box<[Schedule]>);

#[cfg(feature = "alloc")]
impl Union {
    pub(crate) fn new(text: &str, members: Box<[Schedule]>, overlap: Option<Overlap>) -> Self {
        let each: Vec<Bounds> = members.iter().map(|member| *member.0.plan().bounds()).collect();
        Self { text: text.into(), plan: UnionPlan::new(Members(members), &each, overlap) }
    }
}

#[cfg(feature = "alloc")]
impl Events for Members {
    fn ceil(&self, offset: u64) -> u64 {
        let events = self.0.iter().map(|member| {
            let plan = member.0.plan();
            ceil_within(plan.bounds(), offset, |offset| plan.ceil(offset))
        });
        events.min().unwrap_or(u64::MAX)
    }

    fn floor(&self, offset: u64) -> u64 {
        let events = self.0.iter().map(|member| {
            let plan = member.0.plan();
            floor_within(plan.bounds(), offset, |offset| plan.floor(offset))
        });
        events.max().unwrap_or(0)
    }

    fn contains(&self, offset: u64) -> bool {
        self.0.iter().any(|member| member.0.plan().contains(offset))
    }

    fn rank(&self, members: u16, offset: u64) -> u64 {
        let chosen = (0..).zip(&self.0).filter(|(place, _)| members >> place & 1 == 1);
        let ranks = chosen.map(|(_, member)| {
            let plan = member.0.plan();
            rank_within(plan.bounds(), offset, |offset| plan.rank(offset))
        });
        ranks.sum()
    }

    fn repeats(&self) -> bool {
        self.0.iter().any(|member| member.0.plan().repeats())
    }

    fn is_daily(&self) -> bool {
        self.0.iter().all(|member| member.0.plan().is_daily())
    }
}
