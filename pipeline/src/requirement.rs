//! [`Requirement`]: a need of the runs of one job, and the events that it means for one run.
//!
//! This is the only module that knows the rules.

use alloc::sync::Arc;
use alloc::vec::Vec;

use millicron::{Recurrence as _, Unit};

use crate::need::{LookBack, Rule};
use crate::timeline::{ScheduleVersion, Timeline};

/// A job of a pipeline.
pub(crate) struct Job {
    pub(crate) name: Arc<str>,
    pub(crate) timeline: Timeline,
    /// All of these must be met.
    pub(crate) needs: Vec<NeedTree>,
    /// The leaves of `needs`.
    pub(crate) requirements: Vec<Requirement>,
    /// The indices of the jobs that need this one.
    pub(crate) downstream: Vec<usize>,
}

/// A need. `J` identifies jobs: by name until names are resolved to indices.
pub(crate) enum NeedTree<J = usize> {
    Leaf(Requirement<J>),
    AnyOf(Vec<Self>),
    AllOf(Vec<Self>),
}

/// A need of the runs of one job.
#[derive(Clone, Copy)]
pub(crate) struct Requirement<J = usize> {
    pub(crate) upstream: J,
    pub(crate) rule: Rule,
    pub(crate) look_back: LookBack,
}

impl<J> NeedTree<J> {
    /// Resolves every job, or returns `None` if one of them is unknown.
    pub(crate) fn resolve<K>(
        &self,
        resolve: &mut impl FnMut(&J) -> Option<K>,
    ) -> Option<NeedTree<K>> {
        let all = |trees: &[Self], resolve: &mut _| -> Option<Vec<NeedTree<K>>> {
            // Resolves all of them before it fails, so that every unknown job is reported.
            let resolved: Vec<_> = trees.iter().map(|tree| tree.resolve(resolve)).collect();
            resolved.into_iter().collect()
        };
        Some(match self {
            Self::Leaf(Requirement { upstream, rule, look_back }) => {
                let upstream = resolve(upstream)?;
                NeedTree::Leaf(Requirement { upstream, rule: *rule, look_back: *look_back })
            }
            Self::AnyOf(trees) => NeedTree::AnyOf(all(trees, resolve)?),
            Self::AllOf(trees) => NeedTree::AllOf(all(trees, resolve)?),
        })
    }

    fn collect_leaves<'a>(&'a self, leaves: &mut Vec<&'a Requirement<J>>) {
        match self {
            Self::Leaf(leaf) => leaves.push(leaf),
            Self::AnyOf(trees) | Self::AllOf(trees) => {
                for tree in trees {
                    tree.collect_leaves(leaves);
                }
            }
        }
    }
}

impl Job {
    pub(crate) fn new(name: Arc<str>, timeline: Timeline, needs: Vec<NeedTree>) -> Self {
        let mut leaves = Vec::new();
        for need in &needs {
            need.collect_leaves(&mut leaves);
        }
        let requirements = leaves.into_iter().copied().collect();
        Self { name, timeline, needs, requirements, downstream: Vec::new() }
    }
}

/// The upstream events that one run needs. Both ends are events, except for `last` after a check
/// point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequiredEvents {
    pub(crate) first: i64,
    /// [`i64::MAX`] after a check point.
    pub(crate) last: i64,
}

/// The milliseconds in which a run's required events lie, both ends included. It is empty if `end`
/// is before `start`. A later run never has an earlier start or end, unless a schedule changed between
/// the two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchRange {
    pub(crate) start: i64,
    pub(crate) end: i64,
}

impl<J> Requirement<J> {
    /// Returns the unit of the check period, and the schedule in whose local time it is: by default
    /// the larger of the two jobs' units, and the job's own schedule if they are equal.
    pub(crate) fn check_period<'a>(
        &self,
        own: &'a ScheduleVersion,
        upstream: &'a ScheduleVersion,
    ) -> (Unit, &'a ScheduleVersion) {
        match self.look_back.unit {
            Some(unit) => (unit, own),
            None if upstream.period.unit > own.period.unit => (upstream.period.unit, upstream),
            None => (own.period.unit, own),
        }
    }

    /// Returns the upstream events that a run of `own` needs; `None` if it needs none.
    pub(crate) fn required_events(
        &self,
        own: &Timeline,
        upstream: &Timeline,
        scheduled: i64,
    ) -> Option<RequiredEvents> {
        let SearchRange { start, end } = self.search_range(own, upstream, scheduled)?;
        if self.rule == Rule::Latest {
            // If upstream will never run again, its last run is the check point.
            let last = || upstream.nearest_prev_event(i64::MAX);
            let reset = upstream.version_at(scheduled).reset;
            let first =
                upstream.nearest_event(start).or_else(last).filter(|event| *event >= reset)?;
            return Some(RequiredEvents { first, last: end });
        }
        let first = upstream.nearest_event(start).filter(|event| *event <= end)?;
        // `first` is in the range, unless the recurrence contradicts itself.
        let last = upstream.nearest_prev_event(end).unwrap_or(first);
        Some(RequiredEvents { first, last })
    }

    /// Returns the range in which a run of `own` needs upstream events; `None` if neither this run
    /// nor an earlier one needs any.
    pub(crate) fn search_range(
        &self,
        own: &Timeline,
        upstream: &Timeline,
        scheduled: i64,
    ) -> Option<SearchRange> {
        let anchor = match self.look_back.events {
            0 => scheduled,
            events => own.nth_prev_event(scheduled, events.into())?,
        };
        let [own_version, upstream_version] =
            [own.version_at(scheduled), upstream.version_at(scheduled)];
        let check_period = || {
            let (unit, version) = self.check_period(own_version, upstream_version);
            CheckPeriod { unit, version, back: self.look_back.periods, anchor }
        };
        match (self.rule, self.look_back.periods) {
            (Rule::Latest, periods) => {
                let (start, end) = (check_period().start(), check_period().end());
                // Upstream may begin after the check period. A need that looks back does not wait
                // for it then, nor does one whose period is cut by the pipeline's beginning.
                let first_event = upstream.nearest_event(upstream_version.reset)?;
                let is_cut = start == i64::MIN || start < upstream_version.reset;
                if first_event >= end && (periods > 0 || is_cut && upstream_version.is_initial) {
                    return None;
                }
                let start = start.max(own_version.reset).max(upstream_version.reset);
                Some(SearchRange { start, end: i64::MAX })
            }
            (Rule::Previous, periods) => {
                let until = if periods == 0 { anchor } else { check_period().end() };
                let reset = own_version.reset;
                let run = own.prev_event(until).filter(|run| *run >= reset);
                // The first run needs nothing.
                let empty = SearchRange { start: reset, end: reset.saturating_sub(1) };
                Some(run.map_or(empty, |run| SearchRange { start: run, end: run }))
            }
            (Rule::All | Rule::AtLeast(_), periods) => {
                let (start, end) = if periods == 0 {
                    (
                        own.prev_event(anchor)
                            .map_or(i64::MIN, |previous| previous.saturating_add(1)),
                        anchor,
                    )
                } else {
                    let period = check_period();
                    (period.start(), period.end().checked_sub(1)?)
                };
                Some(SearchRange { start: start.max(upstream_version.reset), end })
            }
        }
    }
}

/// The calendar unit that is `back` units before the one that contains `anchor`, in a schedule's
/// local time.
struct CheckPeriod<'a> {
    unit: Unit,
    version: &'a ScheduleVersion,
    back: u32,
    anchor: i64,
}

impl CheckPeriod<'_> {
    /// Returns where the unit starts, or [`i64::MIN`] if that is before the range of schedules.
    fn start(&self) -> i64 {
        let Self { unit, version, back, anchor } = *self;
        version.recurrence.unit_start(unit, anchor, back.into()).unwrap_or(i64::MIN)
    }

    /// Returns where the next unit starts. If that is outside the range of schedules, returns
    /// [`i64::MIN`] before it and [`i64::MAX`] after it.
    fn end(&self) -> i64 {
        let Self { unit, version, back, anchor } = *self;
        match back.checked_sub(1) {
            Some(next) => {
                version.recurrence.unit_start(unit, anchor, next.into()).unwrap_or(i64::MIN)
            }
            None => version.recurrence.unit_end(unit, anchor).unwrap_or(i64::MAX),
        }
    }
}
