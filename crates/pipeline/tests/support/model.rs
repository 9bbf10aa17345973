//! An independent model of the rules, written from the documentation. It uses lists of events where
//! the library uses arithmetic.

use std::collections::BTreeSet;

use super::DAY;
use super::events::{EventModel, Period};
use super::rules::{Ended, ModelReason, Required, unmet};
use super::spec::{JobSpec, NeedKind, NeedSpec, PipelineSpec, Settings, name};
use crate::oracle::{END, START};

/// A schedule of a job, and the time during which it applies.
pub(crate) struct Version {
    pub(crate) events: EventModel,
    pub(crate) period: Period,
    from: i64,
    /// The end of that time, exclusive.
    until: i64,
    /// The job's runs count from this instant on.
    pub(crate) reset: i64,
    /// Whether `reset` is the beginning of the pipeline.
    pub(crate) is_initial: bool,
}

/// The events of a job, as a list up to the horizon.
pub(crate) struct TimelineModel {
    versions: Vec<Version>,
    pub(crate) events: Vec<i64>,
    pub(crate) horizon: i64,
}

impl TimelineModel {
    fn new(spec: &PipelineSpec, job: &JobSpec) -> Self {
        let since = spec.since.unwrap_or(START - 10_000 * DAY);
        let mut versions: Vec<Version> = Vec::new();
        let mut from = since;
        let last = (&job.when, i64::MAX);
        for (when, until) in job.previous.iter().map(|(when, until)| (when, *until)).chain([last]) {
            if until <= from {
                continue;
            }
            let events = EventModel::new(when);
            let period = events.period();
            let (reset, is_initial) = match versions.last() {
                Some(before) if !period.is_longer_than(before.period) => {
                    (before.reset, before.is_initial)
                }
                before => (from, before.is_none()),
            };
            versions.push(Version { events, period, from, until, reset, is_initial });
            from = until;
        }
        let mut line = Self { versions, events: Vec::new(), horizon: spec.horizon };
        for version in &line.versions {
            let mut next = version.events.nearest(version.from);
            while let Some(event) =
                next.filter(|event| *event < version.until && *event <= spec.horizon)
            {
                line.events.push(event);
                next = version.events.nearest(event + 1);
            }
        }
        line
    }

    pub(crate) fn version(&self, instant: i64) -> &Version {
        self.versions
            .iter()
            .find(|version| instant < version.until)
            .expect("the last version has no end")
    }

    fn last_version(&self) -> &Version {
        self.versions.last().expect("at least one version")
    }

    /// Returns the first event at or after an instant. No schedule changes after the horizon.
    pub(crate) fn nearest(&self, instant: i64) -> Option<i64> {
        let listed = self.events.iter().copied().find(|event| *event >= instant);
        let last = self.last_version();
        listed.or_else(|| last.events.nearest(instant.max(self.horizon + 1).max(last.from)))
    }

    /// Returns the last event before an instant, which must not be after the horizon.
    pub(crate) fn before(&self, instant: i64) -> Option<i64> {
        let index = self.events.partition_point(|event| *event < instant);
        self.events.get(index.checked_sub(1)?).copied()
    }

    pub(crate) fn last(&self) -> Option<i64> {
        let last = self.last_version();
        let beyond = last.events.nearest_prev(i64::MAX).filter(|event| *event > self.horizon);
        beyond.or_else(|| self.events.last().copied())
    }

    /// Returns the listed events from one instant, inclusive, to another, exclusive.
    pub(crate) fn between(&self, from: i64, until: i64) -> Vec<i64> {
        let is_in = |event: &i64| (from..until).contains(event);
        self.events.iter().copied().filter(is_in).collect()
    }
}

/// The successful runs of each job.
pub(crate) type Successes = Vec<BTreeSet<i64>>;

/// How the runs of each job ended.
#[derive(Clone, Debug)]
pub(crate) struct Outcomes {
    pub(crate) succeeded: Successes,
    /// The runs that failed or were skipped.
    pub(crate) failed: Successes,
}

impl Outcomes {
    /// Returns the outcomes of runs that all succeeded.
    pub(crate) fn successes(succeeded: Successes) -> Self {
        let failed = vec![BTreeSet::new(); succeeded.len()];
        Self { succeeded, failed }
    }
}

/// The model of a pipeline.
pub(crate) struct Model {
    pub(crate) lines: Vec<TimelineModel>,
    needs: Vec<Vec<NeedSpec>>,
}

impl Model {
    pub(crate) fn new(spec: &PipelineSpec) -> Self {
        Self {
            lines: spec.jobs.iter().map(|job| TimelineModel::new(spec, job)).collect(),
            needs: spec.jobs.iter().map(|job| job.needs.clone()).collect(),
        }
    }

    /// Returns why a run waits; empty if it may start.
    pub(crate) fn waits(&self, job: usize, scheduled: i64, done: &Outcomes) -> Vec<ModelReason> {
        self.all(job, scheduled, done, &self.needs[job], Settings::default())
    }

    fn all(
        &self,
        job: usize,
        scheduled: i64,
        done: &Outcomes,
        needs: &[NeedSpec],
        outer: Settings,
    ) -> Vec<ModelReason> {
        let each = needs.iter().map(|need| self.check(job, scheduled, done, need, outer));
        each.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    fn check(
        &self,
        job: usize,
        scheduled: i64,
        done: &Outcomes,
        need: &NeedSpec,
        outer: Settings,
    ) -> Vec<ModelReason> {
        let settings = need.settings.within(outer);
        match &need.kind {
            NeedKind::AllOf(needs) => self.all(job, scheduled, done, needs, settings),
            NeedKind::AnyOf(needs) => {
                let each =
                    needs.iter().map(|need| self.check(job, scheduled, done, need, settings));
                let each: Vec<Vec<ModelReason>> = each.collect();
                if each.iter().any(Vec::is_empty) {
                    Vec::new()
                } else {
                    vec![ModelReason::AnyOf(each)]
                }
            }
            _ => {
                let (upstream, required) = self.required(job, scheduled, need, settings);
                let ended = Ended {
                    succeeded: &done.succeeded[upstream],
                    failed: settings.accepts_ended.then_some(&done.failed[upstream]),
                };
                unmet(&required, &ended, name(upstream)).into_iter().collect()
            }
        }
    }

    /// Returns what each leaf of a run's needs requires.
    pub(crate) fn all_required(&self, job: usize, scheduled: i64) -> Vec<(usize, Required)> {
        let mut all_required = Vec::new();
        self.collect(job, scheduled, &self.needs[job], Settings::default(), &mut all_required);
        all_required
    }

    fn collect(
        &self,
        job: usize,
        scheduled: i64,
        needs: &[NeedSpec],
        outer: Settings,
        all_required: &mut Vec<(usize, Required)>,
    ) {
        for need in needs {
            match &need.kind {
                NeedKind::AllOf(needs) | NeedKind::AnyOf(needs) => {
                    let settings = need.settings.within(outer);
                    self.collect(job, scheduled, needs, settings, all_required);
                }
                _ => {
                    let settings = need.settings.within(outer);
                    all_required.push(self.required(job, scheduled, need, settings));
                }
            }
        }
    }
}

/// The last instant of the range of schedules.
pub(crate) const LAST: i64 = END;
