//! Errors.

use std::error::Error;
use std::fmt;
#[cfg(feature = "pipeline")]
use std::io;

#[cfg(feature = "pipeline")]
use apalis_core::error::BoxDynError;
use millicron::IntervalError;
#[cfg(feature = "pipeline")]
use millicron_pipeline::QueryError;

/// An error in the jobs of a source, returned by
/// [`SourceBuilder::build`](crate::SourceBuilder::build).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// Two jobs have this name. The name and the instant identify a task.
    DuplicateName(String),
    /// A job's name is empty.
    EmptyName,
    /// A job's name is too long for the indices of storages.
    LongName {
        /// Its length, in bytes.
        length: usize,
        /// The largest length, in bytes.
        max: usize,
    },
    /// A job's name contains the character `\0`, which some storages refuse.
    NulInName(String),
    /// The interval of a job is invalid.
    Interval {
        /// The name of the job.
        job: String,
        /// The error in the interval.
        error: IntervalError,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateName(name) => write!(f, "two jobs are named `{name}`"),
            Self::EmptyName => f.write_str("the name of a job is empty"),
            Self::LongName { length, max } => {
                write!(f, "the name of a job has {length} bytes; the maximum is {max}")
            }
            Self::NulInName(name) => write!(f, "the name {name:?} contains `\\0`"),
            Self::Interval { job, error } => write!(f, "the interval of `{job}`: {error}"),
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Interval { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// An error that ends a worker on a [`PipedSource`](crate::PipedSource), or the future of
/// [`Source::push_to`](crate::Source::push_to).
///
/// A failure to push is not such an error: it is retried and [reported](crate::Notice::PushFailed).
#[derive(Debug)]
#[non_exhaustive]
pub enum PipeError<E> {
    /// The storage failed while it fetched or acknowledged tasks, or registered the worker. Let a
    /// `Monitor` [restart](crate#storage-failures) the worker.
    Storage(E),
    /// The storage forgets idempotency keys at once, so each machine would add its own task for the
    /// same event: `Config::idempotency_ttl` of `apalis-redis` is not set, or below a second. It is
    /// checked with the feature `redis`.
    ForgetsKeys,
}

impl<E: fmt::Display> fmt::Display for PipeError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Storage(error) => write!(f, "the storage failed: {error}"),
            Self::ForgetsKeys => f.write_str(
                "the storage forgets idempotency keys at once: set \
                 `apalis_redis::Config::idempotency_ttl`, to longer than the catch-up window and the \
                 time that tasks are pushed ahead together",
            ),
        }
    }
}

impl<E: Error + 'static> Error for PipeError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Storage(error) => Some(error),
            Self::ForgetsKeys => None,
        }
    }
}

/// An error of [`PipelineSourceBuilder::start`](crate::PipelineSourceBuilder::start).
#[cfg(feature = "pipeline")]
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The pipeline has no job with the name that was passed to
    /// [`external`](crate::PipelineSourceBuilder::external).
    UnknownJob(String),
    /// A job's name cannot be part of a key.
    Jobs(BuildError),
    /// The thread for the history cannot be started.
    Thread(io::Error),
}

#[cfg(feature = "pipeline")]
impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownJob(job) => write!(f, "the pipeline has no job `{job}`"),
            Self::Jobs(error) => write!(f, "{error}"),
            Self::Thread(error) => write!(f, "cannot start a thread: {error}"),
        }
    }
}

#[cfg(feature = "pipeline")]
impl Error for StartError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::UnknownJob(_) => None,
            Self::Jobs(error) => Some(error),
            Self::Thread(error) => Some(error),
        }
    }
}

/// An error of [`PipelineSource::run_again`](crate::PipelineSource::run_again).
#[cfg(feature = "pipeline")]
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The pipeline has no such run, or something else runs the job.
    Unknown(BoxDynError),
    /// The history failed.
    History(BoxDynError),
}

#[cfg(feature = "pipeline")]
impl RunError {
    pub(crate) fn history(error: impl Error + Send + Sync + 'static) -> Self {
        Self::History(error.into())
    }
}

#[cfg(feature = "pipeline")]
impl<E: Error + Send + Sync + 'static> From<QueryError<E>> for RunError {
    fn from(error: QueryError<E>) -> Self {
        match error {
            QueryError::History(error) => Self::history(error),
            error => Self::Unknown(error.into()),
        }
    }
}

#[cfg(feature = "pipeline")]
impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(error) => write!(f, "{error}"),
            Self::History(error) => write!(f, "the history failed: {error}"),
        }
    }
}

#[cfg(feature = "pipeline")]
impl Error for RunError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let (Self::Unknown(error) | Self::History(error)) = self;
        Some(&**error)
    }
}
