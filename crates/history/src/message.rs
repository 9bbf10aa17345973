//! [`error_message`]: an error with its causes as text.

use alloc::format;
use alloc::string::{String, ToString as _};
use core::error::Error;

/// Returns the message of an error, followed by those of its causes, separated by `: `.
///
/// ```
/// use millicron_history::error_message;
///
/// let error = "x".parse::<u8>().unwrap_err();
/// assert_eq!(error_message(&error), "invalid digit found in string");
/// ```
#[must_use]
pub fn error_message(error: &(dyn Error + 'static)) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    message
}
