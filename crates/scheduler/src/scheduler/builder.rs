//! [`SchedulerBuilder`].

use std::fmt;
use std::io;
use std::num::NonZero;
use std::sync::{Arc, Weak};
use std::thread::available_parallelism;

use super::Scheduler;
use super::handle::SchedulerHandle;
use crate::core::Core;
use crate::job::Workers;
use crate::report::Observer;
#[cfg(feature = "tokio")]
use crate::run::RunContext;
use crate::threads::{AnyGate, Gate, Shared, blocking_gate};
use crate::time::{Clock, SystemClock, Timer};

/// A builder for a [`Scheduler`], created by [`Scheduler::builder`].
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
    gate: Option<AnyGate>,
}

impl SchedulerBuilder {
    pub(super) fn new() -> Self {
        Self { workers: None, capacity: None, clock: None, observer: None, gate: None }
    }

    /// Sets the threads that run jobs. The default is a pool with one thread for each processor.
    pub fn workers(self, workers: Workers) -> Self {
        Self { workers: Some(workers), ..self }
    }

    /// Sets the maximum number of jobs, including jobs whose last run is in progress. By default
    /// there is no limit.
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

    /// Sets a [gate](Gate), which decides before each run whether it may start.
    pub fn gate(self, gate: impl Gate) -> Self {
        Self { gate: Some(blocking_gate(gate)), ..self }
    }

    /// Sets an async [gate](Gate). It runs on `runtime` and does not block a worker. Closing the scheduler waits for
    /// its answers, so a gate that may take long should also end when the
    /// [token](crate::RunContext::token) of its run is [cancelled](crate::CancellationToken::cancelled).
    ///
    /// ```
    /// use millicron_scheduler::{RunContext, Scheduler};
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    /// # let handle = runtime.handle();
    ///
    /// async fn is_leader() -> bool {
    ///     true // Ask the other processes.
    /// }
    ///
    /// let scheduler = Scheduler::builder()
    ///     .async_gate(handle, |_: RunContext| is_leader())
    ///     .start()?;
    /// # drop(scheduler);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(feature = "tokio")]
    pub fn async_gate<F>(
        self,
        runtime: &tokio::runtime::Handle,
        gate: impl Fn(RunContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        Self { gate: Some(crate::threads::async_gate(runtime.clone(), gate)), ..self }
    }

    /// Starts the timer and the workers.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system cannot start the threads.
    pub fn start(self) -> io::Result<Scheduler> {
        let Self { workers, capacity, clock, observer, gate } = self;
        let workers = workers
            .unwrap_or_else(|| Workers::Pool(available_parallelism().map_or(1, NonZero::get)));
        #[cfg(feature = "metrics")]
        drop(crate::panics::catch_panic(crate::report::metrics::describe));
        let core = Core::new(capacity, observer.is_some(), gate.is_some());
        let clock = clock.unwrap_or_else(|| Box::new(SystemClock));
        let shared = Shared::new(core, clock, observer, gate, workers);
        let timer: Weak<dyn Timer> = Arc::<Shared>::downgrade(&shared);
        shared.clock.attach(timer);
        // Created before the threads, so that dropping it ends them if some fail to start.
        let scheduler = Scheduler { handle: SchedulerHandle::new(Arc::clone(&shared)) };
        shared.start()?;
        Ok(scheduler)
    }
}

impl fmt::Debug for SchedulerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workers, capacity, clock: _, observer: _, gate: _ } = self;
        f.debug_struct("SchedulerBuilder")
            .field("workers", workers)
            .field("capacity", capacity)
            .finish_non_exhaustive()
    }
}
