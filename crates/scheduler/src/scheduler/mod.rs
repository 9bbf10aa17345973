//! [`Scheduler`], its builder and its handles: the public interface.

mod builder;
mod closing;
mod handle;
mod job_handle;
mod jobs;
#[cfg(feature = "tokio")]
mod run_until;

use std::io;
use std::ops::Deref;

pub use self::builder::SchedulerBuilder;
pub use self::closing::Closing;
pub use self::handle::SchedulerHandle;
pub use self::job_handle::JobHandle;
pub use self::jobs::{Jobs, Tagged};
use crate::core::Core;

/// Runs jobs at the events of schedules; see the [crate docs](crate) for a guide.
///
/// The `Scheduler` owns the timer and the workers. It dereferences to a [`SchedulerHandle`], whose methods
/// add jobs, find them, and close the scheduler. Jobs and other threads use a clone of it, which
/// [`handle`](Self::handle) returns.
///
/// When the `Scheduler` is dropped, no more runs start, every job is dropped, the
/// [tokens](crate::RunContext::token) of current runs are cancelled, and idle threads end. Dropping does
/// not wait for runs; to wait, call [`close_and_wait`](SchedulerHandle::close_and_wait) first.
#[derive(Debug)]
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
}

impl Deref for Scheduler {
    type Target = SchedulerHandle;

    fn deref(&self) -> &SchedulerHandle {
        &self.handle
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
