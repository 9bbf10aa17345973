//! [`WaitPolicy`] and [`WaitingRun`]: runs that wait for others.

use std::fmt;
use std::time::{Duration, SystemTime};

use alloc::string::String;

/// How long a run that is due waits for the runs that it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitPolicy {
    /// Until they have succeeded. This is the default.
    #[default]
    Forever,
    /// For at most this long. Then the run fails without having started.
    FailAfter(Duration),
    /// For at most this long. Then the run starts anyway.
    StartAfter(Duration),
}

/// A run that is due and waits; see [`RunningPipeline::waiting`](super::RunningPipeline::waiting).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingRun {
    /// The name of the job.
    pub job: String,
    /// The event.
    pub scheduled: SystemTime,
    /// What the run waits for.
    pub reason: String,
    /// The job and the event, as text.
    pub(super) run: String,
}

impl fmt::Display for WaitingRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for {}", self.run, self.reason)
    }
}
