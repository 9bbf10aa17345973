//! The errors of this crate.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod store;
#[cfg(feature = "std")]
mod thread;

use core::error::Error;
use core::fmt;

#[cfg(feature = "postgres")]
pub use postgres::{PostgresError, PostgresErrorKind};
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteError, SqliteErrorKind};
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(crate) use store::Cause;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub use store::StoreError;
#[cfg(feature = "std")]
pub use thread::{CallError, Panic};

/// The error of a method that needs a [`Claim`](crate::Claim).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a claim is lost, or the history failed")]
pub enum ClaimError<E> {
    /// The claim was released, [taken over](crate::Claims::take_over) or used to record the end of the run,
    /// or the run was [forgotten](crate::History::forget). Or the lease expired, and another runner has
    /// claimed the run or [`drop_before`](crate::History::drop_before) has removed the claim.
    Lost,
    /// The history failed with this error.
    History(E),
}

impl<E> From<E> for ClaimError<E> {
    fn from(error: E) -> Self {
        Self::History(error)
    }
}

impl<E> fmt::Display for ClaimError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lost => "the run is no longer claimed by this claim",
            Self::History(_) => "the history failed",
        })
    }
}

impl<E: Error + 'static> Error for ClaimError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::History(error) => Some(error),
            Self::Lost => None,
        }
    }
}
