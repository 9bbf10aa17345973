//! [`LaunchError`]: a pipeline that could not be started.

use std::error;
use std::fmt;
use std::string::String;
use std::vec::Vec;

use crate::scheduler::Error;

/// A pipeline could not be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum LaunchError<E> {
    /// Jobs of the pipeline have nothing to do.
    NoWork {
        /// Which.
        jobs: Vec<String>,
    },
    /// There is no such job in the pipeline.
    NoJob {
        /// Its name.
        job: String,
    },
    /// A job that has many runs can do its work only once.
    Once {
        /// Which.
        job: String,
    },
    /// The history can not be read.
    History(E),
    /// The scheduler is closed, or has no room.
    Scheduler(Error),
}

impl<E: fmt::Display> fmt::Display for LaunchError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWork { jobs } => {
                f.write_str("nothing is said of what these jobs of the pipeline do:")?;
                for (index, job) in jobs.iter().enumerate() {
                    let separator = if index == 0 { "" } else { "," };
                    write!(f, "{separator} `{job}`")?;
                }
                f.write_str("; they `run` something, or run `elsewhere`")
            }
            Self::NoJob { job } => write!(f, "`{job}` is no job of the pipeline"),
            Self::Once { job } => {
                write!(f, "`{job}` has many runs, and `Job::once` does its work once")
            }
            Self::History(error) => error.fmt(f),
            Self::Scheduler(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> error::Error for LaunchError<E> {}
