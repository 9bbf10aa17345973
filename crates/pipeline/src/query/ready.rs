//! [`ReadyQuery`]: decides whether a run is ready, after a single read of a history.

use alloc::vec::Vec;
use core::ops::{ControlFlow, RangeInclusive};
use core::slice;

use millicron::{Moment, Recurrence as _};
use millicron_history::{History, RunQuery, RunState};

use super::missing::Missing;
use super::readiness::{Expired, Readiness, Reason, Waiting};
use crate::error::QueryError;
use crate::model::job::{Job, NeedTree};
use crate::model::need::Rule;
use crate::model::pipeline::Pipeline;
use crate::model::requirement::{EventRange, Requirement};
use crate::model::run::PipelineRun;

impl Pipeline {
    /// Returns whether a run may start, or which runs it waits for.
    ///
    /// The history is [read](History::read) once, however many needs the job has.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, the job has no event at `scheduled`, a civil time is passed to
    /// a pipeline with a time zone, or the history fails.
    pub fn ready<H: History + ?Sized>(
        &self,
        job: &str,
        scheduled: impl Moment,
        history: &H,
    ) -> Result<Readiness<'_>, QueryError<H::Error>> {
        let (index, scheduled) = self.find_run(job, scheduled)?;
        let query = ReadyQuery::new(&self.jobs, &self.jobs[index], scheduled);
        let queries: Vec<_> = query.queries().collect();
        let recorded = Recorded::read(history, &queries).map_err(QueryError::History)?;
        Ok(query.answer(&recorded, 0, None))
    }
}

/// A run, and the upstream events that its needs require.
pub(crate) struct ReadyQuery<'a> {
    jobs: &'a [Job],
    job: &'a Job,
    scheduled: i64,
    /// The required events for each of the job's requirements.
    required: Vec<Option<EventRange>>,
}

/// The scheduled instants selected by each query, in the order of the queries.
pub(crate) struct Recorded(Vec<Vec<i64>>);

/// An assumed state of an upstream run, which overrides its record.
#[derive(Clone, Copy)]
pub(crate) struct Assumption {
    /// The index of the job.
    pub(crate) job: usize,
    pub(crate) scheduled: i64,
    /// `None` if the run has not ended.
    pub(crate) state: Option<RunState>,
}

impl Recorded {
    pub(crate) fn read<H: History + ?Sized>(
        history: &H,
        queries: &[RunQuery<'_>],
    ) -> Result<Self, H::Error> {
        let mut recorded = Vec::new();
        recorded.resize_with(queries.len(), Vec::new);
        if queries.is_empty() {
            return Ok(Self(recorded));
        }
        history.read(queries, &mut |query, scheduled, _| {
            if let Some(recorded) = recorded.get_mut(query) {
                recorded.push(scheduled);
            }
            ControlFlow::Continue(())
        })?;
        Ok(Self(recorded))
    }

    /// Returns the instants selected by the query at an index.
    pub(crate) fn of(&self, query: usize) -> &[i64] {
        self.0.get(query).map_or(&[], Vec::as_slice)
    }
}

impl Requirement {
    /// Returns whether a run that has ended in a state meets the requirement.
    pub(crate) fn accepts(&self, state: RunState) -> bool {
        self.settings.accepts_ended || state == RunState::Succeeded
    }
}

impl<'a> ReadyQuery<'a> {
    pub(crate) fn new(jobs: &'a [Job], job: &'a Job, scheduled: i64) -> Self {
        let required = job.requirements.iter().map(|requirement| {
            let upstream = &jobs[requirement.upstream].timeline;
            requirement.required_events(&job.timeline, upstream, scheduled)
        });
        Self { jobs, job, scheduled, required: required.collect() }
    }

    /// Returns what to read from a history: a query for each requirement that requires events.
    pub(crate) fn queries(&self) -> impl Iterator<Item = RunQuery<'a>> {
        let each = self.job.requirements.iter().zip(&self.required);
        each.filter_map(|(requirement, required)| {
            let job = &*self.jobs[requirement.upstream].name;
            let EventRange { first, last } = (*required)?;
            let query = if requirement.rule.has_check_point() {
                // One run is enough, but an assumption may exclude one.
                RunQuery::new(job, first..).limit(2)
            } else {
                RunQuery::new(job, first..=last)
            };
            Some(if requirement.settings.accepts_ended { query } else { query.successes() })
        })
    }

    pub(crate) fn run(&self) -> PipelineRun<'a> {
        PipelineRun { scheduled: self.scheduled, job: &self.job.name }
    }

    /// Returns a query that selects the run itself, if it has succeeded.
    pub(crate) fn own_success(&self) -> RunQuery<'a> {
        RunQuery::new(&self.job.name, self.scheduled..=self.scheduled).successes()
    }

    /// Decides whether the run is ready, from the results of the queries from an index on.
    pub(crate) fn answer(
        &self,
        recorded: &Recorded,
        first_query: usize,
        assumption: Option<Assumption>,
    ) -> Readiness<'a> {
        let mut decision = Decision {
            query: self,
            recorded,
            assumption,
            required: self.required.iter(),
            next_query: first_query,
        };
        let mut reasons = Vec::new();
        for need in &self.job.needs {
            decision.check(need, &mut reasons);
        }
        if reasons.is_empty() {
            Readiness::Ready
        } else {
            Readiness::Waiting(Waiting::new(reasons))
        }
    }
}

/// A decision in progress.
struct Decision<'a, 'q> {
    query: &'q ReadyQuery<'a>,
    recorded: &'q Recorded,
    assumption: Option<Assumption>,
    /// The required events of the requirements that have not been checked yet.
    required: slice::Iter<'q, Option<EventRange>>,
    next_query: usize,
}

impl<'a> Decision<'a, '_> {
    /// Adds the reasons why a need is not met.
    fn check(&mut self, need: &'a NeedTree, reasons: &mut Vec<Reason<'a>>) {
        match need {
            NeedTree::Leaf(requirement) => {
                if let Some(Some(required)) = self.required.next() {
                    let recorded = self.recorded.of(self.next_query);
                    self.next_query += 1;
                    reasons.extend(self.unmet(requirement, *required, recorded));
                }
            }
            NeedTree::AllOf(needs) => {
                for need in needs {
                    self.check(need, reasons);
                }
            }
            NeedTree::AnyOf(needs) => {
                let mut alternatives = Vec::new();
                for need in needs {
                    let mut reasons = Vec::new();
                    self.check(need, &mut reasons);
                    alternatives.push(Waiting::new(reasons));
                }
                if alternatives.iter().all(|alternative| !alternative.reasons().is_empty()) {
                    reasons.push(Reason::AnyOf(alternatives));
                }
            }
        }
    }

    /// Returns why a requirement is not met; `None` if it is.
    fn unmet(
        &self,
        requirement: &Requirement,
        EventRange { first, last }: EventRange,
        recorded: &[i64],
    ) -> Option<Reason<'a>> {
        let upstream = &self.query.jobs[requirement.upstream];
        let job = &*upstream.name;
        let offset = || upstream.timeline.offset_at(first);
        let end = if requirement.rule.has_check_point() { i64::MAX } else { last };
        let mut accepted = self.accepted(requirement, first..=end, recorded);
        if requirement.rule.has_check_point() {
            let reason = || Reason::Latest { job, check_point: first, offset: offset() };
            return accepted.next().is_none().then(reason);
        }
        if requirement.rule == Rule::Last {
            let reason = || {
                let expired = self.expired(requirement);
                Reason::Last { job, scheduled: first, offset: offset(), expired }
            };
            return accepted.next().is_none().then(reason);
        }
        let missing = Missing::new(&upstream.timeline, first..=last).without(accepted);
        let needed = match requirement.rule {
            Rule::AtLeast(count) => {
                let total = upstream.timeline.count(first..=last);
                // Never negative, unless the recurrence contradicts itself.
                let succeeded = total.saturating_sub(missing.count());
                count.min(total).saturating_sub(succeeded)
            }
            _ => missing.count(),
        };
        (needed > 0).then_some(Reason::Runs { job, missing, needed })
    }

    /// Returns the runs in a range that meet a requirement: the recorded runs, adjusted by the
    /// assumption.
    fn accepted<'r>(
        &self,
        requirement: &Requirement,
        range: RangeInclusive<i64>,
        recorded: &'r [i64],
    ) -> impl Iterator<Item = i64> + use<'r> {
        let concerns = |assumption: &Assumption| {
            assumption.job == requirement.upstream && range.contains(&assumption.scheduled)
        };
        let assumption = self.assumption.filter(concerns);
        let (before, after, assumed) = match assumption {
            Some(Assumption { scheduled, state, .. }) => {
                let (before, rest) =
                    recorded.split_at(recorded.partition_point(|it| *it < scheduled));
                let after = rest.strip_prefix(&[scheduled]).unwrap_or(rest);
                let is_accepted = state.is_some_and(|state| requirement.accepts(state));
                (before, after, is_accepted.then_some(scheduled))
            }
            None => (recorded, &recorded[..0], None),
        };
        before.iter().copied().chain(assumed).chain(after.iter().copied())
    }

    /// Returns why a need for the last run requires a later run.
    fn expired(&self, requirement: &Requirement) -> Option<Expired> {
        let ReadyQuery { jobs, job, scheduled, .. } = self.query;
        let upstream = &jobs[requirement.upstream].timeline;
        let (limit, last) = requirement.expired(&job.timeline, upstream, *scheduled)?;
        let offset = last.and_then(|last| upstream.offset_at(last));
        Some(Expired { limit, last, offset })
    }
}
