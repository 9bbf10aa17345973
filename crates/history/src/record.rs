//! [`RunState`] and [`RunRecord`].

use core::fmt;

/// How a run ended.
///
/// In a pipeline, only a success satisfies a need, unless the need accepts other states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a history that is written elsewhere stores each")]
pub enum RunState {
    /// The run has succeeded.
    Succeeded,
    /// The run has failed.
    Failed,
    /// The run was skipped on purpose, without doing any work.
    Skipped,
}

#[cfg(any(feature = "postgres", feature = "sqlite"))]
impl RunState {
    /// The number that a table contains.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Succeeded => 0,
            Self::Failed => 1,
            Self::Skipped => 2,
        }
    }

    pub(crate) const fn from_code(code: i64) -> Option<Self> {
        match code {
            0 => Some(Self::Succeeded),
            1 => Some(Self::Failed),
            2 => Some(Self::Skipped),
            _ => None,
        }
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        })
    }
}

/// How a run ended and, as far as known, when.
///
/// Instants are in milliseconds since 1970-01-01 00:00:00.
///
/// ```
/// use millicron_history::{History, MemoryHistory, RunRecord, RunState};
///
/// let mut history = MemoryHistory::new();
/// let record = RunRecord { started: Some(3_600_007), ..RunState::Succeeded.into() };
/// history.record_run("load", 3_600_000, record)?;
/// assert_eq!(history.run("load", 3_600_000)?, Some(record));
/// assert_eq!(history.last_run("load")?, Some((3_600_000, record)));
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a history that is written elsewhere stores each")]
pub struct RunRecord {
    /// How the run ended.
    pub state: RunState,
    /// When the first attempt of the run started.
    pub started: Option<i64>,
    /// When the run ended.
    pub ended: Option<i64>,
    /// The number of attempts.
    pub attempts: Option<u32>,
}

impl From<RunState> for RunRecord {
    fn from(state: RunState) -> Self {
        Self { state, started: None, ended: None, attempts: None }
    }
}
