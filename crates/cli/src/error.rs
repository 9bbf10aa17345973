//! [`Error`]: an error message on one line, with a hint.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use millicron_history::error_message;

use crate::characters::{visible, without_passwords};

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Error {
    /// The reader closed the output pipe, which is not an error.
    ClosedPipe,
    /// What is wrong and how to fix it.
    Message { message: String, hint: Option<String> },
}

impl Error {
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self::Message { message: message.to_string(), hint: None }
    }

    /// Returns an error with its causes.
    pub(crate) fn of(error: impl std::error::Error + 'static) -> Self {
        Self::new(error_message(&error))
    }

    /// Returns the error that something cannot be done, with its causes.
    pub(crate) fn because(
        what: impl fmt::Display,
        error: impl std::error::Error + 'static,
    ) -> Self {
        Self::new(format_args!("{what}: {}", error_message(&error)))
    }

    /// Returns the error that this build lacks a feature, which an option needs.
    #[cfg(not(all(
        feature = "history",
        feature = "icalendar",
        feature = "metrics",
        feature = "page",
        feature = "schedules"
    )))]
    pub(crate) fn without_feature(option: &str, feature: &str) -> Self {
        let lack = "which this build of the command lacks";
        Self::new(format_args!("`{option}` needs the feature `{feature}`, {lack}")).hint(
            format_args!(
                "build it with `--features {feature}`, or install all of it with \
             `cargo install millicron-cli --features full`"
            ),
        )
    }

    /// Adds a hint at how to fix the error.
    pub(crate) fn hint(self, hint: impl fmt::Display) -> Self {
        match self {
            Self::Message { message, .. } => {
                Self::Message { message, hint: Some(hint.to_string()) }
            }
            closed @ Self::ClosedPipe => closed,
        }
    }

    /// Adds a place before the message.
    pub(crate) fn prefixed(self, place: impl fmt::Display) -> Self {
        match self {
            Self::Message { message, hint } => {
                Self::Message { message: format!("{place}: {message}"), hint }
            }
            closed @ Self::ClosedPipe => closed,
        }
    }

    /// Ignores a closed pipe, for commands whose exit status is an answer.
    pub(crate) fn unless_closed(self) -> Result<(), Self> {
        match self {
            Self::ClosedPipe => Ok(()),
            error @ Self::Message { .. } => Err(error),
        }
    }

    /// Writes the error to standard error, and returns exit status 2, the same as for an invalid command line.
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

/// Returns a message and its hint on one line.
pub(crate) fn with_hint(message: &str, hint: Option<&str>) -> String {
    hint.map_or_else(|| message.to_owned(), |hint| format!("{message} ({hint})"))
}

/// Writes a note to standard error: not an error, but it should not be overlooked.
pub(crate) fn note(message: impl fmt::Display) {
    write_line("note", Style::new().bold(), &message);
}

/// Writes a line to standard error. If this fails, the failure cannot be reported.
fn write_line(label: &str, style: Style, message: &dyn fmt::Display) {
    let message = message.to_string();
    let message = without_passwords(&message);
    let _ = writeln!(anstream::stderr(), "{style}{label}:{style:#} {}", visible(&message));
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::ClosedPipe } else { Self::of(error) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClosedPipe => f.write_str("the output is closed"),
            Self::Message { message, hint } => f.write_str(&with_hint(message, hint.as_deref())),
        }
    }
}
