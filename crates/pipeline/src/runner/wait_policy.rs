//! [`WaitPolicy`]: how long a due run waits.

use std::time::Duration;

/// How long a due run waits for the runs that it needs.
///
/// A limit counts from when the run is due, or from when it is submitted if that is later. So for runs
/// that [`submit_since`](super::PipelineRunner::submit_since) submits, it counts from the start of the
/// pipeline. While the run's job is [paused](super::RunningPipeline::pause), the wait does not end, and
/// the limit restarts when the job is resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitPolicy {
    /// Waits until they have succeeded. This is the default.
    #[default]
    Forever,
    /// Waits for at most this long. Then it fails without having started, and is recorded as failed.
    FailAfter(Duration),
    /// Waits for at most this long. Then it is recorded as [skipped](crate::RunState::Skipped), and the
    /// [observer](super::PipelineRunner::on_end) is called.
    SkipAfter(Duration),
    /// Waits for at most this long. Then it starts anyway.
    StartAfter(Duration),
}

impl WaitPolicy {
    /// Returns how long a run waits; `None` without a limit.
    pub(super) const fn limit(self) -> Option<Duration> {
        match self {
            Self::Forever => None,
            Self::FailAfter(limit) | Self::SkipAfter(limit) | Self::StartAfter(limit) => {
                Some(limit)
            }
        }
    }
}
