//! [`Control`]: what visitors may do to the jobs of a pipeline that runs.

#[cfg(feature = "scheduler")]
use millicron_history::Claims;
#[cfg(feature = "scheduler")]
use millicron_pipeline::RunningPipeline;

use crate::source::{Action, SourceError};

/// A running pipeline, whatever its history is.
pub(super) trait Control: Send + Sync {
    /// Carries out an action on a job. Returns whether there was anything to do.
    fn act(&self, job: &str, action: Action) -> Result<bool, SourceError>;

    /// Whether a job is paused.
    fn is_paused(&self, job: &str) -> bool;
}

#[cfg(feature = "scheduler")]
impl<H: Claims + Send + 'static> Control for RunningPipeline<H> {
    fn act(&self, job: &str, action: Action) -> Result<bool, SourceError> {
        Ok(match action {
            Action::Run => self.trigger_now(job)?,
            Action::Pause => self.pause(job)?,
            Action::Resume => self.resume(job)?,
            Action::Cancel { .. } => false,
        })
    }

    fn is_paused(&self, job: &str) -> bool {
        Self::is_paused(self, job).unwrap_or_default()
    }
}
