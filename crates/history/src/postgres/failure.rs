//! [`Failure`]: why a statement failed.

use std::error::Error;
use std::io;

use tokio_postgres::error::SqlState;

use super::sql::VERSION;
use crate::error::{Cause, PostgresError, PostgresErrorKind};

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

    /// Adds where the database is.
    pub(super) fn at(self, server: &str) -> PostgresError {
        let (kind, source) = match self {
            Self::Postgres(error) => (kind_of(&error), Some(Cause::from(error))),
            Self::ConnectTimeout | Self::AnswerTimeout => {
                let source = io::Error::from(io::ErrorKind::TimedOut);
                (PostgresErrorKind::Unreachable, Some(source.into()))
            }
            Self::NewerVersion(found) => {
                (PostgresErrorKind::NewerVersion { found, supported: VERSION }, None)
            }
            Self::MissingTable => (PostgresErrorKind::MissingTable, None),
        };
        PostgresError::new(Some(server.to_owned()), kind, source)
    }
}

/// Classifies an error of the server or of the connection.
fn kind_of(error: &tokio_postgres::Error) -> PostgresErrorKind {
    let Some(code) = error.code() else {
        return if is_disconnected(error) {
            PostgresErrorKind::Unreachable
        } else {
            // For example, a password is missing, or TLS failed.
            PostgresErrorKind::Refused
        };
    };
    match code {
        &SqlState::LOCK_NOT_AVAILABLE => PostgresErrorKind::Busy,
        &SqlState::INSUFFICIENT_PRIVILEGE => PostgresErrorKind::PermissionDenied,
        &SqlState::UNDEFINED_TABLE
        | &SqlState::UNDEFINED_COLUMN
        | &SqlState::INVALID_SCHEMA_NAME => PostgresErrorKind::MissingTable,
        &SqlState::DUPLICATE_TABLE | &SqlState::DUPLICATE_OBJECT => PostgresErrorKind::NotAHistory,
        &SqlState::INVALID_CATALOG_NAME => PostgresErrorKind::Refused,
        code if is_transient(code) => PostgresErrorKind::Unreachable,
        code if code.code().starts_with("28") => PostgresErrorKind::Refused,
        _ => PostgresErrorKind::Postgres,
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
