//! The storages that the processes share.

use std::path::Path;
use std::time::Duration;

use apalis_postgres::PostgresStorage;
use apalis_redis::ConnectionManager;
use apalis_sqlite::{SqlitePool, SqliteStorage};
use millicron_test_support::servers::{PostgresServer, RedisServer, Stop};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

pub(crate) const QUEUE: &str = "proof";

/// The kind of storage that keeps the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Postgres,
    Redis,
    Sqlite,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Redis => "Redis",
            Self::Sqlite => "SQLite",
        }
    }

    pub(crate) fn of(name: &str) -> Self {
        let kinds = [Self::Postgres, Self::Redis, Self::Sqlite];
        kinds.into_iter().find(|kind| kind.name() == name).expect("the name of a storage")
    }
}

/// A server, or none for a file.
pub(crate) enum Server {
    Postgres(PostgresServer),
    Redis(RedisServer),
    None,
}

impl Server {
    pub(crate) fn stop(&mut self, how: Stop) {
        match self {
            Self::Postgres(server) => server.stop(how),
            Self::Redis(server) => server.stop(how),
            Self::None => {}
        }
    }

    pub(crate) fn start_again(&mut self) {
        match self {
            Self::Postgres(server) => server.start_again(),
            Self::Redis(server) => server.start_again(),
            Self::None => {}
        }
    }
}

/// Starts a server, and creates its tables. Returns its connection string. `None` if it is not installed.
pub(crate) async fn start(kind: Kind, directory: &Path) -> Option<(Server, String)> {
    let what = format!("{}: several processes", kind.name());
    match kind {
        Kind::Postgres => {
            let server = PostgresServer::start().map_err(|error| error.leave_out(&what)).ok()?;
            let url = server.new_database();
            PostgresStorage::setup(&patient_postgres(&url).await).await.expect("the tables");
            Some((Server::Postgres(server), url))
        }
        Kind::Redis => {
            let server = RedisServer::start().map_err(|error| error.leave_out(&what)).ok()?;
            let url = server.connection_string();
            Some((Server::Redis(server), url))
        }
        Kind::Sqlite => {
            let url = directory.join("tasks").display().to_string();
            SqliteStorage::setup(&sqlite(&url).await).await.expect("the tables");
            Some((Server::None, url))
        }
    }
}

/// Tries until it succeeds: a process may be started while the server is stopped.
pub(crate) async fn retry<T, E>(mut attempt: impl AsyncFnMut() -> Result<T, E>) -> T {
    loop {
        match attempt().await {
            Ok(value) => return value,
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Like [`retry`], but blocks this thread.
pub(crate) fn retry_blocking<T, E>(mut attempt: impl FnMut() -> Result<T, E>) -> T {
    loop {
        match attempt() {
            Ok(value) => return value,
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Connects a process that goes on soon after an outage.
pub(crate) async fn postgres(url: &str) -> PgPool {
    connect(url, Duration::from_secs(2)).await
}

/// Connects the test itself, which fails if it has no connection in time.
pub(crate) async fn patient_postgres(url: &str) -> PgPool {
    connect(url, Duration::from_mins(5)).await
}

async fn connect(url: &str, acquire_timeout: Duration) -> PgPool {
    let options = PgPoolOptions::new().max_connections(5).acquire_timeout(acquire_timeout);
    retry(async || options.clone().connect(url).await).await
}

pub(crate) async fn sqlite(path: &str) -> SqlitePool {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        // The processes wait for each other.
        .busy_timeout(Duration::from_mins(1));
    SqlitePoolOptions::new().connect_with(options).await.expect("a file")
}

pub(crate) async fn redis(url: &str) -> ConnectionManager {
    retry(async || apalis_redis::connect(url).await).await
}

pub(crate) fn redis_config() -> apalis_redis::Config {
    let config = apalis_redis::Config::default().queue(QUEUE);
    config.idempotency_ttl(Some(Duration::from_hours(2)))
}

/// Returns the idempotency keys of all tasks, with repetitions.
pub(crate) async fn keys(kind: Kind, url: &str) -> Vec<String> {
    match kind {
        Kind::Postgres => {
            let keys = sqlx::query_scalar("SELECT idempotency_key FROM apalis.jobs");
            keys.fetch_all(&patient_postgres(url).await).await.expect("the keys")
        }
        Kind::Sqlite => {
            let keys = sqlx::query_scalar("SELECT idempotency_key FROM Jobs");
            keys.fetch_all(&sqlite(url).await).await.expect("the keys")
        }
        Kind::Redis => {
            let mut connection = redis(url).await;
            let pattern = format!("{}:*", redis_config().job_meta_hash());
            let tasks = redis::cmd("KEYS").arg(pattern).query_async(&mut connection).await;
            let tasks: Vec<String> = tasks.expect("the tasks");
            let mut keys = Vec::new();
            for task in tasks {
                let mut key = redis::cmd("HGET");
                let key = key.arg(task).arg("idempotency_key").query_async(&mut connection).await;
                keys.push(key.expect("a key"));
            }
            keys
        }
    }
}
