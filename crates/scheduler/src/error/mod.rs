//! [`AddError`], and the errors of a history.

#[cfg(feature = "history")]
mod history;

use std::error;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use millicron::IntervalError;

#[cfg(feature = "history")]
pub use self::history::{HistoryError, RecordedJobError};
use crate::job::Job;

/// A job could not be added. [`into_job`](Self::into_job) returns the job.
///
/// ```
/// use millicron::schedule;
/// use millicron_scheduler::{AddError, Scheduler};
///
/// let scheduler = Scheduler::builder().capacity(0).start()?;
/// let error = scheduler.add(schedule!("*:00:00"), |_| {}).unwrap_err();
/// assert!(matches!(error, AddError::Full(_)));
/// let job = error.into_job().name("retry later");
/// # drop(job);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum AddError {
    /// The scheduler is at its [capacity](crate::SchedulerBuilder::capacity).
    Full(RefusedJob),
    /// The scheduler is closed.
    Closed(RefusedJob),
    /// The recurrence has no event after now, or none between the job's [earliest](Job::starting)
    /// and [latest](Job::ending) instant, or none until April 2262, where the scheduler's range of
    /// instants ends: they are 64-bit nanoseconds.
    NoEvent(RefusedJob),
    /// Another job has the same [name](Job::name).
    NameTaken(RefusedJob),
    /// The interval is invalid. The [source](std::error::Error::source) of the error is the cause.
    Interval(IntervalError, RefusedJob),
    /// The closure of the job is async, and the job was created outside a `tokio` runtime.
    NoRuntime(RefusedJob),
}

/// A job that a scheduler did not accept, as part of an [`AddError`]. Use
/// [`AddError::into_job`] to get the job.
pub struct RefusedJob(Mutex<Job>);

impl RefusedJob {
    /// Returns the job.
    pub fn into_job(self) -> Job {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RefusedJob {
    fn name_is_taken(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let job = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = job.name.as_deref().unwrap_or_default();
        write!(f, "another job has the name `{name}`: choose a different one, or replace that job")
    }
}

impl From<Job> for RefusedJob {
    fn from(job: Job) -> Self {
        Self(Mutex::new(job))
    }
}

impl fmt::Debug for RefusedJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fmt(f)
    }
}

impl AddError {
    /// Changes the job that could not be added.
    #[cfg(feature = "history")]
    pub(crate) fn change_job(&mut self, change: impl FnOnce(&mut Job)) {
        let (Self::Full(job)
        | Self::Closed(job)
        | Self::NoEvent(job)
        | Self::NameTaken(job)
        | Self::Interval(_, job)
        | Self::NoRuntime(job)) = self;
        change(job.0.get_mut().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the job that could not be added.
    pub fn into_job(self) -> Job {
        match self {
            Self::Full(job)
            | Self::Closed(job)
            | Self::NoEvent(job)
            | Self::NameTaken(job)
            | Self::Interval(_, job)
            | Self::NoRuntime(job) => job.into_job(),
        }
    }
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the scheduler is at its capacity",
            Self::Closed(_) => "the scheduler is closed",
            Self::NoEvent(_) => "the recurrence has no event after now",
            Self::NameTaken(job) => return job.name_is_taken(f),
            Self::Interval(..) => "invalid interval",
            Self::NoRuntime(_) => {
                "the job is async, but was created outside a tokio runtime: create it within one, \
                 or with `Job::future`"
            }
        })
    }
}

impl error::Error for AddError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Interval(error, _) => Some(error),
            _ => None,
        }
    }
}
