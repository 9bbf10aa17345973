//! [`AddError`].

use std::error;
use std::fmt;

use millicron::IntervalError;

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
    Full(Job),
    /// The scheduler is closed.
    Closed(Job),
    /// The recurrence has no event after now, or none until April 2262, when the instants of the
    /// scheduler end: they are 64-bit nanoseconds.
    NoEvent(Job),
    /// The interval is invalid. The cause is available as the
    /// [source](std::error::Error::source) of the error.
    Interval(IntervalError, Job),
}

impl AddError {
    /// Returns the job that could not be added.
    pub fn into_job(self) -> Job {
        match self {
            Self::Full(job) | Self::Closed(job) | Self::NoEvent(job) | Self::Interval(_, job) => {
                job
            }
        }
    }
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the scheduler is at its capacity",
            Self::Closed(_) => "the scheduler is closed",
            Self::NoEvent(_) => "the recurrence has no event after now",
            Self::Interval(..) => "invalid interval",
        })
    }
}

impl error::Error for AddError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Interval(error, _) => Some(error),
            Self::Full(_) | Self::Closed(_) | Self::NoEvent(_) => None,
        }
    }
}
