//! [`LaunchError`]: a pipeline that could not be started.

use alloc::string::String;
use alloc::vec::Vec;
use std::error;
use std::fmt;

use millicron_scheduler::AddError;

/// A pipeline could not be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum LaunchError<E> {
    /// What its jobs do is not as it should be: all that is wrong with that.
    Jobs(Vec<JobProblem>),
    /// The history can not be read.
    History(E),
    /// The scheduler is closed, or has no room.
    Scheduler(AddError),
}

/// What is wrong with what a job of a pipeline does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobProblem {
    /// It has nothing to do.
    NoWork {
        /// The name of the job.
        job: String,
    },
    /// There is no such job in the pipeline.
    NoJob {
        /// Its name.
        job: String,
    },
    /// It was said twice.
    Twice {
        /// The name of the job.
        job: String,
    },
    /// It has many runs, and what it does can be done only once.
    Once {
        /// The name of the job.
        job: String,
    },
}

impl fmt::Display for JobProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWork { job } => write!(
                f,
                "nothing is said of what `{job}` does: it is to `run` something, or runs \
                 `elsewhere`"
            ),
            Self::NoJob { job } => write!(f, "`{job}` is no job of the pipeline"),
            Self::Twice { job } => write!(f, "what `{job}` does is said twice"),
            Self::Once { job } => {
                write!(f, "`{job}` has many runs, and `Job::once` does its work once")
            }
        }
    }
}

impl<E: fmt::Display> fmt::Display for LaunchError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jobs(problems) => {
                f.write_str("the pipeline can not be started:")?;
                problems.iter().try_for_each(|problem| write!(f, "\n- {problem}"))
            }
            Self::History(error) => error.fmt(f),
            Self::Scheduler(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> error::Error for LaunchError<E> {}
