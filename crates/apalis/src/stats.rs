//! [`Stats`] and [`Notice`]: what a source reports.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use millicron_history::error_message;

/// Statistics of a source since it was built, returned by [`Source::stats`](crate::Source::stats).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Tasks that the storage has taken. For a storage that does not report duplicates, such as
    /// `SQLite`'s, this includes them.
    pub pushed: u64,
    /// Tasks that the storage already had.
    pub duplicates: u64,
    /// Missed events that the policy skipped, or that a later event covers.
    pub skipped: u64,
    /// Events that did not become tasks within the catch-up window.
    pub expired: u64,
    /// Tasks whose payload could not be encoded.
    pub rejected: u64,
    /// Attempts to push that failed, except for duplicates, and tasks that the storage refused although it took others.
    pub failures: u64,
    /// Tasks that wait to be pushed again.
    pub waiting: usize,
}

/// Something that a source reports to its [observer](crate::SourceBuilder::observer).
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// The storage failed to take tasks, or refused one although it took others. They are pushed again.
    PushFailed {
        /// The number of tasks.
        tasks: usize,
        /// The storage's error.
        error: &'a (dyn Error + 'static),
        /// The time until they are pushed again.
        retry_in: Duration,
    },
    /// The payload of a task could not be encoded, so the event does not become a task.
    Rejected {
        /// The name of the job.
        job: &'a str,
        /// The instant of the event, in milliseconds since 1970-01-01 00:00:00 UTC.
        scheduled: i64,
        /// The codec's error.
        error: &'a (dyn Error + 'static),
    },
    /// The policy skipped missed events, or a later event covers them.
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
    /// The storage had a task for a run that the pipeline does not have, perhaps because another
    /// version of the program pushed it. The task is not retried. A program whose pipeline has the
    /// run pushes another task for it after a while.
    UnknownRun {
        /// The name of the job.
        job: &'a str,
        /// The scheduled instant, in milliseconds since 1970-01-01 00:00:00 UTC.
        scheduled: i64,
        /// The pipeline's error.
        error: &'a (dyn Error + 'static),
    },
    /// A push has not ended in time. If machines agree in a [table](crate::SourceBuilder::stored) about the
    /// events, it is given up, and the tasks are pushed again, by this machine or another one. Otherwise, it
    /// goes on.
    PushHangs {
        /// The number of tasks.
        tasks: usize,
        /// How long it has taken so far.
        time: Duration,
    },
    /// A stored schedule is invalid. It has no events until it is changed, or another version of the program can read
    /// it: it is read again every five minutes, and reported again if the error is another one.
    #[cfg(feature = "stored")]
    Invalid {
        /// The name of the schedule.
        job: &'a str,
        /// What is wrong.
        error: &'a crate::stored::InvalidSchedule,
    },
    /// The table of stored schedules cannot be used. The source tries again.
    #[cfg(feature = "stored")]
    TableFailed {
        /// The error.
        error: &'a crate::stored::StoredError,
    },
    /// The history of a pipeline failed. The source uses it again at the next refresh, or for the next
    /// task.
    HistoryFailed {
        /// The history's error.
        error: &'a (dyn Error + 'static),
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
            Self::PushHangs { tasks, time } => {
                let s = if *tasks == 1 { "" } else { "s" };
                write!(f, "pushing {tasks} task{s} has not ended after {time:?}")
            }
            #[cfg(feature = "stored")]
            Self::Invalid { job, error } => {
                write!(f, "the stored schedule `{job}` is invalid: {error}")
            }
            #[cfg(feature = "stored")]
            Self::TableFailed { error } => {
                write!(f, "the table of schedules failed: {}", error_message(*error))
            }
            Self::HistoryFailed { error } => {
                write!(f, "the history failed: {}", error_message(*error))
            }
        }
    }
}
