//! [`Requirement`]: a need of the runs of one job, and the events that it means for one run.
//!
//! This is the only module that knows the rules.

use alloc::sync::Arc;
use alloc::vec::Vec;

use millicron::{Recurrence as _, Unit};

use crate::need::{AgeLimit, Rule, Settings};
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
    pub(crate) settings: Settings,
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
            Self::Leaf(Requirement { upstream, rule, settings }) => {
                let upstream = resolve(upstream)?;
                NeedTree::Leaf(Requirement { upstream, rule: *rule, settings: *settings })
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

/// The upstream events that one run selects. Both ends are events, except for `last` after a check
/// point, where later events meet the need too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequiredEvents {
    pub(crate) first: i64,
    pub(crate) last: i64,
}

/// The milliseconds in which a run's required events lie, both ends included. It is empty if `end`
/// is before `start`; then a check point is after it. A later run never has an earlier start or end, unless a schedule changed between
/// the two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchRange {
    pub(crate) start: i64,
    pub(crate) end: i64,
}

impl SearchRange {
    /// A range without events, just before the first one that may be needed.
    const fn empty(reset: i64) -> Self {
        Self { start: reset, end: reset.saturating_sub(1) }
    }
}

/// The check period of a need: a number of calendar units, in a schedule's local time.
#[derive(Clone, Copy)]
pub(crate) struct CheckPeriod<'a> {
    pub(crate) unit: Unit,
    pub(crate) count: u32,
    /// How many periods before the one that contains the run.
    pub(crate) back: u32,
    version: &'a ScheduleVersion,
}

impl<J> Requirement<J> {
    /// Returns the check period. By default, its unit is the larger of the two jobs' units, in the
    /// job's own local time if they are equal.
    pub(crate) fn check_period<'a>(
        &self,
        own: &'a ScheduleVersion,
        upstream: &'a ScheduleVersion,
    ) -> CheckPeriod<'a> {
        let Settings { periods: back, unit, .. } = self.settings;
        match (self.rule, unit) {
            (Rule::AllData(unit), _) => {
                CheckPeriod { unit, count: 1, back: back.saturating_add(1), version: own }
            }
            (Rule::Classic, _) => {
                let version = if upstream.gap() > own.gap() { upstream } else { own };
                let (unit, count) = version.gap().period();
                CheckPeriod { unit, count, back, version }
            }
            (_, Some(unit)) => CheckPeriod { unit, count: 1, back, version: own },
            (_, None) => {
                let is_larger = upstream.period.unit > own.period.unit;
                let version = if is_larger { upstream } else { own };
                CheckPeriod { unit: version.period.unit, count: 1, back, version }
            }
        }
    }

    /// Returns the calendar units that the need uses, each with the schedule whose local time it is
    /// in.
    pub(crate) fn local_units<'a>(
        &self,
        own: &'a ScheduleVersion,
        upstream: &'a ScheduleVersion,
    ) -> impl Iterator<Item = (Unit, &'a ScheduleVersion)> + use<'a, J> {
        let has_period = self.settings.periods > 0
            || self.rule.has_check_point()
            || matches!(self.rule, Rule::AllData(_));
        let CheckPeriod { unit, version, .. } = self.check_period(own, upstream);
        let age = match (self.rule, self.settings.limit) {
            (Rule::Last, Some(AgeLimit::SameUnit(unit))) => Some((unit, own)),
            _ => None,
        };
        has_period.then_some((unit, version)).into_iter().chain(age)
    }

    /// Returns the range whose upstream events a run of `own` selects: those that it needs, or after
    /// a check point those that it is likely to use. `None` if neither this run nor an earlier one
    /// selects any.
    pub(crate) fn selected_range(
        &self,
        own: &Timeline,
        upstream: &Timeline,
        scheduled: i64,
    ) -> Option<SearchRange> {
        if self.rule.has_check_point() {
            let required = self.required_events(own, upstream, scheduled);
            return required
                .map(|RequiredEvents { first, last }| SearchRange { start: first, end: last });
        }
        self.search_range(own, upstream, scheduled)
    }

    /// Returns the upstream events that a run of `own` needs; `None` if it needs none.
    pub(crate) fn required_events(
        &self,
        own: &Timeline,
        upstream: &Timeline,
        scheduled: i64,
    ) -> Option<RequiredEvents> {
        let SearchRange { start, end } = self.search_range(own, upstream, scheduled)?;
        if self.rule.has_check_point() {
            // If upstream will never run again, its last run is the check point.
            let last = || upstream.nearest_prev_event(i64::MAX);
            let reset = upstream.version_at(scheduled).reset;
            let first =
                upstream.nearest_event(start).or_else(last).filter(|event| *event >= reset)?;
            return Some(RequiredEvents { first, last: end.max(first) });
        }
        if self.rule == Rule::Last {
            return Some(RequiredEvents { first: start, last: end });
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
        let Settings { events, periods, millis, .. } = self.settings;
        let run = match events {
            0 => scheduled,
            events => own.nth_prev_event(scheduled, events.into())?,
        };
        let anchor = run.saturating_sub(millis);
        let [own_version, upstream_version] =
            [own.version_at(scheduled), upstream.version_at(scheduled)];
        let period = || self.check_period(own_version, upstream_version);
        let reset = upstream_version.reset;
        match self.rule {
            Rule::Latest | Rule::Classic => {
                let (start, end) = (period().start(anchor), period().end(anchor));
                // Upstream may begin after the check period. A need that looks back does not wait
                // for it then, nor does one whose period is cut by the pipeline's beginning.
                let first_event = upstream.nearest_event(reset)?;
                let is_cut = start == i64::MIN || start < reset;
                if first_event >= end && (periods > 0 || is_cut && upstream_version.is_initial) {
                    return None;
                }
                let start = start.max(own_version.reset).max(reset);
                Some(SearchRange { start, end: anchor.min(end.saturating_sub(1)) })
            }
            Rule::Last => {
                let until = match periods {
                    0 => anchor,
                    _ => period().end(anchor).checked_sub(1)?,
                };
                let event = self.last_event(own_version, upstream, reset, until)?;
                Some(SearchRange { start: event, end: event })
            }
            Rule::Previous => {
                let until = if periods == 0 { anchor } else { period().end(anchor) };
                let reset = own_version.reset;
                let run = own.prev_event(until).filter(|run| *run >= reset);
                // The first run needs nothing.
                let range = run.map(|run| SearchRange { start: run, end: run });
                Some(range.unwrap_or(SearchRange::empty(reset)))
            }
            Rule::AllData(_) => {
                let (start, end) = (period().start(anchor), period().end(anchor));
                Some(data_range(upstream, reset, start, end))
            }
            Rule::All | Rule::AtLeast(_) => {
                let (start, end) = if periods == 0 {
                    let previous = own.prev_event(run);
                    // The interval moves as a whole.
                    let after = |event: i64| event.saturating_sub(millis).saturating_add(1);
                    (previous.map_or(i64::MIN, after), anchor)
                } else {
                    (period().start(anchor), period().end(anchor).checked_sub(1)?)
                };
                Some(SearchRange { start: start.max(reset), end })
            }
        }
    }

    /// Returns the last upstream event up to an instant, or the next one if it is too old.
    fn last_event(
        &self,
        own: &ScheduleVersion,
        upstream: &Timeline,
        reset: i64,
        until: i64,
    ) -> Option<i64> {
        let last = upstream.nearest_prev_event(until).filter(|event| *event >= reset);
        let Some(limit) = self.settings.limit else { return last };
        let oldest = oldest(limit, own, until);
        match last {
            Some(last) if last >= oldest => Some(last),
            // Before its beginning, the pipeline does not know whether there was a run.
            None if oldest < reset || is_before_range(own, oldest) => None,
            // If upstream will never run again, its last run is enough.
            last => upstream.next_event(until).or(last),
        }
    }

    /// Returns why a run needs an upstream event after it, if the need is for the last one.
    pub(crate) fn expired(
        &self,
        own: &Timeline,
        upstream: &Timeline,
        scheduled: i64,
        event: i64,
    ) -> Option<(AgeLimit, Option<i64>)> {
        let limit = self.settings.limit?;
        let unlimited =
            Requirement { upstream: (), rule: self.rule, settings: self.settings.without_limit() };
        let last = unlimited.search_range(own, upstream, scheduled).map(|range| range.start);
        (last != Some(event)).then_some((limit, last))
    }
}

/// Returns the earliest instant that an age limit allows.
fn oldest(limit: AgeLimit, own: &ScheduleVersion, until: i64) -> i64 {
    match limit {
        AgeLimit::Elapsed(age) => {
            let millis = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            until.saturating_sub(millis)
        }
        AgeLimit::SameUnit(unit) => own.recurrence.unit_start(unit, until, 0).unwrap_or(i64::MIN),
    }
}

/// Returns whether an instant is before all events that schedules have.
fn is_before_range(own: &ScheduleVersion, instant: i64) -> bool {
    own.recurrence.unit_start(Unit::Day, instant, 0).is_none()
}

/// Returns the range of the upstream events whose data begins in a period: those that follow an
/// event in it.
fn data_range(upstream: &Timeline, reset: i64, start: i64, end: i64) -> SearchRange {
    if end <= reset {
        return SearchRange::empty(reset);
    }
    let start = if start < reset {
        // No earlier event is known, so that all data since the beginning may be of the period.
        reset
    } else {
        let event = upstream.nearest_event(start);
        event.and_then(|event| event.checked_add(1)).unwrap_or(i64::MAX)
    };
    SearchRange { start, end: upstream.nearest_event(end).unwrap_or(i64::MAX) }
}

impl CheckPeriod<'_> {
    /// Returns how many units before the one that contains the run it starts.
    pub(crate) fn units_back(&self) -> u64 {
        let Self { count, back, .. } = *self;
        u64::from(count) * (u64::from(back) + 1) - 1
    }

    /// Returns where the period starts for a run, or [`i64::MIN`] if that is before the range of
    /// schedules.
    fn start(&self, anchor: i64) -> i64 {
        let recurrence = &self.version.recurrence;
        recurrence.unit_start(self.unit, anchor, self.units_back()).unwrap_or(i64::MIN)
    }

    /// Returns where the next period starts. If that is outside the range of schedules, returns
    /// [`i64::MIN`] before it and [`i64::MAX`] after it.
    fn end(&self, anchor: i64) -> i64 {
        let Self { unit, count, back, version } = *self;
        let recurrence = &version.recurrence;
        if back == 0 {
            return recurrence.unit_end(unit, anchor).unwrap_or(i64::MAX);
        }
        let back = u64::from(count) * u64::from(back) - 1;
        recurrence.unit_start(unit, anchor, back).unwrap_or(i64::MIN)
    }
}
