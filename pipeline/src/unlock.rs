//! Which runs the end of a run unlocks.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use millicron::Recurrence as _;
use millicron_history::{History, RunState};

use crate::accepted::Accepted;
use crate::hypothetical::{HypotheticalHistory, ReadHistory};
use crate::ready::{ReadinessQuery, Run};
use crate::requirement::{EventRange, Job, Requirement};
use crate::search::{between_changes, last_with};

/// Returns the runs in a range that are ready if the run has ended in a state, and not ready if it has
/// not ended.
pub(crate) fn runs<'a, H: History + ?Sized>(
    jobs: &'a [Job],
    (scheduled, index): (i64, usize),
    state: RunState,
    history: &H,
    range: &RangeInclusive<i64>,
) -> Result<Vec<Run<'a>>, H::Error> {
    let upstream = &jobs[index];
    let run = Run { scheduled, job: &upstream.name };
    let [without, with] =
        [None, Some(state)].map(|state| HypotheticalHistory { history, run, state });
    let mut unlocked = BTreeSet::new();
    for job in upstream.downstream.iter().map(|index| &jobs[*index]) {
        let mut candidates = BTreeSet::new();
        for requirement in job.requirements.iter().filter(|it| it.upstream == index) {
            let search = CandidateSearch { job, upstream, requirement, event: scheduled };
            search.collect(range, &without, &mut candidates)?;
        }
        for scheduled in candidates {
            let is_ready = |history| {
                let query = ReadinessQuery { jobs, job, scheduled, history };
                query.answer().map(|answer| answer.is_ready())
            };
            let name = &*job.name;
            let has_succeeded = with.state(name, scheduled)? == Some(RunState::Succeeded);
            if !has_succeeded && !is_ready(&without)? && is_ready(&with)? {
                unlocked.insert(Run { scheduled, job: name });
            }
        }
    }
    Ok(unlocked.into_iter().collect())
}

/// Finds the runs of a job that may need one event of another job.
struct CandidateSearch<'a> {
    job: &'a Job,
    upstream: &'a Job,
    requirement: &'a Requirement,
    event: i64,
}

impl CandidateSearch<'_> {
    /// Adds all candidates in a range.
    fn collect<H: ReadHistory>(
        &self,
        range: &RangeInclusive<i64>,
        without: &H,
        runs: &mut BTreeSet<i64>,
    ) -> Result<(), H::Error> {
        for part in between_changes([&self.job.timeline, &self.upstream.timeline], range) {
            let has_started = |run| self.has_started(run);
            let mut candidate = last_with(&self.job.timeline, &part, has_started);
            while let Some(run) = candidate.filter(|run| part.contains(run)) {
                if self.is_past(run, without)? {
                    break;
                }
                runs.insert(run);
                candidate = self.job.timeline.prev_event(run);
            }
        }
        Ok(())
    }

    /// Returns whether the search range of a run starts at or before the event.
    fn has_started(&self, run: i64) -> bool {
        let Self { job, upstream, requirement, event } = self;
        let range = requirement.selected_range(&job.timeline, &upstream.timeline, run);
        range.is_none_or(|range| range.first <= *event)
    }

    /// Returns whether a run and all earlier ones do without the event: their search range ends
    /// before it, or has another success.
    fn is_past<H: ReadHistory>(&self, run: i64, without: &H) -> Result<bool, H::Error> {
        let Self { job, upstream, requirement, event } = self;
        let Some(range) = requirement.search_range(&job.timeline, &upstream.timeline, run) else {
            return Ok(true);
        };
        if !requirement.rule.has_check_point() {
            return Ok(range.last < *event);
        }
        match requirement.required_events(&job.timeline, &upstream.timeline, run) {
            Some(EventRange { first, .. }) => {
                let accepted = Accepted::of(requirement, without);
                Ok(accepted.first_at_or_after(&upstream.name, first)?.is_some())
            }
            None => Ok(true),
        }
    }
}
