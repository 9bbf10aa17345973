//! Finds the runs that the end of a run unlocks.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::{Bound, RangeInclusive};

use millicron::{Moment, MomentRange, Recurrence as _};
use millicron_history::{History, RunQuery, RunState};

use super::ready::{Assumption, ReadyQuery, read};
use crate::error::QueryError;
use crate::model::job::Job;
use crate::model::pipeline::Pipeline;
use crate::model::relation::Relation;
use crate::model::run::PipelineRun;

/// The number of runs whose needs are read at once.
const BATCH: usize = 100;

impl Pipeline {
    /// Returns the runs in a range that may start because a run has ended in `state`, in order of
    /// their instants. The range usually ends at the current time.
    ///
    /// These are the runs that have not succeeded yet, would be ready if the run had ended in
    /// `state`, and would not be ready if it had not ended. It makes no difference whether or how
    /// the history already records its end. A failed or skipped run unlocks only runs whose needs
    /// [accept](crate::Need::ended) it.
    ///
    /// The query examines every run in the range that may be waiting for this run, of which there
    /// may be many if nothing has succeeded for a long time. It reads the history twice, or more
    /// often if there are more than a hundred such runs. A range without a start begins with the
    /// pipeline. If the pipeline has no [beginning](crate::PipelineBuilder::since), that is an error,
    /// because the query would go back to the first event of a schedule, in 2000.
    ///
    /// # Errors
    ///
    /// The same as for [`ready`](Self::ready), and if neither the range nor the pipeline has a
    /// start.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{MemoryHistory, Need, Pipeline, RunState};
    ///
    /// let start = 1_795_219_200_000_i64; // 2026-11-21 00:00:00
    /// let pipeline = Pipeline::builder()
    ///     .since(start)
    ///     .job("daily", schedule!("00:30:00"), [])
    ///     .job("hourly", schedule!("*:00:00"), [Need::latest("daily")])
    ///     .build()?;
    ///
    /// let (daily, history) = (start + 1_800_000, MemoryHistory::new());
    /// let five = start + 5 * 3_600_000;
    /// let success = RunState::Succeeded;
    /// let runs = pipeline.runs_unlocked_by("daily", daily, success, &history, ..=five)?;
    /// assert_eq!(runs.len(), 6);
    /// let runs = pipeline.runs_unlocked_by("daily", daily, success, &history, ..)?;
    /// assert_eq!(runs.len(), 24); // all of that day
    /// let runs = pipeline.runs_unlocked_by("daily", daily, RunState::Failed, &history, ..)?;
    /// assert_eq!(runs.len(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn runs_unlocked_by<H: History + ?Sized>(
        &self,
        job: &str,
        scheduled: impl Moment,
        state: RunState,
        history: &H,
        runs: impl MomentRange,
    ) -> Result<Vec<PipelineRun<'_>>, QueryError<H::Error>> {
        let (index, scheduled) = self.find_run(job, scheduled)?;
        let range = self.millis(&runs)?;
        if !self.has_beginning && matches!(runs.start_moment(), Bound::Unbounded) {
            return Err(QueryError::NoStart);
        }
        let runs = unlocked_runs(&self.jobs, (scheduled, index), state, history, &range);
        runs.map_err(QueryError::History)
    }
}

/// Returns the runs in a range that are ready if a run has ended in a state, and not ready if it
/// has not ended.
fn unlocked_runs<'a, H: History + ?Sized>(
    jobs: &'a [Job],
    (scheduled, index): (i64, usize),
    state: RunState,
    history: &H,
    range: &RangeInclusive<i64>,
) -> Result<Vec<PipelineRun<'a>>, H::Error> {
    let upstream = &jobs[index];
    let others = LastOthers::read(history, upstream, scheduled)?;
    let mut candidates = Vec::new();
    for user in &upstream.downstream {
        let mut runs = BTreeSet::new();
        for relation in Relation::between(jobs, *user, index) {
            add_candidates(relation, scheduled, &others, range, &mut runs);
        }
        candidates.extend(runs.into_iter().map(|run| ReadyQuery::new(jobs, &jobs[*user], run)));
    }
    let [without, with] =
        [None, Some(state)].map(|state| Some(Assumption { job: index, scheduled, state }));
    let mut unlocked = BTreeSet::new();
    for batch in candidates.chunks(BATCH) {
        let queries = batch.iter().flat_map(|it| it.queries().chain([it.own_success()]));
        let recorded = read(history, &queries.collect::<Vec<_>>())?;
        let mut rest = recorded.as_slice();
        for candidate in batch {
            let needed = rest.split_off(..candidate.queries().len()).unwrap_or_default();
            let own_success = rest.split_off_first();
            let is_ready = |assumption| candidate.answer(needed, assumption).is_ready();
            let run = candidate.run();
            let has_succeeded = if run == (PipelineRun { scheduled, job: &upstream.name }) {
                state == RunState::Succeeded
            } else {
                own_success.is_some_and(|runs| !runs.is_empty())
            };
            if !has_succeeded && !is_ready(without) && is_ready(with) {
                unlocked.insert(run);
            }
        }
    }
    Ok(unlocked.into_iter().collect())
}

/// The last success and the last recorded run of a job, not counting one run.
struct LastOthers {
    success: Option<i64>,
    ended: Option<i64>,
}

impl LastOthers {
    fn read<H: History + ?Sized>(history: &H, job: &Job, scheduled: i64) -> Result<Self, H::Error> {
        // Read two, because one of them may be that run.
        let ended = RunQuery::new(&job.name, ..).newest_first().limit(2);
        let recorded = read(history, &[ended.clone().successes(), ended])?;
        let last = |query: usize| recorded[query].iter().copied().find(|it| *it != scheduled);
        Ok(Self { success: last(0), ended: last(1) })
    }
}

/// Adds the runs of a job in a range that may need an event of another job.
fn add_candidates(
    relation: Relation<'_>,
    event: i64,
    others: &LastOthers,
    range: &RangeInclusive<i64>,
    runs: &mut BTreeSet<i64>,
) {
    for part in relation.between_changes(range) {
        let mut candidate = relation.last_started(&part, event);
        while let Some(run) = candidate.filter(|run| part.contains(run)) {
            if is_past(relation, run, event, others) {
                break;
            }
            runs.insert(run);
            candidate = relation.job.timeline.prev_event(run);
        }
    }
}

/// Returns whether a run and all earlier ones do not need an event: their search range ends before
/// it, or contains another success.
fn is_past(relation: Relation<'_>, run: i64, event: i64, others: &LastOthers) -> bool {
    let Relation { requirement, .. } = relation;
    let Some(range) = relation.selected_range(run) else { return true };
    if !requirement.rule.has_check_point() {
        return range.last < event;
    }
    let other = if requirement.settings.accepts_ended { others.ended } else { others.success };
    other.is_some_and(|other| other >= range.first)
}
