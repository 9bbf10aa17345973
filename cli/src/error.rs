//! [`Error`]: what is wrong, in one line with a hint.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

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

    /// Returns no error if it is that nobody reads the output: for commands whose exit status says more than
    /// that they succeeded.
    pub(crate) fn unless_closed(self) -> Result<(), Self> {
        match self {
            Self::ClosedPipe => Ok(()),
            error @ Self::Message { .. } => Err(error),
        }
    }

    /// Writes the error to standard error, and returns the exit status: 2, as that of a wrong
    /// command line.
    pub(crate) fn report(self) -> ExitCode {
        let Self::Message { message, hint } = self else {
            return ExitCode::SUCCESS;
        };
        write_line("error", AnsiColor::Red.on_default().bold(), &message);
        if let Some(hint) = hint {
            write_line("hint", AnsiColor::Cyan.on_default().bold(), &hint);
        }
        ExitCode::from(2)
    }
}

/// Returns a message with its hint in one line.
pub(crate) fn with_hint(message: &str, hint: Option<&str>) -> String {
    hint.map_or_else(|| message.to_owned(), |hint| format!("{message} ({hint})"))
}

/// Writes to the standard error what is no error, but should not be overlooked.
pub(crate) fn note(message: impl fmt::Display) {
    write_line("note", Style::new().bold(), &message);
}

/// Writes a line to the standard error. If that is closed, nobody reads it, and nothing can be done.
fn write_line(label: &str, style: Style, message: &dyn fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{style}{label}:{style:#} {message}");
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::ClosedPipe } else { Self::new(error) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClosedPipe => f.write_str("nobody reads the output"),
            Self::Message { message, hint } => f.write_str(&with_hint(message, hint.as_deref())),
        }
    }
}
