//! [`Job`] and [`RunContext`]: what runs, and what it is told.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::instant::Nanos;
use crate::policy::{Missed, Overlap, Policy};
use crate::span::Span;

/// What a scheduler runs: a closure, its name, and what becomes of events that can
/// not simply run at their time.
///
/// The closure of a job with nothing else chosen can be added as it is, by
/// [`SchedulerHandle::add`](crate::SchedulerHandle::add). It may return nothing, or a `Result` whose error is counted and told to observers.
pub struct Job {
    pub(crate) work: Work,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) policy: Policy,
}

impl Job {
    /// A job that runs a closure at each event, in several threads at once where
    /// [`Overlap::Allow`] is chosen.
    #[must_use]
    pub fn new<R: IntoOutcome>(run: impl Fn(&RunContext) -> R + Send + Sync + 'static) -> Self {
        Self::of(Work::Again(Again::Direct(Arc::new(move |fire: &RunContext| {
            run(fire).into_outcome()
        }))))
    }

    /// A job that runs a closure once.
    #[must_use]
    pub fn once<R: IntoOutcome>(run: impl FnOnce(&RunContext) -> R + Send + 'static) -> Self {
        Self::of(Work::Once(Box::new(move |fire: &RunContext| run(fire).into_outcome())))
    }

    /// A job whose runs end elsewhere and later: where [`Completion::finish`] is called,
    /// or the [`Completion`] is dropped. No worker waits for that.
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use std::time::Duration;
    ///
    /// use millicron::every;
    /// use millicron_scheduler::{Completion, Job, Outcome, Scheduler};
    ///
    /// let (requests, served) = mpsc::channel::<Completion>();
    /// let scheduler = Scheduler::new()?;
    /// let job = Job::deferred(move |_, completion| drop(requests.send(completion)));
    /// scheduler.add_job(every(10).milliseconds(), job)?;
    ///
    /// served.recv()?.finish(Outcome::Succeeded);
    /// # scheduler.close();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn deferred(begin: impl Fn(RunContext, Completion) + Send + Sync + 'static) -> Self {
        Self::of(Work::Again(Again::Deferred(Arc::new(begin))))
    }

    const fn of(work: Work) -> Self {
        Self { work, name: None, policy: Policy::DEFAULT }
    }

    /// A name, by which runs are known and told. Without one it is a number. No two jobs
    /// should have the same name: a run is known by that and its scheduled instant.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into().into()), ..self }
    }

    /// What becomes of missed events; [`Missed::Coalesce`] if nothing is chosen.
    #[must_use]
    pub const fn missed(mut self, missed: Missed) -> Self {
        self.policy.missed = missed;
        self
    }

    /// How late an event may be handed over and is not yet missed; a second if
    /// nothing is chosen.
    #[must_use]
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.policy.grace = grace;
        self
    }

    /// What becomes of events that come while a run is going; [`Overlap::Skip`] if
    /// nothing is chosen.
    #[must_use]
    pub const fn overlap(mut self, overlap: Overlap) -> Self {
        self.policy.overlap = overlap;
        self
    }

    /// Puts off each run by the same time, which is less than `most` and depends on
    /// the name of the job alone: jobs of one schedule do not all start at once, and
    /// each keeps its place over restarts. Jobs without a name have the same.
    #[must_use]
    pub const fn jitter(mut self, most: Duration) -> Self {
        self.policy.jitter = most;
        self
    }
}

/// The closure of a job, without its name and policies: for code that decides itself when a job
/// runs.
#[derive(Clone)]
pub struct Task(Again);

impl Job {
    /// Returns the closure of the job; `None` if the job runs only once.
    #[must_use]
    pub fn into_task(self) -> Option<Task> {
        match self.work {
            Work::Again(work) => Some(Task(work)),
            Work::Once(_) | Work::Taken => None,
        }
    }
}

impl Task {
    /// Begins a run, and ends `completion` when the run has ended.
    pub fn begin(&self, run: &RunContext, completion: Completion) {
        match &self.0 {
            Again::Direct(work) => completion.finish(crate::shared::attempt(|| work(run))),
            Again::Deferred(begin) => {
                crate::shared::attempt(|| {
                    begin(run.clone(), completion);
                    Outcome::Succeeded
                });
            }
        }
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").finish_non_exhaustive()
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { work: _, name, policy } = self;
        f.debug_struct("Job").field("name", name).field("policy", policy).finish_non_exhaustive()
    }
}

/// What there is to do.
pub(crate) enum Work {
    Once(Box<dyn FnOnce(&RunContext) -> Outcome + Send>),
    Again(Again),
    /// Once, and it has been taken.
    Taken,
}

/// What can be done many times.
#[derive(Clone)]
pub(crate) enum Again {
    Direct(Arc<dyn Fn(&RunContext) -> Outcome + Send + Sync>),
    Deferred(Arc<dyn Fn(RunContext, Completion) + Send + Sync>),
}

impl Work {
    /// The work of one run.
    pub(crate) fn take(&mut self) -> Self {
        match self {
            Self::Again(work) => Self::Again(work.clone()),
            Self::Once(_) | Self::Taken => std::mem::replace(self, Self::Taken),
        }
    }

    /// Runs it. Returns how it ended, if it has; else the completion will tell.
    pub(crate) fn run(
        self,
        fire: &RunContext,
        completion: impl FnOnce() -> Completion,
    ) -> Option<Outcome> {
        match self {
            Self::Once(work) => Some(work(fire)),
            Self::Again(Again::Direct(work)) => Some(work(fire)),
            Self::Again(Again::Deferred(work)) => {
                work(fire.clone(), completion());
                None
            }
            Self::Taken => Some(Outcome::Succeeded),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It did what it had to do.
    Succeeded,
    /// It returned an error, of which this is the text.
    Failed(String),
    /// It panicked, with this message; empty if there is none, or if it is not known
    /// here.
    Panicked(String),
    /// Its [`Completion`] was dropped.
    Abandoned,
}

/// By which the end of a [deferred](Job::deferred) run is told. If it is dropped,
/// the run was abandoned.
#[must_use = "dropped, the run is abandoned"]
pub struct Completion {
    end: Option<(Arc<dyn Finish>, u64)>,
    span: Span,
}

/// The function that receives an outcome, and the completion that goes with it.
type Interception = (Box<dyn FnOnce(Outcome, Completion) + Send>, Completion);

/// Hands the outcome of a run to a function, once.
struct Interceptor(Mutex<Option<Interception>>);

impl Finish for Interceptor {
    fn finish(&self, _: u64, outcome: Outcome) {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((end, completion)) = taken {
            end(outcome, completion);
        }
    }
}

/// What is told of the end of a run.
pub(crate) trait Finish: Send + Sync {
    fn finish(&self, run: u64, outcome: Outcome);
}

impl Completion {
    pub(crate) fn new(of: Arc<dyn Finish>, run: u64, span: Span) -> Self {
        Self { end: Some((of, run)), span }
    }

    /// Returns a completion that passes its outcome to `end`, along with this one, in place of
    /// ending this one.
    #[must_use]
    pub fn intercept(self, end: impl FnOnce(Outcome, Self) + Send + 'static) -> Self {
        let span = self.span.clone();
        let interceptor = Interceptor(Mutex::new(Some((Box::new(end), self))));
        Self::new(Arc::new(interceptor), 0, span)
    }

    #[cfg(feature = "tokio")]
    pub(crate) const fn span(&self) -> &Span {
        &self.span
    }

    /// The run has ended.
    pub fn finish(mut self, outcome: Outcome) {
        self.tell(outcome);
    }

    fn tell(&mut self, outcome: Outcome) {
        if let Some((of, run)) = self.end.take() {
            self.span.end(&outcome);
            of.finish(run, outcome);
        }
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        self.tell(if std::thread::panicking() {
            Outcome::Panicked(String::new())
        } else {
            Outcome::Abandoned
        });
    }
}

impl fmt::Debug for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion").finish_non_exhaustive()
    }
}

/// What a job may return.
pub trait IntoOutcome {
    /// How the run ended.
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for () {
    fn into_outcome(self) -> Outcome {
        Outcome::Succeeded
    }
}

impl<E: fmt::Display> IntoOutcome for Result<(), E> {
    fn into_outcome(self) -> Outcome {
        self.map_or_else(|error| Outcome::Failed(error.to_string()), |()| Outcome::Succeeded)
    }
}

/// The name of a job: the one that it was given, or its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum JobName {
    /// It has no name; it was the so-manieth that was added.
    Number(u64),
    /// Its name.
    Given(Arc<str>),
}

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "#{number}"),
            Self::Given(name) => f.write_str(name),
        }
    }
}

/// What a run is told of itself. A run is known by the name of its job and the
/// scheduled instant.
#[derive(Clone, Debug)]
pub struct RunContext {
    pub(crate) name: JobName,
    pub(crate) scheduled: Nanos,
    pub(crate) actual: Nanos,
    pub(crate) number: u64,
    pub(crate) coalesced: u64,
    pub(crate) token: CancellationToken,
}

impl RunContext {
    /// The name of the job.
    #[must_use]
    pub const fn job_name(&self) -> &JobName {
        &self.name
    }

    /// The event: the instant that the schedule tells.
    #[must_use]
    pub fn scheduled(&self) -> SystemTime {
        self.scheduled.time()
    }

    /// The instant at which a worker took the run. It is not before the scheduled
    /// one, unless the clock was set back in between.
    #[must_use]
    pub fn started(&self) -> SystemTime {
        self.actual.time()
    }

    /// From the scheduled instant to the actual one; zero if that is before.
    #[must_use]
    pub const fn lateness(&self) -> Duration {
        self.actual.since(self.scheduled)
    }

    /// Which run of the job this is, from 1.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// How many earlier events this run also stands for; see
    /// [`Missed::Coalesce`].
    #[must_use]
    pub const fn coalesced(&self) -> u64 {
        self.coalesced
    }

    /// Tells whether the run is to end early.
    #[must_use]
    pub const fn token(&self) -> &CancellationToken {
        &self.token
    }
}

/// Tells a run that it is to end early: its job was cancelled, or the scheduler
/// waits no longer.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<Signal>);

#[derive(Debug, Default)]
struct Signal {
    is_given: AtomicBool,
    /// Who waits for it.
    #[cfg(feature = "tokio")]
    waiting: tokio::sync::Notify,
}

impl CancellationToken {
    /// Whether the run is to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_given.load(Ordering::Acquire)
    }

    /// Waits until the run is to end.
    #[cfg(feature = "tokio")]
    pub async fn cancelled(&self) {
        // Who is made before the signal is given is told of it.
        let told = self.0.waiting.notified();
        if !self.is_cancelled() {
            told.await;
        }
    }

    pub(crate) fn cancel(&self) {
        self.0.is_given.store(true, Ordering::Release);
        #[cfg(feature = "tokio")]
        self.0.waiting.notify_waiters();
    }
}
