//! [`AddError`], and the errors of a history.

#[cfg(feature = "history")]
mod history;

use std::error;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use millicron::IntervalError;

#[cfg(feature = "history")]
pub use self::history::HistoryError;
use crate::job::Job;

/// A job could not be added. [`kind`](Self::kind) returns why, and [`into_job`](Self::into_job) the job.
///
/// ```
/// use millicron::schedule;
/// use millicron_scheduler::{AddErrorKind, Scheduler};
///
/// let scheduler = Scheduler::builder().capacity(0).start()?;
/// let error = scheduler.add(schedule!("*:00:00"), |_| {}).unwrap_err();
/// assert!(matches!(error.kind(), AddErrorKind::Full));
/// let job = error.into_job().name("retry later");
/// # drop(job);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AddError {
    kind: AddErrorKind,
    /// An error is `Sync`; a closure that runs once need not be.
    job: Mutex<Job>,
}

/// Why a job could not be added.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AddErrorKind {
    /// The scheduler is at its [capacity](crate::SchedulerBuilder::capacity).
    Full,
    /// The scheduler is closed.
    Closed,
    /// The recurrence has no event after now, or none between the job's [earliest](Job::starting)
    /// and [latest](Job::ending) instant, or none until April 2262, where the scheduler's range of
    /// instants ends: they are 64-bit nanoseconds. Or the instant of a one-shot job is not between its
    /// earliest and latest one.
    NoEvent,
    /// Another job has the same [name](Job::name).
    NameTaken,
    /// The interval is invalid. The [source](std::error::Error::source) of the error is the cause.
    Interval(IntervalError),
    /// The closure of the job is async, and the job was created outside a `tokio` runtime.
    NoRuntime,
    /// A job of a [`JobHistory`](crate::JobHistory) has no [name](Job::name), so a later process could
    /// not recognize it.
    #[cfg(feature = "history")]
    Unnamed,
    /// A job of a [`JobHistory`](crate::JobHistory) [shares](Job::share_name) its name, so a later
    /// process could not tell which job's runs are recorded.
    #[cfg(feature = "history")]
    SharedName,
    /// The history could not be read. The [source](std::error::Error::source) of the error is the
    /// cause.
    #[cfg(feature = "history")]
    History(HistoryError),
}

impl AddError {
    pub(crate) const fn new(kind: AddErrorKind, job: Job) -> Self {
        Self { kind, job: Mutex::new(job) }
    }

    /// Returns why the job could not be added.
    #[must_use]
    pub const fn kind(&self) -> &AddErrorKind {
        &self.kind
    }

    /// Returns the job that could not be added.
    pub fn into_job(self) -> Job {
        self.job.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.kind {
            AddErrorKind::Full => "the scheduler is at its capacity",
            AddErrorKind::Closed => "the scheduler is closed",
            AddErrorKind::NoEvent => {
                "the job has no event to run: none after now that its earliest and latest instants \
                 allow"
            }
            AddErrorKind::NameTaken => {
                let job = self.job.lock().unwrap_or_else(PoisonError::into_inner);
                let name = job.name.as_deref().unwrap_or_default();
                return write!(
                    f,
                    "another job has the name `{name}`: choose a different one, or replace that job"
                );
            }
            AddErrorKind::Interval(_) => "invalid interval",
            AddErrorKind::NoRuntime => {
                "the job is async, but was created outside a tokio runtime: create it within one, \
                 or with `Job::future`"
            }
            #[cfg(feature = "history")]
            AddErrorKind::Unnamed => {
                "a job without a name cannot be found again after a restart: give it one with \
                 `Job::name`"
            }
            #[cfg(feature = "history")]
            AddErrorKind::SharedName => {
                "a job that shares its name cannot be found again after a restart: give it a \
                 unique name"
            }
            #[cfg(feature = "history")]
            AddErrorKind::History(_) => "the history failed",
        })
    }
}

impl error::Error for AddError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.kind {
            AddErrorKind::Interval(error) => Some(error),
            #[cfg(feature = "history")]
            AddErrorKind::History(error) => Some(error),
            _ => None,
        }
    }
}
