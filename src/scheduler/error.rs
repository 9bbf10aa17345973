//! [`Error`]: a job that could not be added.

use std::error;
use std::fmt;

use super::job::Job;
use super::timetable::TimetableError;

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
    /// The timetable is nothing to go by.
    Timetable(TimetableError, Job),
}

impl Error {
    /// The job.
    #[must_use]
    pub fn into_job(self) -> Job {
        match self {
            Self::Full(job) | Self::Closed(job) | Self::NoEvent(job) | Self::Timetable(_, job) => {
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
            Self::Timetable(error, _) => error.fmt(f),
        }
    }
}

impl error::Error for Error {}
