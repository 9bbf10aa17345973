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
//! While its job is paused, a run that is ready waits, too.
//!
//! A waiting run [watches](super::runs::Watch) one of its missing runs, and is checked again when that run ends.
//! So a success is cheap, however many runs wait.
//!
//! One lock guards the history and the runs. It is released before jobs are added to the scheduler
//! or cancelled, and before runs are completed. The [leases](Leases) of runs in progress have their
//! own lock, so that a history that hangs does not delay a cancellation.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::iter;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use millicron::Recurrence as _;
use millicron_history::{HistoryThread, catch_panic};
use millicron_scheduler::{JobHandle, Retry, SchedulerHandle, Task};

use super::leases::Leases;
use super::report::{EndedRun, WaitingRun};
use super::runs::{RunKey, Runs, Watch};
use super::wait_policy::WaitPolicy;
use crate::query::plan::Plan;
use crate::query::ready::read;
use crate::timestamp::Timestamp;
use crate::{Claims, Pipeline, PipelineRun, RunQuery, error_message};

/// How many waiting runs a refresh checks before it releases the lock.
const RUNS_PER_LOCK: usize = 100;

pub(super) struct State<H> {
    pub(super) scheduler: SchedulerHandle,
    pub(super) pipeline: Pipeline,
    /// The jobs, in the order of the pipeline's jobs.
    pub(super) jobs: Vec<RunnerJob>,
    pub(super) observers: Observers,
    /// How long the history may retry a call before it fails.
    pub(super) retry_limit: Duration,
    pub(super) inner: Mutex<Inner<H>>,
    /// The thread that renews claims, if runs are claimed.
    pub(super) renewals: OnceLock<HistoryThread<Weak<Self>>>,
    /// The thread that watches their leases.
    pub(super) watch: OnceLock<HistoryThread<Arc<Leases<RunKey>>>>,
}

/// A job of a running pipeline.
#[derive(Default)]
pub(super) struct RunnerJob {
    pub(super) work: Work,
    /// How long its runs wait for the job at an index, and for any job.
    pub(super) limits: BTreeMap<Option<usize>, WaitPolicy>,
    pub(super) retry: Option<Retry>,
}

/// The work of a job. A pipeline starts only if each job has work or is external.
#[derive(Default)]
pub(super) enum Work {
    #[default]
    Unset,
    /// Work that cannot be repeated.
    Once,
    External,
    Task(Task),
}

impl RunnerJob {
    /// Returns the job's work; `None` for an external job.
    pub(super) const fn task(&self) -> Option<&Task> {
        match &self.work {
            Work::Task(task) => Some(task),
            _ => None,
        }
    }
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
    pub(super) due_jobs: Vec<JobHandle>,
    /// The last event that each of them has submitted, or the instant at which it was added, by the
    /// index of the pipeline's job.
    pub(super) submitted: BTreeMap<usize, i64>,
    /// The indices of the paused jobs.
    pub(super) paused: BTreeSet<usize>,
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
    /// Whether the history was slow to fail, so that some runs were not checked.
    pub(super) is_history_down: bool,
}

impl<H: Claims + Send + 'static> State<H> {
    /// Ignores poisoning: the only foreign code under the lock is the history and the recurrences,
    /// whose panics are caught wherever the state is inconsistent.
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner<H>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn run(&self, RunKey { scheduled, index }: RunKey) -> PipelineRun<'_> {
        PipelineRun { scheduled, job: self.pipeline.name(index) }
    }

    /// Returns the earliest run that waits, has not finished or is not submitted yet.
    pub(super) fn earliest(&self, inner: &Inner<H>) -> Option<i64> {
        let next = |(&index, &last)| self.pipeline.timeline(index).next_event(last);
        inner.submitted.iter().filter_map(next).chain(inner.runs.earliest()).min()
    }

    /// Returns the runs in a range that are not recorded.
    pub(super) fn missing(&self, since: i64, until: i64) -> Result<Vec<RunKey>, H::Error> {
        let queries = self.pipeline.jobs().map(|job| RunQuery::new(job, since..=until));
        let recorded = read(&self.lock().history, &queries.collect::<Vec<_>>())?;
        let mut plan = Plan::new(&self.pipeline.jobs, since..=until);
        let runs = iter::from_fn(|| plan.next_run());
        let runs = runs.map(|(scheduled, index)| RunKey { scheduled, index });
        let is_missing = |run: &RunKey| recorded[run.index].binary_search(&run.scheduled).is_err();
        Ok(runs.filter(is_missing).collect())
    }

    /// Renews all claims, and starts all waiting runs that are ready.
    pub(super) fn refresh(self: &Arc<Self>) {
        let is_closed = self.scheduler.is_closed();
        let mut inner = self.lock();
        if is_closed {
            // No run starts any more, so leave them to other runners.
            Self::release_idle(&mut inner);
        }
        let cancelled = Self::renew_claims(&mut inner);
        let waiting = if is_closed { Vec::new() } else { inner.runs.waiting().collect::<Vec<_>>() };
        drop(inner);
        cancel_all(cancelled);
        let mut chunks = waiting.chunks(RUNS_PER_LOCK);
        for runs in &mut chunks {
            let pending = self.activate_ready(&mut self.lock(), runs.to_vec());
            let is_history_down = pending.is_history_down;
            self.call_scheduler(pending);
            if is_history_down {
                break;
            }
        }
        let mut inner = self.lock();
        for run in chunks.flatten() {
            inner.runs.watch(*run, Watch::All);
        }
    }

    /// Returns a job and its event as text.
    pub(super) fn text(&self, key: RunKey) -> String {
        let PipelineRun { scheduled, job } = self.run(key);
        format!("`{job}` {}", Timestamp::of(self.pipeline.timeline(key.index), scheduled))
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
