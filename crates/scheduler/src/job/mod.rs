//! [`Job`] and [`Task`]: what a scheduler runs.

mod completion;
#[cfg(feature = "tokio")]
mod future;
mod output;
mod policy;
mod retry;
mod source;

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime};

pub use self::completion::Completion;
pub(crate) use self::completion::OutcomeSink;
#[cfg(feature = "tokio")]
pub use self::future::Awaited;
pub use self::output::{JobOutput, Returned};
#[cfg(feature = "history")]
pub use self::policy::CutOff;
pub(crate) use self::policy::Policy;
pub use self::policy::{Missed, MissedEvents, Overlap, SetBack, Workers};
pub use self::retry::Retry;
pub(crate) use self::retry::part_of;
pub(crate) use self::source::{EventSource, SharedRecurrence};
use crate::panics::catch_panic;
use crate::run::{Outcome, RunContext, RunId};
use crate::sync::Mutex;

/// A closure to run at the events of a schedule, with a name and policies.
///
/// The closure receives the details of each run. It may return nothing, or a `Result` whose error
/// is counted and reported; see [`JobOutput`].
///
/// A closure that needs no name and no policies can be added directly with
/// [`Scheduler::add`](crate::SchedulerHandle::add).
///
/// ```
/// use std::time::Duration;
///
/// use millicron::schedule;
/// use millicron_scheduler::{Job, Missed, Overlap, Retry, Scheduler};
///
/// let report = Job::new(|run| std::fs::write("report.txt", format!("run {}", run.number())))
///     .name("report")
///     .missed(Missed::Skip)
///     .overlap(Overlap::Queue { max: 1 })
///     .retry(Retry::constant(Duration::from_secs(5)).most(3))
///     .timeout(Duration::from_secs(60));
/// let scheduler = Scheduler::new()?;
/// scheduler.add_job(schedule!("*.*.* Mon-Fri 09:30:00"), report)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a job does nothing until it is added to a scheduler"]
pub struct Job {
    pub(crate) work: Work,
    pub(crate) name: Option<Arc<str>>,
    /// `None` means the default: a million one-shot jobs should stay small.
    pub(crate) policy: Option<Box<Policy>>,
}

impl Job {
    /// Creates a job that runs a closure at each event. With [`Overlap::Allow`] the closure may
    /// run on several threads at once.
    ///
    /// With the feature `tokio` the closure may be async, or return a future that is `Send`. A
    /// worker calls it and spawns the future on the runtime in which the job was created. Without a
    /// runtime, adding the job fails with [`AddErrorKind::NoRuntime`](crate::AddErrorKind::NoRuntime).
    pub fn new<Kind, R: JobOutput<Kind>>(
        run: impl Fn(RunContext) -> R + Send + Sync + 'static,
    ) -> Self {
        let Some(runtime) = R::runtime() else { return Self::of(Work::Missing) };
        Self::of(Work::Repeat(Task(Arc::new(
            move |context: RunContext, completion: &dyn Fn() -> Completion| {
                run(context).end(&runtime, completion)
            },
        ))))
    }

    /// Creates a job with a closure that changes its state. The closure is never called concurrently:
    /// with [`Overlap::Allow`], calls wait for each other, and each occupies a worker. Futures that an
    /// async closure returns may overlap.
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// use std::time::Duration;
    ///
    /// use millicron::every;
    /// use millicron_scheduler::{Job, ManualClock, Scheduler};
    ///
    /// let clock = ManualClock::new(std::time::UNIX_EPOCH);
    /// let scheduler = Scheduler::builder().clock(clock.clone()).start()?;
    /// let (sender, sums) = channel();
    /// let mut sum = 0;
    /// let job = Job::new_mut(move |run| {
    ///     sum += run.number();
    ///     sender.send(sum)
    /// });
    /// scheduler.add_job(every(1).seconds(), job)?;
    /// clock.advance(Duration::from_secs(3));
    /// assert_eq!(sums.try_iter().collect::<Vec<_>>(), [1, 3, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new_mut<Kind, R: JobOutput<Kind>>(
        run: impl FnMut(RunContext) -> R + Send + 'static,
    ) -> Self {
        let run = Mutex::new(run);
        // After a panic the closure runs again, just like a closure without state.
        Self::new(move |context| run.lock().unwrap_or_else(PoisonError::into_inner)(context))
    }

    /// Creates a job that runs a closure once. It is not [retried](Self::retry), since the first
    /// attempt consumes the closure. To retry a one-shot job, pass a job created with
    /// [`new`](Self::new) to [`Scheduler::once_job`](crate::SchedulerHandle::once_job).
    pub fn once<Kind, R: JobOutput<Kind>>(
        run: impl FnOnce(RunContext) -> R + Send + 'static,
    ) -> Self {
        Self::of(once_call(run).map_or(Work::Missing, |call| Work::Once(Box::new(call))))
    }

    /// Creates a job whose runs end later: when [`Completion::finish`] is called or the
    /// [`Completion`] is dropped. The worker is free as soon as the closure returns.
    ///
    /// ```
    /// use std::sync::mpsc;
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
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deferred(begin: impl Fn(RunContext, Completion) + Send + Sync + 'static) -> Self {
        Self::of(Work::Repeat(Task(Arc::new(
            move |context: RunContext, completion: &dyn Fn() -> Completion| {
                begin(context, completion());
                None
            },
        ))))
    }

    pub(crate) const fn of(work: Work) -> Self {
        Self { work, name: None, policy: None }
    }

    /// Sets the name, which identifies the job in events, in logs and, together with the scheduled
    /// instant, each of its runs. A scheduler refuses a second job with the same name, unless that job
    /// [replaces](Self::replace) the first or [shares](Self::share_name) its name. A job without a name
    /// is identified by a number.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into().into()), ..self }
    }

    /// Adds a tag. Jobs can be paused, resumed and cancelled by their tags; see
    /// [`Scheduler::tagged`](crate::SchedulerHandle::tagged).
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.policy_mut().tags.push(tag.into().into());
        self
    }

    /// Lets the job replace an existing job with the same name, which is cancelled when this one is
    /// added.
    pub fn replace(mut self) -> Self {
        self.policy_mut().replaces = true;
        self
    }

    /// Lets other jobs have the same name. [`Scheduler::job`](crate::SchedulerHandle::job) does not find
    /// this job, and its runs may have the same name and instant as runs of the others.
    pub fn share_name(mut self) -> Self {
        self.policy_mut().shares_name = true;
        self
    }

    /// Marks the job as part of a library's machinery, rather than a job that users have scheduled.
    /// [Metrics](crate#metrics) leave it out, and its name is a [`JobName::Internal`], so an
    /// observer can leave it out, too. If it works for a job that users have scheduled, such as one
    /// whose runs it starts, give it the name of that job.
    ///
    /// [`JobName::Internal`]: crate::JobName::Internal
    ///
    /// ```
    /// use millicron::every;
    /// use millicron_scheduler::{Job, JobName, Scheduler};
    ///
    /// let scheduler = Scheduler::new()?;
    /// let heartbeat = scheduler.add_job(every(10).seconds(), Job::new(|_| {}).internal())?;
    /// assert_eq!(heartbeat.name(), Some(JobName::Internal(None)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn internal(mut self) -> Self {
        self.policy_mut().is_internal = true;
        self
    }

    /// Sets how to handle missed events. The default is [`Missed::Coalesce`].
    pub fn missed(mut self, missed: Missed) -> Self {
        self.policy_mut().missed = missed;
        self
    }

    /// Sets how late an event may be without counting as missed, apart from
    /// [jitter](Self::jitter). The default is one second. With zero, nearly every event is missed.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.policy_mut().grace = grace;
        self
    }

    /// Applies the policy for [missed](Self::missed) events to the events after `last_run`, such as
    /// the last event that ran before the program was restarted. By default, a job begins with the
    /// first event after it is added.
    ///
    /// An interval that is not anchored counts from `last_run`. The scheduler counts the missed
    /// events, so your own [`Recurrence`](millicron::Recurrence) should be able to count many events
    /// quickly.
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// use millicron::schedule;
    /// use millicron_scheduler::{Job, ManualClock, Scheduler};
    ///
    /// let midnight = UNIX_EPOCH + Duration::from_secs(1_795_219_200);
    /// let clock = ManualClock::new(midnight + Duration::from_secs(3 * 3600 + 60));
    /// let scheduler = Scheduler::builder().clock(clock.clone()).start()?;
    /// let (sender, runs) = channel();
    /// let job = Job::new(move |run| sender.send((run.scheduled(), run.coalesced())));
    /// // The program last ran the job at midnight. One run covers 1, 2 and 3 o'clock.
    /// scheduler.add_job(schedule!("*:00:00"), job.since(midnight))?;
    /// clock.advance(Duration::ZERO);
    /// let three = midnight + Duration::from_secs(3 * 3600);
    /// assert_eq!(runs.try_iter().collect::<Vec<_>>(), [(three, 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn since(mut self, last_run: impl Into<SystemTime>) -> Self {
        self.policy_mut().since = Some(last_run.into().into());
        self
    }

    /// Sets the earliest instant at which events run. Earlier events are ignored.
    pub fn starting(mut self, first: impl Into<SystemTime>) -> Self {
        self.policy_mut().starting = Some(first.into().into());
        self
    }

    /// Sets the latest instant at which events run. The job ends after its last event up to that
    /// instant.
    pub fn ending(mut self, last: impl Into<SystemTime>) -> Self {
        self.policy_mut().ending = Some(last.into().into());
        self
    }

    /// Ends the job after a number of runs, including triggered ones. [Retries](Self::retry) do not count;
    /// runs that a [gate](crate::Gate) refuses do. Events that are still waiting are skipped. Zero means
    /// one.
    pub fn most_runs(mut self, most: u64) -> Self {
        self.policy_mut().most_runs = Some(most.max(1));
        self
    }

    /// Sets how to handle an event that falls due while a run of the job is in progress. The
    /// default is [`Overlap::Skip`].
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.policy_mut().overlap = overlap;
        self
    }

    /// Sets what the job does after the clock was set back. The default is [`SetBack::Wait`].
    pub fn set_back(mut self, set_back: SetBack) -> Self {
        self.policy_mut().set_back = set_back;
        self
    }

    /// Retries a run that did not succeed: it returned an error, panicked or was abandoned. By
    /// default, runs are not retried.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.policy_mut().retry = Some(retry);
        self
    }

    /// Limits the time that each attempt of a run may take. When the limit is reached, the run's
    /// [token](RunContext::token) is cancelled, and the time-out is
    /// [counted](crate::Stats::timed_out) and [reported](crate::Event::TimedOut). The run is not
    /// interrupted: it ends when it returns, with its own outcome, and counts as in progress until
    /// then. By default there is no limit.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.policy_mut().timeout = Some(limit);
        self.policy_mut().abandons = false;
        self
    }

    /// Limits the time of each attempt like [`timeout`](Self::timeout), and then lets the next event
    /// start even if the run has not ended. A run that has timed out is not retried.
    pub fn timeout_and_go_on(self, limit: Duration) -> Self {
        let mut job = self.timeout(limit);
        job.policy_mut().abandons = true;
        job
    }

    /// Delays each run by a fixed fraction of `max`, so that jobs with the same schedule do not all
    /// start at once.
    ///
    /// The delay is less than `max` and depends only on the job's name, so it is the same after a
    /// restart. Another version of Rust may choose another delay. Jobs without a name all have the same delay. It does not count as
    /// [lateness](RunContext::lateness). The default is zero.
    pub fn jitter(mut self, max: Duration) -> Self {
        self.policy_mut().jitter = max;
        self
    }

    /// Sets how to handle a run that was cut off because the process ended, for jobs of a
    /// [`JobHistory`](crate::JobHistory). The default is [`CutOff::Fail`]. A job created with
    /// [`Job::once`] is not restarted.
    ///
    /// A restarted run is a separate job in the scheduler: cancelling the original job does not cancel
    /// it, and it does not count towards [`most_runs`](Self::most_runs), which counts the runs of one
    /// process. Its attempt numbers continue, but the waits between them start over from the
    /// [first](crate::Retry::exponential). Later events of a job whose runs do not overlap wait for it, unless it has
    /// [timed out](Self::timeout_and_go_on), or waits for an attempt and
    /// [no longer may](crate::Retry::until_next_event).
    #[cfg(feature = "history")]
    pub fn cut_off(mut self, cut_off: CutOff) -> Self {
        self.policy_mut().cut_off = cut_off;
        self
    }

    pub(crate) fn policy(&self) -> &Policy {
        Policy::or_default(self.policy.as_deref())
    }

    pub(crate) fn policy_mut(&mut self) -> &mut Policy {
        self.policy.get_or_insert_with(|| Box::new(Policy::DEFAULT))
    }

    /// Returns the closure of the job, or `None` if the job runs only once, or is async and was
    /// created outside a runtime.
    #[must_use]
    pub fn into_task(self) -> Option<Task> {
        match self.work {
            Work::Repeat(task) => Some(task),
            Work::Once(_) | Work::Missing => None,
        }
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { work: _, name, policy } = self;
        f.debug_struct("Job").field("name", name).field("policy", policy).finish_non_exhaustive()
    }
}

/// The closure of a one-shot job. Returns the outcome, or `None` if a completion will report it.
pub(crate) trait OnceCall:
    FnOnce(RunContext, &dyn Fn() -> Completion) -> Option<Outcome> + Send + 'static
{
}

impl<F> OnceCall for F where
    F: FnOnce(RunContext, &dyn Fn() -> Completion) -> Option<Outcome> + Send + 'static
{
}

/// A boxed [`OnceCall`].
pub(crate) type BoxedCall =
    Box<dyn FnOnce(RunContext, &dyn Fn() -> Completion) -> Option<Outcome> + Send>;

/// The closure of a job that may run more than once.
pub(crate) trait RunClosure: Send + Sync {
    /// Starts an attempt of a run. Returns the outcome, or `None` if a completion will report it.
    fn begin(&self, run: RunContext, completion: &dyn Fn() -> Completion) -> Option<Outcome>;

    /// Called when a run is given up: a gate refuses its next attempt, or its attempt has timed out, and
    /// nothing waits for it any more.
    fn give_up(&self, _: &RunContext) {}
}

impl<F> RunClosure for F
where
    F: Fn(RunContext, &dyn Fn() -> Completion) -> Option<Outcome> + Send + Sync,
{
    fn begin(&self, run: RunContext, completion: &dyn Fn() -> Completion) -> Option<Outcome> {
        self(run, completion)
    }
}

/// The closure of a [`Job`] without its name and policies, for code that itself decides when the
/// job runs. [`Job::into_task`] returns it.
#[derive(Clone)]
pub struct Task(Arc<dyn RunClosure>);

impl Task {
    #[cfg(any(test, feature = "history"))]
    pub(crate) fn new(run: impl RunClosure + 'static) -> Self {
        Self(Arc::new(run))
    }

    /// Starts a run. `completion` is finished when the run ends, which may be after this returns.
    pub fn begin(&self, run: &RunContext, completion: Completion) {
        // The closure may take its completion and then panic, which also ends the run.
        let (completion, interceptor) = completion.watched();
        let given = RefCell::new(Some(completion));
        let take = || given.borrow_mut().take().unwrap_or_else(Completion::inert);
        let outcome = match catch_panic(|| self.0.begin(run.clone(), &take)) {
            Ok(outcome) => outcome,
            Err(message) => Some(Outcome::Panicked(message)),
        };
        if let Some(outcome) = outcome {
            interceptor.report(RunId::default(), outcome);
        }
    }

    /// Notifies the closure that the scheduler has given up a run.
    pub(crate) fn give_up(&self, run: &RunContext) {
        self.0.give_up(run);
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").finish_non_exhaustive()
    }
}

/// Wraps the closure of a one-shot job for the scheduler. Returns `None` if the closure is async and
/// the current thread is not within a runtime.
pub(crate) fn once_call<Kind, R: JobOutput<Kind>>(
    run: impl FnOnce(RunContext) -> R + Send + 'static,
) -> Option<impl OnceCall> {
    let runtime = R::runtime()?;
    Some(move |context: RunContext, completion: &dyn Fn() -> Completion| {
        run(context).end(&runtime, completion)
    })
}

/// The closure of a job, until a run takes it.
#[derive(Default)]
pub(crate) enum Work {
    Once(BoxedCall),
    Repeat(Task),
    /// The run of a one-shot job has taken the closure; or the closure is async, but the job was created
    /// outside a runtime.
    #[default]
    Missing,
}

impl Work {
    /// Returns the closure for one run.
    pub(crate) fn take(&mut self) -> Self {
        match self {
            Self::Repeat(task) => Self::Repeat(task.clone()),
            Self::Once(_) => std::mem::take(self),
            Self::Missing => {
                debug_assert!(false, "a job that runs once was started twice");
                Self::Missing
            }
        }
    }

    /// Calls the closure. Returns the outcome, or `None` if a completion will report it.
    pub(crate) fn run(
        self,
        run: RunContext,
        completion: &dyn Fn() -> Completion,
    ) -> Option<Outcome> {
        match self {
            Self::Once(call) => call(run, completion),
            Self::Repeat(Task(closure)) => closure.begin(run, completion),
            Self::Missing => Some(Outcome::Abandoned),
        }
    }
}
