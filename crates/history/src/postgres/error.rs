//! [`PostgresError`].

use std::boxed::Box;
use std::error::Error;
use std::string::String;
use std::{fmt, io};

use tokio_postgres::error::SqlState;

use super::sql::VERSION;

/// The cause of a [`PostgresError`].
type Cause = Box<dyn Error + Send + Sync>;

/// An error of a [`PostgresHistory`](crate::PostgresHistory).
///
/// `server` is where the database is, without user and password: `db.example.com:5432/jobs`.
#[derive(Debug)]
#[non_exhaustive]
pub enum PostgresError {
    /// The connection string is invalid.
    InvalidConnectionString {
        /// What is wrong with it.
        source: Cause,
    },
    /// The name of the schema is empty, longer than 63 bytes, or contains U+0000.
    InvalidSchema {
        /// The name.
        schema: String,
    },
    /// The connection string requires TLS, but [`connect_tls`](crate::PostgresBuilder::connect_tls)
    /// was not used.
    TlsRequired {
        /// The server.
        server: String,
    },
    /// The server could not be reached, or the connection was lost, for longer than a method may
    /// [try again](crate::History::retry_for), or the server did not answer within the [answer
    /// timeout](crate::PostgresBuilder::answer_timeout). Whether a write has happened is unknown; [the
    /// effect of a second call](crate::PostgresHistory#guarantees) depends on the method.
    Unreachable {
        /// The server.
        server: String,
        /// The last failure.
        source: Cause,
    },
    /// The server refuses the user or the password, has no such database, or does not agree on TLS.
    Refused {
        /// The server.
        server: String,
        /// The error of the server.
        source: Cause,
    },
    /// The user lacks a permission.
    PermissionDenied {
        /// The server.
        server: String,
        /// The error of the server.
        source: Cause,
    },
    /// The tables were removed or changed while they were in use.
    MissingTable {
        /// The server.
        server: String,
        /// The error of the server, if it reported one.
        source: Option<Cause>,
    },
    /// The schema has tables of another program with the same names.
    NotAHistory {
        /// The server.
        server: String,
        /// The error of the server.
        source: Cause,
    },
    /// The tables were created by a later version of this crate.
    NewerVersion {
        /// The server.
        server: String,
        /// The version of the tables.
        found: i32,
        /// The latest version that this program can use.
        supported: i32,
    },
    /// A row was locked for longer than the [answer
    /// timeout](crate::PostgresBuilder::answer_timeout).
    Busy {
        /// The server.
        server: String,
        /// The error of the server.
        source: Cause,
    },
    /// A table has a value that this crate does not write.
    Corrupt {
        /// The server.
        server: String,
        /// The value.
        damage: String,
    },
    /// The thread of the connection could not be started.
    Thread {
        /// The error of the operating system.
        source: io::Error,
    },
    /// The server failed in another way, for example because its disk is full.
    Postgres {
        /// The server.
        server: String,
        /// The error of the server.
        source: Cause,
    },
}

impl fmt::Display for PostgresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(server) = self.server() {
            write!(f, "{server}: ")?;
        }
        f.write_str(match self {
            Self::InvalidConnectionString { .. } => "the connection string is invalid",
            Self::InvalidSchema { .. } => {
                "the name of the schema is empty, longer than 63 bytes, or contains U+0000"
            }
            Self::TlsRequired { .. } => {
                "the connection string requires TLS; connect with `connect_tls`"
            }
            Self::Unreachable { .. } => "the server cannot be reached",
            Self::Refused { .. } => "the server refuses the connection",
            Self::PermissionDenied { .. } => {
                "the user lacks a permission; let a user who has it connect once to create the tables, \
                 and grant this user access to the schema, its tables and its sequence"
            }
            Self::MissingTable { .. } => {
                "the tables are missing or were changed; connect again to create them, or restore \
                 them from a backup"
            }
            Self::NotAHistory { .. } => {
                "the schema has tables of another program; use another schema"
            }
            Self::NewerVersion { found, supported, .. } => {
                return write!(
                    f,
                    "the tables have version {found}, but this program uses only up to version \
                     {supported}; use a later version of the program, or another schema"
                );
            }
            Self::Busy { .. } => "a row has been locked for too long; try again later",
            Self::Corrupt { damage, .. } => return write!(f, "a table is damaged ({damage})"),
            Self::Thread { .. } => "the thread of the connection cannot be started",
            Self::Postgres { .. } => "PostgreSQL failed",
        })
    }
}

impl PostgresError {
    fn server(&self) -> Option<&str> {
        match self {
            Self::InvalidConnectionString { .. }
            | Self::InvalidSchema { .. }
            | Self::Thread { .. } => None,
            Self::TlsRequired { server }
            | Self::Unreachable { server, .. }
            | Self::Refused { server, .. }
            | Self::PermissionDenied { server, .. }
            | Self::MissingTable { server, .. }
            | Self::NotAHistory { server, .. }
            | Self::NewerVersion { server, .. }
            | Self::Busy { server, .. }
            | Self::Corrupt { server, .. }
            | Self::Postgres { server, .. } => Some(server),
        }
    }
}

impl Error for PostgresError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::InvalidConnectionString { source }
            | Self::Unreachable { source, .. }
            | Self::Refused { source, .. }
            | Self::PermissionDenied { source, .. }
            | Self::NotAHistory { source, .. }
            | Self::Busy { source, .. }
            | Self::Postgres { source, .. } => Some(&**source),
            Self::MissingTable { source, .. } => {
                source.as_deref().map(|source| -> &(dyn Error + 'static) { source })
            }
            Self::Thread { source } => Some(source),
            Self::InvalidSchema { .. }
            | Self::TlsRequired { .. }
            | Self::NewerVersion { .. }
            | Self::Corrupt { .. } => None,
        }
    }
}

/// A failure to execute a statement.
#[derive(Debug)]
pub(super) enum Failure {
    Postgres(tokio_postgres::Error),
    ConnectTimeout,
    /// The server may still execute the statement.
    AnswerTimeout,
    NewerVersion(i32),
    MissingTable,
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

impl Failure {
    /// Returns whether the statement may succeed if it is executed again.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Self::Postgres(error) => match error.code() {
                Some(code) => is_transient(code),
                None => is_disconnected(error),
            },
            Self::ConnectTimeout => true,
            // The server may execute the first statement after its repetition, which could take a
            // run from a runner that has claimed it in between.
            Self::AnswerTimeout | Self::NewerVersion(_) | Self::MissingTable => false,
        }
    }

    /// Returns whether a statement that failed may have been executed, or may still be executed.
    pub(super) fn may_have_happened(&self) -> bool {
        match self {
            Self::Postgres(error) => match error.code() {
                // A lost connection, or a server that shuts down.
                Some(code) => code.code().starts_with("08") || code.code().starts_with("57P"),
                None => is_disconnected(error),
            },
            Self::AnswerTimeout => true,
            Self::ConnectTimeout | Self::NewerVersion(_) | Self::MissingTable => false,
        }
    }

    pub(super) fn at(self, server: String) -> PostgresError {
        let error = match self {
            Self::Postgres(error) => error,
            Self::ConnectTimeout | Self::AnswerTimeout => {
                let source = io::Error::from(io::ErrorKind::TimedOut).into();
                return PostgresError::Unreachable { server, source };
            }
            Self::NewerVersion(found) => {
                return PostgresError::NewerVersion { server, found, supported: VERSION };
            }
            Self::MissingTable => return PostgresError::MissingTable { server, source: None },
        };
        let (code, is_disconnected) = (error.code().cloned(), is_disconnected(&error));
        let source = Cause::from(error);
        let Some(code) = code else {
            return if is_disconnected {
                PostgresError::Unreachable { server, source }
            } else {
                // For example, a password is missing, or TLS failed.
                PostgresError::Refused { server, source }
            };
        };
        match &code {
            code if *code == SqlState::LOCK_NOT_AVAILABLE => PostgresError::Busy { server, source },
            code if is_transient(code) => PostgresError::Unreachable { server, source },
            code if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
                PostgresError::PermissionDenied { server, source }
            }
            code if *code == SqlState::UNDEFINED_TABLE
                || *code == SqlState::UNDEFINED_COLUMN
                || *code == SqlState::INVALID_SCHEMA_NAME =>
            {
                PostgresError::MissingTable { server, source: Some(source) }
            }
            code if *code == SqlState::DUPLICATE_TABLE || *code == SqlState::DUPLICATE_OBJECT => {
                PostgresError::NotAHistory { server, source }
            }
            code if code.code().starts_with("28") || *code == SqlState::INVALID_CATALOG_NAME => {
                PostgresError::Refused { server, source }
            }
            _ => PostgresError::Postgres { server, source },
        }
    }
}

/// Returns whether an error of the server is transient: the server shuts down, starts, or has too
/// many connections; transactions conflicted; or this is the standby after a failover.
fn is_transient(code: &SqlState) -> bool {
    let passing = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    code.code().starts_with("08") || passing.contains(code)
}

/// Returns whether the connection failed or was lost.
fn is_disconnected(error: &tokio_postgres::Error) -> bool {
    if error.is_closed() {
        return true;
    }
    let mut source = error.source();
    while let Some(error) = source {
        if error.is::<io::Error>() {
            return true;
        }
        source = error.source();
    }
    false
}
