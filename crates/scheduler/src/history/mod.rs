//! [`JobHistory`]: jobs that remember their runs across restarts of the process.

mod event;
mod message;
mod recorder;
mod store;
mod task;

use std::fmt;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, ThreadId};
use std::time::{Duration, SystemTime};

use millicron::IntoRecurrence;
use millicron_history::{Claims, StartedRun};

use event::time;
pub use event::{
    CutOff, CutOffRun, HistoryError, HistoryEvent, HistoryFailure, RecordedJobError, RecordedRun,
};
use message::{AddRequest, Known, Message, ReadRequest};
use recorder::Recorder;
use task::{Original, RecordedTask, Restart};

use crate::error::AddError;
use crate::job::policy::Policy;
use crate::job::{Job, Work};
use crate::scheduler::handle::SchedulerHandle;
use crate::scheduler::job_handle::JobHandle;
use crate::time::instant::Nanos;

/// The default number of runs of each job to keep.
const KEEP_LAST: u64 = 1_000;

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
/// A later process recognises a job by its name. Jobs that have no name, or
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
/// [Retention](JobHistoryBuilder::keep_last) removes old records.
///
/// The events of a new job count from the instant at which it was first added, or from its
/// [`Job::since`]. If the last record is later than now, because the clock was set back, the job waits
/// until the clock has passed it. This is [reported](HistoryEvent::Ahead).
///
/// Events that are skipped because of an [overlap](Job::overlap), a [gate](crate::Gate) or a
/// [pause](JobHandle::pause) are not recorded. If the process ends before a later event of the job has
/// started, they count as missed after the restart, and may then run.
///
/// # Guarantees
///
/// Each event starts at most once, and with [`CutOff::Restart`] at least once, unless its job's
/// policies skip it. [`SetBack::Repeat`](crate::SetBack::Repeat) therefore has no effect: a repeated
/// event counts as run, and its closure is not called. If the process is killed after a start is
/// recorded but before the run starts, the run counts as cut off. With
/// [`Overlap::Allow`](crate::Overlap::Allow), runs of a job that start within microseconds of each
/// other may do so in any order: if the process is killed just then, an event is lost if only a later
/// one was recorded.
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
/// If a call takes long to fail, workers wait that long. A history on a server should therefore not
/// retry calls itself: `JobHistory` retries them, without blocking workers. With `PostgresHistory`, set
/// a `retry_timeout` of some 100 milliseconds.
#[derive(Clone)]
pub struct JobHistory {
    scheduler: SchedulerHandle,
    recorder: Sender<Message>,
    /// The recorder's thread.
    thread: ThreadId,
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
    /// [`Scheduler::add_job`](crate::Scheduler::add_job).
    ///
    /// Settles the job's runs that were cut off: reports them, and records them as failed or restarts
    /// them before any other event of the job.
    ///
    /// # Errors
    ///
    /// See [`RecordedJobError`]. The error gives the job back.
    pub fn add_job(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        job: Job,
    ) -> Result<JobHandle, RecordedJobError> {
        let Some(name) = job.name.clone() else {
            return Err(RecordedJobError::Unnamed(job.into()));
        };
        let policy = job.policy.as_deref().unwrap_or(&Policy::DEFAULT).clone();
        if policy.shares_name {
            return Err(RecordedJobError::SharedName(job.into()));
        }
        let serial = self.next_serial();
        // A closure that runs once may already have been consumed by the run that was cut off.
        let is_once = matches!(job.work, Work::Once(_));
        let cut_off = if is_once { CutOff::Fail } else { policy.cut_off };
        let since = policy.since.map(Nanos::millis);
        let request = AddRequest { name: Arc::clone(&name), since, cut_off, serial };
        let known = match self.ask(|reply| Message::Add(request, reply)) {
            Ok(known) => known,
            Err(error) => return Err(RecordedJobError::History(error, job.into())),
        };
        self.add_known(recurrence, job, &policy, known, (name, serial))
    }

    /// Adds a job, given what the history knows about it, and restarts its runs that were cut off.
    fn add_known(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        job: Job,
        policy: &Policy,
        known: Known,
        (name, serial): (Arc<str>, u64),
    ) -> Result<JobHandle, RecordedJobError> {
        let Job { work, name: job_name, policy: own_policy } = job;
        let original = Original::of(work);
        let Some(task) = original.task() else {
            let job = Job { work: original.into_work(), name: job_name, policy: own_policy };
            return self.scheduler.add_job(recurrence, job).map_err(RecordedJobError::Add);
        };
        let task = RecordedTask::new(name, task, serial, policy, self.recorder.clone());
        let begin = Arc::clone(&task);
        let work =
            original.replaced_by(move |context, completion| begin.begin(context, completion));
        let mut recorded = Job { work, name: job_name, policy: own_policy };
        if let Some(since) = known.since.and_then(time) {
            recorded = recorded.since(since);
        }
        let Known { restarts, .. } = known;
        match self.scheduler.add_job(recurrence, recorded) {
            Ok(handle) => {
                self.restart(&task, policy, restarts);
                Ok(handle)
            }
            Err(mut error) => {
                if matches!(error, AddError::NoEvent(_)) {
                    self.restart(&task, policy, restarts);
                } else {
                    let _ = self.recorder.send(Message::GiveBack(Arc::clone(&task.name), restarts));
                }
                error.change_job(|job| {
                    job.work = original.into_work();
                    if let Some(changed) = &mut job.policy {
                        changed.since = policy.since;
                    }
                });
                Err(RecordedJobError::Add(error))
            }
        }
    }

    /// Restarts runs that were cut off, each as a one-shot job.
    fn restart(&self, task: &Arc<RecordedTask>, policy: &Policy, runs: Vec<StartedRun>) {
        if runs.is_empty() {
            return;
        }
        let reported = self.ask(|reply| Message::Restarts(Arc::clone(&task.name), runs, reply));
        for run in reported.into_iter().flatten() {
            let Some(scheduled) = time(run.claim.scheduled) else { continue };
            let retry = policy.retry.map(|retry| retry.after(run.attempts));
            let restart = Restart { scheduled: run.claim.scheduled, attempts: run.attempts };
            let again = task.restarted(restart, retry, self.next_serial());
            let mut job =
                Job::deferred(move |context, completion| again.begin(context, completion));
            job.name = Some(Arc::clone(&task.name));
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
        let name = Arc::from(job);
        self.ask(|reply| Message::Read(ReadRequest { name, most, reply }))
    }

    /// Sends a message to the recorder, and waits for the answer.
    fn ask<T>(
        &self,
        message: impl FnOnce(Sender<Result<T, HistoryError>>) -> Message,
    ) -> Result<T, HistoryError> {
        let cannot = |why| {
            let error = io::Error::other(why);
            HistoryError::new("cannot query the history".to_string(), error)
        };
        if thread::current().id() == self.thread {
            return Err(cannot("its thread, which calls the observer, would wait for itself"));
        }
        let (reply, answer) = channel();
        // If the recorder has ended, there is no answer.
        drop(self.recorder.send(message(reply)));
        answer.recv().unwrap_or_else(|_| Err(cannot("its thread has panicked")))
    }

    fn next_serial(&self) -> u64 {
        self.serials.fetch_add(1, Ordering::Relaxed)
    }
}

impl fmt::Debug for JobHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobHistory").field("scheduler", &self.scheduler).finish_non_exhaustive()
    }
}

/// A builder for a [`JobHistory`], created by [`JobHistory::builder`].
///
/// ```
/// use std::time::Duration;
///
/// use millicron_scheduler::{HistoryEvent, HistoryFailure, JobHistory, MemoryHistory, Scheduler};
///
/// let scheduler = Scheduler::new()?;
/// let jobs = JobHistory::builder()
///     .keep_last(100)
///     .keep_for(Duration::from_secs(30 * 86_400))
///     .when_it_fails(HistoryFailure::Run)
///     .observer(|event| {
///         if let HistoryEvent::CutOff { run } = event {
///             eprintln!("{} was cut off, attempt {}", run.job, run.attempts);
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

#[derive(Debug)]
struct Settings {
    owner: Box<str>,
    keep_last: Option<u64>,
    keep_for: Option<Duration>,
    failure: HistoryFailure,
    observer: Option<HistoryObserver>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            owner: "scheduler".into(),
            keep_last: Some(KEEP_LAST),
            keep_for: None,
            failure: HistoryFailure::default(),
            observer: None,
        }
    }
}

/// Receives the events of a history.
struct HistoryObserver(Box<dyn Fn(&HistoryEvent) + Send>);

impl fmt::Debug for HistoryObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HistoryObserver").finish_non_exhaustive()
    }
}

impl JobHistoryBuilder {
    /// Sets the name under which runs are recorded while they are in progress. Programs that share a
    /// history need different names; successive processes of one program need the same name. The
    /// default is `scheduler`.
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.settings.owner = owner.into().into();
        self
    }

    /// Sets how many runs of each job are kept. The default is 1,000. The last run of a job is always
    /// kept. Old runs are removed in batches, so up to a tenth more may be kept, but at most 100.
    pub fn keep_last(mut self, runs: u64) -> Self {
        self.settings.keep_last = Some(runs);
        self
    }

    /// Sets how long runs are kept after their scheduled instant, within the limit of
    /// [`keep_last`](Self::keep_last). The last run of a job is always kept. There is no limit by
    /// default.
    pub fn keep_for(mut self, age: Duration) -> Self {
        self.settings.keep_for = Some(age);
        self
    }

    /// Keeps all runs, regardless of their number and age.
    pub fn keep_all(mut self) -> Self {
        (self.settings.keep_last, self.settings.keep_for) = (None, None);
        self
    }

    /// Sets which runs start while the history fails. The default is [`HistoryFailure::Hold`]. The
    /// history is retried after 50 milliseconds, then with doubling waits of up to 5 seconds.
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
        self.settings.observer = Some(HistoryObserver(Box::new(observer)));
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
        let (sender, messages) = channel();
        let recorder = Recorder::new(history, self.settings, scheduler.clone());
        let thread = thread::Builder::new()
            .name("millicron history".to_string())
            .spawn(move || recorder.run(&messages))?;
        let thread = thread.thread().id();
        Ok(JobHistory { scheduler, recorder: sender, thread, serials: Arc::default() })
    }
}

impl Job {
    /// Sets how to handle a run that was cut off because the process ended, for jobs of a
    /// [`JobHistory`]. The default is [`CutOff::Fail`]. A job created with [`Job::once`] is not
    /// restarted.
    ///
    /// A restarted run is a separate job in the scheduler: cancelling the original job does not cancel
    /// it, and it does not count towards [`most_runs`](Self::most_runs), which counts the runs of one
    /// process. Its attempt numbers continue, but the waits between them start over from the
    /// [first](crate::Retry::exponential).
    pub fn cut_off(mut self, cut_off: CutOff) -> Self {
        self.policy_mut().cut_off = cut_off;
        self
    }
}

impl AsRef<SchedulerHandle> for JobHistory {
    fn as_ref(&self) -> &SchedulerHandle {
        &self.scheduler
    }
}

fn report_to_standard_error(event: &HistoryEvent) {
    let text = match event {
        HistoryEvent::CutOff { run: CutOffRun { job, scheduled, attempts, restarts, .. } } => {
            let scheduled = scheduled.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let restarts = if *restarts { ", and starts again" } else { "" };
            let scheduled = scheduled.as_millis();
            format!("job {job} was cut off in attempt {attempts} of {scheduled}{restarts}")
        }
        HistoryEvent::Ahead { job, last } => {
            let last = last.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
            format!(
                "job {job} has run at {last}, which is later than now: its earlier events do not run"
            )
        }
        HistoryEvent::Failed { error } => {
            let source = std::error::Error::source(error).map(|source| format!(": {source}"));
            format!("{error}{}", source.unwrap_or_default())
        }
        HistoryEvent::Recovered => "the history works again".to_string(),
    };
    // Nothing can be done if standard error is closed.
    drop(writeln!(io::stderr(), "millicron: {text}"));
}
