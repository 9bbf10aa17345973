//! [`error_message`]: an error with its causes as text.

use alloc::format;
use alloc::string::{String, ToString as _};
use core::error::Error;

/// The maximum number of causes to name: a cause may lead back to its error.
const MOST_CAUSES: usize = 32;

/// Returns the message of an error, followed by those of its causes, separated by `: `. A cause that the
/// message already ends with is not repeated. Causes after the 32nd are left out.
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
    for _ in 0..MOST_CAUSES {
        let Some(error) = cause else { break };
        let text = error.to_string();
        if !message.ends_with(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    message
}

#[cfg(test)]
mod tests {
    use core::error::Error;
    use core::fmt;

    use super::error_message;

    #[derive(Debug)]
    struct Chain(&'static str, Option<&'static Chain>);

    impl fmt::Display for Chain {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Chain {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.map(|cause| -> &(dyn Error + 'static) { cause })
        }
    }

    /// An error that is its own cause.
    #[derive(Debug)]
    struct Circle;

    impl fmt::Display for Circle {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("round")
        }
    }

    impl Error for Circle {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(self)
        }
    }

    #[test]
    fn message_ends_although_an_error_is_its_own_cause() {
        assert_eq!(error_message(&Circle), "round");
    }

    #[test]
    fn each_cause_is_named_once() {
        static DISK: Chain = Chain("the disk is full", None);
        static WRITE: Chain = Chain("cannot write: the disk is full", Some(&DISK));
        let error = Chain("the run is not recorded", Some(&WRITE));
        let message = "the run is not recorded: cannot write: the disk is full";
        assert_eq!(error_message(&error), message);
    }
}
