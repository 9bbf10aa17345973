//! Errors.

use std::error::Error;
use std::fmt;

use millicron::IntervalError;

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
    /// same event: `Config::idempotency_ttl` of `apalis-redis` is not set.
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
