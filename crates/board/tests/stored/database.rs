//! Databases with schedules.

use std::sync::Arc;
use std::time::Duration;

use apalis_core::backend::memory::MemoryStorage;
use millicron::Calendar;
use millicron_apalis::Source as Worker;
use millicron_apalis::stored::{Schedules, StoredSchedule, Table};
use millicron_board::{Changes, Job, Source, StoredSource};
#[cfg(unix)]
use millicron_test_support::servers::PostgresServer;
use sqlx::pool::PoolOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Pool, Postgres, Sqlite, SqlitePool};
use tempfile::TempDir;

/// A database with schedules, and a source of them.
pub(crate) struct Database<DB: Table> {
    pub(crate) pool: Pool<DB>,
    pub(crate) schedules: Schedules<DB>,
    pub(crate) source: Arc<StoredSource<DB>>,
    _directory: Option<TempDir>,
}

/// What differs between databases.
pub(crate) trait TestTable: Table {
    /// The name of the table.
    const TABLE: &str;

    /// Makes a new database. Returns `None` if its server is not installed.
    async fn database(what: &str) -> Option<Database<Self>>;

    /// Executes a statement of a user.
    async fn run_sql(pool: &Pool<Self>, sql: String);
}

#[cfg(unix)]
fn new_postgres_database(what: &str) -> Option<String> {
    Some(PostgresServer::shared(&format!("PostgreSQL: {what}"))?.new_database())
}

/// Tests start servers only on Unix.
#[cfg(not(unix))]
fn new_postgres_database(_: &str) -> Option<String> {
    None
}

impl TestTable for Postgres {
    const TABLE: &str = "millicron.schedules";

    async fn database(what: &str) -> Option<Database<Self>> {
        let url = new_postgres_database(what)?;
        let pool = PoolOptions::new().max_connections(5).connect(&url).await.expect("a database");
        Some(Database::open(pool, None).await)
    }

    async fn run_sql(pool: &Pool<Self>, sql: String) {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(pool).await.expect("a valid statement");
    }
}

impl TestTable for Sqlite {
    const TABLE: &str = "millicron_schedules";

    async fn database(_: &str) -> Option<Database<Self>> {
        let directory = TempDir::new().expect("a directory");
        let options = SqliteConnectOptions::new()
            .filename(directory.path().join("tasks.db"))
            .create_if_missing(true)
            .busy_timeout(Duration::from_mins(1));
        let pool = SqlitePool::connect_with(options).await.expect("a file");
        Some(Database::open(pool, Some(directory)).await)
    }

    async fn run_sql(pool: &Pool<Self>, sql: String) {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(pool).await.expect("a valid statement");
    }
}

impl<DB: TestTable> Database<DB> {
    async fn open(pool: Pool<DB>, directory: Option<TempDir>) -> Self {
        let schedules = Schedules::open(&pool).await.expect("the table of schedules");
        let calendar = Calendar::parse("*.*.* Mon-Fri").expect("a calendar");
        let schedules = schedules.with_calendars([("lse", calendar)]);
        let source = Arc::new(StoredSource::new(&schedules));
        Self { pool, schedules, source, _directory: directory }
    }

    pub(crate) async fn put(&self, schedule: StoredSchedule) {
        self.schedules.put(&self.pool, &schedule).await.expect("a valid schedule");
    }

    pub(crate) async fn get(&self, name: &str) -> Option<StoredSchedule> {
        self.schedules.get(&self.pool, name).await.expect("an answer")
    }

    /// Calls the source as a board does, on a thread that may block.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&StoredSource<DB>) -> T + Send + 'static,
    ) -> T {
        let source = Arc::clone(&self.source);
        tokio::task::spawn_blocking(move || ask(&source)).await.expect("no panic")
    }

    pub(crate) async fn job(&self, name: &'static str) -> Job {
        self.ask(|source| source.job(name)).await.expect("an answer").expect("a job")
    }

    pub(crate) async fn changes(&self, since: Option<u64>) -> Changes {
        self.ask(move |source| source.changes(since)).await.expect("an answer")
    }

    /// Returns the next changes. The source does not read the table each time.
    pub(crate) async fn next_changes(&self, since: u64) -> Changes {
        loop {
            let changes = self.changes(Some(since)).await;
            if changes.version != since {
                return changes;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Makes tasks of all events that are due, as a worker does.
    pub(crate) async fn push_due(&self) {
        let worker = Worker::<u32>::builder().stored(&self.schedules).build().expect("a source");
        let mut storage = MemoryStorage::new();
        assert!(worker.push_due(&mut storage).await.expect("a storage that remembers keys"));
    }
}

/// Returns the names of the jobs.
pub(crate) fn names(jobs: &[Job]) -> Vec<&str> {
    jobs.iter().map(|job| &*job.name).collect()
}

/// Tests with both databases.
macro_rules! on_both {
    ($($name:ident)*) => {
        mod postgres {
            $(#[tokio::test]
            async fn $name() {
                super::$name::<sqlx::Postgres>().await;
            })*
        }
        mod sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name::<sqlx::Sqlite>().await;
            })*
        }
    };
}
pub(crate) use on_both;
