//! [`SqliteError`]: why a history in a file does not do what it should.

use std::borrow::ToOwned as _;
use std::boxed::Box;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::string::{String, ToString as _};
use std::{error, fmt, io};

use rusqlite::ErrorCode;

/// Why a [`SqliteHistory`](super::SqliteHistory) can not be opened, answer or record.
#[derive(Debug)]
#[non_exhaustive]
pub enum SqliteError {
    /// The file is a history that a later version of this program has written.
    FutureVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i32,
        /// The latest version that this program can read.
        supported: i32,
    },
    /// The file is a database, but no history.
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file is no database.
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file is damaged.
    Broken {
        /// The file.
        path: PathBuf,
        /// The first damage found.
        damage: String,
    },
    /// Another process has been writing for too long.
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file can not be opened for writing: it is no file, or its directory does
    /// not exist, or it is not permitted.
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// `SQLite` has failed in another way, as if the disk is full.
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What `SQLite` says.
        error: Box<dyn error::Error + Send + Sync>,
    },
}

impl SqliteError {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::FutureVersion { path, .. }
            | Self::Foreign { path }
            | Self::NotADatabase { path }
            | Self::Broken { path, .. }
            | Self::Busy { path }
            | Self::Io { path, .. }
            | Self::Sqlite { path, .. } => path,
        }
    }
}

impl fmt::Display for SqliteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path().display())?;
        match self {
            Self::FutureVersion { found, supported, .. } => write!(
                f,
                "the history is of version {found}, and this program can read version \
                 {supported}; use a later version of the program, or another file"
            ),
            Self::Foreign { .. } => f.write_str(
                "the database is not a history, but another program's; use another file",
            ),
            Self::NotADatabase { .. } => {
                f.write_str("the file is not a history, nor any database; use another file")
            }
            Self::Broken { damage, .. } => write!(
                f,
                "the history is damaged ({damage}); put back a copy of it, or move it away to \
                 begin a new one"
            ),
            Self::Busy { .. } => {
                f.write_str("another process has been writing for too long; try again later")
            }
            Self::Io { error, .. } => write!(f, "the history can not be opened: {error}"),
            Self::Sqlite { error, .. } => write!(f, "SQLite has failed: {error}"),
        }
    }
}

impl error::Error for SqliteError {}

pub(super) fn unusable(path: &Path, error: io::Error) -> SqliteError {
    SqliteError::Io { path: path.to_owned(), error }
}

pub(super) fn unusable_for(path: &Path, kind: ErrorKind, why: &'static str) -> SqliteError {
    unusable(path, io::Error::new(kind, why))
}

pub(super) fn broken(path: &Path, damage: String) -> SqliteError {
    SqliteError::Broken { path: path.to_owned(), damage }
}

pub(super) fn explain(path: &Path, error: rusqlite::Error) -> SqliteError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => SqliteError::NotADatabase { path },
        Some(ErrorCode::DatabaseCorrupt) => broken(&path, error.to_string()),
        Some(ErrorCode::DatabaseBusy) => SqliteError::Busy { path },
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => unusable_for(
            &path,
            ErrorKind::PermissionDenied,
            "it, or a file beside it, can not be read or written; permit that to this user",
        ),
        Some(ErrorCode::ReadOnly) => unwritable(&path),
        _ => SqliteError::Sqlite { path, error: Box::new(error) },
    }
}

pub(super) fn unwritable(path: &Path) -> SqliteError {
    let why = "it is read-only; permit this user to write it, also in its directory";
    unusable_for(path, ErrorKind::PermissionDenied, why)
}
