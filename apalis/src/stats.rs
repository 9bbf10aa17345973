//! [`Stats`] and [`Notice`]: what a source reports.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Counts of what a source has done since it was built, returned by
/// [`Source::stats`](crate::Source::stats).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Tasks that the storage has taken. A storage that does not report duplicates, such as
    /// `SQLite`'s, counts here in either case.
    pub pushed: u64,
    /// Tasks that the storage already had.
    pub duplicates: u64,
    /// Events that were skipped, or covered by a later one, according to the policy for missed
    /// events.
    pub skipped: u64,
    /// Events that did not become tasks within the catch-up window.
    pub expired: u64,
    /// Tasks whose payload could not be encoded.
    pub rejected: u64,
    /// Attempts to push that failed, other than by a duplicate.
    pub failures: u64,
    /// Tasks that wait for another attempt to push them.
    pub waiting: usize,
}

/// Something that a source reports to its [observer](crate::SourceBuilder::observe).
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// The storage failed to take tasks. They are pushed again.
    PushFailed {
        /// The number of tasks.
        tasks: usize,
        /// What the storage said.
        error: &'a (dyn Error + 'static),
        /// When they are pushed again.
        retry_in: Duration,
    },
    /// The payload of a task could not be encoded, so the event does not become a task.
    Rejected {
        /// The name of the job.
        job: &'a str,
        /// The instant of the event, in milliseconds since 1970-01-01 00:00:00 UTC.
        scheduled: i64,
        /// What the codec said.
        error: &'a (dyn Error + 'static),
    },
    /// Missed events were skipped, or are covered by a later one, according to the policy.
    Skipped {
        /// The name of the job.
        job: &'a str,
        /// The number of events.
        events: u64,
    },
    /// Events did not become tasks within the catch-up window.
    Expired {
        /// The name of the job.
        job: &'a str,
        /// The number of events.
        events: u64,
    },
    /// The storage had a task of a run that the pipeline does not have, perhaps since another version of
    /// the program has pushed it. The task is not attempted again. A program whose pipeline has the
    /// run makes another task of it after a while.
    UnknownRun {
        /// The name of the job.
        job: &'a str,
        /// The scheduled instant, in milliseconds since 1970-01-01 00:00:00 UTC.
        scheduled: i64,
        /// What the pipeline said.
        error: &'a str,
    },
    /// The history of a pipeline failed. It is used again at the next scan, or for the next task.
    HistoryFailed {
        /// What the history said.
        error: &'a str,
    },
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PushFailed { tasks, error, retry_in } => {
                let s = if *tasks == 1 { "" } else { "s" };
                write!(f, "cannot push {tasks} task{s}, next attempt in {retry_in:?}: {error}")
            }
            Self::Rejected { job, scheduled, error } => {
                write!(f, "cannot encode the payload of `{job}:{scheduled}`: {error}")
            }
            Self::Skipped { job, events } => write!(f, "skipped {events} events of `{job}`"),
            Self::Expired { job, events } => {
                write!(f, "{events} events of `{job}` are before the catch-up window")
            }
            Self::UnknownRun { job, scheduled, error } => {
                write!(f, "there is no run `{job}:{scheduled}`: {error}")
            }
            Self::HistoryFailed { error } => write!(f, "the history failed: {error}"),
        }
    }
}
