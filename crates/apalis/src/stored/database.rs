//! [`Table`]: what differs between databases.

use std::fmt;
use std::future::Future;

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool, Transaction};

/// The statements for a table of schedules. Each takes one parameter, a JSON text, and most return JSON texts.
/// `{schema}` is the name of the schema, and `{condition}` and `{order}` select rows.
#[derive(Debug)]
pub struct Statements {
    /// The migrations, in order.
    pub(crate) setup: &'static [&'static str],
    /// Prepares a database for the table of migrations; several statements without a parameter.
    pub(crate) prepare: &'static str,
    /// The versions of the migrations that were applied, up to one.
    pub(crate) applied: &'static str,
    /// The columns of a schedule, for `{row}` in other statements.
    pub(crate) row: &'static str,
    pub(crate) select: &'static str,
    pub(crate) count: &'static str,
    /// Locks rows in the order of their names, if all of them exist.
    pub(crate) lock: &'static str,
    pub(crate) update: &'static str,
    /// Creates rows, and locks those that exist, in the order of their names.
    pub(crate) insert: &'static str,
    /// Has rows with an error read again.
    pub(crate) retry: &'static str,
    pub(crate) pause: &'static str,
    pub(crate) remove: &'static str,
    pub(crate) trigger: &'static str,
    /// Stores until when rows are about to be claimed, unless `claim` does.
    pub(crate) reserve: Option<&'static str>,
    pub(crate) claim: &'static str,
    pub(crate) advance: &'static str,
    /// Gives back claimed rows of `{table}`, unless the end of a transaction does.
    pub(crate) release: Option<&'static str>,
    pub(crate) claim_retired: &'static str,
    pub(crate) advance_retired: &'static str,
    pub(crate) delete_retired: &'static str,
    pub(crate) register: &'static str,
    pub(crate) claim_jobs: &'static str,
    pub(crate) advance_jobs: &'static str,
    pub(crate) peek: &'static str,
    pub(crate) conditions: Conditions,
}

/// The statements in the files of a directory: that of the module in which this stands.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
macro_rules! statements {
    ($reserve:expr, $release:expr, $conditions:expr) => {
        $crate::stored::database::Statements {
            setup: &[include_str!("setup-1.sql")],
            reserve: $reserve,
            release: $release,
            conditions: $conditions,
            prepare: include_str!("prepare.sql"),
            applied: include_str!("applied.sql"),
            row: include_str!("row.sql"),
            select: include_str!("select.sql"),
            count: include_str!("count.sql"),
            lock: include_str!("lock.sql"),
            update: include_str!("update.sql"),
            insert: include_str!("insert.sql"),
            retry: include_str!("retry.sql"),
            pause: include_str!("pause.sql"),
            remove: include_str!("remove.sql"),
            trigger: include_str!("trigger.sql"),
            claim: include_str!("claim.sql"),
            advance: include_str!("advance.sql"),
            claim_retired: include_str!("claim-retired.sql"),
            advance_retired: include_str!("advance-retired.sql"),
            delete_retired: include_str!("delete-retired.sql"),
            register: include_str!("register.sql"),
            claim_jobs: include_str!("claim-jobs.sql"),
            advance_jobs: include_str!("advance-jobs.sql"),
            peek: include_str!("peek.sql"),
        }
    };
}
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(super) use statements;

/// Conditions on rows.
#[derive(Debug)]
pub(crate) struct Conditions {
    pub(crate) tag: &'static str,
    pub(crate) due_before: &'static str,
    pub(crate) after_due: &'static str,
    pub(crate) prefix: &'static str,
    pub(crate) after: &'static str,
    pub(crate) name: &'static str,
}

/// A database that can keep schedules: `PostgreSQL` and `SQLite`.
///
/// This trait is sealed.
pub trait Table: Database + private::Sealed {
    #[doc(hidden)]
    const STATEMENTS: Statements;

    /// Executes a statement, and returns its rows. Texts that are not UTF-8 are returned as they are.
    #[doc(hidden)]
    fn fetch(
        connection: &mut Self::Connection,
        sql: String,
        input: &str,
    ) -> impl Future<Output = Result<Vec<Vec<u8>>, sqlx::Error>> + Send;

    /// Executes a statement that changes schedules, and returns how many.
    #[doc(hidden)]
    fn change(
        connection: &mut Self::Connection,
        sql: String,
        input: &str,
    ) -> impl Future<Output = Result<u64, sqlx::Error>> + Send;

    /// Executes statements without parameters.
    #[doc(hidden)]
    fn execute(
        connection: &mut Self::Connection,
        sql: String,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;

    /// Begins a transaction that writes.
    #[doc(hidden)]
    fn begin(
        connection: &mut Self::Connection,
    ) -> impl Future<Output = Result<Transaction<'_, Self>, sqlx::Error>> + Send;

    /// Begins to claim rows.
    #[doc(hidden)]
    fn hold(pool: &Pool<Self>) -> impl Future<Output = Result<Held<Self>, sqlx::Error>> + Send;

    /// Calls a function after each change of schedules, until the connection is lost. Never ends for a
    /// database that does not announce changes.
    #[doc(hidden)]
    fn listen(
        pool: &Pool<Self>,
        channel: String,
        on_change: impl Fn() + Send,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;
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

/// Holds claimed rows.
#[derive(Debug)]
pub enum Held<DB: Database> {
    /// The transaction holds the rows.
    Transaction(Pooled<DB>),
    /// The rows say until when they are claimed, since a transaction would lock out those who push. Once they do, each
    /// statement takes a connection from the pool, so that a pool with a single one also serves the push.
    Lease {
        pool: Pool<DB>,
        /// The transaction that claims rows, so that an error after the first of its statements gives them back.
        claiming: Option<Transaction<'static, DB>>,
    },
}

impl<DB: Table> Held<DB> {
    pub(super) async fn acquire(&mut self) -> Result<Acquired<'_, DB>, sqlx::Error> {
        match self {
            Self::Transaction(pooled) => Ok(Acquired::Callers(pooled.connection())),
            Self::Lease { claiming: Some(claiming), .. } => Ok(Acquired::Callers(&mut **claiming)),
            Self::Lease { pool, .. } => Ok(Acquired::FromPool(Pooled::acquire(pool).await?)),
        }
    }

    /// Ends the statements that claim rows.
    pub(super) async fn claimed(&mut self) -> Result<(), sqlx::Error> {
        match self {
            Self::Transaction(_) => Ok(()),
            Self::Lease { claiming, .. } => match claiming.take() {
                Some(claiming) => claiming.commit().await,
                None => Ok(()),
            },
        }
    }

    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Transaction(pooled) => pooled.end_with("COMMIT").await,
            Self::Lease { .. } => Ok(()),
        }
    }

    /// Ends the transaction now. On drop, it would end some time later.
    pub(crate) async fn roll_back(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Transaction(pooled) => pooled.end_with("ROLLBACK").await,
            Self::Lease { .. } => Ok(()),
        }
    }
}

/// The name of a schema, which is part of statements.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SchemaName(String);

/// `PostgreSQL` cuts longer names off.
const LONGEST_SCHEMA: usize = 40;

impl SchemaName {
    /// Returns `None` unless the name needs no quotes.
    pub(crate) fn new(name: &str) -> Option<Self> {
        let is_letter = |c: char| c.is_ascii_lowercase() || c == '_';
        let is_valid = name.len() <= LONGEST_SCHEMA
            && name.starts_with(is_letter)
            && name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
        is_valid.then(|| Self(name.to_owned()))
    }

    /// Puts the name into a statement.
    pub(crate) fn insert_into(&self, sql: &str) -> String {
        sql.replace("{schema}", &self.0)
    }

    pub(crate) fn channel(&self) -> String {
        self.insert_into("{schema}.schedules")
    }
}

impl fmt::Debug for SchemaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

pub(crate) mod private {
    pub trait Sealed {}
}
