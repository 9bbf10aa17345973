//! [`ReadyQuery`]: decides whether a run is ready, after a single read of a history.

use alloc::vec;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::{ControlFlow, RangeInclusive};

use millicron::{Moment, Recurrence as _};
use millicron_history::{History, RunQuery, RunState};

use super::missing::Missing;
use super::readiness::{Expired, Readiness, Reason, Waiting};
use crate::error::QueryError;
use crate::model::job::{Job, NeedTree, Requirement};
use crate::model::need::Rule;
use crate::model::pipeline::Pipeline;
use crate::model::relation::{EventRange, Relation};
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
        let recorded = read(history, &queries).map_err(QueryError::History)?;
        Ok(query.answer(&recorded, None))
    }
}

/// A run, and the upstream events that its needs require.
pub(crate) struct ReadyQuery<'a> {
    job: &'a Job,
    scheduled: i64,
    /// The requirements that require events, each with its index in the job, in ascending order.
    required: Vec<(usize, Relation<'a>, EventRange)>,
}

/// An assumed state of an upstream run, which overrides its record.
#[derive(Clone, Copy)]
pub(crate) struct Assumption {
    /// The index of the job.
    pub(crate) job: usize,
    pub(crate) scheduled: i64,
    /// `None` if the run has not ended.
    pub(crate) state: Option<RunState>,
}

/// Returns the scheduled instants selected by each query, in the order of the queries.
pub(crate) fn read<H: History + ?Sized>(
    history: &H,
    queries: &[RunQuery<'_>],
) -> Result<Vec<Vec<i64>>, H::Error> {
    let mut recorded = vec![Vec::new(); queries.len()];
    if !queries.is_empty() {
        history.read(queries, &mut |query, scheduled, _| {
            if let Some(recorded) = recorded.get_mut(query) {
                recorded.push(scheduled);
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(recorded)
}

impl<'a> ReadyQuery<'a> {
    pub(crate) fn new(jobs: &'a [Job], job: &'a Job, scheduled: i64) -> Self {
        let required = Relation::of(jobs, job).enumerate().filter_map(|(index, relation)| {
            Some((index, relation, relation.required_events(scheduled)?))
        });
        Self { job, scheduled, required: required.collect() }
    }

    /// Returns what to read from a history: a query for each requirement that requires events.
    pub(crate) fn queries(&self) -> impl ExactSizeIterator<Item = RunQuery<'a>> {
        self.required.iter().map(|(_, relation, EventRange { first, last })| {
            let Relation { upstream, requirement, .. } = relation;
            let query = if requirement.rule.has_check_point() {
                // One run is enough, but an assumption may exclude one.
                RunQuery::new(&upstream.name, first..).limit(2)
            } else {
                RunQuery::new(&upstream.name, first..=last)
            };
            if requirement.settings.accepts_ended { query } else { query.successes() }
        })
    }

    pub(crate) fn run(&self) -> PipelineRun<'a> {
        PipelineRun { scheduled: self.scheduled, job: &self.job.name }
    }

    /// Returns a query that selects the run itself, if it has succeeded.
    pub(crate) fn own_success(&self) -> RunQuery<'a> {
        RunQuery::new(&self.job.name, self.scheduled..=self.scheduled).successes()
    }

    /// Decides whether the run is ready, from the results of the queries.
    pub(crate) fn answer(
        &self,
        recorded: &[Vec<i64>],
        assumption: Option<Assumption>,
    ) -> Readiness<'a> {
        let mut reasons = Vec::new();
        for need in &self.job.needs {
            self.check(need, recorded, assumption, &mut reasons);
        }
        if reasons.is_empty() {
            Readiness::Ready
        } else {
            Readiness::Waiting(Waiting::new(reasons))
        }
    }

    /// Adds the reasons why a need is not met.
    fn check(
        &self,
        need: &NeedTree,
        recorded: &[Vec<i64>],
        assumption: Option<Assumption>,
        reasons: &mut Vec<Reason<'a>>,
    ) {
        match need {
            NeedTree::Leaf(index) => {
                // A requirement without required events is met.
                if let Ok(query) = self.required.binary_search_by_key(index, |(index, ..)| *index) {
                    let (_, relation, range) = self.required[query];
                    reasons.extend(self.unmet(relation, range, &recorded[query], assumption));
                }
            }
            NeedTree::AllOf(needs) => {
                for need in needs {
                    self.check(need, recorded, assumption, reasons);
                }
            }
            NeedTree::AnyOf(needs) => {
                let alternative = |need| {
                    let mut reasons = Vec::new();
                    self.check(need, recorded, assumption, &mut reasons);
                    Waiting::new(reasons)
                };
                let alternatives: Vec<_> = needs.iter().map(alternative).collect();
                if alternatives.iter().all(|alternative| !alternative.reasons().is_empty()) {
                    reasons.push(Reason::AnyOf(alternatives));
                }
            }
        }
    }

    /// Returns why a requirement is not met; `None` if it is.
    fn unmet(
        &self,
        relation: Relation<'a>,
        EventRange { first, last }: EventRange,
        recorded: &[i64],
        assumption: Option<Assumption>,
    ) -> Option<Reason<'a>> {
        let Relation { upstream, requirement, .. } = relation;
        let (job, timeline) = (&*upstream.name, &upstream.timeline);
        let offset = || timeline.offset_at(first);
        let end = if requirement.rule.has_check_point() { i64::MAX } else { last };
        let mut accepted = accepted(requirement, first..=end, recorded, assumption);
        match requirement.rule {
            Rule::Latest | Rule::Classic => {
                let reason = || Reason::Latest { job, check_point: first, offset: offset() };
                return accepted.next().is_none().then(reason);
            }
            Rule::Last => {
                let reason = || {
                    let expired = relation.expired(self.scheduled).map(|(limit, last)| {
                        let offset = last.and_then(|last| timeline.offset_at(last));
                        Expired { limit, last, offset }
                    });
                    Reason::Last { job, scheduled: first, offset: offset(), expired }
                };
                return accepted.next().is_none().then(reason);
            }
            _ => {}
        }
        let Ok(missing) = Missing::without(timeline, first..=last, |remove| {
            accepted.for_each(remove);
            Ok::<(), Infallible>(())
        });
        let needed = match requirement.rule {
            Rule::AtLeast(count) => {
                let total = timeline.count(first..=last);
                // Never negative, unless the recurrence contradicts itself.
                let succeeded = total.saturating_sub(missing.count());
                count.min(total).saturating_sub(succeeded)
            }
            _ => missing.count(),
        };
        (needed > 0).then_some(Reason::Runs { job, missing, needed })
    }
}

/// Returns the runs in a range that meet a requirement: the recorded runs, adjusted by the
/// assumption.
fn accepted<'r>(
    requirement: &Requirement,
    range: RangeInclusive<i64>,
    recorded: &'r [i64],
    assumption: Option<Assumption>,
) -> impl Iterator<Item = i64> + use<'r> {
    let concerns = |assumption: &Assumption| {
        assumption.job == requirement.upstream && range.contains(&assumption.scheduled)
    };
    let (before, after, assumed) = match assumption.filter(concerns) {
        Some(Assumption { scheduled, state, .. }) => {
            let (before, rest) = recorded.split_at(recorded.partition_point(|it| *it < scheduled));
            let after = rest.strip_prefix(&[scheduled]).unwrap_or(rest);
            let is_accepted = state.is_some_and(|state| requirement.accepts(state));
            (before, after, is_accepted.then_some(scheduled))
        }
        None => (recorded, &recorded[..0], None),
    };
    before.iter().copied().chain(assumed).chain(after.iter().copied())
}
