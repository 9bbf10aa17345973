//! [`JobHistory`]: jobs that remember their runs across restarts of the process.

mod event;
mod health;
mod recorder;
mod settings;
mod store;
mod task;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millicron::IntoRecurrence;
use millicron_history::{Claims, HistoryThread};

use self::event::time;
pub use self::event::{HistoryEvent, RecordedRun};
use self::health::Health;
use self::recorder::{Known, Recorder, Restart};
use self::settings::Settings;
pub use self::settings::{HistoryFailure, Keep};
use self::task::{RecordedClosure, RecordedTask, SharedWork};
use crate::error::{AddError, AddErrorKind, HistoryError};
use crate::job::{CutOff, Job, Policy, SetBack, Task, Work};
use crate::scheduler::{JobHandle, SchedulerHandle};
use crate::time::Nanos;

/// Adds jobs whose runs are remembered across restarts of the process.
///
/// Each run of a job is recorded in a [history](millicron_history) before it starts, and again when it
/// ends. When the job is added after a restart:
///
/// - Events that passed meanwhile follow the job's [policy](Job::missed) for missed events, as with
///   [`Job::since`]. An event that has already started does not start again.
/// - A run that was cut off, because the process was killed or crashed, is
///   [reported](HistoryEvent::CutOff). It is recorded as failed or, depending on the job's
///   [setting](Job::cut_off), restarted.
///
/// A later process recognizes a job by its name. Jobs that have no name, or
/// [share](Job::share_name) one, are therefore refused.
///
/// ```
/// use std::time::Duration;
///
/// use millicron::schedule;
/// use millicron_scheduler::{CutOff, Job, JobHistory, MemoryHistory, Missed, Scheduler};
///
/// # let history = MemoryHistory::new();
/// // In a program: `let history = SqliteHistory::open("jobs.sqlite")?;`
/// let scheduler = Scheduler::new()?;
/// let jobs = JobHistory::new(&scheduler, history)?;
///
/// let report = Job::new(|run| println!("{:?}, attempt {}", run.scheduled(), run.attempt()))
///     .name("report")
///     .missed(Missed::All { max: 24 })
///     .cut_off(CutOff::Restart { most: 3 });
/// jobs.add_job(schedule!("*:00:00"), report)?;
///
/// assert_eq!(jobs.last_run("report")?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What is recorded
///
/// A record contains the scheduled instant in milliseconds, when the run started and ended, how it
/// ended, and the number of its attempts. A run that waits for its next [attempt](Job::retry) has not
/// ended. [Triggered](JobHandle::trigger_now) runs are not recorded, since they are not events.
/// [`JobHistoryBuilder::keep`] sets which records are kept.
///
/// The events of a new job count from the instant at which it was first added, or from its
/// [`Job::since`]. If the last record is later than now, because the clock was set back, the job waits
/// until the clock has passed it. This is [reported](HistoryEvent::Ahead). An interval measures elapsed time only
/// within a process: after a restart, it continues from its last record by the clock, so the time for which the machine
/// slept counts as if the process had not run.
///
/// Events that are skipped because of an [overlap](Job::overlap), a [gate](crate::Gate) or a
/// [pause](JobHandle::pause) are not recorded. If the process ends before a later event of the job has
/// started, they count as missed after the restart, and may then run.
///
/// # Guarantees
///
/// Each event starts at most once, and with [`CutOff::Restart`] at least once, unless its job's
/// policies skip it. If the process is killed after a start is recorded but before the run starts, the
/// run counts as cut off. With [`Overlap::Allow`](crate::Overlap::Allow), runs of a job that start
/// within microseconds of each other may do so in any order: if the process is killed just then, an
/// event is lost if only a later one was recorded.
///
/// So that no event starts twice, [`SetBack::Repeat`](crate::SetBack::Repeat) has no effect: after the
/// clock was set back, the job waits until it has caught up, as with
/// [`SetBack::Wait`](crate::SetBack::Wait). If you end this wait with [`JobHandle::reschedule`], events
/// whose records have been removed may start again.
///
/// # One process
///
/// Two processes may share a history if their [owners](JobHistoryBuilder::owner) differ or they have no
/// job in common. Otherwise, a new process assumes that the other's runs in progress were cut off, and
/// with [`CutOff::Restart`] starts them a second time. Let the old process end before the new one
/// starts. To run the same jobs in several processes at once, use the crate `millicron-apalis`.
///
/// # Removed jobs
///
/// A run that was cut off is settled when its job is added. If a new version of the program no longer
/// has the job, or uses another [owner](JobHistoryBuilder::owner), the run stays in
/// [`started_runs`](Claims::started_runs) of the history. To settle such runs, record them as failed
/// before you start the `JobHistory`:
///
/// ```
/// use millicron_scheduler::{Claims, History as _, MemoryHistory, RunState};
///
/// # let mut history = MemoryHistory::new();
/// for run in history.started_runs()? {
///     if &*run.owner == "scheduler" && &*run.claim.job == "former name" {
///         history.record_claimed(&run.claim, RunState::Failed)?;
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Threads
///
/// One thread reads and writes the history. A worker waits for it before a run starts, as does a
/// thread that adds a job. The timer and async runtimes never wait for it.
///
/// A call that fails is retried. With [`HistoryFailure::Hold`], workers do not wait for the history
/// once a call has failed, until one succeeds.
#[derive(Clone, Debug)]
pub struct JobHistory {
    scheduler: SchedulerHandle,
    recorder: HistoryThread<Recorder>,
    health: Arc<Health>,
    serials: Arc<AtomicU64>,
}

impl JobHistory {
    /// Records the jobs of a scheduler in a history, with default settings.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system cannot start the thread.
    pub fn new(
        scheduler: impl AsRef<SchedulerHandle>,
        history: impl Claims + Send + 'static,
    ) -> io::Result<Self> {
        Self::builder().start(scheduler, history)
    }

    /// Returns a builder, to choose which runs are kept and what happens if the history fails.
    pub fn builder() -> JobHistoryBuilder {
        JobHistoryBuilder { settings: Settings::default() }
    }

    /// Runs a [`Job`] at each event after the last one that has started, in this process or an earlier
    /// one. A new job begins with the first event after now; see
    /// [`Scheduler::add_job`](crate::SchedulerHandle::add_job).
    ///
    /// Settles the job's runs that were cut off: reports them, and records them as failed or restarts
    /// them. Other events of the job may have to [wait](Job::cut_off) for these.
    ///
    /// # Errors
    ///
    /// See [`AddError`]. The error gives the job back.
    pub fn add_job(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        job: Job,
    ) -> Result<JobHandle, AddError> {
        let Some(name) = job.name.clone() else {
            return Err(AddError::new(AddErrorKind::Unnamed, job));
        };
        let policy = job.policy().clone();
        if policy.shares_name {
            return Err(AddError::new(AddErrorKind::SharedName, job));
        }
        if matches!(job.work, Work::Missing) {
            return self.scheduler.add_job(recurrence, job);
        }
        // A closure that runs once may already have been consumed by the run that was cut off.
        let is_once = matches!(job.work, Work::Once(_));
        let cut_off = if is_once { CutOff::Fail } else { policy.cut_off };
        let since = policy.since.map(Nanos::millis);
        let added = Arc::clone(&name);
        let known = match self.call(move |recorder| recorder.add(&added, since, cut_off)) {
            Ok(known) => known,
            Err(error) => return Err(AddError::new(AddErrorKind::History(error), job)),
        };
        self.add_known(recurrence, job, &policy, known, name)
    }

    /// Adds a job, given what the history knows about it, and restarts its runs that were cut off.
    fn add_known(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        job: Job,
        policy: &Policy,
        known: Known,
        name: Arc<str>,
    ) -> Result<JobHandle, AddError> {
        let Job { work, name: job_name, policy: own_policy } = job;
        let original = SharedWork::new(work);
        let task = original.task();
        let task = RecordedTask::new(name, task, self.next_serial(), policy, self);
        let work = original.replaced_by(RecordedClosure(Arc::clone(&task)));
        let mut recorded = Job { work, name: job_name, policy: own_policy };
        if let Some(changed) = &mut recorded.policy {
            // A repeated event could run twice, since the record of its first run may have been removed.
            changed.set_back = SetBack::Wait;
        }
        if let Some(since) = known.since.and_then(time) {
            recorded = recorded.since(since);
        }
        let Known { restarts, .. } = known;
        match self.scheduler.add_job(recurrence, recorded) {
            Ok(handle) => {
                self.restart(&task, policy, &restarts);
                Ok(handle)
            }
            Err(error) => {
                if matches!(error.kind(), AddErrorKind::NoEvent) {
                    self.restart(&task, policy, &restarts);
                } else {
                    let job = Arc::clone(task.name());
                    self.recorder.send(move |recorder| recorder.give_back(&job, &restarts));
                }
                let (kind, mut job) = (error.kind().clone(), error.into_job());
                job.work = original.take();
                if let Some(changed) = &mut job.policy {
                    (changed.since, changed.set_back) = (policy.since, policy.set_back);
                }
                Err(AddError::new(kind, job))
            }
        }
    }

    /// Restarts runs that were cut off, each as a one-shot job.
    fn restart(&self, task: &Arc<RecordedTask>, policy: &Policy, runs: &[Restart]) {
        if runs.is_empty() {
            return;
        }
        let (job, reported) = (Arc::clone(task.name()), runs.to_vec());
        // An observer cannot call this: adding a job has already failed.
        drop(self.recorder.call(move |recorder| recorder.report_restarts(&job, &reported)));
        for run in runs {
            let Some(scheduled) = time(run.scheduled) else { continue };
            let retry = policy.retry.map(|retry| retry.after(run.attempts));
            let again = task.restarted(*run, retry, self.next_serial());
            let mut job = Job::of(Work::Repeat(Task::new(RecordedClosure(again))));
            job.name = Some(Arc::clone(task.name()));
            let policy = Policy { retry, ..policy.for_restart() };
            job.policy = Some(Box::new(policy));
            // A closed scheduler starts nothing; the next process settles the run.
            drop(self.scheduler.once_job_beyond_capacity(scheduled, job));
        }
    }

    /// Returns the last recorded run of a job, not counting runs in progress. Returns `None` if
    /// there is none.
    ///
    /// # Errors
    ///
    /// The history could not be read.
    pub fn last_run(&self, job: &str) -> Result<Option<RecordedRun>, HistoryError> {
        Ok(self.last_runs(job, 1)?.into_iter().next())
    }

    /// Returns up to `most` recorded runs of a job, latest first, not counting runs in progress.
    ///
    /// # Errors
    ///
    /// The history could not be read.
    pub fn last_runs(&self, job: &str, most: u64) -> Result<Vec<RecordedRun>, HistoryError> {
        let job = job.to_owned();
        self.call(move |recorder| recorder.last_runs(&job, most))
    }

    /// Calls the recorder on its thread, and waits for the result.
    fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut Recorder) -> Result<T, HistoryError> + Send + 'static,
    ) -> Result<T, HistoryError> {
        self.recorder.call(call).unwrap_or_else(|error| {
            Err(HistoryError::new("cannot query the history".to_string(), error))
        })
    }

    fn next_serial(&self) -> u64 {
        self.serials.fetch_add(1, Ordering::Relaxed)
    }
}

/// A builder for a [`JobHistory`], created by [`JobHistory::builder`].
///
/// ```
/// use std::time::Duration;
///
/// use millicron_scheduler::{
///     HistoryEvent, HistoryFailure, JobHistory, Keep, MemoryHistory, Scheduler,
/// };
///
/// let scheduler = Scheduler::new()?;
/// let jobs = JobHistory::builder()
///     .keep(Keep::last(100).no_longer_than(Duration::from_secs(30 * 86_400)))
///     .when_it_fails(HistoryFailure::Run)
///     .observer(|event| {
///         if let HistoryEvent::CutOff { job, attempts, .. } = event {
///             eprintln!("{job} was cut off, attempt {attempts}");
///         }
///     })
///     .start(&scheduler, MemoryHistory::new())?;
/// # drop(jobs);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is recorded until `start` is called"]
pub struct JobHistoryBuilder {
    settings: Settings,
}

impl JobHistoryBuilder {
    /// Sets the name under which runs are recorded while they are in progress. Programs that share a
    /// history need different names; successive processes of one program need the same name. The
    /// default is `scheduler`.
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.settings.owner = owner.into().into();
        self
    }

    /// Sets which runs of each job are kept. The default is the last 1,000.
    pub fn keep(mut self, keep: Keep) -> Self {
        self.settings.keep = keep;
        self
    }

    /// Sets which runs start while the history fails. The default is [`HistoryFailure::Hold`]. The
    /// history is retried after 50 milliseconds, then after increasing waits of up to 5 seconds.
    pub fn when_it_fails(mut self, failure: HistoryFailure) -> Self {
        self.settings.failure = failure;
        self
    }

    /// Sets the observer that receives every [event](HistoryEvent), on the history's thread. By
    /// default, events are written to standard error.
    ///
    /// The observer must not call the history, whose thread waits for it: methods of [`JobHistory`]
    /// return an error there.
    pub fn observer(mut self, observer: impl Fn(&HistoryEvent) + Send + 'static) -> Self {
        self.settings.observer = Box::new(observer);
        self
    }

    /// Starts the thread that reads and writes the history. The thread ends when the last job and
    /// the last `JobHistory` are dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system cannot start the thread.
    pub fn start(
        self,
        scheduler: impl AsRef<SchedulerHandle>,
        history: impl Claims + Send + 'static,
    ) -> io::Result<JobHistory> {
        let scheduler = scheduler.as_ref().clone();
        let recorder = Recorder::new(Box::new(history), self.settings, scheduler.clone());
        let (health, recorder) = (recorder.health(), Box::new(recorder));
        let recorder = HistoryThread::start("millicron history", recorder, Recorder::work)?;
        Ok(JobHistory { scheduler, recorder, health, serials: Arc::default() })
    }
}

impl AsRef<SchedulerHandle> for JobHistory {
    fn as_ref(&self) -> &SchedulerHandle {
        &self.scheduler
    }
}
