//! Errors of a [`JobHistory`](crate::JobHistory).

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::{AddError, RefusedJob};
use crate::job::Job;

/// A history could not be read or written.
#[derive(Clone, Debug)]
pub struct HistoryError {
    what: String,
    source: Arc<dyn Error + Send + Sync>,
}

impl HistoryError {
    pub(crate) fn new(what: String, source: impl Error + Send + Sync + 'static) -> Self {
        Self { what, source: Arc::new(source) }
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for HistoryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

/// A job could not be added to a [`JobHistory`](crate::JobHistory).
/// [`into_job`](Self::into_job) returns the job.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordedJobError {
    /// The job has no [name](Job::name), so a later process could not recognise it.
    Unnamed(RefusedJob),
    /// The job [shares](Job::share_name) its name, so a later process could not tell which job's
    /// runs are recorded.
    SharedName(RefusedJob),
    /// The history could not be read. The [source](std::error::Error::source) is the cause.
    History(HistoryError, RefusedJob),
    /// The scheduler refused the job.
    Add(AddError),
}

impl RecordedJobError {
    /// Returns the job.
    pub fn into_job(self) -> Job {
        match self {
            Self::Unnamed(job) | Self::SharedName(job) | Self::History(_, job) => job.into_job(),
            Self::Add(error) => error.into_job(),
        }
    }
}

impl fmt::Display for RecordedJobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unnamed(_) => f.write_str(
                "a job without a name cannot be found again after a restart: give it one with \
                 `Job::name`",
            ),
            Self::SharedName(_) => f.write_str(
                "a job that shares its name cannot be found again after a restart: give it a \
                 unique name",
            ),
            Self::History(..) => f.write_str("the history failed"),
            Self::Add(error) => error.fmt(f),
        }
    }
}

impl Error for RecordedJobError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::History(error, _) => Some(error),
            Self::Add(error) => error.source(),
            Self::Unnamed(_) | Self::SharedName(_) => None,
        }
    }
}
