//! [`Access`]: the connection of an operation.

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool, Transaction};

use super::database::Table;

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

/// A connection for an operation.
pub(super) enum Acquired<'c, DB: Database> {
    FromPool(Pooled<DB>),
    Callers(&'c mut DB::Connection),
}

/// A connection from a pool, which is closed on drop if it may be in a transaction.
///
/// With `PostgreSQL`, sqlx notices a transaction when the server has answered `BEGIN`. If the future is dropped before, the
/// connection would return to the pool, and the next user's statements would never be committed.
#[derive(Debug)]
pub struct Pooled<DB: Database> {
    connection: PoolConnection<DB>,
    /// Whether it is in no transaction, or in one that sqlx knows.
    is_clean: bool,
}

impl<DB: Table> Pooled<DB> {
    pub(super) async fn acquire(pool: &Pool<DB>) -> Result<Self, sqlx::Error> {
        Ok(Self { connection: pool.acquire().await?, is_clean: true })
    }

    async fn begin(&mut self) -> Result<Transaction<'_, DB>, sqlx::Error> {
        self.is_clean = false;
        let transaction = DB::begin(&mut self.connection).await?;
        self.is_clean = true;
        Ok(transaction)
    }

    /// Begins a transaction that only this knows.
    #[cfg(feature = "postgres")]
    pub(super) async fn begin_with(&mut self, sql: &str) -> Result<(), sqlx::Error> {
        self.is_clean = false;
        DB::execute(&mut self.connection, sql.to_owned()).await
    }

    /// Ends that transaction.
    pub(super) async fn end_with(mut self, sql: &str) -> Result<(), sqlx::Error> {
        DB::execute(&mut self.connection, sql.to_owned()).await?;
        self.is_clean = true;
        Ok(())
    }

    pub(super) fn connection(&mut self) -> &mut DB::Connection {
        &mut self.connection
    }
}

impl<DB: Database> Drop for Pooled<DB> {
    fn drop(&mut self) {
        if !self.is_clean {
            self.connection.close_on_drop();
        }
    }
}

impl<'c, DB: Table> Access<'c, DB> {
    pub(super) async fn acquire(self) -> Result<Acquired<'c, DB>, sqlx::Error> {
        match self {
            Self::Pool(pool) => Ok(Acquired::FromPool(Pooled::acquire(pool).await?)),
            Self::Connection(connection) => Ok(Acquired::Callers(connection)),
        }
    }
}

impl<DB: Table> Acquired<'_, DB> {
    pub(super) fn connection(&mut self) -> &mut DB::Connection {
        match self {
            Self::FromPool(pooled) => pooled.connection(),
            Self::Callers(connection) => connection,
        }
    }

    /// Begins a transaction that writes.
    pub(super) async fn begin(&mut self) -> Result<Transaction<'_, DB>, sqlx::Error> {
        match self {
            Self::FromPool(pooled) => pooled.begin().await,
            Self::Callers(connection) => DB::begin(connection).await,
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
