//! [`JobHistory`]: jobs that survive a restart of their process.

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
use crate::handle::SchedulerHandle;
use crate::instant::Nanos;
use crate::job::{Job, Work};
use crate::job_handle::JobHandle;
use crate::policy::Policy;

/// The number of runs of each job that are kept by default.
const KEEP_LAST: u64 = 1_000;

/// Adds jobs to a scheduler that remember their runs across restarts of the process.
///
/// Each run of a job is recorded in a [history](millicron_history) before it starts, and again when it
/// ends. When the job is added after a restart:
///
/// - Events that passed meanwhile follow the job's [policy](Job::missed) for missed events, as with
///   [`Job::since`]. An event that has started before does not start again.
/// - A run that was cut off, because the process was killed or crashed, is
///   [reported](HistoryEvent::CutOff). It is recorded as failed, or, if the job
///   [says so](Job::cut_off), started again.
///
/// A later process recognises a job by its name. So jobs without a name are refused, and so are those
/// that [share](Job::share_name) one.
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
/// The scheduled instant in milliseconds, when the run started and ended, how it ended, and the number of
/// its attempts. A run that waits for its next [attempt](Job::retry) has not ended.
/// [Triggered](JobHandle::trigger_now) runs have no record, since they are no events.
/// [Retention](JobHistoryBuilder::keep_last) removes old records.
///
/// A new job begins with the instant at which it was first added. If the last record is later than now,
/// because the clock was set back, the job waits until the clock has passed it. This is
/// [reported](HistoryEvent::Ahead).
///
/// Events that are skipped have no record: because of an [overlap](Job::overlap), a
/// [gate](crate::Gate), or a [pause](JobHandle::pause). If the process ends before a later event of the
/// job has started, they count as missed after the restart, so that they may run then.
/// Likewise, a run that failed with [`Retry::until_next_event`](crate::Retry::until_next_event), and whose next
/// event was skipped, is recorded only when a later event starts. If the process ends before, it counts as cut
/// off.
///
/// # Guarantees
///
/// Each event starts at most once, and with [`CutOff::Restart`] at least once, unless its job's policies
/// skip it. So [`SetBack::Repeat`](crate::SetBack::Repeat) has no effect: an event that comes again counts
/// as run, and its closure is not called. Between the record of a start and the start itself, a process
/// may be killed: such a run counts as cut off. With [`Overlap::Allow`](crate::Overlap::Allow), several
/// runs of a job may start within microseconds in any order. An event is lost if the process is killed
/// just then, after a later event was recorded.
///
/// # One process
///
/// Two processes may share a history if their [owners](JobHistoryBuilder::owner) differ or they have no
/// job in common. Otherwise, a process that starts takes the other's runs in progress to be cut off, and
/// with [`CutOff::Restart`] starts them a second time. So let the old process end before the new one
/// starts. For several processes that run the same jobs at once, use the package `millicron-apalis`.
///
/// # Jobs that are gone
///
/// A run is settled when its job is added. If a new version of the program no longer has the job, or has
/// another [owner](JobHistoryBuilder::owner), a run that was cut off stays in
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
/// One thread reads and writes the history. A worker waits for it before a run starts; the timer never
/// does, and neither does an async runtime. Adding a job waits for it as well.
///
/// So workers wait while a call fails slowly. A history on a server should not repeat calls itself: the
/// `JobHistory` does so, and no worker waits meanwhile. With `PostgresHistory`, set a `retry_timeout` of
/// some 100 milliseconds.
#[derive(Clone)]
pub struct JobHistory {
    scheduler: SchedulerHandle,
    recorder: Sender<Message>,
    /// That of the recorder.
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

    /// Returns a builder, to choose what is kept and what happens if the history fails.
    pub fn builder() -> JobHistoryBuilder {
        JobHistoryBuilder { settings: Settings::default() }
    }

    /// Runs a [`Job`] at each event after the last one that has started, in this process or an earlier
    /// one. A new job begins with the first event after now; see
    /// [`Scheduler::add_job`](crate::Scheduler::add_job).
    ///
    /// The runs of the job that were cut off are settled: they are reported and recorded as failed, or
    /// started again before any other event of the job.
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

    /// Adds a job of which everything is known, and starts its runs again that were cut off.
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

    /// Starts runs again that were cut off, each as a job that runs once.
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
            // A scheduler that is closed starts nothing, and the next process settles the run.
            drop(self.scheduler.once_job_beyond_capacity(scheduled, job));
        }
    }

    /// Returns the last recorded run of a job that has ended; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The history could not be read.
    pub fn last_run(&self, job: &str) -> Result<Option<RecordedRun>, HistoryError> {
        Ok(self.last_runs(job, 1)?.into_iter().next())
    }

    /// Returns up to `most` recorded runs of a job that have ended, the last one first.
    ///
    /// # Errors
    ///
    /// The history could not be read.
    pub fn last_runs(&self, job: &str, most: u64) -> Result<Vec<RecordedRun>, HistoryError> {
        let name = Arc::from(job);
        self.ask(|reply| Message::Read(ReadRequest { name, most, reply }))
    }

    /// Asks the recorder, and waits for the answer.
    fn ask<T>(
        &self,
        message: impl FnOnce(Sender<Result<T, HistoryError>>) -> Message,
    ) -> Result<T, HistoryError> {
        let cannot = |why| {
            let error = io::Error::other(why);
            HistoryError::new("cannot ask the history".to_string(), error)
        };
        if thread::current().id() == self.thread {
            return Err(cannot("its thread, which calls the observer, would wait for itself"));
        }
        let (reply, answer) = channel();
        // Without a recorder, there is no answer.
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

/// Settings of a [`JobHistory`]; made by [`JobHistory::builder`].
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

/// Receives what a history reports.
struct HistoryObserver(Box<dyn Fn(&HistoryEvent) + Send>);

impl fmt::Debug for HistoryObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HistoryObserver").finish_non_exhaustive()
    }
}

impl JobHistoryBuilder {
    /// Sets the name under which runs are recorded while they are in progress. Programs that share a
    /// history need different ones; all processes of one program, one after another, need the same. The
    /// default is `scheduler`.
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.settings.owner = owner.into().into();
        self
    }

    /// Sets how many runs of each job are kept. The default is 1,000. The last one always stays. They are
    /// removed now and then, so up to a tenth more are kept, and at most 100.
    pub fn keep_last(mut self, runs: u64) -> Self {
        self.settings.keep_last = Some(runs);
        self
    }

    /// Sets for how long runs are kept after their scheduled instant, as long as there are no more than
    /// [`keep_last`](Self::keep_last) allows. The last run of a job always stays. There is no limit by
    /// default.
    pub fn keep_for(mut self, age: Duration) -> Self {
        self.settings.keep_for = Some(age);
        self
    }

    /// Keeps all runs, whatever their number.
    pub fn keep_all(mut self) -> Self {
        (self.settings.keep_last, self.settings.keep_for) = (None, None);
        self
    }

    /// Sets which runs start while the history fails. The default is [`HistoryFailure::Hold`]. The
    /// history is tried again after 50 milliseconds, and then up to every 5 seconds.
    pub fn when_it_fails(mut self, failure: HistoryFailure) -> Self {
        self.settings.failure = failure;
        self
    }

    /// Sets who receives the [events](HistoryEvent), on the thread of the history. By default they are
    /// written to standard error.
    ///
    /// It must not ask the history, which waits for it: methods of [`JobHistory`] return an error there.
    pub fn observer(mut self, observer: impl Fn(&HistoryEvent) + Send + 'static) -> Self {
        self.settings.observer = Some(HistoryObserver(Box::new(observer)));
        self
    }

    /// Starts the thread that reads and writes the history. It ends with the last job and the last
    /// `JobHistory`.
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
    /// Sets how a run is handled that was cut off because the process ended. It concerns jobs of a
    /// [`JobHistory`]. The default is [`CutOff::Fail`]. A job made by [`Job::once`] is not started again.
    ///
    /// A run that is started again is a job of its own in the scheduler: cancelling the job does not
    /// cancel it, and it does not count for [`most_runs`](Self::most_runs), which counts the runs of one
    /// process. Its attempts are counted on, but the waits between them begin with the
    /// [first one](crate::Retry::exponential).
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
    // Where standard error is closed, nobody listens.
    drop(writeln!(io::stderr(), "millicron: {text}"));
}
