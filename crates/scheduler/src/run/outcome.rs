//! [`Outcome`] and [`IntoOutcome`]: how a run ended.

use std::error::Error;
use std::fmt;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The run completed without an error.
    Succeeded,
    /// The run returned an error. Contains the messages of the error and of all its
    /// [sources](std::error::Error::source), separated by colons.
    Failed(String),
    /// The run panicked, with this message. The message is empty if the panic has none, or if it
    /// cannot be read, as for a panic in a future.
    Panicked(String),
    /// The [`Completion`](crate::Completion) of a deferred run was dropped.
    Abandoned,
}

impl Outcome {
    /// Returns whether the run succeeded.
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

/// A value that a job's closure may return: nothing, an [`Outcome`], or a `Result`.
///
/// The value of an `Ok` is dropped. The error may be any [`std::error::Error`], a string, an
/// `anyhow::Error` or a `Box<dyn Error>`.
///
/// With the feature `tokio`, a closure may also return a future with such an output; see
/// [`JobOutput`](crate::JobOutput).
pub trait IntoOutcome<Error = PlainError> {
    /// Converts the returned value to an outcome.
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for () {
    fn into_outcome(self) -> Outcome {
        Outcome::Succeeded
    }
}

impl IntoOutcome for Outcome {
    fn into_outcome(self) -> Outcome {
        self
    }
}

/// Marks errors that convert to a `Box<dyn Error>`, unlike [`BoxedError`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum PlainError {}

/// Marks a `Box<dyn Error + Send + Sync>`, which does not convert, unlike [`PlainError`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum BoxedError {}

impl<T, E: Into<Box<dyn Error>>> IntoOutcome for Result<T, E> {
    fn into_outcome(self) -> Outcome {
        match self {
            Ok(_) => Outcome::Succeeded,
            Err(error) => Outcome::Failed(with_sources(&*error.into())),
        }
    }
}

impl<T> IntoOutcome<BoxedError> for Result<T, Box<dyn Error + Send + Sync>> {
    fn into_outcome(self) -> Outcome {
        match self {
            Ok(_) => Outcome::Succeeded,
            Err(error) => Outcome::Failed(with_sources(&*error)),
        }
    }
}

/// The type `!` of a closure that never returns, such as `|_| todo!()`. Stable Rust can name it
/// only in this way.
type Never = <fn() -> ! as Returns>::Output;

/// Names the type that a function returns.
#[doc(hidden)]
pub trait Returns {
    type Output;
}

impl<T> Returns for fn() -> T {
    type Output = T;
}

impl IntoOutcome for Never {
    fn into_outcome(self) -> Outcome {
        self
    }
}

/// Returns the messages of an error and its sources.
fn with_sources(error: &dyn Error) -> String {
    /// Longer chains are cut off: a source may lead back to its error.
    const LONGEST: usize = 32;
    let mut text = error.to_string();
    let mut source = error.source();
    for _ in 0..LONGEST {
        let Some(error) = source else { break };
        let message = error.to_string();
        // Some errors repeat the message of their source.
        if !text.ends_with(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        source = error.source();
    }
    text
}
