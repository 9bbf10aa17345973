//! [`EndedRun`] and [`WaitingRun`]: what observers receive.

use alloc::string::String;
use std::fmt;
use std::time::SystemTime;

use crate::RunState;

/// How a run has ended, as it was recorded; see [`PipelineRunner::on_end`](super::PipelineRunner::on_end).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndedRun {
    /// The name of the job.
    pub job: String,
    /// The scheduled instant.
    pub scheduled: SystemTime,
    /// How it ended.
    pub state: RunState,
    /// Why it failed or was skipped; `None` for a success.
    pub reason: Option<String>,
    /// The job and the event, as text.
    pub(super) run: String,
}

impl fmt::Display for EndedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.run, self.state)?;
        self.reason.as_ref().map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}

/// A run that is due and waits; see [`RunningPipeline::waiting`](super::RunningPipeline::waiting).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingRun {
    /// The name of the job.
    pub job: String,
    /// The scheduled instant.
    pub scheduled: SystemTime,
    /// What the run waits for.
    pub reason: String,
    /// A run that this run waits for but that has ended without the required success, as text, such
    /// as "`load` 2026-11-21 02:00:00 failed". Unless the wait is limited, it continues until that
    /// run is [submitted](super::RunningPipeline::submit) again and succeeds.
    pub failed: Option<String>,
    /// The job and the event, as text.
    pub(super) run: String,
}

impl fmt::Display for WaitingRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for {}", self.run, self.reason)?;
        self.failed.as_ref().map_or(Ok(()), |failed| write!(f, ", although {failed}"))
    }
}
