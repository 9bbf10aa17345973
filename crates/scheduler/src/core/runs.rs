//! The life cycle of a run: offered, ready, started, finished.

use std::time::Duration;

use slotmap::SlotMap;

use super::entry::{Entry, Removed};
use super::pending::{Dropped, PendingRun};
use super::table::Key;
use super::{Core, RemovedJob};
use crate::core::once::JobState;
use crate::core::queue::KEPT_CAPACITY;
use crate::job::{Overlap, Work};
use crate::report::{Event, SkipReason};
use crate::run::{CancellationToken, JobName, Outcome, RunContext, RunId};
use crate::time::{Nanos, Now, Timeline};

/// The runs in progress.
pub(crate) type Runs = SlotMap<RunId, ActiveRun>;

/// A run in progress.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(crate) struct ActiveRun {
    pub(super) key: Key,
    run: PendingRun,
    timeline: Timeline,
    pub(super) context: RunContext,
    /// The elapsed time when it started.
    began: Nanos,
    /// Whether the job was removed when the run started, because it had nothing else to do.
    is_last: bool,
    has_time_out: bool,
    pub(super) has_timed_out: bool,
    /// Whether the run no longer counts as in progress for its job.
    pub(super) is_abandoned: bool,
    /// Whether the job was cancelled before the run started, while the gate was asked.
    pub(super) is_cancelled: bool,
    /// The work of a run that waits for its gate, or for a worker after it.
    work: Option<Work>,
}

/// A run for a worker to execute.
pub(crate) struct StartedRun {
    /// Identifies the run, for [`Core::finish`].
    pub(crate) id: RunId,
    pub(crate) context: RunContext,
    /// `None` if the gate must be asked first.
    pub(crate) work: Option<Work>,
    /// The number of runs that wait for a worker behind it.
    #[cfg_attr(not(feature = "metrics"), expect(dead_code, reason = "a metric"))]
    pub(crate) ready: usize,
}

/// A run that has finished.
pub(crate) struct Ended {
    pub(crate) context: RunContext,
    pub(crate) outcome: Outcome,
    pub(crate) duration: Duration,
    /// Whether another attempt follows.
    #[cfg_attr(not(feature = "metrics"), expect(dead_code, reason = "a metric"))]
    pub(crate) is_retried: bool,
    /// Whether it is the first run of its job that did not succeed.
    pub(crate) is_first_failure: bool,
}

impl Core {
    /// Makes events ready, queues them behind other runs of the job, or skips them together with
    /// the events that they cover, beginning with `first`. Returns whether they will run.
    pub(super) fn offer(&mut self, key: Key, run: PendingRun, first: Nanos, last: Nanos) -> bool {
        let Some(details) = self.details(key) else { return false };
        let overlap = details.policy().overlap;
        let has_room = details.active < overlap.most();
        let may_wait = match overlap {
            Overlap::Queue { max } => details.pending.waiting() < max as u64,
            Overlap::Allow { .. } | Overlap::Skip => false,
        };
        let PendingRun { coalesced, events, .. } = run;
        if !has_room && !may_wait {
            self.skip(key, first, last, coalesced + events, SkipReason::Overlap);
            return false;
        }
        details.pending.push(run, details.source.as_ref());
        if coalesced > 0 {
            let (first, into) = (first.time(), run.scheduled.time());
            self.note_of(key, |job| Event::Coalesced { job, first, count: coalesced, into });
        }
        self.release(key);
        true
    }

    /// Makes as many runs of a job ready as may be in progress at once.
    pub(super) fn release(&mut self, key: Key) {
        while let Some(details) = self.details(key)
            && details.active < details.policy().overlap.most()
            && details.pending.release()
        {
            details.active += 1;
            let is_last = details.runs_left.as_mut().is_some_and(|left| {
                *left = left.saturating_sub(1);
                *left == 0
            });
            let dropped = if is_last { details.pending.drop_waiting() } else { Vec::new() };
            self.ready.push_back(key);
            if is_last {
                self.leave_queue(key);
                self.set_state(key, JobState::Idle);
                for Dropped { first, last, count } in dropped {
                    self.skip(key, first, last, count, SkipReason::MostRuns);
                }
            }
        }
    }

    /// Starts the next ready run, or returns one whose gate must be asked.
    pub(crate) fn start(&mut self, now: Now) -> Option<StartedRun> {
        while !self.is_closed {
            if let Some(id) = self.granted.pop_front() {
                match self.begin(id, now) {
                    Some(started) => return Some(started),
                    None => continue,
                }
            }
            let key = self.ready.pop_front()?;
            if self.ready.is_empty() {
                // Gives back the memory of a burst.
                self.ready.shrink_to(KEPT_CAPACITY);
                self.stale = 0;
            }
            let Some(id) = self.take_ready(key) else { continue };
            if self.asks_gate(key) {
                let context = self.runs.get(id)?.context.clone();
                return Some(self.started(id, context, None));
            }
            return self.begin(id, now);
        }
        None
    }

    fn asks_gate(&mut self, key: Key) -> bool {
        self.has_gate && !self.details(key).is_some_and(|job| job.policy().has_passed_gate)
    }

    /// Takes the next ready run of a job. Returns `None` if the job was cancelled since.
    fn take_ready(&mut self, key: Key) -> Option<RunId> {
        let (run, timeline, job, number, work) = match self.jobs.get_mut(key) {
            None => {
                self.stale = self.stale.saturating_sub(1);
                return None;
            }
            Some(Entry::Once(_)) => {
                let Some(Removed::Once(header, call)) = self.jobs.remove(key) else { return None };
                let run = PendingRun::new(header.kind(), header.due, header.due);
                (run, Timeline::Clock, JobName::Number(key.serial), 1, Work::Once(call))
            }
            Some(Entry::Other(details)) => {
                let Some(run) = details.pending.take() else {
                    // The recurrence is faulty: it has returned fewer events than it counted.
                    self.end_active(key);
                    return None;
                };
                for source in details.pending.unused.drain(..) {
                    self.effects.drop_later(RemovedJob::Source(source));
                }
                let number = run.number.unwrap_or(details.counts.runs + 1);
                // Retries follow elapsed time.
                let is_retry = run.attempt > 1;
                let elapsed = Timeline::Elapsed { ahead: 0 };
                let timeline = if is_retry { elapsed } else { details.timeline };
                (run, timeline, details.job_name(), number, details.work.take())
            }
        };
        let PendingRun { kind, scheduled, coalesced, attempt, .. } = run;
        // Placeholders until the run starts.
        let (started, lateness, began) = (scheduled, Duration::ZERO, Nanos(0));
        let token = CancellationToken::default();
        let context = RunContext {
            job,
            kind,
            scheduled,
            started,
            lateness,
            number,
            attempt,
            coalesced,
            token,
        };
        let id = self.runs.insert(ActiveRun {
            key,
            run,
            timeline,
            context,
            began,
            is_last: false,
            has_time_out: false,
            has_timed_out: false,
            is_abandoned: false,
            is_cancelled: false,
            work: Some(work),
        });
        if let Some(details) = self.details(key) {
            details.running.push(id);
        } else {
            self.last_runs.insert(key.serial, id);
        }
        Some(id)
    }

    /// Starts a run that need not wait any longer.
    pub(crate) fn begin(&mut self, id: RunId, now: Now) -> Option<StartedRun> {
        let run = self.runs.get_mut(id)?;
        if run.is_cancelled {
            self.refuse(id, None);
            return None;
        }
        let work = run.work.take()?;
        let is_retry = run.run.number.is_some();
        run.began = now.elapsed;
        run.context.started = now.clock;
        run.context.lateness = now.on(run.timeline).since(run.run.due);
        let key = run.key;
        if !is_retry && let Some(details) = self.jobs.get_mut(key).and_then(Entry::into_details) {
            // Other runs may have started while the gate was asked.
            details.counts.runs += 1;
            run.context.number = details.counts.runs;
        }
        let context = run.context.clone();
        self.stats.count_start(context.lateness);
        if self.events.is_some() {
            self.note(Event::Started { run: context.clone() });
        }
        if let Some(details) = self.details(key) {
            details.last_start = Some((context.scheduled, now.clock));
            if let Some(limit) = details.policy().timeout {
                self.set_time_out(id, limit, now);
                if let Some(run) = self.runs.get_mut(id) {
                    run.has_time_out = true;
                }
            }
        }
        Some(self.started(id, context, Some(work)))
    }

    fn started(&self, id: RunId, context: RunContext, work: Option<Work>) -> StartedRun {
        StartedRun { id, context, work, ready: self.ready() }
    }

    /// Records the answer of the gate for a run. If the run may start, a worker takes it next.
    pub(crate) fn answer_gate(&mut self, id: RunId, may_start: bool) {
        let Some(run) = self.runs.get(id) else { return };
        if run.is_cancelled || self.is_closed {
            // The run is dropped, like the ready runs.
            self.refuse(id, None);
        } else if may_start {
            self.granted.push_back(id);
        } else {
            self.refuse(id, Some(SkipReason::Gate));
        }
    }

    /// Takes back a run that has not started, and skips its event if there is a reason.
    fn refuse(&mut self, id: RunId, reason: Option<SkipReason>) {
        let Some(ActiveRun { key, run, context, is_last, work, .. }) = self.remove_run(id) else {
            return;
        };
        let (job, first) = (context.job, run.scheduled.time());
        // Events coalesced into the run were already reported, as was the event of a retry.
        if let Some(reason) = reason.filter(|_| run.attempt == 1) {
            self.stats.skipped += 1;
            if let Some(details) = self.details(key) {
                details.counts.skipped += 1;
            }
            let (job, last) = (job.clone(), first);
            self.note(Event::Skipped { job, first, last, count: 1, reason });
        }
        if is_last && reason.is_some() {
            self.note(Event::Exhausted { job });
        }
        if let Some(work) = work {
            self.effects.drop_later(RemovedJob::Work(work));
        }
        self.end_active(key);
    }

    /// Cancels the tokens of runs in progress. Runs that are still waiting for their gate will not
    /// start. Returns the instants of the latter.
    pub(super) fn cancel_runs(&mut self, ids: &[RunId]) -> Vec<Nanos> {
        let mut held = Vec::new();
        for id in ids {
            let Some(run) = self.runs.get_mut(*id) else { continue };
            self.effects.tokens.push(run.context.token.clone());
            if run.work.is_some() {
                run.is_cancelled = true;
                held.extend((run.run.attempt == 1).then_some(run.run.scheduled));
            }
        }
        held
    }

    /// Removes a run from the runs in progress.
    fn remove_run(&mut self, id: RunId) -> Option<ActiveRun> {
        let mut run = self.runs.remove(id)?;
        let key = run.key;
        run.is_last = !self.last_runs.is_empty() && self.last_runs.remove(&key.serial).is_some();
        if run.has_time_out && !run.has_timed_out {
            self.alarms.forget(1, &self.runs, &mut self.jobs);
        }
        if let Some(details) = self.details(key) {
            details.running.retain(|running| *running != id);
        }
        Some(run)
    }

    /// Records that a run has finished, unless that was recorded before.
    pub(crate) fn finish(&mut self, id: RunId, outcome: Outcome, now: Now) -> Option<Ended> {
        let ActiveRun { key, run, context, began, is_last, is_abandoned, work, .. } =
            self.remove_run(id)?;
        if let Some(work) = work {
            self.effects.drop_later(RemovedJob::Work(work));
        }
        let duration = now.elapsed.since(began);
        let is_success = outcome.is_success();
        self.stats.count_end(&outcome);
        let may_retry = !is_success && !is_abandoned && !self.is_closed;
        let (mut retry_after, mut is_first_failure) = (None, is_last && !is_success);
        if let Some(details) = self.details(key) {
            details.last_end = Some((now.clock, outcome.clone()));
            if !is_success {
                details.counts.failed += 1;
                is_first_failure = !std::mem::replace(&mut details.is_failure_reported, true);
            }
            if may_retry {
                retry_after = details.retry_after(&context, now);
            }
        }
        if self.events.is_some() {
            let (run, outcome) = (context.clone(), outcome.clone());
            self.note(Event::Finished { run, outcome, duration, retry_after });
            if is_last {
                self.note(Event::Exhausted { job: context.job.clone() });
            }
        }
        if let Some(wait) = retry_after {
            let attempt = run.attempt.saturating_add(1);
            let again = PendingRun { attempt, number: Some(context.number), ..run };
            self.set_retry(key, again, wait, now);
        } else if !is_abandoned {
            self.end_active(key);
        } else {
            self.remove_if_done(key);
        }
        let is_retried = retry_after.is_some();
        Some(Ended { context, outcome, duration, is_retried, is_first_failure })
    }

    /// Returns the wait until the next attempt if a run in progress fails now.
    pub(crate) fn retry_after(&mut self, id: RunId, now: Now) -> Option<Duration> {
        let run = self.runs.get_mut(id).filter(|run| !run.is_abandoned && !self.is_closed)?;
        let (key, context) = (run.key, run.context.clone());
        self.details(key)?.retry_after(&context, now)
    }

    /// Lets the next run of a job start, now that one has ended.
    pub(super) fn end_active(&mut self, key: Key) {
        let Some(details) = self.details(key) else { return };
        details.active = details.active.saturating_sub(1);
        if details.pending.waiting() > 0 {
            self.release(key);
        }
        self.remove_if_done(key);
    }

    /// Removes a job that has nothing left to do.
    pub(super) fn remove_if_done(&mut self, key: Key) {
        let Some(details) = self.details(key) else { return };
        let is_done = details.active == 0
            && details.state == JobState::Idle
            && details.pending.is_empty()
            && details.running.is_empty();
        if is_done {
            self.note_of(key, |job| Event::Exhausted { job });
            self.take_out(key);
        }
    }
}
