//! [`Demand`]: what a need comes to for one run.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::cycle::Unit;
use super::need::{Back, Rule};
use super::recurring::Events as _;
use super::timeline::{Era, Timeline};

/// A job of a pipeline.
pub(super) struct Job {
    pub(super) name: Arc<str>,
    pub(super) timeline: Timeline,
    /// All of which are to be met.
    pub(super) needs: Vec<Node>,
    /// The leaves of these.
    pub(super) leaves: Vec<Leaf>,
    /// The jobs that need this one.
    pub(super) downstream: Vec<usize>,
}

/// A need of jobs that are known by `J`: by name until they are found.
pub(super) enum Node<J = usize> {
    Leaf(Leaf<J>),
    AnyOf(Vec<Self>),
    AllOf(Vec<Self>),
}

/// A need of the runs of one job.
#[derive(Clone, Copy)]
pub(super) struct Leaf<J = usize> {
    pub(super) upstream: J,
    pub(super) rule: Rule,
    pub(super) back: Back,
}

impl<J> Node<J> {
    /// The same with jobs that are known otherwise; `None` if one of them is not.
    pub(super) fn find<K>(&self, find: &mut impl FnMut(&J) -> Option<K>) -> Option<Node<K>> {
        let all = |nodes: &[Self], find: &mut _| -> Option<Vec<Node<K>>> {
            // All of them, so that each that is not found is told.
            let found: Vec<_> = nodes.iter().map(|node| node.find(find)).collect();
            found.into_iter().collect()
        };
        Some(match self {
            Self::Leaf(Leaf { upstream, rule, back }) => {
                Node::Leaf(Leaf { upstream: find(upstream)?, rule: *rule, back: *back })
            }
            Self::AnyOf(nodes) => Node::AnyOf(all(nodes, find)?),
            Self::AllOf(nodes) => Node::AllOf(all(nodes, find)?),
        })
    }

    /// Adds all leaves to a list.
    pub(super) fn list<'a>(&'a self, leaves: &mut Vec<&'a Leaf<J>>) {
        match self {
            Self::Leaf(leaf) => leaves.push(leaf),
            Self::AnyOf(nodes) | Self::AllOf(nodes) => {
                for node in nodes {
                    node.list(leaves);
                }
            }
        }
    }
}

impl Job {
    pub(super) fn new(name: Arc<str>, timeline: Timeline, needs: Vec<Node>) -> Self {
        let mut leaves = Vec::new();
        for need in &needs {
            need.list(&mut leaves);
        }
        let leaves = leaves.into_iter().copied().collect();
        Self { name, timeline, needs, leaves, downstream: Vec::new() }
    }
}

/// What a run needs of one job: successes of events from the first to the last of
/// these, which there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Demand {
    pub(super) first: i64,
    /// The last event that may be needed; [`i64::MAX`] after a check point.
    pub(super) last: i64,
}

/// The milliseconds that a need speaks of, for one run: both are never before those for
/// an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) from: i64,
    pub(super) to: i64,
}

impl<J> Leaf<J> {
    /// The cycle that decides, at a run: its unit, and the schedule by whose clocks it is
    /// told. It is the larger of a job and one that it needs, if no other is chosen; the
    /// job's own where the two are equal.
    pub(super) fn cycle<'a>(&self, own: &'a Era, upstream: &'a Era) -> (Unit, &'a Era) {
        match self.back.unit {
            Some(unit) => (unit, own),
            None if upstream.cycle.unit > own.cycle.unit => (upstream.cycle.unit, upstream),
            None => (own.cycle.unit, own),
        }
    }

    /// What a run of `own` needs of `upstream`; `None` where it needs nothing.
    pub(super) fn demand(
        &self,
        own: &Timeline,
        upstream: &Timeline,
        scheduled: i64,
    ) -> Option<Demand> {
        let Window { from, to } = self.window(own, upstream, scheduled)?;
        if self.rule == Rule::Latest {
            // Of a job that will never run again, the last run.
            let last = || upstream.nearest_prev(i64::MAX);
            let anew = upstream.era(scheduled).anew;
            let first = upstream.nearest(from).or_else(last).filter(|event| *event >= anew)?;
            return Some(Demand { first, last: i64::MAX });
        }
        let first = upstream.nearest(from).filter(|event| *event <= to)?;
        let last = upstream.nearest_prev(to).unwrap_or(first);
        Some(Demand { first, last })
    }

    /// Where the events lie that a run of `own` needs of `upstream`.
    pub(super) fn window(
        &self,
        own: &Timeline,
        upstream: &Timeline,
        scheduled: i64,
    ) -> Option<Window> {
        let Self { rule, back, .. } = self;
        let anchor = match back.events {
            0 => scheduled,
            events => own.nth_back(scheduled, places(events))?,
        };
        let [own_era, upstream_era] = [own.era(scheduled), upstream.era(scheduled)];
        let (unit, era) = self.cycle(own_era, upstream_era);
        let start = |cycles| era.schedule.start_of(unit, places(cycles), anchor);
        // The cycle that is looked at, and the millisecond before the one after it.
        let cycle_start = || start(back.cycles).unwrap_or(i64::MIN);
        let cycle_end = || start(back.cycles - 1)?.checked_sub(1);
        match (rule, back.cycles) {
            (Rule::Latest, _) => {
                let from = cycle_start().max(own_era.anew).max(upstream_era.anew);
                Some(Window { from, to: i64::MAX })
            }
            (Rule::Previous, cycles) => {
                let until = if cycles == 0 { anchor.checked_sub(1)? } else { cycle_end()? };
                let run = own.nearest_prev(until).filter(|run| *run >= own_era.anew)?;
                Some(Window { from: run, to: run })
            }
            (Rule::All | Rule::AtLeast(_), cycles) => {
                let (from, to) = if cycles == 0 {
                    (own.prev(anchor).map_or(i64::MIN, |previous| previous + 1), anchor)
                } else {
                    (cycle_start(), cycle_end()?)
                };
                Some(Window { from: from.max(upstream_era.anew), to })
            }
        }
    }
}

pub(super) fn places(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
