//! [`Run`] and its [`Output`].

use serde::Serialize;

/// A run of a job.
///
/// Instants are in milliseconds since 1970-01-01 00:00:00 UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Run {
    /// A number that identifies the run among those of its job. Later runs have larger ones.
    pub id: i64,
    /// The instant for which it was scheduled.
    pub scheduled: i64,
    /// When its first attempt started.
    pub started: Option<i64>,
    /// When it ended. `None` while it is in progress.
    pub ended: Option<i64>,
    /// The number of attempts; 0 if it is not known.
    pub attempts: u32,
    /// How it ended, or that it is in progress.
    pub state: RunState,
    /// What its failure says.
    pub message: Option<String>,
    /// Whether its output is kept.
    pub has_output: bool,
}

impl Run {
    /// Returns a run in progress.
    #[must_use]
    pub fn new(id: i64, scheduled: i64) -> Self {
        Self { id, scheduled, ..Self::default() }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunState {
    /// It is in progress.
    #[default]
    Running,
    /// It has failed, and is about to be tried again.
    Retrying,
    /// It has succeeded.
    Succeeded,
    /// It has failed.
    Failed,
    /// It was skipped: it never started.
    Skipped,
    /// It was handed over to a queue. How it ends is not known here.
    Queued,
}

impl RunState {
    /// Returns the letter that stands for the state in a strip of outcomes.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Running => 'r',
            Self::Retrying => 't',
            Self::Succeeded => 's',
            Self::Failed => 'f',
            Self::Skipped => 'k',
            Self::Queued => 'q',
        }
    }
}

/// A page of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Runs {
    /// The runs, the latest first.
    pub runs: Vec<Run>,
    /// Whether there are earlier ones.
    pub has_more: bool,
}

impl Runs {
    /// Returns a page of runs, the latest first.
    #[must_use]
    pub const fn new(runs: Vec<Run>, has_more: bool) -> Self {
        Self { runs, has_more }
    }
}

/// A part of what a run has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// The position of the first byte in all that the run has written.
    pub start: u64,
    /// The bytes, which need not be UTF-8.
    pub bytes: Vec<u8>,
    /// Whether the run writes no more.
    pub is_complete: bool,
}

impl Output {
    /// Returns a part of what a run has written.
    #[must_use]
    pub const fn new(start: u64, bytes: Vec<u8>, is_complete: bool) -> Self {
        Self { start, bytes, is_complete }
    }
}
