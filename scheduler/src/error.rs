//! [`AddError`]: a job that could not be added.

use std::error;
use std::fmt;

use crate::job::Job;
use millicron::IntervalError;

/// A job could not be added. It is given back.
#[derive(Debug)]
#[non_exhaustive]
pub enum AddError {
    /// There are as many jobs as the scheduler may have.
    Full(Job),
    /// The scheduler is closed.
    Closed(Job),
    /// The timetable has no event after now.
    NoEvent(Job),
    /// The interval is not valid.
    Interval(IntervalError, Job),
}

impl AddError {
    /// The job.
    #[must_use]
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
        match self {
            Self::Full(_) => f.write_str("the scheduler has as many jobs as it may have"),
            Self::Closed(_) => f.write_str("the scheduler is closed"),
            Self::NoEvent(_) => f.write_str("the recurrence has no event after now"),
            Self::Interval(..) => f.write_str("invalid interval"),
        }
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
