//! [`SqliteError`].

use std::fmt;

use super::store::StoreError;

/// An error of a [`SqliteHistory`](crate::SqliteHistory), with the path of the file.
pub type SqliteError = StoreError<SqliteErrorKind>;

/// What went wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SqliteErrorKind {
    /// The file is a history that was written by a later version of this crate.
    NewerVersion {
        /// The version of the file format.
        found: i32,
        /// The latest version that this program can read.
        supported: i32,
    },
    /// The file is a database of another program.
    NotAHistory,
    /// The file is not a database.
    NotADatabase,
    /// The file is damaged.
    Corrupt {
        /// The first damage found.
        damage: String,
    },
    /// Another process was writing for longer than the [busy
    /// timeout](crate::SqliteHistory::with_busy_timeout).
    Busy,
    /// The disk is full. Writes succeed again once there is room.
    Full,
    /// The file cannot be opened for writing: it is not an ordinary file, its directory does not
    /// exist, or the user lacks the permission. The source is an [`io::Error`](std::io::Error).
    Io,
    /// `SQLite` failed in another way, for example because the disk failed.
    Sqlite,
}

impl fmt::Display for SqliteErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NewerVersion { found, supported } => {
                return write!(
                    f,
                    "the history has version {found}, but this program reads only up to version \
                     {supported}; use a later version of the program, or another file"
                );
            }
            Self::NotAHistory => "the database belongs to another program; use another file",
            Self::NotADatabase => "the file is not a history; use another file",
            Self::Corrupt { damage } => {
                return write!(
                    f,
                    "the history is damaged ({damage}); restore it from a backup, or move it away \
                     to start a new one"
                );
            }
            Self::Busy => "another process has been writing for too long; try again later",
            Self::Full => "the disk is full; make room, and try again",
            Self::Io => "the history cannot be opened",
            Self::Sqlite => "SQLite failed",
        })
    }
}
