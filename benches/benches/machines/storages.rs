//! The storages of apalis, each empty, and the servers behind them.

use std::time::Duration;

use apalis_postgres::{PgPool, PostgresStorage};
use apalis_redis::ConnectionManager;
use apalis_sqlite::{SqliteConnectOptions, SqlitePool, SqliteStorage};
use millicron_test_support::directory::Directory;
use millicron_test_support::servers::{NotInstalled, PostgresServer, RedisServer};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Postgres,
    Sqlite,
    Redis,
    Memory,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Postgres, Self::Sqlite, Self::Redis, Self::Memory];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Sqlite => "SQLite",
            Self::Redis => "Redis",
            Self::Memory => "memory",
        }
    }
}

/// The servers that are installed.
pub(crate) struct Servers {
    postgres: Option<PostgresServer>,
    redis: Option<RedisServer>,
}

impl Servers {
    /// Starts the servers. Unlike in tests, `PostgreSQL` waits for the disk at each commit, as in
    /// production.
    pub(crate) fn start() -> Self {
        fn report<T>(server: Result<T, NotInstalled>) -> Option<T> {
            let report = |error: &NotInstalled| println!("Left out: {error}.\n");
            server.inspect_err(report).ok()
        }
        Self {
            postgres: report(PostgresServer::start_with(&[])),
            redis: report(RedisServer::start()),
        }
    }

    /// Returns the storages that can be measured.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(|kind| match kind {
            Kind::Postgres => self.postgres.is_some(),
            Kind::Redis => self.redis.is_some(),
            Kind::Sqlite | Kind::Memory => true,
        })
    }

    /// Returns where to find a new and empty storage.
    pub(crate) fn place(&self, kind: Kind) -> Option<Place> {
        Some(match kind {
            Kind::Postgres => Place::Postgres(self.postgres.as_ref()?.new_database()),
            Kind::Sqlite => Place::Sqlite(Directory::new(&unique("machines"))),
            Kind::Redis => Place::Redis(self.redis.as_ref()?.connection_string(), unique("queue")),
            Kind::Memory => Place::Memory,
        })
    }
}

fn unique(name: &str) -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{name}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Where a storage is.
pub(crate) enum Place {
    /// The connection string.
    Postgres(String),
    Sqlite(Directory),
    /// The connection string and the queue.
    Redis(String, String),
    Memory,
}

/// A connection to a storage.
pub(crate) enum Store {
    Postgres(PgPool),
    Sqlite(SqlitePool),
    Redis(ConnectionManager, apalis_redis::Config),
    Memory,
}

impl Place {
    /// Connects to the storage, as one process, and creates missing tables.
    pub(crate) async fn open(&self) -> Store {
        match self {
            Self::Postgres(url) => {
                let pool = PgPool::connect(url).await.expect("a database");
                PostgresStorage::setup(&pool).await.expect("the tables");
                Store::Postgres(pool)
            }
            Self::Sqlite(directory) => {
                let options = SqliteConnectOptions::new()
                    .filename(directory.join("tasks.db"))
                    .create_if_missing(true)
                    .busy_timeout(Duration::from_mins(1));
                let pool = SqlitePool::connect_with(options).await.expect("a file");
                SqliteStorage::setup(&pool).await.expect("the tables");
                Store::Sqlite(pool)
            }
            Self::Redis(url, queue) => {
                let connection = apalis_redis::connect(url.as_str()).await.expect("a server");
                let config = apalis_redis::Config::default().queue(queue);
                let ttl = Some(Duration::from_hours(2));
                Store::Redis(connection, config.idempotency_ttl(ttl))
            }
            Self::Memory => Store::Memory,
        }
    }
}

/// Evaluates an expression with a storage, whose type depends on the kind of storage and on the tasks.
macro_rules! with_storage {
    ($store:expr, |$storage:ident| $body:expr) => {
        match $store {
            $crate::storages::Store::Postgres(pool) => {
                #[allow(unused_mut, reason = "depends on the expression")]
                let mut $storage = apalis_postgres::PostgresStorage::new(pool);
                $body
            }
            $crate::storages::Store::Sqlite(pool) => {
                #[allow(unused_mut, reason = "depends on the expression")]
                let mut $storage = apalis_sqlite::SqliteStorage::new(pool);
                $body
            }
            $crate::storages::Store::Redis(connection, config) => {
                #[allow(unused_mut, reason = "depends on the expression")]
                let mut $storage =
                    apalis_redis::RedisStorage::new(connection.clone()).with_config(config.clone());
                $body
            }
            $crate::storages::Store::Memory => {
                #[allow(unused_mut, reason = "depends on the expression")]
                let mut $storage = apalis_core::backend::memory::MemoryStorage::new();
                $body
            }
        }
    };
}

pub(crate) use with_storage;
