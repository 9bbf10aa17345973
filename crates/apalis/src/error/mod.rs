//! The errors of this crate.

#[cfg(feature = "pipeline")]
mod pipeline;

use millicron::IntervalError;
use thiserror::Error;

#[cfg(feature = "pipeline")]
pub use pipeline::{RunError, StartError};

/// An error in the jobs of a source, returned by
/// [`SourceBuilder::build`](crate::SourceBuilder::build).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two jobs have this name. The name and the instant identify a task.
    #[error("two jobs are named `{0}`")]
    DuplicateName(String),
    /// A job's name is empty.
    #[error("the name of a job is empty")]
    EmptyName,
    /// A job's name is too long for the indices of storages.
    #[error("the name of a job has {length} bytes; the maximum is {max}")]
    LongName {
        /// Its length, in bytes.
        length: usize,
        /// The largest length, in bytes.
        max: usize,
    },
    /// A job's name contains the character `\0`, which some storages refuse.
    #[error("the name {0:?} contains `\\0`")]
    NulInName(String),
    /// The interval of a job is invalid.
    #[error("the interval of `{job}` is invalid")]
    Interval {
        /// The name of the job.
        job: String,
        /// The error in the interval.
        #[source]
        error: IntervalError,
    },
}

/// An error that ends a worker on a [`PipedSource`](crate::PipedSource), or the future of
/// [`Source::push_to`](crate::Source::push_to).
///
/// A failure to push is not such an error: it is retried and [reported](crate::Notice::PushFailed).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PipeError<E> {
    /// The storage failed while it fetched or acknowledged tasks, or registered the worker. Let a
    /// `Monitor` [restart](crate#storage-failures) the worker.
    #[error("the storage failed")]
    Storage(#[source] E),
    /// The storage forgets idempotency keys at once, so each machine would add its own task for the
    /// same event: `Config::idempotency_ttl` of `apalis-redis` is not set, or below a second. It is
    /// checked with the feature `redis`.
    #[error(
        "the storage forgets idempotency keys at once: set `apalis_redis::Config::idempotency_ttl`, \
         to longer than the catch-up window and the time that tasks are pushed ahead together"
    )]
    ForgetsKeys,
}
