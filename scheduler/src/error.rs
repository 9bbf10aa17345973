//! [`Error`]: a job that could not be added.

use std::error;
use std::fmt;

use crate::job::Job;
use millicron::IntervalError;

/// A job could not be added. It is given back.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There are as many jobs as the scheduler may have.
    Full(Job),
    /// The scheduler is closed.
    Closed(Job),
    /// The timetable has no event after now.
    NoEvent(Job),
    /// The interval is not valid.
    Interval(IntervalError, Job),
}

impl Error {
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(_) => f.write_str("the scheduler has as many jobs as it may have"),
            Self::Closed(_) => f.write_str("the scheduler is closed"),
            Self::NoEvent(_) => f.write_str("the timetable has no event after now"),
            Self::Interval(error, _) => error.fmt(f),
        }
    }
}

impl error::Error for Error {}
