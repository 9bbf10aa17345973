//! Two worker processes share a database. One of them is killed, and a third takes its place. In
//! the end, each event has become one task, and each task was executed.
//!
//! `cargo run -p millicron-apalis --example cluster` uses an `SQLite` file in a temporary directory.
//! Set `DATABASE_URL` to the connection string of an empty `PostgreSQL` database to use that.

use std::env;
use std::error::Error;
use std::fmt;
use std::process::{Child, Command};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use apalis_core::monitor::Monitor;
use apalis_core::worker::builder::WorkerBuilder;
use apalis_postgres::PostgresStorage;
use apalis_sqlite::{SqlitePool, SqliteStorage};
use millicron::{IntoRecurrence as _, Recurrence, every, schedule};
use millicron_apalis::{Missed, Run, Source};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

type Failure = Box<dyn Error + Send + Sync>;

/// The number of seconds during which there are events.
const SECONDS: i64 = 8;

/// The expected tasks, the tasks in the database, and how many of these are done.
struct Account {
    expected: Vec<String>,
    tasks: Vec<String>,
    done: usize,
}

fn main() -> Result<(), Failure> {
    let runtime = tokio::runtime::Runtime::new()?;
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [name, database, start] => runtime.block_on(work(name, database, start.parse()?)),
        _ => runtime.block_on(supervise()),
    }
}

/// Starts and kills workers, and checks the database.
async fn supervise() -> Result<(), Failure> {
    let directory = env::temp_dir().join(format!("millicron-cluster-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let file = || format!("sqlite:{}", directory.join("tasks.db").display());
    let database = env::var("DATABASE_URL").unwrap_or_else(|_| file());
    println!("The tasks are in {database}");
    Database::open(&database).await?.setup().await?;

    // Events begin in two seconds, when the workers have started.
    let start = now() / 1000 * 1000 + 2000;
    let spawn = |name: &str| spawn(name, &database, start);
    let mut first = spawn("first")?;
    let mut second = spawn("second")?;
    sleep_until(start + 3000).await;
    first.kill()?;
    first.wait()?;
    println!("{:>12} was killed", "first");
    sleep_until(start + 5000).await;
    let mut third = spawn("third")?;

    // Other workers get a dead worker's tasks after it has missed its heartbeats.
    let expected = expected(start);
    let pool = Database::open(&database).await?;
    let mut account = pool.account(expected).await?;
    while (!account.is_complete() || now() < start + SECONDS * 1000) && now() < start + 60_000 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        account = pool.account(account.expected).await?;
    }
    for worker in [&mut second, &mut third] {
        worker.kill()?;
        worker.wait()?;
    }
    println!("{account}");
    drop(pool);
    drop(std::fs::remove_dir_all(directory));
    if account.is_complete() { Ok(()) } else { Err("the account is not complete".into()) }
}

/// Runs a worker on a storage, and restarts it whenever the storage fails.
macro_rules! run_worker {
    ($name:expr, $start:expr, $config:ty, $storage:expr) => {{
        let (name, start) = ($name.to_string(), $start);
        // A worker that misses three heartbeats is dead.
        let config = <$config>::default().queue("cluster").missed_heartbeats(3);
        let storage = $storage.with_config(config.heartbeat_interval(Duration::from_secs(1)));
        let source = source(start)?;
        let monitor = Monitor::new().should_restart(|_, _| true).register(move |restarts| {
            let storage = storage.clone();
            let name = name.clone();
            WorkerBuilder::new(format!("{name}-{}-{restarts}", std::process::id()))
                .backend(source.pipe_to(storage))
                .build(move |run: Run<String>| {
                    let lateness = now() - run.scheduled;
                    println!("{name:>12} {} {lateness:>4} ms late: {}", run.key(), run.payload);
                    async {}
                })
        });
        monitor.run().await?;
    }};
}

/// Runs one of the worker processes: it pushes all events, and executes the tasks that it gets.
async fn work(name: &str, database: &str, start: i64) -> Result<(), Failure> {
    match Database::open(database).await? {
        Database::Sqlite(pool) => {
            run_worker!(name, start, apalis_sqlite::Config, SqliteStorage::new(&pool));
        }
        Database::Postgres(pool) => {
            run_worker!(name, start, apalis_postgres::Config, PostgresStorage::new(&pool));
        }
    }
    Ok(())
}

/// Returns the source with the jobs, which are the same in all processes.
fn source(start: i64) -> Result<Source<String>, Failure> {
    let source = Source::builder()
        .missed(Missed::All { max: usize::MAX })
        .catch_up(Duration::from_mins(1))
        // A process that is killed has already pushed its next events.
        .ahead(Duration::from_secs(1))
        .add(
            "quarter",
            During(start, every(250).milliseconds().from(0).into_recurrence(0)?),
            "tick".to_string(),
        )
        .add("second", During(start, schedule!("*:*:*")), "tock".to_string());
    Ok(source.build()?)
}

/// The events of a recurrence while the example runs.
struct During<R>(i64, R);

impl<R: Recurrence> During<R> {
    fn contains(&self, event: i64) -> bool {
        (self.0..self.0 + SECONDS * 1000).contains(&event)
    }
}

impl<R: Recurrence> Recurrence for During<R> {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.1.next_event(instant.max(self.0 - 1)).filter(|event| self.contains(*event))
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        let last = instant.min(self.0 + SECONDS * 1000 - 1);
        self.1.nearest_prev_event(last).filter(|event| self.contains(*event))
    }
}

/// Returns the keys of all events.
fn expected(start: i64) -> Vec<String> {
    let end = start + SECONDS * 1000;
    let quarters = (start..end).step_by(250).map(|event| format!("quarter:{event}"));
    let mut keys: Vec<_> = quarters.collect();
    keys.extend((start..end).step_by(1000).map(|event| format!("second:{event}")));
    keys
}

enum Database {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

impl Database {
    async fn open(url: &str) -> Result<Self, Failure> {
        if !url.starts_with("sqlite:") {
            let options: PgConnectOptions = url.parse()?;
            // A process that hangs must not block the others, which push the same keys.
            let options =
                options.options([("lock_timeout", "500ms"), ("statement_timeout", "10s")]);
            return Ok(Self::Postgres(PgPool::connect_with(options).await?));
        }
        let options: SqliteConnectOptions = url.parse()?;
        // The processes wait for each other.
        let options = options.create_if_missing(true).busy_timeout(Duration::from_mins(1));
        Ok(Self::Sqlite(SqlitePoolOptions::new().connect_with(options).await?))
    }

    async fn setup(&self) -> Result<(), Failure> {
        match self {
            Self::Sqlite(pool) => SqliteStorage::setup(pool).await?,
            Self::Postgres(pool) => PostgresStorage::setup(pool).await?,
        }
        Ok(())
    }

    /// Reads which tasks exist, and which are done. Real programs do not need this; it is the
    /// proof.
    async fn account(&self, expected: Vec<String>) -> Result<Account, Failure> {
        let rows: Vec<(String, String)> = match self {
            Self::Sqlite(pool) => {
                let rows = sqlx::query_as("SELECT idempotency_key, status FROM Jobs");
                rows.fetch_all(pool).await?
            }
            Self::Postgres(pool) => {
                let rows = sqlx::query_as("SELECT idempotency_key, status FROM apalis.jobs");
                rows.fetch_all(pool).await?
            }
        };
        let rows: Vec<_> = rows.into_iter().filter(|(key, _)| expected.contains(key)).collect();
        let done = rows.iter().filter(|(_, status)| status == "Done").count();
        Ok(Account { expected, tasks: rows.into_iter().map(|(key, _)| key).collect(), done })
    }
}

impl Account {
    /// Returns whether each event has become one task, and all tasks are done.
    fn is_complete(&self) -> bool {
        let mut tasks = self.tasks.clone();
        tasks.sort();
        tasks == self.expected && self.done == self.expected.len()
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, tasks, done } = self;
        let (events, tasks) = (expected.len(), tasks.len());
        write!(f, "{events} events, {tasks} tasks, {done} of them done: ")?;
        f.write_str(if self.is_complete() { "every event was one task" } else { "this is wrong" })
    }
}

/// Starts this program again as a worker, which shares its output.
fn spawn(name: &str, database: &str, start: i64) -> Result<Child, Failure> {
    let mut command = Command::new(env::current_exe()?);
    command.args([name, database, &start.to_string()]);
    println!("{name:>12} starts");
    Ok(command.spawn()?)
}

async fn sleep_until(instant: i64) {
    let wait = u64::try_from(instant - now()).unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(wait)).await;
}

/// Returns the milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
