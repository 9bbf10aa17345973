//! [`Outcome`] and [`IntoOutcome`]: how a run ended.

use std::fmt;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The run did its work.
    Succeeded,
    /// The run returned an error, with this text.
    Failed(String),
    /// The run panicked, with this message. It is empty if the panic has none, or if it happened
    /// where the message cannot be read, such as in a future.
    Panicked(String),
    /// The [`Completion`](crate::Completion) of a deferred run was dropped.
    Abandoned,
}

impl Outcome {
    /// Returns whether the run did its work.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Succeeded)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Succeeded => f.write_str("succeeded"),
            Self::Failed(error) => write!(f, "failed: {error}"),
            Self::Panicked(message) if message.is_empty() => f.write_str("panicked"),
            Self::Panicked(message) => write!(f, "panicked: {message}"),
            Self::Abandoned => f.write_str("abandoned"),
        }
    }
}

/// A value that a job's closure may return: nothing, or a `Result<(), E>` whose error can be
/// displayed.
#[diagnostic::on_unimplemented(
    message = "a job cannot return `{Self}`",
    label = "this job returns `{Self}`",
    note = "a job returns `()` or `Result<(), E>` where `E: Display`; to discard another value, \
            end the closure with `;` or `.map(drop)`",
    note = "to run a future, use `Job::future`, with the feature `tokio`"
)]
pub trait IntoOutcome {
    /// Converts the returned value to an outcome.
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for () {
    fn into_outcome(self) -> Outcome {
        Outcome::Succeeded
    }
}

impl<E: fmt::Display> IntoOutcome for Result<(), E> {
    fn into_outcome(self) -> Outcome {
        self.map_or_else(|error| Outcome::Failed(error.to_string()), |()| Outcome::Succeeded)
    }
}
