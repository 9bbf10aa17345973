//! Which runs one success lets start.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::demand::{Demand, Job, Leaf};
use crate::history::History;
use crate::need::Rule;
use crate::ready::{Question, Run, Supposed};
use millicron::Recurrence as _;

/// The runs up to an instant that may start if one run has succeeded, and may not if it
/// has not.
pub(crate) fn runs<'a, H: History + ?Sized>(
    jobs: &'a [Job],
    place: usize,
    scheduled: i64,
    history: &H,
    until: i64,
) -> Result<Vec<Run<'a>>, H::Error> {
    let upstream = &jobs[place];
    let run = Run { scheduled, job: &upstream.name };
    let [without, with] =
        [false, true].map(|has_succeeded| Supposed { history, run, has_succeeded });
    let mut unlocked = BTreeSet::new();
    for job in upstream.downstream.iter().map(|place| &jobs[*place]) {
        let mut asked = BTreeSet::new();
        for leaf in job.leaves.iter().filter(|leaf| leaf.upstream == place) {
            let candidates = Candidates { job, upstream, leaf, event: scheduled };
            candidates.list(until, &without, &mut asked)?;
        }
        for scheduled in asked {
            let is_ready = |history| {
                let question = Question { jobs, job, scheduled, history };
                question.answer().map(|answer| answer.is_ready())
            };
            let name = &*job.name;
            let has_succeeded = with.first_at_or_after(name, scheduled)? == Some(scheduled);
            if !has_succeeded && !is_ready(&without)? && is_ready(&with)? {
                unlocked.insert(Run { scheduled, job: name });
            }
        }
    }
    Ok(unlocked.into_iter().collect())
}

/// The runs of a job that may need an event of another.
struct Candidates<'a> {
    job: &'a Job,
    upstream: &'a Job,
    leaf: &'a Leaf,
    event: i64,
}

impl Candidates<'_> {
    /// Adds all up to an instant that lack this one event.
    fn list<H: History>(
        &self,
        until: i64,
        without: &H,
        runs: &mut BTreeSet<i64>,
    ) -> Result<(), H::Error> {
        // Windows are never before those of earlier runs, while schedules are the same.
        let changes = [self.job, self.upstream].map(|job| job.timeline.changes());
        let mut ends: Vec<i64> = changes.into_iter().flatten().map(|change| change - 1).collect();
        ends.push(i64::MAX);
        ends.sort_unstable();
        let mut start = i64::MIN;
        for end in ends {
            let mut candidate = self.last(start, end.min(until));
            while let Some(run) = candidate.filter(|run| *run >= start) {
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

    /// The last run of a time whose window does not begin after the event; it is found
    /// by halves.
    fn last(&self, start: i64, end: i64) -> Option<i64> {
        let timeline = &self.job.timeline;
        // Of what `low` and those before are, `high` and those after are not.
        let mut low =
            timeline.nearest_event(start).filter(|run| *run <= end && self.begins(*run))?;
        let mut high = timeline.nearest_prev_event(end)?;
        if self.begins(high) {
            return Some(high);
        }
        while let Some(next) = timeline.next_event(low).filter(|next| *next < high) {
            let middle = timeline.nearest_prev_event(low.midpoint(high))?.max(next);
            if self.begins(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    fn begins(&self, run: i64) -> bool {
        let Self { job, upstream, leaf, event } = self;
        if leaf.rule == Rule::Latest {
            // The last run of all may be before the window.
            let demand = leaf.demand(&job.timeline, &upstream.timeline, run);
            demand.is_none_or(|demand| demand.first <= *event)
        } else {
            let window = leaf.window(&job.timeline, &upstream.timeline, run);
            window.is_none_or(|window| window.from <= *event)
        }
    }

    /// Whether a run, and all before it, do not lack the event: their windows end before
    /// it, or have another success.
    fn is_past<H: History>(&self, run: i64, without: &H) -> Result<bool, H::Error> {
        let Self { job, upstream, leaf, event } = self;
        let Some(window) = leaf.window(&job.timeline, &upstream.timeline, run) else {
            return Ok(true);
        };
        if leaf.rule != Rule::Latest {
            return Ok(window.to < *event);
        }
        match leaf.demand(&job.timeline, &upstream.timeline, run) {
            Some(Demand { first, .. }) => {
                Ok(without.first_at_or_after(&upstream.name, first)?.is_some())
            }
            None => Ok(true),
        }
    }
}
