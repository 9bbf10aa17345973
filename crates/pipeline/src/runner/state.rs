//! [`State`]: starts the runs of a pipeline when they are ready, and records them.
//!
//! ```text
//!    due, submitted ──▶ is it ready? ──yes──▶ active ──▶ it ends ──▶ recorded
//!                         │ no   ▲               │           │
//!                         ▼      └─ does it watch this? ◀────┘
//!                      waiting ◀── claimed by another runner
//!                         └── its wait policy ends ──▶ active, failed or skipped
//! ```
//!
//! A waiting run [watches](Watch) one of its missing runs, and is checked again when that run ends.
//! So a success is cheap, however many runs wait.
//!
//! One lock guards the history and the runs. It is released before jobs are added to the scheduler
//! or cancelled, and before runs are completed.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use millicron::Recurrence;
use millicron_scheduler::{
    Completion, Job, JobHandle, Outcome, Retry, RunContext, SchedulerHandle, Task,
};

use super::runs::{RunKey, Runs, Watch};
use super::sharing::{ClaimStep, Sharing};
use super::waiting::{EndedRun, WaitLimit, WaitingRun};
use crate::query::ready::Recorded;
use crate::timestamp::Timestamp;
use crate::{
    History, Pipeline, QueryError, Readiness, Reason, Run, RunQuery, Waiting, error_message,
};

pub(super) struct State<H> {
    pub(super) scheduler: SchedulerHandle,
    pub(super) pipeline: Pipeline,
    /// The work of each job; `None` for external jobs.
    work: Vec<Option<Task>>,
    pub(super) settings: RunnerSettings<H>,
    inner: Mutex<Inner<H>>,
    /// Ends the thread that renews claims when dropped.
    _renewals: Sender<()>,
}

/// The settings of a running pipeline.
pub(super) struct RunnerSettings<H> {
    /// The limits on each job's waits.
    pub(super) limits: Vec<Vec<WaitLimit>>,
    /// The retry policy of each job.
    pub(super) retries: Vec<Option<Retry>>,
    /// `None` if runs are not claimed.
    pub(super) sharing: Option<Sharing<H>>,
    pub(super) on_end: Option<EndObserver>,
    pub(super) on_wait: Option<WaitObserver>,
}

/// A function that is called when a run has ended.
pub(super) type EndObserver = Arc<dyn Fn(&EndedRun) + Send + Sync>;

/// A function that is called when a run begins to wait, or waits for a run that has failed.
pub(super) type WaitObserver = Arc<dyn Fn(&WaitingRun) + Send + Sync>;

pub(super) struct Inner<H> {
    pub(super) history: H,
    pub(super) runs: Runs,
    /// The scheduler's jobs that make runs due.
    due_jobs: Vec<JobHandle>,
    pub(super) is_cancelled: bool,
}

/// Calls to make after the lock is released.
#[derive(Default)]
#[must_use]
pub(super) struct PendingCalls {
    start: Vec<RunKey>,
    pub(super) cancel: Vec<JobHandle>,
    /// The waits to report to the observer.
    waits: Vec<WaitingRun>,
}

/// Which recorded runs not to submit.
#[derive(Clone, Copy)]
pub(super) enum Unless {
    Never,
    Ended,
}

/// What a run does when a worker takes it.
pub(super) enum Step {
    Work,
    /// Gives up the run, and records it as failed.
    GiveUp(String),
    /// Fails the run without recording it, because the history failed.
    Refuse(String),
}

/// The result of checking a run.
enum CheckResult {
    Ready,
    Waiting(Vec<Watch>),
    /// The history failed, with this message.
    Failed(String),
}

impl<H: History + Send + 'static> State<H> {
    pub(super) fn new(
        scheduler: SchedulerHandle,
        pipeline: Pipeline,
        history: H,
        work: Vec<Option<Task>>,
        settings: RunnerSettings<H>,
        renewals: Sender<()>,
    ) -> Self {
        let runs = Runs::default();
        let inner = Inner { history, runs, due_jobs: Vec::new(), is_cancelled: false };
        let inner = Mutex::new(inner);
        Self { scheduler, pipeline, work, settings, inner, _renewals: renewals }
    }

    /// Ignores poisoning: the only foreign code under the lock is the history and the recurrences,
    /// whose panics are caught wherever the state is inconsistent.
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner<H>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn jobs_with_work(&self) -> Vec<usize> {
        let work = self.work.iter().enumerate();
        work.filter_map(|(index, work)| work.as_ref().map(|_| index)).collect()
    }

    pub(super) fn add_due_job(&self, handle: JobHandle) {
        self.lock().due_jobs.push(handle);
    }

    pub(super) fn with_history<T>(&self, f: impl FnOnce(&mut H) -> T) -> T {
        f(&mut self.lock().history)
    }

    pub(super) fn run(&self, RunKey { scheduled, index }: RunKey) -> Run<'_> {
        Run { scheduled, job: self.pipeline.name(index) }
    }

    /// Returns the runs in a range that are not recorded.
    pub(super) fn missing(&self, since: i64, until: i64) -> Result<Vec<RunKey>, H::Error> {
        let jobs: Vec<&str> = self.pipeline.jobs().collect();
        let queries = jobs.iter().map(|job| RunQuery::new(job, since..=until));
        let recorded = Recorded::read(&self.lock().history, &queries.collect::<Vec<_>>())?;
        let mut missing = Vec::new();
        for run in self.pipeline.plan_millis(since..=until) {
            let index = self.pipeline.index(run.job);
            debug_assert!(index.is_some(), "a plan contains only jobs of its pipeline");
            if let Some(index) = index
                && recorded.of(index).binary_search(&run.scheduled).is_err()
            {
                missing.push(RunKey { scheduled: run.scheduled, index });
            }
        }
        Ok(missing)
    }

    /// Checks whether a run is ready.
    fn check(&self, run: RunKey, history: &H) -> CheckResult {
        let Run { scheduled, job } = self.run(run);
        let check = || match self.pipeline.ready(job, scheduled, history) {
            Ok(Readiness::Ready) => CheckResult::Ready,
            Ok(Readiness::Waiting(waiting)) => {
                let mut watches = Vec::new();
                self.watch(&waiting, &mut watches);
                CheckResult::Waiting(watches)
            }
            Err(error) => CheckResult::Failed(error_message(&error)),
        };
        catch_panic(check).unwrap_or_else(CheckResult::Failed)
    }

    /// Collects what must succeed before a wait can end: the first of several reasons, and one
    /// reason for each alternative.
    fn watch(&self, waiting: &Waiting<'_>, watches: &mut Vec<Watch>) {
        let (job, scheduled) = match waiting.reasons().first() {
            Some(Reason::AnyOf(alternatives)) => {
                for alternative in alternatives {
                    self.watch(alternative, watches);
                }
                return;
            }
            Some(Reason::Latest { job, .. }) => (*job, None),
            Some(Reason::Last { job, scheduled, .. }) => (*job, Some(*scheduled)),
            Some(Reason::Runs { job, missing, needed }) => {
                let first = missing.ranges().first().map(|range| range.first);
                // If only some of the runs are needed, it may be any of them.
                (*job, first.filter(|_| *needed == missing.count()))
            }
            None => {
                debug_assert!(false, "a run waits for a reason");
                return;
            }
        };
        let index = self.pipeline.index(job);
        debug_assert!(index.is_some(), "a reason names a job of the pipeline");
        watches.extend(index.map(|index| Watch { index, scheduled }));
    }

    /// Starts a run, or makes it wait. Returns whether the run was accepted.
    pub(super) fn submit(self: &Arc<Self>, run: RunKey, unless: Unless) -> bool {
        let mut inner = self.lock();
        if inner.runs.contains(run) || inner.is_cancelled || self.work[run.index].is_none() {
            return false;
        }
        let Run { scheduled, job } = self.run(run);
        let state = || inner.history.state(job, scheduled).ok().flatten();
        // If the history fails, the check of the run finds that.
        let has_ended = || catch_panic(state).is_ok_and(|state| state.is_some());
        let is_done = matches!(unless, Unless::Ended) && has_ended();
        if is_done {
            return false;
        }
        let step = match self.check(run, &inner.history) {
            CheckResult::Waiting(watches) => {
                inner.runs.wait(run, watches);
                let waits = self.observed_wait(&inner, run);
                drop(inner);
                self.report_waits(waits);
                self.limit_wait(run);
                return true;
            }
            CheckResult::Ready => Step::Work,
            CheckResult::Failed(message) => Step::Refuse(message),
        };
        inner.runs.add_active(run);
        drop(inner);
        self.start(run, step)
    }

    /// Returns what a run waits for; `None` if it is ready.
    pub(super) fn waiting_for(
        &self,
        run: RunKey,
        history: &H,
    ) -> Result<Option<Waiting<'_>>, String> {
        let Run { scheduled, job } = self.run(run);
        let ready = || self.pipeline.ready(job, scheduled, history);
        let readiness = catch_panic(ready)?.map_err(|error| error_message(&error))?;
        Ok(readiness.waiting())
    }

    /// Hands an active run to the scheduler. Returns whether the scheduler accepted it.
    pub(super) fn start(self: &Arc<Self>, run: RunKey, step: Step) -> bool {
        let state = Arc::clone(self);
        let retry = match step {
            Step::Work => self.settings.retries[run.index],
            Step::GiveUp(_) | Step::Refuse(_) => None,
        };
        let job = Job::deferred(move |context, completion| match &step {
            Step::Work => state.begin(run, &context, completion),
            Step::GiveUp(reason) => state.give_up(run, reason, completion),
            Step::Refuse(reason) => state.refuse(run, reason.clone(), completion),
        });
        let job = job.name(self.pipeline.name(run.index));
        let job = match retry {
            Some(retry) => job.retry(retry),
            None => job,
        };
        let handle = system_time(run.scheduled)
            .and_then(|instant| self.scheduler.once_job_beyond_capacity(instant, job).ok());
        let mut inner = self.lock();
        let Some(handle) = handle else {
            inner.runs.finish(run);
            return false;
        };
        let unused = inner.runs.set_handle(run, handle);
        drop(inner);
        // The run has ended and is not retried.
        cancel_all(unused);
        true
    }

    /// Starts the work of a run, on a worker of the scheduler.
    fn begin(self: &Arc<Self>, run: RunKey, context: &RunContext, completion: Completion) {
        let mut inner = self.lock();
        let work = self.work[run.index].clone().filter(|_| !inner.is_cancelled);
        let Some(work) = work else {
            drop(inner);
            return self.refuse(run, "the pipeline was cancelled".to_string(), completion);
        };
        match self.claim(&mut inner, run) {
            ClaimStep::Granted => drop(inner),
            ClaimStep::Failed(error) => {
                drop(inner);
                return self.refuse(run, format!("cannot claim the run: {error}"), completion);
            }
            elsewhere => {
                let pending = self.leave(&mut inner, run, &elsewhere);
                drop(inner);
                self.call_scheduler(pending);
                return completion.finish(Outcome::Succeeded);
            }
        }
        let (state, context_of_end) = (Arc::clone(self), context.clone());
        work.begin(
            context,
            completion.intercept(move |outcome, completion| {
                state.end_attempt(run, &context_of_end, outcome, completion);
            }),
        );
    }

    /// Records a success, and starts the runs that it makes ready.
    pub(super) fn record(self: &Arc<Self>, run: RunKey) -> Result<(), H::Error> {
        let mut inner = self.lock();
        let Run { scheduled, job } = self.run(run);
        inner.history.record(job, scheduled)?;
        let pending = self.recheck(&mut inner, run);
        drop(inner);
        self.call_scheduler(pending);
        Ok(())
    }

    /// Renews all claims, and starts all waiting runs that are ready.
    pub(super) fn refresh(self: &Arc<Self>) {
        let is_closed = self.scheduler.is_closed();
        let mut inner = self.lock();
        if is_closed {
            // No run starts any more, so leave them to other runners.
            self.release_retries(&mut inner);
        }
        let lost = self.renew_claims(&mut inner);
        let waiting = if is_closed { Vec::new() } else { inner.runs.waiting().collect() };
        let mut pending = self.activate_ready(&mut inner, waiting);
        drop(inner);
        pending.cancel.extend(lost);
        self.call_scheduler(pending);
    }

    /// Activates the waiting runs that the end of a run has made ready.
    pub(super) fn recheck(&self, inner: &mut Inner<H>, ended: RunKey) -> PendingCalls {
        let affected = inner.runs.affected_by(ended);
        self.activate_ready(inner, affected)
    }

    /// Activates the ready runs among some waiting runs.
    fn activate_ready(&self, inner: &mut Inner<H>, runs: Vec<RunKey>) -> PendingCalls {
        let mut pending = PendingCalls::default();
        for run in runs {
            // A run may be listed twice if it watches two successes.
            if !inner.runs.is_waiting(run) {
                continue;
            }
            match self.check(run, &inner.history) {
                CheckResult::Ready if inner.runs.is_held(run) => {
                    if self.take_over(inner, run) {
                        pending.start.push(run);
                    }
                }
                CheckResult::Ready => {
                    pending.cancel.extend(inner.runs.activate(run));
                    pending.start.push(run);
                }
                CheckResult::Waiting(watches) => {
                    inner.runs.wait(run, watches);
                    let wait = self.observed_wait(inner, run);
                    pending.waits.extend(wait.filter(|wait| wait.failed.is_some()));
                }
                CheckResult::Failed(_) => {
                    inner.runs.mark_unchecked(run);
                }
            }
        }
        pending
    }

    pub(super) fn call_scheduler(self: &Arc<Self>, pending: PendingCalls) {
        let PendingCalls { start, cancel, waits } = pending;
        self.report_waits(waits);
        cancel_all(cancel);
        for run in start {
            self.start(run, Step::Work);
        }
    }

    /// Returns a job and its event as text.
    pub(super) fn text(&self, key: RunKey) -> String {
        let Run { scheduled, job } = self.run(key);
        format!("`{job}` {}", Timestamp::of(self.pipeline.events(key.index), scheduled))
    }

    pub(super) fn prune(&self, at: i64) -> Result<(), QueryError<H::Error>> {
        let mut inner = self.lock();
        let first = inner.runs.waiting().next().map_or(at, |run| run.scheduled.min(at));
        self.pipeline.prune(first, &mut inner.history)
    }

    pub(super) fn cancel(&self) {
        let mut inner = self.lock();
        inner.is_cancelled = true;
        let mut handles = std::mem::take(&mut inner.due_jobs);
        handles.extend(inner.runs.drop_waiting());
        handles.extend(self.drop_retries(&mut inner));
        drop(inner);
        cancel_all(handles);
    }
}

pub(super) fn cancel_all(handles: impl IntoIterator<Item = JobHandle>) {
    for handle in handles {
        handle.cancel();
    }
}

/// Calls a method of the history, and turns a panic into an error message.
pub(super) fn catch_panic<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| {
        // Dropping the payload may panic as well.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(panic);
        }
        "the history or a recurrence panicked".to_string()
    })
}

/// The events of a job of a running pipeline.
pub(super) struct DueEvents<H> {
    pub(super) state: Arc<State<H>>,
    pub(super) index: usize,
}

impl<H: Send + 'static> Recurrence for DueEvents<H> {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.state.pipeline.events(self.index).next_event(instant)
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        self.state.pipeline.events(self.index).nearest_prev_event(instant)
    }

    fn count(&self, range: RangeInclusive<i64>) -> u64 {
        self.state.pipeline.events(self.index).count(range)
    }
}

/// Returns the instant of an event; `None` if the platform cannot represent it.
pub(super) fn system_time(event: i64) -> Option<SystemTime> {
    let distance = Duration::from_millis(event.unsigned_abs());
    if event < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    }
}
