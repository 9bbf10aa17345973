//! The life of a run: offered, ready, started, finished.

use super::{ActiveRun, Core, JobState, PendingRun, ReadyRun, RemovedJob, StartedRun};
use crate::event::{Event, SkipReason};
use crate::instant::Nanos;
use crate::outcome::Outcome;
use crate::policy::Overlap;
use crate::queue::KEPT_CAPACITY;
use crate::run::RunContext;
use crate::slots::Key;
use crate::token::CancellationToken;

impl Core {
    /// Makes a run ready, queues it behind other runs of the job, or skips it together with the
    /// events that it covers, beginning with `first`. Returns whether it will run. A run
    /// that `follows` another may always be queued behind it.
    pub(super) fn offer(&mut self, key: Key, first: Nanos, run: PendingRun, follows: bool) -> bool {
        let Some(details) = self.existing(key).and_then(|entry| entry.details.as_mut()) else {
            debug_assert!(false, "only a recurring job is offered runs");
            return false;
        };
        details.latest = details.latest.max(Some(run.scheduled));
        let has_room = match details.policy.overlap {
            Overlap::Allow { max } => details.active < max.max(1),
            Overlap::Skip | Overlap::Queue { .. } => details.active == 0,
        };
        let may_wait = match details.policy.overlap {
            Overlap::Queue { max } => follows || details.queued.len() < max,
            Overlap::Allow { .. } | Overlap::Skip => follows,
        };
        if has_room {
            details.active += 1;
            self.ready.push_back(ReadyRun { key, run });
        } else if may_wait {
            details.queued.push_back(run);
        }
        let (will_run, PendingRun { scheduled, coalesced }) = (has_room || may_wait, run);
        if will_run {
            self.note_coalesced(key, first, scheduled, coalesced);
        } else {
            self.skip(key, first, scheduled, coalesced + 1, SkipReason::Overlap);
        }
        will_run
    }

    /// Starts the next ready run.
    pub(crate) fn start(&mut self, now: Nanos) -> Option<StartedRun> {
        while !self.is_closed {
            let ReadyRun { key, run } = self.ready.pop_front()?;
            if self.ready.is_empty() {
                // Gives back the memory of a burst.
                self.ready.shrink_to(KEPT_CAPACITY);
                self.running.shrink_to(KEPT_CAPACITY);
            }
            let PendingRun { scheduled, coalesced } = run;
            // The job may have been cancelled since.
            let Some(entry) = self.jobs.get_mut(key) else { continue };
            let work = entry.work.take();
            let job = entry.name(key);
            let number = entry.details.as_mut().map_or(1, |details| {
                details.runs += 1;
                details.runs
            });
            let token = CancellationToken::default();
            let context = RunContext { job, scheduled, started: now, number, coalesced, token };
            self.started_runs += 1;
            self.counters.started(context.lateness());
            let is_last = entry.details.is_none();
            if is_last {
                // Its closure was taken, so this drops nothing of the user's.
                drop(self.jobs.remove(key));
            }
            let id = self.started_runs;
            self.running.insert(id, ActiveRun { key, context: context.clone(), is_last });
            if self.events.is_some() {
                self.note(Event::Started { run: context.clone() });
            }
            return Some(StartedRun { id, context, work });
        }
        None
    }

    /// Records that a run has finished, unless it has before. Returns the job if this was the last
    /// thing it had to do.
    pub(crate) fn finish(&mut self, id: u64, outcome: Outcome, now: Nanos) -> Option<RemovedJob> {
        let ActiveRun { key, context, is_last } = self.running.remove(&id)?;
        self.counters.finished(&outcome);
        if self.events.is_some() {
            let (job, duration) = (context.job.clone(), now.since(context.started));
            self.note(Event::Finished { run: context, outcome, duration });
            if is_last {
                self.note(Event::Exhausted { job });
            }
        }
        let details = self.jobs.get_mut(key)?.details.as_mut()?;
        if let Some(run) = details.queued.pop_front() {
            self.ready.push_back(ReadyRun { key, run });
        } else {
            details.active -= 1;
        }
        self.remove_if_done(key)
    }

    /// Removes a job that has nothing left to do.
    pub(super) fn remove_if_done(&mut self, key: Key) -> Option<RemovedJob> {
        let entry = self.jobs.get_mut(key)?;
        if entry.is_active() || !matches!(entry.state, JobState::Idle) {
            return None;
        }
        let job = entry.name(key);
        self.note(Event::Exhausted { job });
        Some(RemovedJob { _entry: self.jobs.remove(key)? })
    }
}
