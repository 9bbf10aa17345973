//! [`Demand`]: what a need comes to for one run.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::need::{Back, Rule};
use crate::timeline::{Era, Timeline};
use millicron::Recurrence as _;
use millicron::Unit;

/// A job of a pipeline.
pub(crate) struct Job {
    pub(crate) name: Arc<str>,
    pub(crate) timeline: Timeline,
    /// All of which are to be met.
    pub(crate) needs: Vec<Node>,
    /// The leaves of these.
    pub(crate) leaves: Vec<Leaf>,
    /// The jobs that need this one.
    pub(crate) downstream: Vec<usize>,
}

/// A need of jobs that are known by `J`: by name until they are found.
pub(crate) enum Node<J = usize> {
    Leaf(Leaf<J>),
    AnyOf(Vec<Self>),
    AllOf(Vec<Self>),
}

/// A need of the runs of one job.
#[derive(Clone, Copy)]
pub(crate) struct Leaf<J = usize> {
    pub(crate) upstream: J,
    pub(crate) rule: Rule,
    pub(crate) back: Back,
}

impl<J> Node<J> {
    /// The same with jobs that are known otherwise; `None` if one of them is not.
    pub(crate) fn find<K>(&self, find: &mut impl FnMut(&J) -> Option<K>) -> Option<Node<K>> {
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
    pub(crate) fn list<'a>(&'a self, leaves: &mut Vec<&'a Leaf<J>>) {
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
    pub(crate) fn new(name: Arc<str>, timeline: Timeline, needs: Vec<Node>) -> Self {
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
pub(crate) struct Demand {
    pub(crate) first: i64,
    /// The last event that may be needed; [`i64::MAX`] after a check point.
    pub(crate) last: i64,
}

/// The milliseconds that a need speaks of, for one run; none, where it ends before it
/// begins. Both are never before those for an earlier run, unless a schedule has been
/// changed between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from: i64,
    pub(crate) to: i64,
}

impl<J> Leaf<J> {
    /// The cycle that decides, at a run: its unit, and the schedule by whose clocks it is
    /// told. It is the larger unit of a job and one that it needs, if no other is chosen;
    /// the job's own where the two are equal.
    pub(crate) fn cycle<'a>(&self, own: &'a Era, upstream: &'a Era) -> (Unit, &'a Era) {
        match self.back.unit {
            Some(unit) => (unit, own),
            None if upstream.cycle.unit > own.cycle.unit => (upstream.cycle.unit, upstream),
            None => (own.cycle.unit, own),
        }
    }

    /// What a run of `own` needs of `upstream`; `None` where it needs nothing.
    pub(crate) fn demand(
        &self,
        own: &Timeline,
        upstream: &Timeline,
        scheduled: i64,
    ) -> Option<Demand> {
        let Window { from, to } = self.window(own, upstream, scheduled)?;
        if self.rule == Rule::Latest {
            // Of a job that will never run again, the last run.
            let last = || upstream.nearest_prev_event(i64::MAX);
            let anew = upstream.era(scheduled).anew;
            let first =
                upstream.nearest_event(from).or_else(last).filter(|event| *event >= anew)?;
            return Some(Demand { first, last: to });
        }
        let first = upstream.nearest_event(from).filter(|event| *event <= to)?;
        let last = upstream.nearest_prev_event(to).unwrap_or(first);
        Some(Demand { first, last })
    }

    /// Where the events lie that a run of `own` needs of `upstream`; `None` where this run,
    /// and each before it, needs nothing.
    pub(crate) fn window(
        &self,
        own: &Timeline,
        upstream: &Timeline,
        scheduled: i64,
    ) -> Option<Window> {
        let anchor = match self.back.events {
            0 => scheduled,
            events => own.nth_prev_event(scheduled, events.into())?,
        };
        let [own_era, upstream_era] = [own.era(scheduled), upstream.era(scheduled)];
        let cycle = || {
            let (unit, era) = self.cycle(own_era, upstream_era);
            Period { unit, era, back: self.back.cycles, anchor }
        };
        match (self.rule, self.back.cycles) {
            (Rule::Latest, cycles) => {
                let (start, end) = (cycle().start(), cycle().end());
                // Upstream may begin after the cycle. Then it is not waited for by who
                // looks back, nor in a cycle of which only the rest is there.
                let begins = upstream.nearest_event(upstream_era.anew)?;
                let is_cut = start == i64::MIN || start < upstream_era.anew;
                if begins >= end && (cycles > 0 || is_cut && upstream_era.is_first) {
                    return None;
                }
                let from = start.max(own_era.anew).max(upstream_era.anew);
                Some(Window { from, to: i64::MAX })
            }
            (Rule::Previous, cycles) => {
                let until = if cycles == 0 { anchor } else { cycle().end() };
                let run = own.prev_event(until).filter(|run| *run >= own_era.anew);
                // The first run needs none.
                let anew = own_era.anew;
                let none = Window { from: anew, to: anew.saturating_sub(1) };
                Some(run.map_or(none, |run| Window { from: run, to: run }))
            }
            (Rule::All | Rule::AtLeast(_), cycles) => {
                let (from, to) = if cycles == 0 {
                    (own.prev_event(anchor).map_or(i64::MIN, |previous| previous + 1), anchor)
                } else {
                    let cycle = cycle();
                    (cycle.start(), cycle.end().checked_sub(1)?)
                };
                Some(Window { from: from.max(upstream_era.anew), to })
            }
        }
    }
}

/// A unit of the calendar, by the clocks of a schedule, so many before that of an
/// instant.
struct Period<'a> {
    unit: Unit,
    era: &'a Era,
    back: u32,
    anchor: i64,
}

impl Period<'_> {
    /// Where it begins; long ago where that is not in the range of schedules.
    fn start(&self) -> i64 {
        let Self { unit, era, back, anchor } = *self;
        era.schedule.unit_start(unit, anchor, back.into()).unwrap_or(i64::MIN)
    }

    /// Where the next one begins: long ago, or never, where that is not in the range of
    /// schedules.
    fn end(&self) -> i64 {
        let Self { unit, era, back, anchor } = *self;
        match back.checked_sub(1) {
            Some(next) => era.schedule.unit_start(unit, anchor, next.into()).unwrap_or(i64::MIN),
            None => era.schedule.unit_end(unit, anchor).unwrap_or(i64::MAX),
        }
    }
}
