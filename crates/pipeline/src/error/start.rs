//! [`StartError`] and [`JobProblem`].

use alloc::string::String;
use alloc::vec::Vec;
use std::error::Error;
use std::fmt;
use std::io::ErrorKind;

/// An error returned by [`PipelineRunner::start`](crate::PipelineRunner::start). `E` is the error
/// of the [history](crate::History).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError<E> {
    /// The jobs of the pipeline and their work do not match. Contains every problem.
    Jobs(Vec<JobProblem>),
    /// The history could not be read.
    History(E),
    /// The scheduler is at its [capacity](millicron_scheduler::SchedulerBuilder::capacity).
    SchedulerFull,
    /// The scheduler is closed.
    SchedulerClosed,
    /// The thread that renews [claims](crate::PipelineRunner::claim_runs) cannot be started.
    Thread(ErrorKind),
}

/// A problem with the work of a pipeline's job.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobProblem {
    /// The job has no work.
    NoWork {
        /// The job.
        job: String,
    },
    /// The pipeline has no such job.
    UnknownJob {
        /// The unknown name.
        job: String,
    },
    /// A [limit](crate::PipelineRunner::skip_after) is set on waits for an upstream job that the job
    /// does not need.
    NotNeeded {
        /// The job.
        job: String,
        /// The job that it does not need.
        upstream: String,
    },
    /// The job's work is set twice.
    Duplicate {
        /// The job.
        job: String,
    },
    /// The job has many runs, but its work is a [`Job::once`](millicron_scheduler::Job::once).
    Once {
        /// The job.
        job: String,
    },
}

impl fmt::Display for JobProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWork { job } => {
                write!(f, "`{job}` has no work: set it with `run`, or declare it `external`")
            }
            Self::UnknownJob { job } => write!(f, "`{job}` is not a job of the pipeline"),
            Self::NotNeeded { job, upstream } => {
                write!(f, "`{job}` does not need `{upstream}`, so it does not wait for it")
            }
            Self::Duplicate { job } => write!(f, "the work of `{job}` is set twice"),
            Self::Once { job } => {
                write!(f, "`{job}` has many runs, but `Job::once` runs its work only once")
            }
        }
    }
}

impl<E> fmt::Display for StartError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the pipeline cannot be started:")?;
        match self {
            Self::Jobs(problems) => {
                problems.iter().try_for_each(|problem| write!(f, "\n- {problem}"))
            }
            Self::History(_) => f.write_str(" the history cannot be read"),
            Self::SchedulerFull => f.write_str(" the scheduler is at its capacity"),
            Self::SchedulerClosed => f.write_str(" the scheduler is closed"),
            Self::Thread(kind) => write!(f, " no thread for its claims: {kind}"),
        }
    }
}

impl<E: Error + 'static> Error for StartError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::History(error) => Some(error),
            Self::Jobs(_) | Self::SchedulerFull | Self::SchedulerClosed | Self::Thread(_) => None,
        }
    }
}
