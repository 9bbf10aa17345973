//! An independent model of the rules, written from the documentation. It uses lists of events where
//! the library uses arithmetic.

use std::collections::BTreeSet;

use millicron::Unit;
use millicron_pipeline::{Need, Pipeline, PipelineBuilder, Readiness, Reason, Waiting};

use super::DAY;
use super::events::{EventModel, Period, ScheduleSpec, schedule, zoned};
use crate::oracle::{END, START};

/// A need. Jobs are identified by their indices.
#[derive(Clone, Debug)]
pub(crate) struct NeedSpec {
    pub(crate) kind: NeedKind,
    pub(crate) look_back: LookBack,
}

/// How far a need looks back, and the unit of its check period, if set.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LookBack {
    pub(crate) events: u32,
    pub(crate) periods: u32,
    pub(crate) unit: Option<Unit>,
}

impl LookBack {
    /// Combines this with the `LookBack` of an enclosing need.
    fn within(self, outer: Self) -> Self {
        Self {
            events: self.events + outer.events,
            periods: self.periods + outer.periods,
            unit: self.unit.or(outer.unit),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum NeedKind {
    Latest(usize),
    All(usize),
    AtLeast(u64, usize),
    Previous,
    AnyOf(Vec<NeedSpec>),
    AllOf(Vec<NeedSpec>),
}

#[derive(Clone, Debug)]
pub(crate) struct JobSpec {
    pub(crate) when: ScheduleSpec,
    /// The previous schedules, each with the instant at which it was replaced, in order.
    pub(crate) previous: Vec<(ScheduleSpec, i64)>,
    pub(crate) needs: Vec<NeedSpec>,
}

/// A description of a pipeline, and the range of time that is tested.
#[derive(Clone, Debug)]
pub(crate) struct PipelineSpec {
    pub(crate) since: Option<i64>,
    pub(crate) from: i64,
    pub(crate) horizon: i64,
    pub(crate) jobs: Vec<JobSpec>,
}

/// Returns the name of the job at an index.
pub(crate) fn name(index: usize) -> String {
    format!("job {index}")
}

impl PipelineSpec {
    /// Returns the builder of the described pipeline.
    pub(crate) fn builder(&self) -> PipelineBuilder {
        let mut builder = Pipeline::builder();
        if let Some(since) = self.since {
            builder = builder.since(since);
        }
        for (index, job) in self.jobs.iter().enumerate() {
            let needs: Vec<Need<'static>> = job.needs.iter().map(to_need).collect();
            let JobSpec { when, previous, .. } = job;
            builder = match zoned(when) {
                Some(zoned) => builder.job(&name(index), zoned, needs),
                None => builder.job(&name(index), schedule(when), needs),
            };
            for (when, until) in previous {
                builder = match zoned(when) {
                    Some(zoned) => builder.previous_schedule(&name(index), zoned, *until),
                    None => builder.previous_schedule(&name(index), schedule(when), *until),
                };
            }
        }
        builder
    }
}

/// Converts to a need of the library. Needs borrow, so a few bytes are leaked.
fn to_need(spec: &NeedSpec) -> Need<'static> {
    let named = |index: &usize| -> &'static str { Box::leak(name(*index).into_boxed_str()) };
    let all = |needs: &[NeedSpec]| -> &'static [Need<'static>] {
        Box::leak(needs.iter().map(to_need).collect())
    };
    let need = match &spec.kind {
        NeedKind::Latest(of) => Need::latest(named(of)),
        NeedKind::All(of) => Need::all(named(of)),
        NeedKind::AtLeast(count, of) => Need::at_least(*count, named(of)),
        NeedKind::Previous => Need::self_previous(),
        NeedKind::AnyOf(needs) => Need::any_of(all(needs)),
        NeedKind::AllOf(needs) => Need::all_of(all(needs)),
    };
    let need = need.events_back(spec.look_back.events).periods_back(spec.look_back.periods);
    match spec.look_back.unit {
        Some(unit) => need.period(unit),
        None => need,
    }
}

/// A schedule of a job, and when it applies.
struct Version {
    events: EventModel,
    period: Period,
    from: i64,
    /// Exclusive.
    until: i64,
    /// The job's runs count from this instant on.
    reset: i64,
    /// Whether `reset` is the beginning of the pipeline.
    is_initial: bool,
}

/// The events of a job, as a list up to the horizon.
pub(crate) struct TimelineModel {
    versions: Vec<Version>,
    pub(crate) events: Vec<i64>,
    horizon: i64,
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

    fn version(&self, instant: i64) -> &Version {
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

    fn last(&self) -> Option<i64> {
        let last = self.last_version();
        let beyond = last.events.nearest_prev(i64::MAX).filter(|event| *event > self.horizon);
        beyond.or_else(|| self.events.last().copied())
    }

    /// Returns the listed events from one instant, inclusive, to another, exclusive.
    fn between(&self, from: i64, until: i64) -> Vec<i64> {
        let is_in = |event: &i64| (from..until).contains(event);
        self.events.iter().copied().filter(is_in).collect()
    }
}

/// What a need requires for one run.
#[derive(Debug)]
pub(crate) enum Required {
    Nothing,
    /// A success at or after this instant.
    CheckPoint(i64),
    /// This many of these runs.
    Runs(Vec<i64>, u64),
}

/// A reason why a run waits, to compare with the library.
#[derive(Debug, PartialEq)]
pub(crate) enum ModelReason {
    CheckPoint(String, i64),
    Runs { job: String, missing: Vec<i64>, needed: u64 },
    AnyOf(Vec<Vec<ModelReason>>),
}

/// The successful runs of each job.
pub(crate) type Successes = Vec<BTreeSet<i64>>;

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

    /// Returns why a run waits; nothing if it may start.
    pub(crate) fn waits(&self, job: usize, scheduled: i64, done: &Successes) -> Vec<ModelReason> {
        self.all(job, scheduled, done, &self.needs[job], LookBack::default())
    }

    fn all(
        &self,
        job: usize,
        scheduled: i64,
        done: &Successes,
        needs: &[NeedSpec],
        look_back: LookBack,
    ) -> Vec<ModelReason> {
        let each = needs.iter().map(|need| self.check(job, scheduled, done, need, look_back));
        each.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    fn check(
        &self,
        job: usize,
        scheduled: i64,
        done: &Successes,
        need: &NeedSpec,
        look_back: LookBack,
    ) -> Vec<ModelReason> {
        let look_back = need.look_back.within(look_back);
        match &need.kind {
            NeedKind::AllOf(needs) => self.all(job, scheduled, done, needs, look_back),
            NeedKind::AnyOf(needs) => {
                let each =
                    needs.iter().map(|need| self.check(job, scheduled, done, need, look_back));
                let each: Vec<Vec<ModelReason>> = each.collect();
                if each.iter().any(Vec::is_empty) {
                    Vec::new()
                } else {
                    vec![ModelReason::AnyOf(each)]
                }
            }
            _ => {
                let (upstream, required) = self.required(job, scheduled, need, look_back);
                unmet(&required, &done[upstream], name(upstream)).into_iter().collect()
            }
        }
    }

    /// Returns what each leaf of a run's needs requires.
    pub(crate) fn all_required(&self, job: usize, scheduled: i64) -> Vec<(usize, Required)> {
        let mut all_required = Vec::new();
        self.collect(job, scheduled, &self.needs[job], LookBack::default(), &mut all_required);
        all_required
    }

    fn collect(
        &self,
        job: usize,
        scheduled: i64,
        needs: &[NeedSpec],
        look_back: LookBack,
        all_required: &mut Vec<(usize, Required)>,
    ) {
        for need in needs {
            match &need.kind {
                NeedKind::AllOf(needs) | NeedKind::AnyOf(needs) => {
                    let look_back = need.look_back.within(look_back);
                    self.collect(job, scheduled, needs, look_back, all_required);
                }
                _ => {
                    let look_back = need.look_back.within(look_back);
                    all_required.push(self.required(job, scheduled, need, look_back));
                }
            }
        }
    }

    fn required(
        &self,
        job: usize,
        scheduled: i64,
        need: &NeedSpec,
        look_back: LookBack,
    ) -> (usize, Required) {
        let upstream = match &need.kind {
            NeedKind::Latest(of) | NeedKind::All(of) | NeedKind::AtLeast(_, of) => *of,
            _ => job,
        };
        let required = self.required_of(job, upstream, scheduled, &need.kind, look_back);
        (upstream, required.unwrap_or(Required::Nothing))
    }

    fn required_of(
        &self,
        job: usize,
        upstream: usize,
        scheduled: i64,
        kind: &NeedKind,
        look_back: LookBack,
    ) -> Option<Required> {
        let [own, of] = [&self.lines[job], &self.lines[upstream]];
        let mut anchor = scheduled;
        let LookBack { events, periods, unit } = look_back;
        for _ in 0..events {
            anchor = own.before(anchor)?;
        }
        let [own_version, of_version] = [own.version(scheduled), of.version(scheduled)];
        let (unit, events) = match unit {
            Some(unit) => (unit, &own_version.events),
            None if of_version.period.is_longer_than(own_version.period) => {
                (of_version.period.unit, &of_version.events)
            }
            None => (own_version.period.unit, &own_version.events),
        };
        let start = |periods| events.start(unit, periods, anchor);
        match kind {
            NeedKind::Latest(_) => {
                let begins = of.nearest(of_version.reset)?;
                let is_after = events.floor(unit, begins) > start(periods);
                let is_cut = start(periods) < of_version.reset.max(events.first_year());
                if is_after && (periods > 0 || is_cut && of_version.is_initial) {
                    return None;
                }
                let from = start(periods).max(own_version.reset).max(of_version.reset);
                // If upstream will never run again, its last run.
                let check_point = of.nearest(from).or_else(|| of.last())?;
                (check_point >= of_version.reset).then_some(Required::CheckPoint(check_point))
            }
            NeedKind::Previous => {
                let until = if periods == 0 { anchor } else { start(periods - 1) };
                let run = own.before(until).filter(|run| *run >= own_version.reset)?;
                Some(Required::Runs(vec![run], 1))
            }
            _ => {
                let (from, until) = if periods == 0 {
                    (own.before(anchor).map_or(i64::MIN, |before| before + 1), anchor + 1)
                } else {
                    (start(periods), start(periods - 1))
                };
                let runs = of.between(from.max(of_version.reset), until);
                let all = u64::try_from(runs.len()).expect("the count fits");
                let needed =
                    if let NeedKind::AtLeast(count, _) = kind { *count.min(&all) } else { all };
                Some(Required::Runs(runs, needed))
            }
        }
    }
}

/// Returns why a requirement is not met; `None` if it is.
fn unmet(required: &Required, done: &BTreeSet<i64>, job: String) -> Option<ModelReason> {
    match required {
        Required::Nothing => None,
        Required::CheckPoint(instant) => {
            let is_met = done.iter().any(|success| success >= instant);
            (!is_met).then_some(ModelReason::CheckPoint(job, *instant))
        }
        Required::Runs(runs, count) => {
            let missing: Vec<i64> =
                runs.iter().copied().filter(|run| !done.contains(run)).collect();
            let succeeded = u64::try_from(runs.len() - missing.len()).expect("the count fits");
            let needed = count.saturating_sub(succeeded);
            (needed > 0).then_some(ModelReason::Runs { job, missing, needed })
        }
    }
}

/// Converts the answer of the library.
pub(crate) fn reasons(readiness: &Readiness<'_>) -> Vec<ModelReason> {
    match readiness {
        Readiness::Ready => Vec::new(),
        Readiness::Waiting(waiting) => reasons_of(waiting),
    }
}

fn reasons_of(waiting: &Waiting<'_>) -> Vec<ModelReason> {
    let reason = |reason: &Reason<'_>| match reason {
        Reason::Latest { job, check_point } => {
            ModelReason::CheckPoint((*job).to_owned(), *check_point)
        }
        Reason::Runs { job, missing, needed } => ModelReason::Runs {
            job: (*job).to_owned(),
            missing: missing.instants().collect(),
            needed: *needed,
        },
        Reason::AnyOf(alternatives) => {
            ModelReason::AnyOf(alternatives.iter().map(reasons_of).collect())
        }
        other => panic!("unknown kind of reason: {other:?}"),
    };
    waiting.reasons().iter().map(reason).collect()
}

/// The last instant of the range of schedules.
pub(crate) const LAST: i64 = END;
