//! [`Scheduler`], its builder and its handles: the public interface.

pub(crate) mod builder;
pub(crate) mod closing;
pub(crate) mod handle;
pub(crate) mod job_handle;
pub(crate) mod jobs;
#[cfg(feature = "tokio")]
mod run_until;

use std::fmt;
use std::io;
use std::time::{Duration, SystemTime};

use millicron::IntoRecurrence;

use self::builder::SchedulerBuilder;
use crate::core::Core;
use crate::error::AddError;
use crate::job::Job;
use crate::job::output::JobOutput;
use crate::job::policy::Workers;
use crate::report::stats::Stats;
use crate::run::RunContext;
use crate::scheduler::closing::Closing;
use crate::scheduler::handle::SchedulerHandle;
use crate::scheduler::job_handle::JobHandle;
use crate::scheduler::jobs::{Jobs, Tagged};

/// Runs jobs at the events of schedules; see the [crate docs](crate) for a guide.
///
/// The `Scheduler` owns the timer and the workers. Jobs and other threads use it through a
/// [`SchedulerHandle`], which [`handle`](Self::handle) returns. When the `Scheduler` is dropped, no
/// more runs start, every job is dropped, the [tokens](RunContext::token) of current runs are
/// cancelled, and idle threads end. Dropping does not wait for runs; to wait, call
/// [`close_and_wait`](Self::close_and_wait) first.
pub struct Scheduler {
    handle: SchedulerHandle,
}

impl Scheduler {
    /// Starts a scheduler with one worker for each processor and default settings.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system cannot start the threads.
    pub fn new() -> io::Result<Self> {
        Self::builder().start()
    }

    /// Returns a builder, to choose workers, capacity, clock, observer and gate.
    pub fn builder() -> SchedulerBuilder {
        SchedulerBuilder::new()
    }

    /// Returns a handle, for jobs and other threads.
    #[must_use]
    pub fn handle(&self) -> SchedulerHandle {
        self.handle.clone()
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
        self.handle.add(recurrence, run)
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
        self.handle.add_job(recurrence, job)
    }

    /// Runs a closure once, at an instant, or immediately if the instant has passed.
    ///
    /// The instant is a [`SystemTime`] or a type that converts to it, such as `jiff::Timestamp`,
    /// `jiff::Zoned` or `chrono::DateTime`.
    ///
    /// # Errors
    ///
    /// See [`AddError`]. The error gives the job back.
    pub fn once<Kind, R: JobOutput<Kind>>(
        &self,
        instant: impl Into<SystemTime>,
        run: impl FnOnce(RunContext) -> R + Send + 'static,
    ) -> Result<JobHandle, AddError> {
        self.handle.once(instant, run)
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
        self.handle.once_job(instant, job)
    }

    /// Returns the time of the scheduler's clock.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.handle.now()
    }

    /// Changes the threads that run jobs. No run is lost or repeated: a surplus thread ends after
    /// its current run.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system cannot start all of the threads. The scheduler uses
    /// the threads that started, or keeps its workers if none did.
    pub fn set_workers(&self, workers: Workers) -> io::Result<()> {
        self.handle.set_workers(workers)
    }

    /// Returns the scheduler's counts and measurements so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.handle.stats()
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
        self.handle.jobs()
    }

    /// Returns a handle to the job with this [name](Job::name). Returns `None` if there is no such job,
    /// or if it [shares](Job::share_name) its name.
    #[must_use]
    pub fn job(&self, name: &str) -> Option<JobHandle> {
        self.handle.job(name)
    }

    /// Returns the jobs with a [tag](Job::tag), to pause, resume or cancel them.
    #[must_use]
    pub fn tagged(&self, tag: &str) -> Tagged {
        self.handle.tagged(tag)
    }

    /// Closes the scheduler: no more runs start, no jobs can be added, and the
    /// [tokens](RunContext::token) of current runs are cancelled. Runs that ignore their token continue.
    /// To wait for runs, call [`Closing::wait`], or with the feature `tokio` await the result.
    #[expect(clippy::must_use_candidate, reason = "called for its effect")]
    pub fn close(&self) -> Closing {
        self.handle.close()
    }

    /// [Closes](Self::close) the scheduler, and waits up to `timeout` for all runs to end. Returns the
    /// runs that have not ended by then. If all have ended, and the
    /// observer has received every event, all threads of the scheduler have ended, too.
    #[must_use = "these runs have not finished"]
    pub fn close_and_wait(&self, timeout: Duration) -> Vec<RunContext> {
        self.close().wait(timeout)
    }
}

impl AsRef<SchedulerHandle> for Scheduler {
    fn as_ref(&self) -> &SchedulerHandle {
        &self.handle
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        let shared = self.handle.shared();
        shared.close();
        shared.with(Core::clear);
        shared.join();
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduler").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
