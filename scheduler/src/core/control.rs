//! What handles can do to a job: cancel, pause, resume, trigger, reschedule.

use super::{Core, JobState, PendingRun, RemovedJob};
use crate::event::{Event, SkipReason};
use crate::instant::Nanos;
use crate::panics::discard;
use crate::slots::Key;
use crate::source::EventSource;
use crate::token::CancellationToken;

/// The result of [`Core::resume`]. Dropping it runs users' code.
#[must_use]
pub(crate) struct Resumed {
    /// The job, if it has no further events.
    _removed: Option<RemovedJob>,
}

/// The result of [`Core::reschedule`]. Dropping it runs users' code.
#[must_use]
pub(crate) struct Rescheduled {
    /// The recurrence that is no longer used.
    _source: EventSource,
    /// The job, if it has no further events.
    _removed: Option<RemovedJob>,
}

/// The result of [`Core::cancel`].
#[must_use]
pub(crate) struct Cancelled {
    tokens: Vec<CancellationToken>,
    removed: Option<RemovedJob>,
}

impl Cancelled {
    /// Drops the job and cancels the tokens of its runs. Both run users' code, so the caller must
    /// not hold a lock. Returns whether the job existed.
    pub(crate) fn complete(self) -> bool {
        let Self { tokens, removed } = self;
        let existed = removed.is_some();
        discard(removed);
        for token in tokens {
            token.cancel();
        }
        existed
    }
}

impl Core {
    /// Removes a job. The tokens of its runs are yet to be cancelled.
    pub(crate) fn cancel(&mut self, key: Key) -> Cancelled {
        // A job without details is removed when its only run starts.
        let may_run = self.jobs.get_mut(key).is_none_or(|entry| entry.is_active());
        let mut tokens = Vec::new();
        if may_run {
            let running = self.running.values().filter(|running| running.key == key);
            tokens.extend(running.map(|running| running.context.token.clone()));
        }
        Cancelled { tokens, removed: self.remove(key) }
    }

    /// Removes a job, and its runs that wait for a worker.
    fn remove(&mut self, key: Key) -> Option<RemovedJob> {
        self.leave_queue(key);
        let entry = self.jobs.remove(key)?;
        let may_be_ready = matches!(entry.state, JobState::Idle) || entry.is_active();
        if self.events.is_some() {
            let has_next = !matches!(entry.state, JobState::Idle);
            let next = has_next.then(|| entry.scheduled.time());
            let queued = entry.details.iter().flat_map(|details| &details.queued);
            let searched = if may_be_ready { self.ready.len() } else { 0 };
            let ready = self.ready.range(..searched).filter(|ready| ready.key == key);
            let ready = ready.map(|ready| &ready.run);
            let due = ready.chain(queued).map(|run| run.scheduled.time()).collect();
            self.note(Event::Cancelled { job: entry.name(key), due, next });
        }
        if may_be_ready {
            self.forget_stale_runs();
        }
        Some(RemovedJob { _entry: entry })
    }

    /// Counts a removed job that may have ready runs. Removes such runs once they may be half of
    /// all ready runs, so that each removal costs little on average.
    fn forget_stale_runs(&mut self) {
        self.stale_jobs += 1;
        if self.stale_jobs > self.ready.len() / 2 {
            self.stale_jobs = 0;
            let jobs = &mut self.jobs;
            self.ready.retain(|ready| jobs.get_mut(ready.key).is_some());
        }
    }

    /// Pauses a waiting job. Returns whether it was waiting.
    pub(crate) fn pause(&mut self, key: Key) -> bool {
        if !matches!(self.state(key), Some(JobState::Waiting)) {
            return false;
        }
        self.leave_queue(key);
        self.set_state(key, JobState::Paused);
        if let Some(job) = self.name(key) {
            self.note(Event::Paused { job });
        }
        true
    }

    /// Lets a paused job wait for its first event after `now`. A job that runs once waits for the
    /// same event as before. Returns `None` if the job was not paused.
    pub(crate) fn resume(&mut self, key: Key, now: Nanos) -> Option<Resumed> {
        let Some(JobState::Paused) = self.state(key) else { return None };
        if let Some(job) = self.name(key) {
            self.note(Event::Resumed { job });
        }
        self.skip_until(key, now, SkipReason::Paused);
        self.set_state(key, JobState::Idle);
        let entry = self.jobs.get_mut(key)?;
        let first = entry.scheduled;
        let next = match entry.source() {
            Some(source) => source.next(now.max(first.pred())),
            None => Some(first),
        };
        Some(Resumed { _removed: self.wait_or_remove(key, next) })
    }

    /// Skips the events up to `now` that a waiting or paused job has not run.
    fn skip_until(&mut self, key: Key, now: Nanos, reason: SkipReason) {
        let Some(entry) = self.existing(key) else { return };
        let first = entry.scheduled;
        if let Some(source) = entry.source()
            && let Some(last) = source.last(now)
            && last >= first
            && !matches!(entry.state, JobState::Idle)
        {
            let count = source.count(first, last) + 1;
            self.skip(key, first, last, count, reason);
        }
    }

    /// Runs a job now, in addition to its events. Returns whether it will run.
    pub(crate) fn trigger(&mut self, key: Key, now: Nanos) -> bool {
        // The instant identifies the run, so no earlier run may have it.
        let details = self.jobs.get_mut(key).and_then(|entry| entry.details.as_ref());
        let latest = details.and_then(|details| details.latest);
        let scheduled = latest.map_or(now, |latest| now.max(latest.succ()));
        let run = PendingRun { scheduled, coalesced: 0 };
        match self.jobs.get_mut(key) {
            Some(entry) if !self.is_closed && entry.is_recurring() => {
                self.offer(key, scheduled, run, false)
            }
            // A job that runs once does so now instead of later.
            Some(entry) if !self.is_closed && !matches!(entry.state, JobState::Idle) => {
                self.leave_queue(key);
                let ready = self.jobs.get_mut(key).map(|entry| entry.make_ready(key, run));
                self.ready.extend(ready);
                true
            }
            _ => false,
        }
    }

    /// Replaces the recurrence of a job, from `now` on. A job that runs once does so at the first
    /// event of the new one. Returns `None` if the job does not exist.
    pub(crate) fn reschedule(
        &mut self,
        key: Key,
        source: EventSource,
        now: Nanos,
    ) -> Option<Rescheduled> {
        let state = self.state(key)?;
        let is_paused = matches!(state, JobState::Paused);
        // After the clock was set back, events that have run do not run again.
        let latest = self.jobs.get_mut(key)?.details.as_ref().and_then(|details| details.latest);
        let next = source.next(latest.map_or(now, |latest| now.max(latest)));
        let reason = if is_paused { SkipReason::Paused } else { SkipReason::Rescheduled };
        self.skip_until(key, now, reason);
        self.leave_queue(key);
        let entry = self.jobs.get_mut(key)?;
        let current = entry.details.as_mut().and_then(|details| details.source.as_mut());
        let unused = match current {
            Some(current) => std::mem::replace(current, source),
            // The only run of the job is ready or in progress.
            None if matches!(state, JobState::Idle) => {
                return Some(Rescheduled { _source: source, _removed: None });
            }
            None => source,
        };
        entry.state = JobState::Idle;
        if let Some(job) = self.name(key) {
            self.note(Event::Rescheduled { job, next: next.map(Nanos::time) });
        }
        let removed = match (next, self.jobs.get_mut(key)) {
            (Some(next), Some(entry)) if is_paused => {
                (entry.scheduled, entry.state) = (next, JobState::Paused);
                None
            }
            _ => self.wait_or_remove(key, next),
        };
        Some(Rescheduled { _source: unused, _removed: removed })
    }

    /// Waits for the next event, if there is one. Otherwise removes the job as soon as it is done.
    fn wait_or_remove(&mut self, key: Key, next: Option<Nanos>) -> Option<RemovedJob> {
        match next {
            Some(next) => {
                self.wait_for(key, next);
                None
            }
            None => self.remove_if_done(key),
        }
    }

    fn leave_queue(&mut self, key: Key) {
        if let Some(JobState::Waiting) = self.state(key)
            && let Some(&mut position) = self.jobs.tag_mut(key.slot)
        {
            self.queue.remove(position, &mut self.jobs);
        }
    }

    fn state(&mut self, key: Key) -> Option<JobState> {
        self.jobs.get_mut(key).map(|entry| entry.state)
    }

    fn set_state(&mut self, key: Key, state: JobState) {
        if let Some(entry) = self.existing(key) {
            entry.state = state;
        }
    }

    /// Returns the event that a job waits for.
    pub(crate) fn next_event(&mut self, key: Key) -> Option<Nanos> {
        let entry = self.jobs.get_mut(key)?;
        matches!(entry.state, JobState::Waiting).then_some(entry.scheduled)
    }
}
