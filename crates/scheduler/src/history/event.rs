//! Events, records and errors of a [`JobHistory`](crate::JobHistory).

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use millicron_history::{RunRecord, RunState};

use crate::error::{AddError, RefusedJob};
use crate::job::Job;
use crate::time::instant::Nanos;

/// How to handle a run that was cut off because the process ended before the run did. Set with
/// [`Job::cut_off`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CutOff {
    /// The run is recorded as failed. Each event starts at most once. This is the default.
    #[default]
    Fail,
    /// The run is restarted when the job is added, under the same scheduled instant, as its next
    /// [attempt](crate::RunContext::attempt). Each event runs at least once.
    Restart {
        /// The maximum number of attempts, including retries. A run that was cut off in its last
        /// attempt is recorded as failed, so that a run that crashes the process does not do so
        /// forever. Zero means one.
        most: u32,
    },
}

/// Which runs start while the history fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HistoryFailure {
    /// No run starts: runs wait until the history works again, and then start in order, so that no
    /// event runs twice. A waiting run counts as in progress, and its [time-out](Job::timeout) is
    /// running: if that passes, the run starts with a cancelled [token](crate::RunContext::token). Once
    /// a call of the history has failed, waiting runs occupy no workers. When a waiting run continues,
    /// observers and statistics also see a run of a job without a name. This is the default.
    #[default]
    Hold,
    /// All runs start, and are recorded when the history works again. If the process ends before
    /// that, the next process does not know of them, and may run their events again.
    Run,
}

/// A history could not be read or written.
#[derive(Clone, Debug)]
pub struct HistoryError {
    what: String,
    source: Arc<dyn Error + Send + Sync>,
}

impl HistoryError {
    pub(super) fn new(what: String, source: impl Error + Send + Sync + 'static) -> Self {
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

/// Something that a [`JobHistory`](crate::JobHistory) found or did; see
/// [`JobHistoryBuilder::observer`](crate::JobHistoryBuilder::observer).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum HistoryEvent {
    /// A run of an earlier process was cut off.
    CutOff {
        /// The run.
        run: CutOffRun,
    },
    /// The last recorded event of a job that is added is later than now, so no earlier event will run.
    /// The clock was set back, is wrong now, or was wrong when the event ran.
    Ahead {
        /// The name of the job.
        job: Arc<str>,
        /// The instant of the last recorded event, in whole milliseconds.
        last: SystemTime,
    },
    /// The history failed. Later failures are not reported until it has [worked](Self::Recovered)
    /// again.
    Failed {
        /// The failure.
        error: HistoryError,
    },
    /// The history works again.
    Recovered,
}

/// A run that was cut off; part of [`HistoryEvent::CutOff`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CutOffRun {
    /// The name of the job.
    pub job: Arc<str>,
    /// The instant of the event, in whole milliseconds.
    pub scheduled: SystemTime,
    /// When its first attempt started.
    pub started: Option<SystemTime>,
    /// The number of attempts so far.
    pub attempts: u32,
    /// Whether the run is [restarted](CutOff::Restart).
    pub restarts: bool,
}

/// A recorded run of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedRun {
    /// The instant of the event, in whole milliseconds.
    pub scheduled: SystemTime,
    /// How the run ended.
    pub state: RunState,
    /// When its first attempt started.
    pub started: Option<SystemTime>,
    /// When its last attempt ended. For a run that was cut off, when that was recorded.
    pub ended: Option<SystemTime>,
    /// The number of attempts.
    pub attempts: Option<u32>,
}

impl RecordedRun {
    /// Returns `None` if the instant is outside the scheduler's range.
    pub(super) fn new(scheduled: i64, record: RunRecord) -> Option<Self> {
        let RunRecord { state, started, ended, attempts } = record;
        let [started, ended] = [started, ended].map(|instant| instant.and_then(time));
        Some(Self { scheduled: time(scheduled)?, state, started, ended, attempts })
    }
}

/// Converts milliseconds since 1970. Returns `None` outside the scheduler's range.
pub(super) fn time(millis: i64) -> Option<SystemTime> {
    Some(Nanos::from_millis(millis)?.time())
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
