//! [`RunState`].

use core::fmt;

/// How a run ended.
///
/// Only a success meets a need, unless the need accepts other ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a history that is written elsewhere stores each")]
pub enum RunState {
    /// The run has done its work.
    Succeeded,
    /// The run has given up.
    Failed,
    /// The run has ended without work, on purpose.
    Skipped,
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
