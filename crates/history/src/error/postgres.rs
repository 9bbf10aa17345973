//! [`PostgresError`].

use std::fmt;

use super::store::StoreError;

/// An error of a [`PostgresHistory`](crate::PostgresHistory), with where the database is, without
/// user and password: `db.example.com:5432/jobs`.
pub type PostgresError = StoreError<PostgresErrorKind>;

/// What went wrong with a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PostgresErrorKind {
    /// The connection string is invalid.
    InvalidConnectionString,
    /// The name of the schema is empty, longer than 63 bytes, or contains U+0000.
    InvalidSchema {
        /// The name.
        schema: String,
    },
    /// The connection string requires TLS, but [`connect_tls`](crate::PostgresBuilder::connect_tls)
    /// was not used.
    TlsRequired,
    /// The server could not be reached, or the connection was lost, for longer than a method may
    /// [try again](crate::History::retry_for), or the server did not answer within the [answer
    /// timeout](crate::PostgresBuilder::answer_timeout). Whether a write has happened is unknown; [the
    /// effect of a second call](crate::PostgresHistory#guarantees) depends on the method.
    Unreachable,
    /// The server refuses the user or the password, has no such database, or does not agree on TLS.
    Refused,
    /// The user lacks a permission.
    PermissionDenied,
    /// The tables were removed or changed while they were in use.
    MissingTable,
    /// The schema has tables of another program with the same names.
    NotAHistory,
    /// The tables were created by a later version of this crate.
    NewerVersion {
        /// The version of the tables.
        found: i32,
        /// The latest version that this program can use.
        supported: i32,
    },
    /// A row was locked for longer than the [answer
    /// timeout](crate::PostgresBuilder::answer_timeout).
    Busy,
    /// A table has a value that this crate does not write.
    Corrupt {
        /// The value.
        damage: String,
    },
    /// The thread of the connection could not be started.
    Thread,
    /// The server failed in another way, for example because its disk is full.
    Postgres,
}

impl fmt::Display for PostgresErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidConnectionString => "the connection string is invalid",
            Self::InvalidSchema { .. } => {
                "the name of the schema is empty, longer than 63 bytes, or contains U+0000"
            }
            Self::TlsRequired => "the connection string requires TLS; connect with `connect_tls`",
            Self::Unreachable => "the server cannot be reached",
            Self::Refused => "the server refuses the connection",
            Self::PermissionDenied => {
                "the user lacks a permission; let a user who has it connect once to create the tables, \
                 and grant this user access to the schema, its tables and its sequence"
            }
            Self::MissingTable => {
                "the tables are missing or were changed; connect again to create them, or restore \
                 them from a backup"
            }
            Self::NotAHistory => "the schema has tables of another program; use another schema",
            Self::NewerVersion { found, supported } => {
                return write!(
                    f,
                    "the tables have version {found}, but this program uses only up to version \
                     {supported}; use a later version of the program, or another schema"
                );
            }
            Self::Busy => "a row has been locked for too long; try again later",
            Self::Corrupt { damage } => return write!(f, "a table is damaged ({damage})"),
            Self::Thread => "the thread of the connection cannot be started",
            Self::Postgres => "PostgreSQL failed",
        })
    }
}
