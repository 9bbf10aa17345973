//! Which runs a success unlocks.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use millicron::Recurrence as _;

use crate::accepted::Accepted;
use crate::history::{History, RunState};
use crate::ready::{HypotheticalHistory, ReadinessQuery, Run};
use crate::requirement::{Job, RequiredEvents, Requirement};

/// Returns the runs in a range that are ready if the run has succeeded, and not ready otherwise.
pub(crate) fn runs<'a, H: History + ?Sized>(
    jobs: &'a [Job],
    index: usize,
    scheduled: i64,
    history: &H,
    range: &RangeInclusive<i64>,
) -> Result<Vec<Run<'a>>, H::Error> {
    let upstream = &jobs[index];
    let run = Run { scheduled, job: &upstream.name };
    let [without, with] =
        [false, true].map(|has_succeeded| HypotheticalHistory { history, run, has_succeeded });
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
    fn collect<H: History>(
        &self,
        range: &RangeInclusive<i64>,
        without: &H,
        runs: &mut BTreeSet<i64>,
    ) -> Result<(), H::Error> {
        // Between two changes of schedules, search ranges are in the order of their runs.
        let changes = [self.job, self.upstream].map(|job| job.timeline.changes());
        let mut ends: Vec<i64> = changes.into_iter().flatten().map(|change| change - 1).collect();
        ends.push(i64::MAX);
        ends.sort_unstable();
        let mut start = i64::MIN;
        for end in ends {
            let first = start.max(*range.start());
            let mut candidate = self.last(first, end.min(*range.end()));
            while let Some(run) = candidate.filter(|run| *run >= first) {
                if self.is_past(run, without)? {
                    break;
                }
                runs.insert(run);
                candidate = self.job.timeline.prev_event(run);
            }
            start = end.saturating_add(1);
        }
        Ok(())
    }

    /// Returns the last run between two instants whose search range starts at or before the event,
    /// by binary search.
    fn last(&self, start: i64, end: i64) -> Option<i64> {
        let timeline = &self.job.timeline;
        // Runs up to `low` have the property, runs from `high` on do not.
        let mut low =
            timeline.nearest_event(start).filter(|run| *run <= end && self.has_started(*run))?;
        let mut high = timeline.nearest_prev_event(end)?;
        if self.has_started(high) {
            return Some(high);
        }
        while let Some(next) = timeline.next_event(low).filter(|next| *next < high) {
            let middle = timeline.nearest_prev_event(low.midpoint(high))?.max(next);
            if self.has_started(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    /// Returns whether the search range of a run starts at or before the event.
    fn has_started(&self, run: i64) -> bool {
        let Self { job, upstream, requirement, event } = self;
        if requirement.rule.has_check_point() {
            // The last run of all may be before the search range.
            let required = requirement.required_events(&job.timeline, &upstream.timeline, run);
            required.is_none_or(|required| required.first <= *event)
        } else {
            let range = requirement.search_range(&job.timeline, &upstream.timeline, run);
            range.is_none_or(|range| range.start <= *event)
        }
    }

    /// Returns whether a run and all earlier ones do without the event: their search range ends
    /// before it, or has another success.
    fn is_past<H: History>(&self, run: i64, without: &H) -> Result<bool, H::Error> {
        let Self { job, upstream, requirement, event } = self;
        let Some(range) = requirement.search_range(&job.timeline, &upstream.timeline, run) else {
            return Ok(true);
        };
        if !requirement.rule.has_check_point() {
            return Ok(range.end < *event);
        }
        match requirement.required_events(&job.timeline, &upstream.timeline, run) {
            Some(RequiredEvents { first, .. }) => {
                let accepted = Accepted::of(requirement, without);
                Ok(accepted.first_at_or_after(&upstream.name, first)?.is_some())
            }
            None => Ok(true),
        }
    }
}
