//! [`Job`] and [`Task`]: what a scheduler runs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::completion::{Completion, OutcomeSink as _};
use crate::outcome::{IntoOutcome, Outcome};
use crate::panics::catch_panic;
use crate::policy::{Missed, Overlap, Policy};
use crate::run::RunContext;

/// A closure to run at the events of a schedule, with a name and policies.
///
/// The closure receives the details of each run. It may return nothing, or a `Result<(), E>` whose
/// error is counted and reported to the observer.
///
/// A closure that needs no name and no policies can be added directly with
/// [`Scheduler::add`](crate::Scheduler::add).
///
/// ```
/// use std::time::Duration;
///
/// use millicron::schedule;
/// use millicron_scheduler::{Job, Missed, Overlap, Scheduler};
///
/// let report = Job::new(|run| std::fs::write("report.txt", format!("run {}", run.number())))
///     .name("report")
///     .missed(Missed::Skip)
///     .overlap(Overlap::Queue { max: 1 })
///     .jitter(Duration::from_secs(30));
/// let scheduler = Scheduler::new()?;
/// scheduler.add_job(schedule!("*.*.* Mon-Fri 09:30:00"), report)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a job does nothing until it is added to a scheduler"]
pub struct Job {
    pub(crate) work: Work,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) policy: Policy,
}

impl Job {
    /// Creates a job that runs a closure at each event. With [`Overlap::Allow`] the closure may
    /// run on several threads at once. Keep its mutable state in an atomic or a
    /// [`Mutex`](std::sync::Mutex).
    pub fn new<R: IntoOutcome>(run: impl Fn(&RunContext) -> R + Send + Sync + 'static) -> Self {
        Self::of(Work::Repeat(Task(Closure::Direct(Arc::new(move |context: &RunContext| {
            run(context).into_outcome()
        })))))
    }

    /// Creates a job that runs a closure once.
    pub fn once<R: IntoOutcome>(run: impl FnOnce(&RunContext) -> R + Send + 'static) -> Self {
        Self::of(Work::Once(Box::new(move |context: &RunContext| run(context).into_outcome())))
    }

    /// Creates a job whose runs end later, where [`Completion::finish`] is called or the
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
    /// # scheduler.close();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deferred(begin: impl Fn(RunContext, Completion) + Send + Sync + 'static) -> Self {
        Self::of(Work::Repeat(Task(Closure::Deferred(Arc::new(begin)))))
    }

    const fn of(work: Work) -> Self {
        Self { work, name: None, policy: Policy::DEFAULT }
    }

    /// Sets the name, which identifies the job in events, in logs and, together with the scheduled
    /// instant, each of its runs. Give every job a different name; this is not checked. A job
    /// without a name is known by a number.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into().into()), ..self }
    }

    /// Sets how to handle missed events. The default is [`Missed::Coalesce`].
    pub const fn missed(mut self, missed: Missed) -> Self {
        self.policy.missed = missed;
        self
    }

    /// Sets how late an event may be without counting as missed, apart from
    /// [jitter](Self::jitter). The default is one second. With zero, nearly every event is missed.
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.policy.grace = grace;
        self
    }

    /// Sets how to handle an event that falls due while a run of the job is in progress. The
    /// default is [`Overlap::Skip`].
    pub const fn overlap(mut self, overlap: Overlap) -> Self {
        self.policy.overlap = overlap;
        self
    }

    /// Delays each run by a fixed part of `max`, so that jobs with the same schedule do not all
    /// start at once.
    ///
    /// The delay is less than `max` and depends only on the name of the job, so that it survives
    /// restarts. Jobs without a name all have the same delay. It counts as
    /// [lateness](RunContext::lateness). The default is zero.
    pub const fn jitter(mut self, max: Duration) -> Self {
        self.policy.jitter = max;
        self
    }

    /// Returns the closure of the job, or `None` if the job runs only once.
    #[must_use]
    pub fn into_task(self) -> Option<Task> {
        match self.work {
            Work::Repeat(task) => Some(task),
            Work::Once(_) | Work::Taken => None,
        }
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { work: _, name, policy } = self;
        f.debug_struct("Job").field("name", name).field("policy", policy).finish_non_exhaustive()
    }
}

/// The closure of a [`Job`] without its name and policies, for code that decides itself when a job
/// runs. [`Job::into_task`] returns it.
#[derive(Clone)]
pub struct Task(Closure);

#[derive(Clone)]
enum Closure {
    Direct(Arc<dyn Fn(&RunContext) -> Outcome + Send + Sync>),
    Deferred(Arc<dyn Fn(RunContext, Completion) + Send + Sync>),
}

impl Task {
    /// Starts a run. `completion` is finished when the run ends, which may be after this returns.
    pub fn begin(&self, run: &RunContext, completion: Completion) {
        match &self.0 {
            Closure::Direct(call) => {
                completion.finish(catch_panic(|| call(run)).unwrap_or_else(Outcome::Panicked));
            }
            Closure::Deferred(begin) => {
                // The closure may pass its completion on and then panic, which ends the run too.
                let (completion, interceptor) = completion.watched();
                if let Err(message) = catch_panic(|| begin(run.clone(), completion)) {
                    interceptor.report(0, Outcome::Panicked(message));
                }
            }
        }
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").finish_non_exhaustive()
    }
}

/// The closure of a job, or what is left of it.
pub(crate) enum Work {
    Once(Box<dyn FnOnce(&RunContext) -> Outcome + Send>),
    Repeat(Task),
    /// The closure of a job that runs once, after its run has taken it.
    Taken,
}

impl Work {
    /// Returns the closure for one run.
    pub(crate) fn take(&mut self) -> Self {
        match self {
            Self::Repeat(task) => Self::Repeat(task.clone()),
            Self::Once(_) => std::mem::replace(self, Self::Taken),
            Self::Taken => {
                debug_assert!(false, "a job that runs once was started twice");
                Self::Taken
            }
        }
    }

    /// Calls the closure. Returns the outcome, or `None` if the completion will report it.
    pub(crate) fn run(
        self,
        run: &RunContext,
        completion: impl FnOnce() -> Completion,
    ) -> Option<Outcome> {
        match self {
            Self::Once(call) => Some(call(run)),
            Self::Repeat(Task(Closure::Direct(call))) => Some(call(run)),
            Self::Repeat(Task(Closure::Deferred(begin))) => {
                begin(run.clone(), completion());
                None
            }
            Self::Taken => Some(Outcome::Succeeded),
        }
    }
}
