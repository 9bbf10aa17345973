//! [`State`]: starts the runs of a pipeline when they are ready, and records them.
//!
//! ```text
//!    due, submitted ──▶ is it ready? ──yes──▶ active ──▶ it succeeds ──▶ recorded
//!                         │ no   ▲                          │
//!                         ▼      └── does it watch this? ◀──┘
//!                      waiting ── its wait policy ends ──▶ active, or failed
//! ```
//!
//! A run that waits [watches](Watch) one of the runs that it misses, and is checked again when that
//! one succeeds. So a success costs little, however many runs wait.
//!
//! One lock guards the history and what waits. It is released before jobs are added to the scheduler
//! or cancelled, and before runs are completed.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use std::error::Error;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use millicron::Recurrence;
use millicron_scheduler::{Completion, Job, JobHandle, Outcome, RunContext, SchedulerHandle, Task};

use super::runs::{RunKey, Runs, Watch};
use super::waiting::{WaitPolicy, WaitingRun};
use crate::timestamp::Timestamp;
use crate::{History, Pipeline, Readiness, Reason, Run, RunState, Waiting};

pub(super) struct State<H> {
    pub(super) scheduler: SchedulerHandle,
    pub(super) pipeline: Pipeline,
    /// The work of each job; `None` for external jobs.
    work: Vec<Option<Task>>,
    wait_policy: WaitPolicy,
    inner: Mutex<Inner<H>>,
}

struct Inner<H> {
    history: H,
    runs: Runs,
    /// The jobs that make runs due.
    due_jobs: Vec<JobHandle>,
    is_cancelled: bool,
}

/// Calls of the scheduler to make after the lock is released.
#[derive(Default)]
#[must_use]
struct PendingCalls {
    start: Vec<RunKey>,
    cancel: Vec<JobHandle>,
}

/// Which recorded runs are not submitted.
#[derive(Clone, Copy)]
pub(super) enum Unless {
    Never,
    Ended,
    Succeeded,
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
        wait_policy: WaitPolicy,
    ) -> Self {
        let runs = Runs::default();
        let inner = Inner { history, runs, due_jobs: Vec::new(), is_cancelled: false };
        Self { scheduler, pipeline, work, wait_policy, inner: Mutex::new(inner) }
    }

    /// Ignores poisoning: the foreign code under the lock is the history and the recurrences, whose panics are
    /// caught wherever the state is inconsistent.
    fn lock(&self) -> MutexGuard<'_, Inner<H>> {
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

    fn run(&self, RunKey { scheduled, index }: RunKey) -> Run<'_> {
        Run { scheduled, job: self.pipeline.name(index) }
    }

    /// Returns the runs in a range that have not succeeded.
    pub(super) fn missing(&self, since: i64, until: i64) -> Result<Vec<RunKey>, H::Error> {
        let inner = self.lock();
        let mut missing = Vec::new();
        for run in self.pipeline.plan_millis(since..=until) {
            let index = self.pipeline.index(run.job);
            debug_assert!(index.is_some(), "a plan contains only jobs of its pipeline");
            if let Some(index) = index
                && inner.history.state(run.job, run.scheduled)? != Some(RunState::Succeeded)
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
            Err(error) => CheckResult::Failed(message(&error)),
        };
        catch_panic(check).unwrap_or_else(CheckResult::Failed)
    }

    /// Collects what must succeed before a wait can end: of several reasons the first, of
    /// alternatives one of each.
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
                // If some runs are enough, it may be any of them.
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
        let is_done = match unless {
            Unless::Never => false,
            // A history that fails is found when the run is checked.
            Unless::Ended => catch_panic(state).is_ok_and(|state| state.is_some()),
            Unless::Succeeded => {
                catch_panic(state).is_ok_and(|state| state == Some(RunState::Succeeded))
            }
        };
        if is_done {
            return false;
        }
        let failure = match self.check(run, &inner.history) {
            CheckResult::Waiting(watches) => {
                inner.runs.wait(run, watches);
                drop(inner);
                self.limit_wait(run);
                return true;
            }
            CheckResult::Ready => None,
            CheckResult::Failed(message) => Some(message),
        };
        inner.runs.add_active(run);
        drop(inner);
        self.start(run, failure)
    }

    /// Adds a job that ends a wait, if the wait policy limits it.
    fn limit_wait(self: &Arc<Self>, run: RunKey) {
        let (WaitPolicy::FailAfter(limit) | WaitPolicy::StartAfter(limit)) = self.wait_policy
        else {
            return;
        };
        let Some(end) = self.scheduler.now().checked_add(limit) else { return };
        let state = Arc::clone(self);
        let job = Job::once(move |_| state.end_wait(run));
        let Ok(handle) = self.scheduler.once_job_beyond_capacity(end, job) else { return };
        let unused = self.lock().runs.set_timeout(run, handle);
        if let Some(handle) = unused {
            handle.cancel();
        }
    }

    /// Starts or fails a run that has waited as long as the wait policy allows.
    fn end_wait(self: &Arc<Self>, run: RunKey) {
        let mut inner = self.lock();
        if !inner.runs.is_waiting(run) {
            return;
        }
        let failure = match self.wait_policy {
            WaitPolicy::FailAfter(limit) => {
                let reason = self.reason(run, &inner.history);
                reason.map(|reason| format!("waited {limit:?} for {reason}"))
            }
            WaitPolicy::StartAfter(_) => None,
            WaitPolicy::Forever => {
                debug_assert!(false, "only a limited wait ends");
                None
            }
        };
        inner.runs.activate(run);
        drop(inner);
        self.start(run, failure);
    }

    /// Returns what a run waits for; `None` if it is ready.
    fn reason(&self, run: RunKey, history: &H) -> Option<String> {
        let Run { scheduled, job } = self.run(run);
        let reason = || match self.pipeline.ready(job, scheduled, history) {
            Ok(readiness) => readiness.waiting().map(|waiting| waiting.to_string()),
            Err(error) => Some(message(&error)),
        };
        catch_panic(reason).unwrap_or_else(Some)
    }

    /// Hands an active run to the scheduler, where it fails if there is a failure. Returns whether
    /// the scheduler accepted it.
    fn start(self: &Arc<Self>, run: RunKey, failure: Option<String>) -> bool {
        let state = Arc::clone(self);
        let job = Job::deferred(move |context, completion| match &failure {
            Some(failure) => state.finish(run, Outcome::Failed(failure.clone()), completion),
            None => state.begin(run, &context, completion),
        });
        let job = job.name(self.pipeline.name(run.index));
        let is_accepted = system_time(run.scheduled)
            .and_then(|instant| self.scheduler.once_job_beyond_capacity(instant, job).ok())
            .is_some();
        if !is_accepted {
            self.lock().runs.finish(run);
        }
        is_accepted
    }

    /// Starts the work of a run, on a worker of the scheduler.
    fn begin(self: &Arc<Self>, run: RunKey, context: &RunContext, completion: Completion) {
        let work = self.work[run.index].clone().filter(|_| !self.lock().is_cancelled);
        let Some(work) = work else {
            let outcome = Outcome::Failed("the pipeline was cancelled".to_string());
            return self.finish(run, outcome, completion);
        };
        let state = Arc::clone(self);
        work.begin(
            context,
            completion.intercept(move |outcome, completion| {
                state.finish(run, outcome, completion);
            }),
        );
    }

    /// Records the outcome of a run. The runs that it makes ready are handed to the scheduler before
    /// the run is completed, so that the scheduler is never idle in between.
    fn finish(self: &Arc<Self>, run: RunKey, outcome: Outcome, completion: Completion) {
        let mut inner = self.lock();
        let recorded = match outcome {
            Outcome::Succeeded => {
                let Run { scheduled, job } = self.run(run);
                let record = || inner.history.record(job, scheduled);
                catch_panic(record).and_then(|recorded| recorded.map_err(|error| message(&error)))
            }
            _ => Ok(()),
        };
        inner.runs.finish(run);
        let outcome = match (outcome, recorded) {
            (Outcome::Succeeded, Ok(())) => {
                let pending = self.recheck(&mut inner, run);
                drop(inner);
                self.call_scheduler(pending);
                Outcome::Succeeded
            }
            (outcome, recorded) => {
                drop(inner);
                let failed =
                    recorded.map_err(|error| format!("cannot record the success: {error}"));
                failed.map_or_else(Outcome::Failed, |()| outcome)
            }
        };
        completion.finish(outcome);
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

    /// Starts all waiting runs that are ready.
    pub(super) fn refresh(self: &Arc<Self>) {
        let mut inner = self.lock();
        let waiting = inner.runs.waiting().collect();
        let pending = self.activate_ready(&mut inner, waiting);
        drop(inner);
        self.call_scheduler(pending);
    }

    /// Activates the waiting runs that a success has made ready.
    fn recheck(&self, inner: &mut Inner<H>, succeeded: RunKey) -> PendingCalls {
        let affected = inner.runs.affected_by(succeeded);
        self.activate_ready(inner, affected)
    }

    /// Activates those of some waiting runs that are ready.
    fn activate_ready(&self, inner: &mut Inner<H>, runs: Vec<RunKey>) -> PendingCalls {
        let mut pending = PendingCalls::default();
        for run in runs {
            // A run may be listed twice, if it watches two successes.
            if !inner.runs.is_waiting(run) {
                continue;
            }
            match self.check(run, &inner.history) {
                CheckResult::Ready => {
                    pending.cancel.extend(inner.runs.activate(run));
                    pending.start.push(run);
                }
                CheckResult::Waiting(watches) => {
                    inner.runs.wait(run, watches);
                }
                CheckResult::Failed(_) => {
                    inner.runs.mark_unchecked(run);
                }
            }
        }
        pending
    }

    fn call_scheduler(self: &Arc<Self>, PendingCalls { start, cancel }: PendingCalls) {
        for handle in cancel {
            handle.cancel();
        }
        for run in start {
            self.start(run, None);
        }
    }

    pub(super) fn waiting(&self) -> Vec<WaitingRun> {
        let inner = self.lock();
        let waiting = inner.runs.waiting().filter_map(|key| {
            let run = self.run(key);
            let reason = self.reason(key, &inner.history);
            Some(WaitingRun {
                job: run.job.to_string(),
                scheduled: system_time(run.scheduled)?,
                // Another process may have recorded the success that the run waited for.
                reason: reason.unwrap_or_else(|| "a refresh".to_string()),
                run: format!(
                    "`{}` {}",
                    run.job,
                    Timestamp::of(self.pipeline.events(key.index), run.scheduled)
                ),
            })
        });
        waiting.collect()
    }

    pub(super) fn cancel(&self) {
        let mut inner = self.lock();
        inner.is_cancelled = true;
        let mut handles = std::mem::take(&mut inner.due_jobs);
        handles.extend(inner.runs.drop_waiting());
        drop(inner);
        for handle in handles {
            handle.cancel();
        }
    }
}

/// Returns an error and its causes as text.
fn message(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        message = format!("{message}: {error}");
        source = error.source();
    }
    message
}

/// Calls a method of the history, and turns a panic into an error message.
fn catch_panic<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| {
        // The drop of the payload may panic as well.
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
fn system_time(event: i64) -> Option<SystemTime> {
    let distance = Duration::from_millis(event.unsigned_abs());
    if event < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    }
}
