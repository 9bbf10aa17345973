//! [`ProofTable`]: what differs between the databases with schedules.

use std::collections::BTreeMap;

use millicron_apalis::Run;
use millicron_apalis::stored::{Schedules, Table};
use serde_json::Value;
use sqlx::{
    AssertSqlSafe, PgConnection, PgPool, Pool, Postgres, Row as _, Sqlite, SqliteConnection,
    SqlitePool, Transaction,
};

use crate::storage::{self, Kind};

/// A task in the storage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) payload: i64,
    /// When it was inserted, by the database's clock.
    pub(crate) pushed: i64,
}

/// A row of the test's own history.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) transaction: String,
    pub(crate) name: String,
    pub(crate) old: Option<String>,
    pub(crate) new: Option<String>,
    pub(crate) at: i64,
}

/// What the test has recorded in the database, and the tasks there.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// The changes of all schedules, in their order.
    pub(crate) history: Vec<Recorded>,
    /// The names and instants of the events that were asked for.
    pub(crate) triggered: Vec<(String, i64)>,
    /// The tasks by their keys.
    pub(crate) tasks: BTreeMap<String, Vec<Task>>,
}

/// A database with schedules, and the SQL of its users.
pub(crate) trait ProofTable: Table {
    const TABLE: &'static str;
    const RETIRED: &'static str;
    /// A catch-up window of a day.
    const DAY: &'static str;
    /// The milliseconds for which a transaction may stay open.
    const LONGEST_TRANSACTION: usize;

    /// Connects the process that changes schedules.
    async fn connect(url: &str) -> Pool<Self>;

    /// Connects the test itself.
    async fn connect_test(url: &str) -> Pool<Self>;

    /// Creates what records the changes.
    async fn prepare(pool: &Pool<Self>);

    /// Returns an instant, in milliseconds, as a value in SQL.
    fn instant(instant: i64) -> String;

    async fn begin_writing(pool: &Pool<Self>) -> Result<Transaction<'static, Self>, sqlx::Error>;

    async fn run_sql(connection: &mut Self::Connection, sql: String) -> Result<(), sqlx::Error>;

    async fn count(pool: &Pool<Self>, sql: String) -> i64;

    /// Returns rows, whose columns are all texts or numbers.
    async fn records(pool: &Pool<Self>) -> Records;
}

const HISTORY: [&str; 2] =
    [include_str!("history-postgres.sql"), include_str!("history-sqlite.sql")];

/// Reads the rows of the test's own tables, and the tasks.
macro_rules! records {
    ($pool:expr, $history:literal, $triggered:literal, $tasks:literal) => {{
        let mut records = Records::default();
        for row in sqlx::query($history).fetch_all($pool).await.expect("the history") {
            let (transaction, name) = (row.get(0), row.get(1));
            let (old, new, at) = (row.get(2), row.get(3), row.get(4));
            records.history.push(Recorded { transaction, name, old, new, at });
        }
        for row in sqlx::query($triggered).fetch_all($pool).await.expect("the triggers") {
            records.triggered.push((row.get(0), row.get(1)));
        }
        for row in sqlx::query($tasks).fetch_all($pool).await.expect("the tasks") {
            let run: Run<Value> = serde_json::from_slice(row.get(1)).expect("a run");
            let key: String = row.get(0);
            assert_eq!(key, run.key());
            let task =
                Task { payload: run.payload.as_i64().expect("a number"), pushed: row.get(2) };
            records.tasks.entry(key).or_default().push(task);
        }
        records
    }};
}

impl ProofTable for Postgres {
    const TABLE: &'static str = "millicron.schedules";
    const RETIRED: &'static str = "millicron.retired";
    const DAY: &'static str = "'1 day'";
    const LONGEST_TRANSACTION: usize = 200;

    async fn connect(url: &str) -> PgPool {
        storage::postgres(url).await
    }

    async fn connect_test(url: &str) -> PgPool {
        storage::patient_postgres(url).await
    }

    async fn prepare(pool: &PgPool) {
        Schedules::open(pool).await.expect("the table of schedules");
        sqlx::raw_sql(HISTORY[0]).execute(pool).await.expect("valid statements");
    }

    fn instant(instant: i64) -> String {
        format!("to_timestamp({instant} / 1000.0)")
    }

    async fn begin_writing(pool: &PgPool) -> Result<Transaction<'static, Self>, sqlx::Error> {
        pool.begin().await
    }

    async fn run_sql(connection: &mut PgConnection, sql: String) -> Result<(), sqlx::Error> {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await?;
        Ok(())
    }

    async fn count(pool: &PgPool, sql: String) -> i64 {
        sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(pool).await.expect("a number")
    }

    async fn records(pool: &PgPool) -> Records {
        records!(
            pool,
            "SELECT transaction, name, old, new, at FROM proof.history ORDER BY id",
            "SELECT name, at FROM proof.triggered",
            "SELECT idempotency_key, job, at FROM apalis.jobs JOIN proof.pushed ON name = idempotency_key"
        )
    }
}

impl ProofTable for Sqlite {
    const TABLE: &'static str = "millicron_schedules";
    const RETIRED: &'static str = "millicron_retired";
    const DAY: &'static str = "86400000";
    // It locks out all others.
    const LONGEST_TRANSACTION: usize = 40;

    async fn connect(url: &str) -> SqlitePool {
        storage::sqlite(url).await
    }

    async fn connect_test(url: &str) -> SqlitePool {
        storage::sqlite(url).await
    }

    async fn prepare(pool: &SqlitePool) {
        Schedules::open(pool).await.expect("the table of schedules");
        sqlx::raw_sql(HISTORY[1]).execute(pool).await.expect("valid statements");
    }

    fn instant(instant: i64) -> String {
        instant.to_string()
    }

    async fn begin_writing(pool: &SqlitePool) -> Result<Transaction<'static, Self>, sqlx::Error> {
        pool.begin_with("BEGIN IMMEDIATE").await
    }

    async fn run_sql(connection: &mut SqliteConnection, sql: String) -> Result<(), sqlx::Error> {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await?;
        Ok(())
    }

    async fn count(pool: &SqlitePool, sql: String) -> i64 {
        sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(pool).await.expect("a number")
    }

    async fn records(pool: &SqlitePool) -> Records {
        records!(
            pool,
            "SELECT CAST(id AS TEXT), name, old, new, at FROM proof_history ORDER BY id",
            "SELECT name, at FROM proof_triggered",
            "SELECT idempotency_key, job, at FROM Jobs JOIN proof_pushed ON name = idempotency_key"
        )
    }
}

/// Creates the tables of schedules, and of the test.
pub(crate) async fn prepare(kind: Kind, url: &str) {
    match kind {
        Kind::Postgres => Postgres::prepare(&storage::patient_postgres(url).await).await,
        Kind::Sqlite => Sqlite::prepare(&storage::sqlite(url).await).await,
        Kind::Redis => unreachable!("Redis has no tables"),
    }
}
