//! Schedules in a database.

mod changes;
mod jobs;
mod operations;
mod plans;

use std::time::Duration;

use apalis_postgres::PostgresStorage;
use apalis_sqlite::SqliteStorage;
use millicron::Calendar;
use millicron_apalis::stored::{Schedules, Table};
use millicron_apalis::{Run, Storage};
use millicron_test_support::servers::PostgresServer;
use sqlx::pool::PoolOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Pool, Postgres, Sqlite, SqlitePool};
use tempfile::TempDir;

/// A database with schedules and tasks.
pub(crate) struct Database<DB: Table> {
    pub(crate) pool: Pool<DB>,
    pub(crate) schedules: Schedules<DB>,
    _directory: Option<TempDir>,
}

/// What differs between databases.
pub(crate) trait TestTable: Table {
    type Storage: Storage<u32> + Send + 'static;

    /// The name of the table.
    const TABLE: &str;

    /// Makes a new database. Returns `None` if its server is not installed.
    async fn database(what: &str) -> Option<Database<Self>>;

    fn storage(pool: &Pool<Self>) -> Self::Storage;

    /// Executes a statement of a user.
    async fn run_sql(pool: &Pool<Self>, sql: String);

    /// Returns the keys and the payloads of all tasks, by their instants.
    async fn tasks(pool: &Pool<Self>) -> Vec<(String, u32)>;

    /// Returns the keys of all tasks, by their instants.
    async fn keys(pool: &Pool<Self>) -> Vec<String> {
        Self::tasks(pool).await.into_iter().map(|(key, _)| key).collect()
    }
}

impl TestTable for Postgres {
    type Storage = PostgresStorage<Run<u32>>;

    const TABLE: &str = "millicron.schedules";

    async fn database(what: &str) -> Option<Database<Self>> {
        let url = PostgresServer::shared(&format!("PostgreSQL: {what}"))?.new_database();
        let pool = PoolOptions::new().max_connections(20).connect(&url).await.expect("a database");
        PostgresStorage::setup(&pool).await.expect("the tables of tasks");
        let schedules = Schedules::open(&pool).await.expect("the table of schedules");
        let schedules = schedules.with_calendars(calendars());
        Some(Database { pool, schedules, _directory: None })
    }

    fn storage(pool: &Pool<Self>) -> Self::Storage {
        PostgresStorage::new(pool)
    }

    async fn run_sql(pool: &Pool<Self>, sql: String) {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(pool).await.expect("a valid statement");
    }

    async fn tasks(pool: &Pool<Self>) -> Vec<(String, u32)> {
        let tasks = sqlx::query_as("SELECT idempotency_key, job FROM apalis.jobs");
        decoded(tasks.fetch_all(pool).await.expect("the tasks"))
    }
}

impl TestTable for Sqlite {
    type Storage = SqliteStorage<Run<u32>>;

    const TABLE: &str = "millicron_schedules";

    async fn database(_: &str) -> Option<Database<Self>> {
        let directory = TempDir::new().expect("a directory");
        let options = SqliteConnectOptions::new()
            .filename(directory.path().join("tasks.db"))
            .create_if_missing(true)
            .busy_timeout(Duration::from_mins(1));
        let pool = SqlitePool::connect_with(options).await.expect("a file");
        SqliteStorage::setup(&pool).await.expect("the tables of tasks");
        let schedules = Schedules::open(&pool).await.expect("the table of schedules");
        let schedules = schedules.with_calendars(calendars());
        Some(Database { pool, schedules, _directory: Some(directory) })
    }

    fn storage(pool: &Pool<Self>) -> Self::Storage {
        SqliteStorage::new(pool)
    }

    async fn run_sql(pool: &Pool<Self>, sql: String) {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(pool).await.expect("a valid statement");
    }

    async fn tasks(pool: &Pool<Self>) -> Vec<(String, u32)> {
        let tasks = sqlx::query_as("SELECT idempotency_key, job FROM Jobs");
        decoded(tasks.fetch_all(pool).await.expect("the tasks"))
    }
}

fn calendars() -> [(&'static str, Calendar); 1] {
    [("lse", Calendar::parse("*.*.* Mon-Fri").expect("a calendar"))]
}

/// Decodes the payloads of tasks, and sorts them by their instants and names.
fn decoded(tasks: Vec<(String, Vec<u8>)>) -> Vec<(String, u32)> {
    let decode = |job: &[u8]| serde_json::from_slice::<Run<u32>>(job).expect("a run").payload;
    let tasks = tasks.into_iter().map(|(key, job)| (key, decode(&job)));
    let mut tasks: Vec<_> = tasks.collect();
    tasks.sort_by_key(|(key, _)| {
        let (name, instant) = parts(key);
        (instant, name.to_owned())
    });
    tasks
}

/// Returns the name and the instant of a key.
pub(crate) fn parts(key: &str) -> (&str, i64) {
    let (name, instant) = key.rsplit_once(':').expect("a colon");
    (name, instant.parse().expect("an instant"))
}

/// Makes a test of a function for each database.
macro_rules! on_both {
    ($($name:ident)*) => {
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name::<sqlx::Postgres>().await;
            })*
        }
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name::<sqlx::Sqlite>().await;
            })*
        }
    };
}
pub(crate) use on_both;
