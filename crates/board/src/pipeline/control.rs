//! [`Control`]: what visitors may do to the jobs of a pipeline that runs.

#[cfg(feature = "scheduler")]
use millicron_history::Claims;
#[cfg(feature = "scheduler")]
use millicron_pipeline::RunningPipeline;

#[cfg(feature = "scheduler")]
use crate::source::Conflict;
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
        action.on_pipeline(self, job)
    }

    fn is_paused(&self, job: &str) -> bool {
        Self::is_paused(self, job).unwrap_or_default()
    }
}

#[cfg(feature = "scheduler")]
impl Action {
    /// Carries out the action on a job of a running pipeline. Returns whether there was anything to do. A run cannot be
    /// cancelled in this way.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, its history failed, or the job [cannot run now](RunningPipeline::trigger_now).
    pub fn on_pipeline<H: Claims + Send + 'static>(
        self,
        running: &RunningPipeline<H>,
        job: &str,
    ) -> Result<bool, SourceError> {
        match self {
            Self::Run if running.trigger_now(job)? => Ok(true),
            Self::Run => {
                let why = "the job cannot run now: it has had no event since the start, another run \
                           comes first or is in progress, or another program runs it";
                Err(Conflict::new(why).into())
            }
            Self::Pause => Ok(running.pause(job)?),
            Self::Resume => Ok(running.resume(job)?),
            Self::Cancel { .. } => Ok(false),
        }
    }
}
