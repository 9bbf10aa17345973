//! Schedules in a database.

mod bad_rows;
mod changes;
mod clocks;
mod hanging;
mod jobs;
mod migrations;
mod operations;
mod plans;
mod refusals;
mod shards;
mod sql;
mod transactions;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use apalis_postgres::PostgresStorage;
use apalis_sqlite::SqliteStorage;
use millicron::Calendar;
use millicron_apalis::stored::{Schedules, StoredError, Table};
use millicron_apalis::{Notice, Run, Source, Storage};
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

    /// The smallest size of a pool for the schedules and a storage.
    const FEWEST_CONNECTIONS: u32;

    /// The name of the table with the tasks.
    const TASKS: &str;

    /// An instant that has passed.
    const PAST: &str;

    /// A list without names, and one with the name of a calendar.
    const LISTS: [&str; 2];

    /// Rows that no program can read: the name, other columns and their values. Constraints of the table refuse some of
    /// them; the names of the others follow.
    const BAD_ROWS: (&[(&str, &str, &str)], &[&str]);

    /// Leaves a claim on all schedules, whose events of the next two seconds may be tasks.
    const DEAD_CLAIM: &'static str;

    /// What a later version of the crate might execute, as its second migration.
    const MIGRATION: &'static str;

    /// Further changes of the tables, which can be repeated.
    const MORE_MIGRATIONS: &'static str;

    /// Creates a table with the instants at which tasks are pushed, by the database's clock.
    const RECORD_PUSHES: &'static str;

    /// Makes a new database. Returns `None` if its server is not installed.
    async fn database(what: &str) -> Option<Database<Self>>;

    fn storage(pool: &Pool<Self>) -> Self::Storage;

    /// Executes a statement of a user.
    async fn run_sql(pool: &Pool<Self>, sql: impl Into<String>) {
        assert!(Self::try_sql(pool, sql).await, "an invalid statement");
    }

    /// Executes a statement of a user, which the database may refuse. Returns whether it did not.
    async fn try_sql(pool: &Pool<Self>, sql: impl Into<String>) -> bool;

    /// Returns the keys and the payloads of all tasks, by their instants.
    async fn tasks(pool: &Pool<Self>) -> Vec<(String, u32)>;

    /// Returns the keys of all tasks, by their instants.
    async fn keys(pool: &Pool<Self>) -> Vec<String> {
        Self::tasks(pool).await.into_iter().map(|(key, _)| key).collect()
    }

    /// Returns the arguments of all tasks, by their instants.
    async fn runs(pool: &Pool<Self>) -> Vec<Run<u32>>;

    async fn record_pushes(pool: &Pool<Self>) {
        Self::run_sql(pool, Self::RECORD_PUSHES).await;
    }

    /// Returns the keys of all tasks, and when they were pushed.
    async fn pushes(pool: &Pool<Self>) -> Vec<(String, i64)>;
}

impl TestTable for Postgres {
    type Storage = PostgresStorage<Run<u32>>;

    const TABLE: &str = "millicron.schedules";

    const TASKS: &str = "apalis.jobs";

    // One listens, one holds rows, and one pushes.
    const FEWEST_CONNECTIONS: u32 = 3;

    const PAST: &str = "'epoch'";

    const LISTS: [&str; 2] = ["'{}'", "'{lse}'"];

    const BAD_ROWS: (&[(&str, &str, &str)], &[&str]) = (
        &[
            ("'calendar'", "calendars", "ARRAY[NULL]::text[]"),
            ("'square'", "calendars", "ARRAY[ARRAY['lse'], ARRAY['lse']]"),
            ("'tag'", "tags", "ARRAY[NULL]::text[]"),
            ("'huge'", "payload", "'1e400'"),
            ("'nested'", "payload", "(repeat('[', 127) || repeat(']', 127))::jsonb"),
            ("'null'", "triggered", "ARRAY[NULL]::timestamptz[]"),
            ("'infinite'", "triggered", "'{infinity}'"),
            ("'ended'", "starts_at, ends_at", "now(), now() - interval '1 s'"),
        ],
        &["ended", "huge", "nested"],
    );

    const DEAD_CLAIM: &'static str =
        "UPDATE millicron.schedules SET claimed_through = now() + interval '2 s'";

    const MIGRATION: &'static str = "
        BEGIN;
        ALTER TABLE millicron.schedules ADD COLUMN owner text NOT NULL DEFAULT 'nobody';
        ALTER TABLE millicron.retired ADD COLUMN owner text NOT NULL DEFAULT 'nobody';
        INSERT INTO millicron.migrations (version) VALUES (2);
        SELECT pg_sleep(0.2);
        COMMIT";

    const MORE_MIGRATIONS: &'static str = "
        BEGIN;
        ALTER TABLE millicron.schedules DROP COLUMN IF EXISTS more, ADD COLUMN more text DEFAULT '';
        ALTER TABLE millicron.retired DROP COLUMN IF EXISTS more, ADD COLUMN more text DEFAULT '';
        COMMIT";

    const RECORD_PUSHES: &'static str = "
        CREATE TABLE pushes (key text, at bigint);
        CREATE FUNCTION push() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO pushes VALUES
                (NEW.idempotency_key, floor(extract(epoch FROM clock_timestamp()) * 1000));
            RETURN NULL;
        END $$;
        CREATE TRIGGER push AFTER INSERT ON apalis.jobs FOR EACH ROW EXECUTE FUNCTION push()";

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

    async fn try_sql(pool: &Pool<Self>, sql: impl Into<String>) -> bool {
        sqlx::raw_sql(AssertSqlSafe(sql.into())).execute(pool).await.is_ok()
    }

    async fn tasks(pool: &Pool<Self>) -> Vec<(String, u32)> {
        let tasks = sqlx::query_as("SELECT idempotency_key, job FROM apalis.jobs");
        decoded(tasks.fetch_all(pool).await.expect("the tasks"))
    }

    async fn runs(pool: &Pool<Self>) -> Vec<Run<u32>> {
        let runs = sqlx::query_scalar("SELECT job FROM apalis.jobs");
        decode(&runs.fetch_all(pool).await.expect("the tasks"))
    }

    async fn pushes(pool: &Pool<Self>) -> Vec<(String, i64)> {
        let pushes = sqlx::query_as("SELECT key, at FROM pushes ORDER BY key");
        pushes.fetch_all(pool).await.expect("the pushes")
    }
}

impl TestTable for Sqlite {
    type Storage = SqliteStorage<Run<u32>>;

    const TABLE: &str = "millicron_schedules";

    const TASKS: &str = "Jobs";

    const FEWEST_CONNECTIONS: u32 = 1;

    const PAST: &str = "0";

    const LISTS: [&str; 2] = ["'[]'", r#"'["lse"]'"#];

    const BAD_ROWS: (&[(&str, &str, &str)], &[&str]) = (
        &[
            ("'calendar'", "calendars", "'[null]'"),
            ("'number'", "calendars", "'[1]'"),
            ("'surrogate'", "calendars", r#"'["\ud800"]'"#),
            ("'tag'", "tags", r#"'["\ud800"]'"#),
            ("'huge'", "payload", "'1e400'"),
            (
                "'nested'",
                "payload",
                "replace(hex(zeroblob(64)), '0', '[') ||
                replace(hex(zeroblob(64)), '0', ']')",
            ),
            ("'half'", "payload", r#"'"\ud800"'"#),
            ("'bytes'", "payload", "CAST(x'22ff22' AS TEXT)"),
            ("'zone'", "zone", "CAST(x'ff' AS TEXT)"),
            ("CAST(x'6eff' AS TEXT)", "zone", "'UTC'"),
            ("'no list'", "triggered", "'x'"),
            ("'null'", "triggered", "'[null]'"),
            ("'text'", "triggered", r#"'["x"]'"#),
            ("'ended'", "starts_at, ends_at", "2, 1"),
        ],
        &[
            "bytes",
            "calendar",
            "ended",
            "half",
            "huge",
            "nested",
            "null",
            "number",
            "n\u{fffd}",
            "surrogate",
            "text",
            "zone",
        ],
    );

    const DEAD_CLAIM: &'static str = "UPDATE millicron_schedules SET
        claim = 'dead', claimed_through = CAST(unixepoch('subsec') * 1000 AS INTEGER) + 2000";

    const MIGRATION: &'static str = "
        BEGIN IMMEDIATE;
        ALTER TABLE millicron_schedules ADD COLUMN owner TEXT NOT NULL DEFAULT 'nobody';
        ALTER TABLE millicron_retired ADD COLUMN owner TEXT NOT NULL DEFAULT 'nobody';
        INSERT INTO millicron_migrations (version) VALUES (2);
        COMMIT";

    const MORE_MIGRATIONS: &'static str = "
        BEGIN IMMEDIATE;
        ALTER TABLE millicron_schedules ADD COLUMN more TEXT DEFAULT '';
        ALTER TABLE millicron_retired ADD COLUMN more TEXT DEFAULT '';
        ALTER TABLE millicron_schedules DROP COLUMN more;
        ALTER TABLE millicron_retired DROP COLUMN more;
        COMMIT";

    const RECORD_PUSHES: &'static str = "
        CREATE TABLE pushes (key TEXT, at INTEGER);
        CREATE TRIGGER push AFTER INSERT ON Jobs BEGIN
            INSERT INTO pushes VALUES (NEW.idempotency_key, round(unixepoch('subsec') * 1000));
        END";

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

    async fn try_sql(pool: &Pool<Self>, sql: impl Into<String>) -> bool {
        sqlx::raw_sql(AssertSqlSafe(sql.into())).execute(pool).await.is_ok()
    }

    async fn tasks(pool: &Pool<Self>) -> Vec<(String, u32)> {
        let tasks = sqlx::query_as("SELECT idempotency_key, job FROM Jobs");
        decoded(tasks.fetch_all(pool).await.expect("the tasks"))
    }

    async fn runs(pool: &Pool<Self>) -> Vec<Run<u32>> {
        let runs = sqlx::query_scalar("SELECT job FROM Jobs");
        decode(&runs.fetch_all(pool).await.expect("the tasks"))
    }

    async fn pushes(pool: &Pool<Self>) -> Vec<(String, i64)> {
        let pushes = sqlx::query_as("SELECT key, at FROM pushes ORDER BY key");
        pushes.fetch_all(pool).await.expect("the pushes")
    }
}

fn calendars() -> [(&'static str, Calendar); 1] {
    [("lse", Calendar::parse("*.*.* Mon-Fri").expect("a calendar"))]
}

/// Whether a busy machine has not done a step in time.
const fn is_late(notice: &Notice<'_>) -> bool {
    matches!(
        notice,
        Notice::PushHangs { .. } | Notice::TableFailed { error: StoredError::TimedOut(_) }
    )
}

/// Pushes what is due, and returns how many tasks were duplicates.
///
/// A machine that freezes may not do a step in time. Then this tries again, and the duplicates may be its own.
async fn push_and_count_duplicates<DB: TestTable>(database: &Database<DB>) -> u64 {
    let has_given_up = Arc::new(AtomicBool::new(false));
    let gives_up = Arc::clone(&has_given_up);
    let observer = move |notice: &Notice<'_>| match notice {
        _ if is_late(notice) => gives_up.store(true, Ordering::Relaxed),
        Notice::PushFailed { .. } | Notice::TableFailed { .. } => panic!("{notice}"),
        _ => {}
    };
    let source = Source::builder().stored(&database.schedules).observer(observer);
    // Each call begins with batches of this size. Larger ones may never end in time on a very busy machine.
    let source = source.largest_batch(100).build().expect("a source");
    let mut storage = DB::storage(&database.pool);
    while !source.push_due(&mut storage).await.expect("a storage") {
        assert!(has_given_up.load(Ordering::Relaxed), "no error is reported");
    }
    let stats = source.stats();
    assert_eq!(stats.failures, 0);
    if has_given_up.load(Ordering::Relaxed) { 0 } else { stats.duplicates }
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

fn decode(runs: &[Vec<u8>]) -> Vec<Run<u32>> {
    let runs = runs.iter().map(|run| serde_json::from_slice(run).expect("a run"));
    let mut runs: Vec<Run<u32>> = runs.collect();
    runs.sort_by_key(|run| run.scheduled);
    runs
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
