//! [`Access`]: the connection of an operation.

use sqlx::{Database, Pool, Transaction};

use super::database::{Acquired, Pooled, Table};

/// Where an operation on [`Schedules`](super::Schedules) is executed: on a connection from a pool, in its own
/// transaction, or in the caller's transaction, whose other changes then commit together with the schedules.
///
/// Pass `&pool`, `&mut transaction` or `&mut connection`. Begin transactions with sqlx: with `PostgreSQL`, it does not
/// know one that a statement has begun, so an operation would commit it.
///
/// If you drop the future of an operation before it has ended, as a timeout does, also drop the transaction or close the
/// connection that you have passed. With `PostgreSQL`, sqlx may have rolled your transaction back by then. Later statements
/// would take effect at once, and `commit` would return `Ok`. A pool needs no such care.
#[derive(Debug)]
#[non_exhaustive]
pub enum Access<'c, DB: Database> {
    /// A connection from a pool.
    Pool(&'c Pool<DB>),
    /// This connection.
    Connection(&'c mut DB::Connection),
}

impl<'c, DB: Table> Access<'c, DB> {
    pub(super) async fn acquire(self) -> Result<Acquired<'c, DB>, sqlx::Error> {
        match self {
            Self::Pool(pool) => Ok(Acquired::FromPool(Pooled::acquire(pool).await?)),
            Self::Connection(connection) => Ok(Acquired::Callers(connection)),
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
