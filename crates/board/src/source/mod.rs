//! [`Source`]: where a board gets its jobs and runs from.

mod changes;
mod edit;
mod job;
mod pattern;
mod run;

use std::error::Error;
use std::fmt;

pub use self::changes::Changes;
pub use self::edit::{Conflict, Draft, Editor, Invalid, Preview};
pub use self::job::{Job, JobState, Need};
pub use self::pattern::Pattern;
pub use self::run::{Output, Run, RunState, Runs};

/// Why a source could not answer. Its message is shown to the visitor, so it must not contain secrets.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// The error for what the source cannot do.
#[derive(Debug)]
pub(crate) struct NotOffered;

impl fmt::Display for NotOffered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is not offered here")
    }
}

impl Error for NotOffered {}

/// Where a board gets its jobs and runs from, and what carries out actions.
///
/// Methods may block: the board calls them on threads that may. While pages are open, it asks for
/// [`changes`](Self::changes) twice a second for all of them, and once for each page that opens or has read too slowly.
///
/// Instants are in milliseconds since 1970-01-01 00:00:00 UTC.
pub trait Source: Send + Sync + 'static {
    /// Returns the jobs that have changed since a version that was returned before, or all jobs if `since` is
    /// `None` or is not known any more.
    ///
    /// # Errors
    ///
    /// The source failed, for example because its database cannot be reached.
    fn changes(&self, since: Option<u64>) -> Result<Changes, SourceError>;

    /// Returns a job, or `None` if there is none with that name.
    ///
    /// # Errors
    ///
    /// As for [`changes`](Self::changes).
    fn job(&self, name: &str) -> Result<Option<Job>, SourceError>;

    /// Returns when a job has events, for pictures of them. `None` if that is not known.
    ///
    /// # Errors
    ///
    /// As for [`changes`](Self::changes).
    fn pattern(&self, name: &str) -> Result<Option<Pattern>, SourceError>;

    /// Returns the runs of a job that started before the run `before`, or the latest ones; the latest first, at most
    /// `limit`.
    ///
    /// # Errors
    ///
    /// As for [`changes`](Self::changes).
    fn runs(&self, job: &str, before: Option<i64>, limit: usize) -> Result<Runs, SourceError>;

    /// Returns what a run has written, from the byte `from` of all that it wrote. `None` if its output is not kept.
    ///
    /// # Errors
    ///
    /// As for [`changes`](Self::changes).
    fn output(&self, job: &str, run: i64, from: u64) -> Result<Option<Output>, SourceError> {
        let _ = (job, run, from);
        Ok(None)
    }

    /// Returns what jobs need of each other. Empty if they do not depend on each other.
    ///
    /// # Errors
    ///
    /// As for [`changes`](Self::changes).
    fn needs(&self) -> Result<Vec<Need>, SourceError> {
        Ok(Vec::new())
    }

    /// Returns why a job waits, one sentence a reason, such as the runs of other jobs that are missing.
    ///
    /// # Errors
    ///
    /// As for [`changes`](Self::changes).
    fn waits_for(&self, job: &str) -> Result<Vec<String>, SourceError> {
        let _ = job;
        Ok(Vec::new())
    }

    /// Returns the actions that the source can carry out. The default is none.
    fn actions(&self) -> &[ActionKind] {
        &[]
    }

    /// Carries out an action on a job. Returns whether the job, and the run, were there and could still be acted on.
    ///
    /// # Errors
    ///
    /// The action failed, or is not among the [`actions`](Self::actions).
    fn act(&self, job: &str, action: Action) -> Result<bool, SourceError> {
        let _ = (job, action);
        Err(NotOffered.into())
    }

    /// Returns what creates and changes schedules, if they can be.
    fn editor(&self) -> Option<&dyn Editor> {
        None
    }
}

/// Something that a visitor does to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Run the job now.
    Run,
    /// Pause the job.
    Pause,
    /// Resume the paused job.
    Resume,
    /// Cancel a run that is in progress.
    Cancel {
        /// The [number](Run::id) of the run.
        run: i64,
    },
}

/// The kind of an [`Action`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ActionKind {
    /// [`Action::Run`].
    Run,
    /// [`Action::Pause`].
    Pause,
    /// [`Action::Resume`].
    Resume,
    /// [`Action::Cancel`].
    Cancel,
}

impl Action {
    /// Returns the kind of the action.
    #[must_use]
    pub const fn kind(self) -> ActionKind {
        match self {
            Self::Run => ActionKind::Run,
            Self::Pause => ActionKind::Pause,
            Self::Resume => ActionKind::Resume,
            Self::Cancel { .. } => ActionKind::Cancel,
        }
    }
}
