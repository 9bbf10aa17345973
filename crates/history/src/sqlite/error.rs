//! [`SqliteError`].

use std::borrow::ToOwned as _;
use std::boxed::Box;
use std::error::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::string::{String, ToString as _};
use std::{fmt, io};

use rusqlite::ErrorCode;

/// The cause of a [`SqliteError`].
type Cause = Box<dyn Error + Send + Sync>;

/// An error of a [`SqliteHistory`](crate::SqliteHistory).
#[derive(Debug)]
#[non_exhaustive]
pub enum SqliteError {
    /// The file is a history that was written by a later version of this crate.
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// The version of the file format.
        found: i32,
        /// The latest version that this program can read.
        supported: i32,
    },
    /// The file is a database of another program.
    NotAHistory {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a database.
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// The error of `SQLite`, if it reported one.
        source: Option<Cause>,
    },
    /// The file is damaged.
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The first damage found.
        damage: String,
        /// The error of `SQLite`, if it reported one.
        source: Option<Cause>,
    },
    /// Another process was writing for longer than the [busy
    /// timeout](crate::SqliteHistory::with_busy_timeout).
    Busy {
        /// The file.
        path: PathBuf,
        /// The error of `SQLite`.
        source: Option<Cause>,
    },
    /// The disk is full. Writes succeed again once there is room.
    Full {
        /// The file.
        path: PathBuf,
        /// The error of `SQLite`, if it reported one.
        source: Option<Cause>,
    },
    /// The file cannot be opened for writing: it is not an ordinary file, its directory does not
    /// exist, or the user lacks the permission.
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// `SQLite` failed in another way, for example because the disk failed.
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The error of `SQLite`.
        source: Cause,
    },
}

impl SqliteError {
    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::NewerVersion { path, .. }
            | Self::NotAHistory { path }
            | Self::NotADatabase { path, .. }
            | Self::Corrupt { path, .. }
            | Self::Busy { path, .. }
            | Self::Full { path, .. }
            | Self::Io { path, .. }
            | Self::Sqlite { path, .. } => path,
        }
    }
}

impl fmt::Display for SqliteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path().display())?;
        match self {
            Self::NewerVersion { found, supported, .. } => write!(
                f,
                "the history has version {found}, but this program reads only up to version \
                 {supported}; use a later version of the program, or another file"
            ),
            Self::NotAHistory { .. } => {
                f.write_str("the database belongs to another program; use another file")
            }
            Self::NotADatabase { .. } => f.write_str("the file is not a history; use another file"),
            Self::Corrupt { damage, .. } => write!(
                f,
                "the history is damaged ({damage}); restore it from a backup, or move it away to \
                 start a new one"
            ),
            Self::Busy { .. } => {
                f.write_str("another process has been writing for too long; try again later")
            }
            Self::Full { .. } => f.write_str("the disk is full; make room, and try again"),
            Self::Io { .. } => f.write_str("the history cannot be opened"),
            Self::Sqlite { .. } => f.write_str("SQLite failed"),
        }
    }
}

impl Error for SqliteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotADatabase { source, .. }
            | Self::Corrupt { source, .. }
            | Self::Busy { source, .. }
            | Self::Full { source, .. } => {
                source.as_deref().map(|source| -> &(dyn Error + 'static) { source })
            }
            Self::Io { source, .. } => Some(source),
            Self::Sqlite { source, .. } => Some(&**source),
            Self::NewerVersion { .. } | Self::NotAHistory { .. } => None,
        }
    }
}

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

pub(super) fn io_error(path: &Path, source: io::Error) -> SqliteError {
    SqliteError::Io { path: path.to_owned(), source }
}

pub(super) fn unusable(path: &Path, kind: ErrorKind, hint: impl Into<Cause>) -> SqliteError {
    io_error(path, io::Error::new(kind, hint))
}

pub(super) fn corrupt(path: &Path, damage: String) -> SqliteError {
    SqliteError::Corrupt { path: path.to_owned(), damage, source: None }
}

const READ_ONLY: &str = "it is read-only; give this user write permission for it and its directory";

pub(super) fn read_only(path: &Path) -> SqliteError {
    unusable(path, ErrorKind::PermissionDenied, READ_ONLY)
}

/// Classifies an error of `SQLite`.
pub(super) fn classify(path: &Path, error: rusqlite::Error) -> SqliteError {
    let denied = |text, source| {
        io_error(path, io::Error::new(ErrorKind::PermissionDenied, Hint { text, source }))
    };
    let path = path.to_owned();
    if let rusqlite::Error::InvalidColumnType(..)
    | rusqlite::Error::FromSqlConversionFailure(..)
    | rusqlite::Error::IntegralValueOutOfRange(..)
    | rusqlite::Error::QueryReturnedNoRows
    | rusqlite::Error::QueryReturnedMoreThanOneRow = error
    {
        let damage = "a record cannot be read".to_owned();
        return SqliteError::Corrupt { path, damage, source: Some(error.into()) };
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            SqliteError::NotADatabase { path, source: Some(error.into()) }
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            SqliteError::Corrupt { path, damage: error.to_string(), source: Some(error.into()) }
        }
        Some(ErrorCode::DiskFull) => SqliteError::Full { path, source: Some(error.into()) },
        Some(ErrorCode::DatabaseBusy) => SqliteError::Busy { path, source: Some(error.into()) },
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => denied(
            "it, or a file next to it, cannot be read or written; give this user permission",
            error,
        ),
        Some(ErrorCode::ReadOnly) => denied(READ_ONLY, error),
        _ => SqliteError::Sqlite { path, source: error.into() },
    }
}
