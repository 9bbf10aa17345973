//! Runs jobs at the events of schedules: however many jobs wait, on one timer and
//! a few workers.
//!
//! ```
//! use std::time::Duration;
//!
//! use millicron::{every, schedule};
//! use millicron_scheduler::{Job, Overlap, Scheduler};
//!
//! let scheduler = Scheduler::new()?;
//!
//! let cleaning = scheduler.add(schedule!("*:00:00"), |fire| {
//!     println!("{} is {:?} late", fire.name(), fire.lateness());
//! })?;
//! let report = Job::new(|_| std::fs::write("report", "all is well"))
//!     .name("report")
//!     .overlap(Overlap::Queue { max: 1 });
//! scheduler.add_job(every(90).minutes(), report)?;
//!
//! assert!(cleaning.next_event().is_some());
//! cleaning.cancel();
//! assert!(scheduler.close_and_wait(Duration::from_secs(5)).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is made
//!
//! - `queue` is what waits, by the time it is due, and `slots` is where jobs lie:
//!   one that is cancelled leaves both at once;
//! - `core` is the machine: which job waits, is due, runs. It knows no threads and
//!   no clock. `control` is what is done to jobs from outside;
//! - `shared` is the threads: a timer, which waits for the next job that is due, and
//!   workers, which take what is ready;
//! - [`Simulator`] drives the machine by a virtual clock, without threads;
//! - [`Timetable`] is when a job runs, [`Clock`] is what time it is;
//! - [`Event`] is what happened, for an [`Observer`];
//! - `pipeline` stands on all of that, with the feature `dependency`: it lets runs wait
//!   for those that they need.

mod clock;
mod control;
mod core;
mod error;
mod event;
mod handle;
mod instant;
mod job;
mod policy;
mod queue;
mod shared;
mod simulator;
mod slots;
mod source;
mod span;
mod stats;
#[cfg(feature = "tokio")]
mod tokio;

use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Weak};
use std::thread::available_parallelism;
use std::time::{Duration, SystemTime};

pub use clock::{Clock, ManualClock, SystemClock, Timer};
pub use error::Error;
pub use event::{Event, Observer, Reason};
pub use handle::JobHandle;
pub use job::{CancellationToken, Completion, Fire, IntoOutcome, Job, JobName, Outcome, Task};
pub use policy::{Missed, Overlap, Workers};
pub use simulator::{SimulatedJob, Simulator};
pub use stats::Stats;
#[cfg(feature = "tokio")]
pub use tokio::Ticks;

use millicron::IntoRecurrence;

use self::core::Core;
use shared::Shared;
use source::EventSource;

/// Runs jobs at the events of schedules; see [the module](self).
///
/// Jobs are added to it, or to a [`Remote`], which a job may hold. When it is
/// dropped nothing starts any more, all jobs are dropped, and the threads end, each
/// with what it runs; nobody waits for them.
pub struct Scheduler {
    remote: Remote,
}

impl Scheduler {
    /// A scheduler with a worker for each processor, and nothing else chosen.
    ///
    /// # Errors
    ///
    /// The system has no threads for it.
    pub fn new() -> io::Result<Self> {
        Self::builder().start()
    }

    /// What can be chosen.
    pub fn builder() -> Builder {
        Builder { workers: None, capacity: None, clock: None, observer: None }
    }

    /// The scheduler, for those who are not to keep it going: jobs, for example.
    #[must_use]
    pub fn remote(&self) -> Remote {
        self.remote.clone()
    }
}

impl Deref for Scheduler {
    type Target = Remote;

    fn deref(&self) -> &Remote {
        &self.remote
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        self.close();
        drop(self.remote.shared.interrupt());
        let jobs = self.remote.shared.with(Core::clear);
        shared::discard_each(jobs.into_values());
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduler").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

/// What can be chosen of a [`Scheduler`].
#[must_use]
pub struct Builder {
    workers: Option<Workers>,
    capacity: Option<usize>,
    clock: Option<Box<dyn Clock>>,
    observer: Option<Box<dyn Observer>>,
}

impl Builder {
    /// Which threads run the jobs; a pool of one for each processor if nothing is
    /// chosen.
    pub fn workers(self, workers: Workers) -> Self {
        Self { workers: Some(workers), ..self }
    }

    /// How many jobs there may be at once; as many as there is memory for if
    /// nothing is chosen.
    pub fn capacity(self, most: usize) -> Self {
        Self { capacity: Some(most), ..self }
    }

    /// What time it is; [`SystemClock`] if nothing is chosen.
    pub fn clock(self, clock: impl Clock) -> Self {
        Self { clock: Some(Box::new(clock)), ..self }
    }

    /// Who is told of all that happens.
    pub fn observer(self, observer: impl Observer) -> Self {
        Self { observer: Some(Box::new(observer)), ..self }
    }

    /// Starts the timer and the workers.
    ///
    /// # Errors
    ///
    /// The system has no threads for them.
    pub fn start(self) -> io::Result<Scheduler> {
        let Self { workers, capacity, clock, observer } = self;
        let workers = workers.unwrap_or_else(|| {
            Workers::Pool(available_parallelism().map_or(1, std::num::NonZero::get))
        });
        let core = Core::new(capacity, observer.is_some());
        let clock = clock.unwrap_or_else(|| Box::new(SystemClock));
        let shared = Shared::new(core, clock, observer, workers);
        let timer: Weak<dyn Timer> = Arc::<Shared>::downgrade(&shared);
        shared.clock.attach(timer);
        // Made first, so that its drop ends the threads if not all of them start.
        let scheduler = Scheduler { remote: Remote { shared } };
        scheduler.remote.shared.start()?;
        Ok(scheduler)
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workers, capacity, clock: _, observer: _ } = self;
        f.debug_struct("Builder")
            .field("workers", workers)
            .field("capacity", capacity)
            .finish_non_exhaustive()
    }
}

/// A [`Scheduler`] from elsewhere: it does not keep the threads going.
///
/// All of it can be called from anywhere, also from within a job.
#[derive(Clone)]
pub struct Remote {
    shared: Arc<Shared>,
}

impl Remote {
    /// Runs a closure at each event of a timetable after now.
    ///
    /// # Errors
    ///
    /// There is no room, no event, or nothing to go by, or the scheduler is closed;
    /// the error gives the job back.
    pub fn add<R: IntoOutcome>(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        run: impl Fn(&Fire) -> R + Send + Sync + 'static,
    ) -> Result<JobHandle, Error> {
        self.add_job(recurrence, Job::new(run))
    }

    /// Runs a [`Job`] at each event of a timetable after now; one of
    /// [`Job::once`] at the first of them.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn add_job(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        job: Job,
    ) -> Result<JobHandle, Error> {
        let now = self.shared.now();
        let timetable = match recurrence.into_recurrence(now.ceil_millis()) {
            Ok(recurrence) => EventSource::new(recurrence),
            Err(error) => return Err(Error::Interval(error, job)),
        };
        let mut timetable = Some(timetable);
        let added = self.shared.with(|core| core.add(job, &mut timetable, now));
        shared::discard(timetable);
        let key = added?;
        Ok(JobHandle::new(&self.shared, key))
    }

    /// Runs a closure once, at an instant; at once if that has passed.
    ///
    /// # Errors
    ///
    /// There is no room, or the scheduler is closed; the error gives the job back.
    pub fn once<R: IntoOutcome>(
        &self,
        instant: impl Into<SystemTime>,
        run: impl FnOnce(&Fire) -> R + Send + 'static,
    ) -> Result<JobHandle, Error> {
        self.once_job(instant, Job::once(run))
    }

    /// Runs a [`Job`] once, at an instant; at once if that has passed.
    ///
    /// # Errors
    ///
    /// As [`once`](Self::once).
    pub fn once_job(&self, instant: impl Into<SystemTime>, job: Job) -> Result<JobHandle, Error> {
        let instant = instant.into().into();
        let key = self.shared.with(|core| core.add_once(job, instant))?;
        Ok(JobHandle::new(&self.shared, key))
    }

    /// Runs a [`Job`] once, at an instant, as a run of work that was accepted before: it does not
    /// count against the capacity.
    ///
    /// # Errors
    ///
    /// The scheduler is closed; the error gives the job back.
    pub fn add_run(&self, instant: impl Into<SystemTime>, job: Job) -> Result<JobHandle, Error> {
        let instant = instant.into().into();
        let key = self.shared.with(|core| core.add_run(job, instant))?;
        Ok(JobHandle::new(&self.shared, key))
    }

    /// Returns the time by the scheduler's clock.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.shared.now().time()
    }

    /// Changes which threads run the jobs. No run is lost or run twice: threads that
    /// are too many end after what they run.
    ///
    /// # Errors
    ///
    /// The system has not enough threads; there are as many as it had.
    pub fn set_workers(&self, workers: Workers) -> io::Result<()> {
        self.shared.set_workers(workers)
    }

    /// Figures.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.with(|core| core.stats())
    }

    /// Nothing starts any more, and nothing can be added. What runs goes on.
    pub fn close(&self) {
        self.shared.close(Duration::ZERO);
    }

    /// As [`close`](Self::close), and waits until all runs have ended, for so long
    /// at the most. Then the [tokens](Fire::token) of those that have not are
    /// cancelled, and these are returned. Not to be called by a job, which would
    /// wait for itself.
    #[must_use = "runs that have not ended"]
    pub fn close_and_wait(&self, timeout: Duration) -> Vec<Fire> {
        self.shared.close(timeout);
        self.shared.interrupt()
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
