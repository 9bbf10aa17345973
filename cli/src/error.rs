//! [`Error`]: what is wrong, in one line with a hint.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// What ends a command early.
#[derive(Debug)]
pub(crate) enum Error {
    /// Whoever reads the output has enough of it, which is no error.
    ClosedPipe,
    /// What is wrong, and what to do about it.
    Message { message: String, hint: Option<String> },
}

impl Error {
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self::Message { message: message.to_string(), hint: None }
    }

    /// Adds what to do about it.
    pub(crate) fn hint(self, hint: impl fmt::Display) -> Self {
        match self {
            Self::Message { message, .. } => {
                Self::Message { message, hint: Some(hint.to_string()) }
            }
            closed @ Self::ClosedPipe => closed,
        }
    }

    /// Writes the error to the standard error, and returns the exit status: 2, as that of a wrong
    /// command line.
    pub(crate) fn report(self) -> ExitCode {
        let Self::Message { message, hint } = self else {
            return ExitCode::SUCCESS;
        };
        anstream::eprintln!("error: {message}");
        if let Some(hint) = hint {
            anstream::eprintln!("hint: {hint}");
        }
        ExitCode::from(2)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::ClosedPipe } else { Self::new(error) }
    }
}
