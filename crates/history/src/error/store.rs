//! [`StoreError`]: an error of a history that stores its records in a file or on a server.

use std::error::Error;
use std::fmt;

/// The cause of a [`StoreError`].
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// An error of a history that stores its records in a file or on a server.
///
/// Its message begins with the file or the server, and ends with what to do. `Kind` is
/// `SqliteErrorKind` or `PostgresErrorKind`.
#[derive(Debug)]
pub struct StoreError<Kind> {
    place: Option<String>,
    kind: Kind,
    source: Option<Cause>,
}

impl<Kind> StoreError<Kind> {
    /// Creates an error. `place` is where the records are, if that is known.
    pub(crate) const fn new(place: Option<String>, kind: Kind, source: Option<Cause>) -> Self {
        Self { place, kind, source }
    }

    /// Returns the file or the server: the path, or for example `db.example.com:5432/jobs`. `None` if
    /// the error precedes it.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Returns what went wrong.
    #[must_use]
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }
}

impl<Kind: fmt::Display> fmt::Display for StoreError<Kind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        self.kind.fmt(f)
    }
}

impl<Kind: fmt::Debug + fmt::Display> Error for StoreError<Kind> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| -> &(dyn Error + 'static) { source })
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::fmt;

    use super::StoreError;

    #[derive(Debug)]
    struct Kind;

    impl fmt::Display for Kind {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the disk is full")
        }
    }

    #[test]
    fn message_begins_with_the_place_and_leaves_the_cause_to_source() {
        let place = || Some("/var/history".to_owned());
        for (place, source, message) in [
            (place(), Some("no room"), "/var/history: the disk is full"),
            (place(), None, "/var/history: the disk is full"),
            (None, Some("no room"), "the disk is full"),
            (None, None, "the disk is full"),
        ] {
            let error = StoreError::new(place.clone(), Kind, source.map(Into::into));
            assert_eq!(error.to_string(), message);
            assert_eq!(error.place(), place.as_deref());
            assert_eq!(error.source().map(ToString::to_string).as_deref(), source);
        }
    }
}
