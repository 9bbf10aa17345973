//! Events and records of a [`JobHistory`](crate::JobHistory).

use std::sync::Arc;
use std::time::SystemTime;

use millicron_history::{RunRecord, RunState};

use crate::error::HistoryError;
use crate::time::Nanos;

/// Something that a [`JobHistory`](crate::JobHistory) found or did; see
/// [`JobHistoryBuilder::observer`](crate::JobHistoryBuilder::observer).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum HistoryEvent {
    /// A run of an earlier process was cut off. This is reported before it is recorded, so it is
    /// reported again if the process is killed in between.
    CutOff {
        /// The name of the job.
        job: Arc<str>,
        /// The instant of the event, in whole milliseconds.
        scheduled: SystemTime,
        /// When its first attempt started.
        started: Option<SystemTime>,
        /// The number of attempts so far.
        attempts: u32,
        /// Whether the run is [restarted](crate::CutOff::Restart).
        restarts: bool,
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
    pub(crate) fn new(scheduled: i64, record: RunRecord) -> Option<Self> {
        let RunRecord { state, started, ended, attempts } = record;
        let [started, ended] = [started, ended].map(|instant| instant.and_then(time));
        Some(Self { scheduled: time(scheduled)?, state, started, ended, attempts })
    }
}

/// Converts milliseconds since 1970. Returns `None` outside the scheduler's range.
pub(crate) fn time(millis: i64) -> Option<SystemTime> {
    Some(Nanos::from_millis(millis)?.time())
}
