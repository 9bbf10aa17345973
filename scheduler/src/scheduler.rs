//! [`Scheduler`] and [`SchedulerBuilder`].

use std::fmt;
use std::io;
use std::num::NonZero;
use std::sync::{Arc, Weak};
use std::thread::available_parallelism;
use std::time::{Duration, SystemTime};

use millicron::IntoRecurrence;

use crate::clock::{Clock, SystemClock, Timer};
use crate::core::Core;
use crate::error::AddError;
use crate::event::Observer;
use crate::handle::SchedulerHandle;
use crate::job::Job;
use crate::job_handle::JobHandle;
use crate::outcome::IntoOutcome;
use crate::panics::discard_each;
use crate::policy::Workers;
use crate::run::RunContext;
use crate::shared::Shared;
use crate::stats::Stats;

/// Runs jobs at the events of schedules; the [crate docs](crate) are its guide.
///
/// The `Scheduler` owns the timer and the workers. Jobs and other threads use it through a
/// [`SchedulerHandle`], which [`handle`](Self::handle) returns. When the `Scheduler` is dropped,
/// nothing more starts, every job is dropped, the [tokens](RunContext::token) of current runs are
/// cancelled, and each thread ends when its current run does. The drop itself does not wait; call
/// [`close_and_wait`](Self::close_and_wait) first to wait.
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

    /// Returns a builder, to choose workers, capacity, clock and observer.
    pub fn builder() -> SchedulerBuilder {
        SchedulerBuilder { workers: None, capacity: None, clock: None, observer: None }
    }

    /// Returns a handle, for jobs and other threads.
    #[must_use]
    pub fn handle(&self) -> SchedulerHandle {
        self.handle.clone()
    }

    /// Runs a closure at each event after now. For a name or policies, use
    /// [`add_job`](Self::add_job).
    ///
    /// The recurrence is a [`Schedule`](millicron::Schedule), a schedule
    /// [in a time zone](millicron::ZonedSchedule), an interval such as
    /// [`every(5).minutes()`](millicron::every), or your own
    /// [`Recurrence`](millicron::Recurrence).
    ///
    /// # Errors
    ///
    /// See [`AddError`]. The error gives the job back.
    pub fn add<R: IntoOutcome>(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        run: impl Fn(&RunContext) -> R + Send + Sync + 'static,
    ) -> Result<JobHandle, AddError> {
        self.handle.add(recurrence, run)
    }

    /// Runs a [`Job`] at each event after now. A job made by [`Job::once`] runs at the first of
    /// them.
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
    pub fn once<R: IntoOutcome>(
        &self,
        instant: impl Into<SystemTime>,
        run: impl FnOnce(&RunContext) -> R + Send + 'static,
    ) -> Result<JobHandle, AddError> {
        self.handle.once(instant, run)
    }

    /// Runs a [`Job`] once, at an instant, or immediately if the instant has passed. Its policies
    /// for missed and overlapping events do not apply.
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
    /// those that started, or keeps its workers if none did.
    pub fn set_workers(&self, workers: Workers) -> io::Result<()> {
        self.handle.set_workers(workers)
    }

    /// Returns what the scheduler has counted and measured so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.handle.stats()
    }

    /// Closes the scheduler: nothing more starts, and nothing can be added. Current runs continue.
    pub fn close(&self) {
        self.handle.close();
    }

    /// Closes the scheduler, and waits up to `timeout` for all runs to finish. Cancels the
    /// [tokens](RunContext::token) of runs that have not finished by then, and returns these runs.
    #[must_use = "these runs have not finished"]
    pub fn close_and_wait(&self, timeout: Duration) -> Vec<RunContext> {
        self.handle.close_and_wait(timeout)
    }
}

impl AsRef<SchedulerHandle> for Scheduler {
    fn as_ref(&self) -> &SchedulerHandle {
        &self.handle
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        self.close();
        let shared = self.handle.shared();
        drop(shared.cancel_runs());
        discard_each(shared.with(Core::clear).into_values());
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduler").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

/// Settings of a [`Scheduler`] that has not started; made by [`Scheduler::builder`].
///
/// ```
/// use millicron_scheduler::{Event, Scheduler, Workers};
///
/// let scheduler = Scheduler::builder()
///     .workers(Workers::Pool(4))
///     .capacity(10_000)
///     .observer(|event: &Event| println!("{event:?}"))
///     .start()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "nothing runs until `start` is called"]
pub struct SchedulerBuilder {
    workers: Option<Workers>,
    capacity: Option<usize>,
    clock: Option<Box<dyn Clock>>,
    observer: Option<Box<dyn Observer>>,
}

impl SchedulerBuilder {
    /// Sets the threads that run jobs. By default they are a pool with one thread for each
    /// processor.
    pub fn workers(self, workers: Workers) -> Self {
        Self { workers: Some(workers), ..self }
    }

    /// Sets the largest number of jobs at one time. By default there is no limit.
    pub fn capacity(self, max: usize) -> Self {
        Self { capacity: Some(max), ..self }
    }

    /// Sets the clock. The default is [`SystemClock`]; tests use a
    /// [`ManualClock`](crate::ManualClock).
    pub fn clock(self, clock: impl Clock) -> Self {
        Self { clock: Some(Box::new(clock)), ..self }
    }

    /// Sets the observer that receives every [`Event`](crate::Event).
    pub fn observer(self, observer: impl Observer) -> Self {
        Self { observer: Some(Box::new(observer)), ..self }
    }

    /// Starts the timer and the workers.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system cannot start the threads.
    pub fn start(self) -> io::Result<Scheduler> {
        let Self { workers, capacity, clock, observer } = self;
        let workers = workers
            .unwrap_or_else(|| Workers::Pool(available_parallelism().map_or(1, NonZero::get)));
        let core = Core::new(capacity, observer.is_some());
        let clock = clock.unwrap_or_else(|| Box::new(SystemClock));
        let shared = Shared::new(core, clock, observer, workers);
        let timer: Weak<dyn Timer> = Arc::<Shared>::downgrade(&shared);
        shared.clock.attach(timer);
        // Before the threads, so that its drop ends them if not all of them start.
        let scheduler = Scheduler { handle: SchedulerHandle::new(Arc::clone(&shared)) };
        shared.start()?;
        Ok(scheduler)
    }
}

impl fmt::Debug for SchedulerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workers, capacity, clock: _, observer: _ } = self;
        f.debug_struct("SchedulerBuilder")
            .field("workers", workers)
            .field("capacity", capacity)
            .finish_non_exhaustive()
    }
}
