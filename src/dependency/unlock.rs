//! Which runs one success lets start.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::demand::{Job, Leaf, Window};
use super::history::History;
use super::need::Rule;
use super::ready::{Question, Run, Supposed};
use super::recurring::Events as _;

/// The runs that may start if one run has succeeded, and may not if it has not.
pub(super) fn runs<'a, H: History + ?Sized>(
    jobs: &'a [Job],
    place: usize,
    scheduled: i64,
    history: &H,
) -> Result<Vec<Run<'a>>, H::Error> {
    let upstream = &jobs[place];
    let run = Run { scheduled, job: &upstream.name };
    let [without, with] =
        [false, true].map(|has_succeeded| Supposed { history, run, has_succeeded });
    let mut unlocked = BTreeSet::new();
    for job in upstream.downstream.iter().map(|place| &jobs[*place]) {
        for leaf in job.leaves.iter().filter(|leaf| leaf.upstream == place) {
            let candidates = Candidates { job, upstream, leaf };
            let mut candidate = candidates.last(scheduled);
            while let Some(run) = candidate {
                if candidates.is_past(run, scheduled, &without)? {
                    break;
                }
                let is_ready = |history| {
                    let question = Question { jobs, job, scheduled: run, history };
                    question.answer().map(|answer| answer.is_ready())
                };
                let name = &*job.name;
                if !is_ready(&without)?
                    && is_ready(&with)?
                    && with.first_at_or_after(name, run)? != Some(run)
                {
                    unlocked.insert(Run { scheduled: run, job: name });
                }
                candidate = job.timeline.prev(run);
            }
        }
    }
    Ok(unlocked.into_iter().collect())
}

/// The runs of a job that may need a success of another.
struct Candidates<'a> {
    job: &'a Job,
    upstream: &'a Job,
    leaf: &'a Leaf,
}

impl Candidates<'_> {
    fn window(&self, run: i64) -> Option<Window> {
        self.leaf.window(&self.job.timeline, &self.upstream.timeline, run)
    }

    /// The last run whose window does not begin after an event: windows are never before
    /// those of earlier runs, so it is found by halves.
    fn last(&self, event: i64) -> Option<i64> {
        let timeline = &self.job.timeline;
        let begins = |run: i64| self.window(run).is_none_or(|window| window.from <= event);
        // Of what `low` and those before are, `high` and those after are not.
        let mut low = timeline.nearest(i64::MIN).filter(|run| begins(*run))?;
        let mut high = timeline.nearest_prev(i64::MAX)?;
        if begins(high) {
            return Some(high);
        }
        while let Some(next) = timeline.next(low).filter(|next| *next < high) {
            let middle = timeline.nearest_prev(low.midpoint(high))?.max(next);
            if begins(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    /// Whether a run, and all before it, do not need an event: their windows end before
    /// it, or have another success.
    fn is_past<H: History>(&self, run: i64, event: i64, without: &H) -> Result<bool, H::Error> {
        let Some(Window { from, to }) = self.window(run) else { return Ok(true) };
        if self.leaf.rule != Rule::Latest {
            return Ok(to < event);
        }
        let first = self.upstream.timeline.nearest(from).unwrap_or(event);
        Ok(without.first_at_or_after(&self.upstream.name, first)?.is_some())
    }
}
