//! [`SchedulerHandle`]: a reference to a scheduler, for jobs and other threads.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use millicron::IntoRecurrence;

use crate::error::AddError;
use crate::job::{EventSource, Job, JobOutput, Work, Workers, once_call};
use crate::report::Stats;
use crate::run::RunContext;
use crate::scheduler::{Closing, JobHandle, Jobs, Tagged};
use crate::threads::Shared;

/// One-shot closures up to this many bytes are stored inline, in pages by type. Larger ones are
/// boxed, as their pages would otherwise be large even for a single closure.
const MOST_INLINE: usize = 128;

/// Adds, finds and controls the jobs of a [`Scheduler`](crate::Scheduler), and closes it. Clones refer to
/// the same scheduler, and do not keep it alive.
///
/// Use it where a job or another thread needs the scheduler. Every method except
/// [`close_and_wait`](Self::close_and_wait) can be called from anywhere, including from within a
/// job. After the scheduler has been dropped, nothing can be added.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use millicron::schedule;
/// use millicron_scheduler::Scheduler;
///
/// let scheduler = Scheduler::new()?;
/// let handle = scheduler.handle();
/// scheduler.add(schedule!("*:00:00"), move |run| {
///     // Check the result half an hour later.
///     let check = run.scheduled() + Duration::from_secs(30 * 60);
///     handle.once(check, |_| println!("checking")).map(drop)
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SchedulerHandle {
    shared: Arc<Shared>,
}

impl SchedulerHandle {
    pub(crate) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    pub(crate) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Runs a closure at each event after now. For a name or policies, or a closure that changes its
    /// state, use [`add_job`](Self::add_job).
    ///
    /// The recurrence is a [`Schedule`](millicron::Schedule), a schedule
    /// [in a time zone](millicron::ZonedSchedule), an interval such as
    /// [`every(5).minutes()`](millicron::every), or your own
    /// [`Recurrence`](millicron::Recurrence).
    ///
    /// # Errors
    ///
    /// See [`AddError`]. The error gives the job back.
    pub fn add<Kind, R: JobOutput<Kind>>(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        run: impl Fn(RunContext) -> R + Send + Sync + 'static,
    ) -> Result<JobHandle, AddError> {
        self.add_job(recurrence, Job::new(run))
    }

    /// Runs a [`Job`] at each event after now. A job created with [`Job::once`] runs only at the
    /// first of them.
    ///
    /// # Errors
    ///
    /// See [`AddError`]. The error gives the job back.
    pub fn add_job(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        job: Job,
    ) -> Result<JobHandle, AddError> {
        let now = self.shared.now();
        let (source, job) = EventSource::of(recurrence, job, now)?;
        let replaces = job.policy().replaces;
        let key = self.shared.with(|core| {
            // Read under the lock, so that the replaced job has handled no later event.
            let now = if replaces { self.shared.now() } else { now };
            core.add(job, source, now)
        })?;
        Ok(JobHandle::new(&self.shared, key))
    }

    /// Runs a closure once, at an instant, or immediately if the instant has passed.
    ///
    /// The instant is a [`SystemTime`] or a type that converts to it, such as `jiff::Timestamp`,
    /// `jiff::ZonedDateTime` or `chrono::DateTime`.
    ///
    /// # Errors
    ///
    /// See [`AddError`]. The error gives the job back.
    pub fn once<Kind, R: JobOutput<Kind>>(
        &self,
        instant: impl Into<SystemTime>,
        run: impl FnOnce(RunContext) -> R + Send + 'static,
    ) -> Result<JobHandle, AddError> {
        let Some(call) = once_call(run) else {
            return self.once_job(instant, Job::of(Work::Missing));
        };
        if size_of_val(&call) > MOST_INLINE {
            return self.once_job(instant, Job::of(Work::Once(Box::new(call))));
        }
        let instant = instant.into().into();
        let key = self.shared.with(|core| core.add_closure(call, instant))?;
        Ok(JobHandle::new(&self.shared, key))
    }

    /// Runs a [`Job`] once, at an instant, or immediately if the instant has passed. With
    /// [`Missed::Skip`](crate::Missed::Skip) it does not run if it would be later than its
    /// [grace](Job::grace) allows.
    ///
    /// # Errors
    ///
    /// See [`AddError`]. The error gives the job back.
    pub fn once_job(
        &self,
        instant: impl Into<SystemTime>,
        job: Job,
    ) -> Result<JobHandle, AddError> {
        let instant = instant.into().into();
        let key = self.shared.with(|core| core.add_once(job, instant, || self.shared.now()))?;
        Ok(JobHandle::new(&self.shared, key))
    }

    /// Runs a [`Job`] once, even if the scheduler is at its
    /// [capacity](crate::SchedulerBuilder::capacity), or another job has the same name.
    ///
    /// Use it for a later step of work that was already accepted, and that would be stuck if this
    /// step were refused.
    ///
    /// # Errors
    ///
    /// Returns an error if the scheduler is closed.
    pub fn once_job_beyond_capacity(
        &self,
        instant: impl Into<SystemTime>,
        job: Job,
    ) -> Result<JobHandle, AddError> {
        let instant = instant.into().into();
        let key = self.shared.with(|core| core.add_step(job, instant))?;
        Ok(JobHandle::new(&self.shared, key))
    }

    /// Returns the time of the scheduler's clock.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.shared.now().clock.time()
    }

    /// Changes the threads that run jobs. No run is lost or repeated: a surplus thread ends after
    /// its current run.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system cannot start all of the threads. The scheduler uses
    /// the threads that started, or keeps its workers if none did.
    pub fn set_workers(&self, workers: Workers) -> io::Result<()> {
        self.shared.set_workers(workers)
    }

    /// Returns the scheduler's counts and measurements so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.with(|core| core.stats())
    }

    /// Returns an iterator over the jobs, with a handle for each.
    ///
    /// A plain one-shot job, without a name or policies, is listed until its run starts.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_scheduler::{Job, Scheduler};
    ///
    /// let scheduler = Scheduler::new()?;
    /// let job = Job::new(|_| {}).name("report");
    /// scheduler.add_job(schedule!("*.*.* Mon-Fri 09:30:00"), job)?;
    /// for (_handle, info) in scheduler.jobs() {
    ///     println!("{}: {}, next {:?}", info.name, info.description(), info.next);
    /// #   assert_eq!(info.description().to_string(), "At 09:30 on Monday to Friday");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn jobs(&self) -> Jobs {
        Jobs::new(&self.shared)
    }

    /// Returns a handle to the job with this [name](Job::name). Returns `None` if there is no such job,
    /// or if it [shares](Job::share_name) its name.
    #[must_use]
    pub fn job(&self, name: &str) -> Option<JobHandle> {
        let key = self.shared.with(|core| core.named(name))?;
        Some(JobHandle::new(&self.shared, key))
    }

    /// Returns the jobs with a [tag](Job::tag), to pause, resume or cancel them.
    #[must_use]
    pub fn tagged(&self, tag: &str) -> Tagged {
        Tagged::new(&self.shared, tag)
    }

    /// [Cancels](JobHandle::cancel) jobs, all at the same instant, and returns that instant. It is now, or
    /// the latest event of these jobs that has run, if the clock was set back by up to a second since.
    /// Ignores jobs of other schedulers.
    ///
    /// Pass the instant to [`Job::since`] for jobs that take their place. No event then runs twice or is
    /// lost without a report: those up to the instant belong to the cancelled jobs, whose
    /// [event](crate::Event::Cancelled) lists those that have not run, and later ones to the new jobs.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_scheduler::{Job, Scheduler};
    ///
    /// let scheduler = Scheduler::new()?;
    /// let old = scheduler.add_job(schedule!("*:*:*"), Job::new(|_| {}).name("old"))?;
    /// let cancelled = scheduler.cancel_all([old]);
    /// let new = Job::new(|_| {}).name("new").since(cancelled);
    /// scheduler.add_job(schedule!("*:*:*"), new)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cancel_all(&self, jobs: impl IntoIterator<Item = JobHandle>) -> SystemTime {
        let keys = jobs.into_iter().filter_map(|job| job.key_in(&self.shared)).collect::<Vec<_>>();
        // The clock is read under the lock, so that no later event has been handled.
        self.shared.with(|core| core.cancel_all(&keys, self.shared.now())).time()
    }

    /// Returns whether the scheduler was [closed](Self::close): no further run starts.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.with(|core| core.is_closed())
    }

    /// Closes the scheduler: no more runs start, no jobs can be added, and the
    /// [tokens](RunContext::token) of current runs are cancelled. Runs that ignore their token continue.
    /// To wait for runs, call [`Closing::wait`], or with the feature `tokio` await the result.
    #[expect(clippy::must_use_candidate, reason = "called for its effect")]
    pub fn close(&self) -> Closing {
        self.shared.close();
        Closing::new(Arc::clone(&self.shared))
    }

    /// [Closes](Self::close) the scheduler, and waits up to `timeout` for all runs to end. Returns the
    /// runs that have not ended by then. If all have ended, and the observer has received every event, all
    /// threads of the scheduler have ended, too. Do not call this from a job: it would wait for itself.
    #[must_use = "these runs have not finished"]
    pub fn close_and_wait(&self, timeout: Duration) -> Vec<RunContext> {
        self.close().wait(timeout)
    }
}

impl AsRef<Self> for SchedulerHandle {
    fn as_ref(&self) -> &Self {
        self
    }
}
