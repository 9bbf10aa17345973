//! [`RecordedTask`]: the closure of a job whose runs are recorded.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use millicron_history::{HistoryThread, RunKey};

use super::JobHistory;
use super::health::Health;
use super::recorder::{Attempt, EndedAttempt, Recorder, Restart};
use crate::job::{Completion, Overlap, Policy, Retry, RunClosure, Task, Work};
use crate::run::{Outcome, RunContext, RunKind};

/// The original closure of a job that is recorded, to return it if the job is refused.
pub(super) struct SharedWork(Arc<Mutex<Work>>);

impl SharedWork {
    pub(super) fn new(work: Work) -> Self {
        Self(Arc::new(Mutex::new(work)))
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a task that calls the closure and can be cloned.
    pub(super) fn task(&self) -> Task {
        let this = Self(Arc::clone(&self.0));
        Task::new(move |context: RunContext, completion: &dyn Fn() -> Completion| {
            this.take().run(context, completion)
        })
    }

    /// Returns work of the same kind that calls another closure instead.
    pub(super) fn replaced_by(&self, recorded: RecordedClosure) -> Work {
        match &*self.lock() {
            Work::Repeat(_) => Work::Repeat(Task::new(recorded)),
            Work::Once(_) | Work::Missing => Work::Once(Box::new(
                move |context: RunContext, completion: &dyn Fn() -> Completion| {
                    recorded.begin(context, completion)
                },
            )),
        }
    }

    /// Returns the closure for one run, or to give it back.
    pub(super) fn take(&self) -> Work {
        self.lock().take()
    }
}

/// The closure of a job whose runs are recorded.
///
/// A worker asks the recorder whether an attempt may start, and waits for the answer. The timer never
/// waits for a history, and neither does a runtime: nothing waits for the end of a run to be recorded.
/// While the history fails, a worker does not wait either, unless runs may start without the history.
pub(super) struct RecordedTask {
    job: RecordedJob,
    /// Distinguishes the runs of a job from the runs of a job that has replaced it.
    serial: u64,
    retry: Option<Retry>,
    /// The run of an earlier process that this job restarts, if any.
    restart: Option<Restart>,
}

/// What a job has in common with the jobs that restart its runs.
#[derive(Clone)]
struct RecordedJob {
    name: Arc<str>,
    task: Task,
    /// Whether each run of the job waits for the previous one to end.
    is_exclusive: bool,
    recorder: HistoryThread<Recorder>,
    health: Arc<Health>,
}

impl RecordedTask {
    pub(super) fn new(
        name: Arc<str>,
        task: Task,
        serial: u64,
        policy: &Policy,
        jobs: &JobHistory,
    ) -> Arc<Self> {
        let is_exclusive = !matches!(policy.overlap, Overlap::Allow { max } if max > 1);
        let (recorder, health) = (jobs.recorder.clone(), Arc::clone(&jobs.health));
        let job = RecordedJob { name, task, is_exclusive, recorder, health };
        Arc::new(Self { job, serial, retry: policy.retry, restart: None })
    }

    /// Returns the task of a job that restarts a run.
    pub(super) fn restarted(
        &self,
        restart: Restart,
        retry: Option<Retry>,
        serial: u64,
    ) -> Arc<Self> {
        Arc::new(Self { job: self.job.clone(), serial, retry, restart: Some(restart) })
    }

    pub(super) const fn name(&self) -> &Arc<str> {
        &self.job.name
    }

    /// Returns the number of an attempt, counted across processes.
    fn attempt(&self, context: &RunContext) -> u32 {
        context.attempt.saturating_add(self.restart.map_or(0, |restart| restart.attempts))
    }

    fn key(&self, context: &RunContext) -> RunKey {
        RunKey { job: Arc::clone(&self.job.name), scheduled: context.scheduled.millis() }
    }

    fn ends_at_next_event(&self) -> bool {
        self.retry.is_some_and(|retry| retry.ends_at_next_event)
    }

    /// Starts an attempt once the recorder has recorded that it starts.
    pub(super) fn begin(self: &Arc<Self>, context: RunContext, completion: Completion) {
        // A triggered run is not an event. If it were recorded, an earlier event that has not started
        // yet would count as past after a restart.
        if context.kind == RunKind::Triggered {
            return self.job.task.begin(&context, completion);
        }
        let this = Arc::clone(self);
        let attempt = Box::new(Attempt {
            run: self.key(&context),
            serial: self.serial,
            number: self.attempt(&context),
            is_exclusive: self.job.is_exclusive,
            ends_at_next_event: self.ends_at_next_event(),
            is_given_up: false,
            token: context.token.clone(),
            completion,
            start: Box::new(move |completion| this.run(context, completion)),
            recorder: self.job.recorder.clone(),
        });
        // If the recorder panics, it drops the attempt, which ends the run.
        if self.job.health.holds_runs() {
            self.job.recorder.send(move |recorder| recorder.begin_on_worker(attempt));
        } else if let Ok(Some(attempt)) =
            self.job.recorder.call(move |recorder| recorder.begin(attempt))
        {
            attempt.start();
        }
    }

    /// Runs the job's closure, and notifies the recorder when the attempt ends.
    fn run(self: &Arc<Self>, mut context: RunContext, completion: Completion) {
        let own = context.clone();
        context.attempt = self.attempt(&context);
        let has_ended = Arc::new(AtomicBool::new(false));
        let completion = completion.intercept({
            let (this, has_ended) = (Arc::clone(self), Arc::clone(&has_ended));
            move |outcome, completion| {
                this.end(&own, outcome, completion);
                has_ended.store(true, Ordering::Release);
            }
        });
        self.job.task.begin(&context, completion);
        // A run that ends on this worker is recorded before the worker takes the next one, if the
        // history works.
        if has_ended.load(Ordering::Acquire) && !self.job.health.is_failing() {
            drop(self.job.recorder.call(|_| ()));
        }
    }

    fn end(&self, context: &RunContext, outcome: Outcome, completion: Completion) {
        let retry = self.retry.filter(|_| !outcome.is_success());
        let is_retried = retry.is_some_and(|retry| {
            let may_retry = !retry.ends_at_next_event || completion.retry_after().is_some();
            may_retry && retry.wait_after(context).is_some()
        });
        let ended = EndedAttempt {
            run: self.key(context),
            started: context.started.millis(),
            outcome,
            completion,
            is_retried,
        };
        self.job.recorder.send(move |recorder| recorder.end(ended));
    }
}

impl Drop for RecordedTask {
    fn drop(&mut self) {
        let (name, serial) = (Arc::clone(&self.job.name), self.serial);
        let restart = self.restart.map(|restart| restart.scheduled);
        self.job.recorder.send(move |recorder| recorder.job_removed(&name, serial, restart));
    }
}

/// Calls a [`RecordedTask`], whose runs outlive its job.
pub(super) struct RecordedClosure(pub(super) Arc<RecordedTask>);

impl RunClosure for RecordedClosure {
    fn begin(&self, run: RunContext, completion: &dyn Fn() -> Completion) -> Option<Outcome> {
        self.0.begin(run, completion());
        None
    }

    fn give_up(&self, run: &RunContext) {
        // The recorder does not know triggered runs, and their instants may be in the millisecond of an event.
        if run.kind == RunKind::Triggered {
            return;
        }
        let (key, serial) = (self.0.key(run), self.0.serial);
        self.0.job.recorder.send(move |recorder| recorder.given_up(&key, serial));
    }
}
