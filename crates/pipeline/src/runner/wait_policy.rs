//! [`WaitPolicy`]: how long a due run waits.

use std::time::Duration;

/// How long a due run waits for the runs that it needs. While its job is
/// [paused](super::RunningPipeline::pause), its wait does not end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitPolicy {
    /// Waits until they have succeeded. This is the default.
    #[default]
    Forever,
    /// Waits for at most this long, from when the run is due. Then it fails without having started, and
    /// is recorded as failed.
    FailAfter(Duration),
    /// Waits for at most this long, from when the run is due. Then it is recorded as
    /// [skipped](crate::RunState::Skipped), and the [observer](super::PipelineRunner::on_end) is
    /// called.
    SkipAfter(Duration),
    /// Waits for at most this long, from when the run is due. Then it starts anyway.
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
