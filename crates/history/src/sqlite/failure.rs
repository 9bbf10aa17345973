//! Errors of a file, from those of `SQLite` and of the file system.

use std::error::Error;
use std::io::ErrorKind;
use std::path::Path;
use std::{fmt, fs, io};

use rusqlite::ErrorCode;

use crate::error::{Cause, SqliteError, SqliteErrorKind, StoreError};

/// A hint at how to fix an [`io::Error`], with its cause.
#[derive(Debug)]
struct Hint {
    text: &'static str,
    source: rusqlite::Error,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl Error for Hint {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

/// Returns an error of the file at `path`.
pub(super) fn error(path: &Path, kind: SqliteErrorKind, source: Option<Cause>) -> SqliteError {
    StoreError::new(Some(path.display().to_string()), kind, source)
}

pub(super) fn io_error(path: &Path, source: io::Error) -> SqliteError {
    error(path, SqliteErrorKind::Io, Some(source.into()))
}

pub(super) fn unusable(path: &Path, kind: ErrorKind, hint: impl Into<Cause>) -> SqliteError {
    io_error(path, io::Error::new(kind, hint))
}

pub(super) fn corrupt(path: &Path, damage: String) -> SqliteError {
    error(path, SqliteErrorKind::Corrupt { damage }, None)
}

const READ_ONLY: &str = "it is read-only; give this user write permission for it and its directory";

pub(super) fn read_only(path: &Path) -> SqliteError {
    unusable(path, ErrorKind::PermissionDenied, READ_ONLY)
}

const READ_ONLY_FILE_SYSTEM: &str = "its file system is read-only; use a path on another one";

/// Returns whether the file system of a file, which may not exist yet, is read-only.
fn is_file_system_read_only(path: &Path) -> bool {
    let directory = path.parent().unwrap_or(path);
    // Setting the permissions that are set changes nothing, and shows it to users who lack them, too.
    let set = fs::metadata(directory)
        .and_then(|metadata| fs::set_permissions(directory, metadata.permissions()));
    set.is_err_and(|error| error.kind() == ErrorKind::ReadOnlyFilesystem)
}

/// Classifies an error of `SQLite`.
pub(super) fn classify(path: &Path, source: rusqlite::Error) -> SqliteError {
    let denied = |text, source| {
        let (kind, text) = if is_file_system_read_only(path) {
            (ErrorKind::ReadOnlyFilesystem, READ_ONLY_FILE_SYSTEM)
        } else {
            (ErrorKind::PermissionDenied, text)
        };
        unusable(path, kind, Box::new(Hint { text, source }))
    };
    let kind = match source.sqlite_error_code() {
        None => match source {
            rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::QueryReturnedNoRows
            | rusqlite::Error::QueryReturnedMoreThanOneRow => {
                SqliteErrorKind::Corrupt { damage: "a record cannot be read".to_owned() }
            }
            _ => SqliteErrorKind::Sqlite,
        },
        Some(ErrorCode::NotADatabase) => SqliteErrorKind::NotADatabase,
        Some(ErrorCode::DatabaseCorrupt) => SqliteErrorKind::Corrupt { damage: source.to_string() },
        Some(ErrorCode::DiskFull) => SqliteErrorKind::Full,
        Some(ErrorCode::DatabaseBusy) => SqliteErrorKind::Busy,
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            let hint =
                "it, or a file next to it, cannot be read or written; give this user permission";
            return denied(hint, source);
        }
        Some(ErrorCode::ReadOnly) => return denied(READ_ONLY, source),
        Some(_) => SqliteErrorKind::Sqlite,
    };
    error(path, kind, Some(source.into()))
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::io::{self, ErrorKind};
    use std::iter::successors;
    use std::path::Path;

    use rusqlite::ffi::{self, SQLITE_READONLY};

    use super::{READ_ONLY, classify};
    use crate::error::SqliteError;

    fn read_only_file() -> SqliteError {
        let cause = rusqlite::Error::SqliteFailure(ffi::Error::new(SQLITE_READONLY), None);
        classify(Path::new("history.db"), cause)
    }

    #[test]
    fn missing_permission_is_answered_with_what_to_do() {
        let error = read_only_file();
        let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
        let source = source.expect("an error of the file system");
        assert_eq!(source.kind(), ErrorKind::PermissionDenied);
        assert_eq!(source.to_string(), READ_ONLY);
    }

    #[test]
    fn the_cause_of_missing_permission_is_the_error_of_sqlite() {
        let error = read_only_file();
        let mut causes = successors(error.source(), |&cause| cause.source());
        assert!(causes.any(<dyn Error>::is::<rusqlite::Error>));
    }
}
