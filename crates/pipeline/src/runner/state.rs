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
//! A waiting run [watches](super::runs::Watch) one of its missing runs, and is checked again when that run ends.
//! So a success is cheap, however many runs wait.
//!
//! One lock guards the history and the runs. It is released before jobs are added to the scheduler
//! or cancelled, and before runs are completed.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use millicron_history::{HistoryThread, catch_panic};
use millicron_scheduler::{JobHandle, Retry, SchedulerHandle, Task};

use super::report::{EndedRun, WaitingRun};
use super::runs::{RunClaims, RunKey, Runs};
use super::wait_policy::WaitLimit;
use crate::query::ready::Recorded;
use crate::timestamp::Timestamp;
use crate::{Claims, Pipeline, PipelineRun, QueryError, RunQuery, error_message};

/// How long a history on a server may retry a call before it fails.
const RETRY_LIMIT: Duration = Duration::from_secs(30);

pub(super) struct State<H> {
    pub(super) scheduler: SchedulerHandle,
    pub(super) pipeline: Pipeline,
    /// The jobs, in the order of the pipeline's jobs.
    pub(super) jobs: Vec<RunnerJob>,
    pub(super) observers: Observers,
    inner: Mutex<Inner<H>>,
    /// The thread that renews claims, if runs are claimed.
    pub(super) renewals: OnceLock<HistoryThread<Weak<Self>>>,
}

/// A job of a running pipeline.
pub(super) struct RunnerJob {
    /// `None` for an external job.
    pub(super) work: Option<Task>,
    /// The limits on the waits of its runs.
    pub(super) limits: Vec<WaitLimit>,
    pub(super) retry: Option<Retry>,
}

#[derive(Default)]
pub(super) struct Observers {
    /// Called when a run has ended.
    pub(super) on_end: Option<Observer<EndedRun>>,
    /// Called when a run begins to wait, or waits for a run that has failed.
    pub(super) on_wait: Option<Observer<WaitingRun>>,
}

type Observer<T> = Box<dyn Fn(&T) + Send + Sync>;

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
    pub(super) start: Vec<RunKey>,
    pub(super) cancel: Vec<JobHandle>,
    /// The waits to report to the observer.
    pub(super) waits: Vec<WaitingRun>,
}

impl<H: Claims + Send + 'static> State<H> {
    pub(super) fn new(
        scheduler: SchedulerHandle,
        pipeline: Pipeline,
        mut history: H,
        jobs: Vec<RunnerJob>,
        observers: Observers,
        claims: Option<RunClaims>,
    ) -> Self {
        history.retry_for(RETRY_LIMIT);
        let runs = Runs::new(claims);
        let inner = Inner { history, runs, due_jobs: Vec::new(), is_cancelled: false };
        let inner = Mutex::new(inner);
        Self { scheduler, pipeline, jobs, observers, inner, renewals: OnceLock::new() }
    }

    /// Ignores poisoning: the only foreign code under the lock is the history and the recurrences,
    /// whose panics are caught wherever the state is inconsistent.
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner<H>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add_due_job(&self, handle: JobHandle) {
        self.lock().due_jobs.push(handle);
    }

    pub(super) fn with_history<T>(&self, f: impl FnOnce(&mut H) -> T) -> T {
        f(&mut self.lock().history)
    }

    pub(super) fn run(&self, RunKey { scheduled, index }: RunKey) -> PipelineRun<'_> {
        PipelineRun { scheduled, job: self.pipeline.name(index) }
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

    /// Records a success, and starts the runs that it makes ready.
    pub(super) fn record(self: &Arc<Self>, run: RunKey) -> Result<(), H::Error> {
        let mut inner = self.lock();
        let PipelineRun { scheduled, job } = self.run(run);
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
            Self::release_retries(&mut inner);
        }
        let lost = Self::renew_claims(&mut inner);
        let waiting = if is_closed { Vec::new() } else { inner.runs.waiting().collect() };
        let mut pending = self.activate_ready(&mut inner, waiting);
        drop(inner);
        pending.cancel.extend(lost);
        self.call_scheduler(pending);
    }

    /// Returns a job and its event as text.
    pub(super) fn text(&self, key: RunKey) -> String {
        let PipelineRun { scheduled, job } = self.run(key);
        format!("`{job}` {}", Timestamp::of(self.pipeline.timeline(key.index), scheduled))
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
        Self::release_retries(&mut inner);
        handles.extend(inner.runs.drop_retries());
        drop(inner);
        cancel_all(handles);
    }
}

pub(super) fn cancel_all(handles: impl IntoIterator<Item = JobHandle>) {
    for handle in handles {
        handle.cancel();
    }
}

/// Calls the history or a recurrence. Returns the message of an error or a panic.
pub(super) fn call<T, E: Error + 'static>(
    call: impl FnOnce() -> Result<T, E>,
) -> Result<T, String> {
    match catch_panic(call) {
        Ok(result) => result.map_err(|error| error_message(&error)),
        Err(panic) => Err(format!("the history or a recurrence has panicked: {panic}")),
    }
}
