//! [`Access`]: the connection of an operation.

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool, Transaction};

/// Where an operation on [`Schedules`](super::Schedules) is executed: on a connection from a pool, in its own
/// transaction, or in the caller's transaction, whose other changes then commit together with the schedules.
///
/// Pass `&pool`, `&mut transaction` or `&mut connection`. Begin transactions with sqlx: with `PostgreSQL`, it does not
/// know one that a statement has begun, so an operation would commit it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Access<'c, DB: Database> {
    /// A connection from a pool.
    Pool(&'c Pool<DB>),
    /// This connection.
    Connection(&'c mut DB::Connection),
}

/// A connection for an operation.
pub(super) enum Acquired<'c, DB: Database> {
    FromPool(PoolConnection<DB>),
    Callers(&'c mut DB::Connection),
}

impl<'c, DB: Database> Access<'c, DB> {
    pub(super) async fn acquire(self) -> Result<Acquired<'c, DB>, sqlx::Error> {
        match self {
            Self::Pool(pool) => Ok(Acquired::FromPool(pool.acquire().await?)),
            Self::Connection(connection) => Ok(Acquired::Callers(connection)),
        }
    }
}

impl<DB: Database> Acquired<'_, DB> {
    pub(super) fn connection(&mut self) -> &mut DB::Connection {
        match self {
            Self::FromPool(connection) => connection,
            Self::Callers(connection) => connection,
        }
    }
}

impl<'c, DB: Database> From<&'c Pool<DB>> for Access<'c, DB> {
    fn from(pool: &'c Pool<DB>) -> Self {
        Self::Pool(pool)
    }
}

impl<'c, DB: Database> From<&'c mut Transaction<'_, DB>> for Access<'c, DB> {
    fn from(transaction: &'c mut Transaction<'_, DB>) -> Self {
        Self::Connection(transaction)
    }
}

#[cfg(feature = "postgres")]
impl<'c> From<&'c mut sqlx::PgConnection> for Access<'c, sqlx::Postgres> {
    fn from(connection: &'c mut sqlx::PgConnection) -> Self {
        Self::Connection(connection)
    }
}

#[cfg(feature = "sqlite")]
impl<'c> From<&'c mut sqlx::SqliteConnection> for Access<'c, sqlx::Sqlite> {
    fn from(connection: &'c mut sqlx::SqliteConnection) -> Self {
        Self::Connection(connection)
    }
}
