//! [`Database`]: a server with schedules and tasks.

use std::fs;
use std::time::Duration;

use apalis_postgres::{PgPool, PostgresStorage};
use millicron_apalis::stored::Schedules;
use millicron_test_support::servers::PostgresServer;
use sqlx::{AssertSqlSafe, Postgres};

use crate::replica::{Mode, Replica};

pub(crate) struct Database {
    server: PostgresServer,
    pub(crate) url: String,
    pub(crate) pool: PgPool,
    pub(crate) schedules: Schedules<Postgres>,
}

impl Database {
    /// Starts a server that waits for the disk at each commit, with the memory that is usual in
    /// production.
    pub(crate) async fn new() -> Self {
        let settings = ["shared_buffers=2GB", "max_wal_size=8GB"];
        let server = PostgresServer::start_with(&settings).expect("an installed server");
        let url = server.new_database();
        let pool = PgPool::connect(&url).await.expect("a database");
        PostgresStorage::setup(&pool).await.expect("the tables of tasks");
        let schedules = Schedules::open(&pool).await.expect("the table of schedules");
        Self { server, url, pool, schedules }
    }

    pub(crate) async fn query(&self, sql: &'static str) {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&self.pool).await.expect("a valid statement");
    }

    async fn number(&self, sql: &'static str) -> f64 {
        sqlx::query_scalar(sql).fetch_one(&self.pool).await.expect("a number")
    }

    /// Lets a replica decide about the events that have passed.
    pub(crate) async fn skip_missed(&self) {
        let _replica = Replica::start(self, Mode::Push);
        let late = "SELECT count(*)::float8 FROM (SELECT FROM millicron.schedules \
            WHERE next_at < now() - interval '1 s' ORDER BY next_at LIMIT 1) AS late";
        while self.number(late).await > 0.0 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Returns the number of tasks.
    pub(crate) async fn tasks(&self) -> f64 {
        self.number("SELECT count(*)::float8 FROM apalis.jobs").await
    }

    /// Returns the size of the table of schedules with its indices, in bytes.
    pub(crate) async fn disk(&self) -> f64 {
        self.number("SELECT pg_total_relation_size('millicron.schedules')::float8").await
    }

    /// Returns the size of all that was written to the write-ahead log so far, in bytes.
    pub(crate) async fn wal(&self) -> f64 {
        self.number("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8").await
    }

    /// Returns how often the whole table was read.
    pub(crate) async fn sequential_scans(&self) -> f64 {
        self.number("SELECT seq_scan::float8 FROM pg_stat_user_tables WHERE relname = 'schedules'")
            .await
    }

    /// Returns the CPU time of the server's processes, in seconds.
    pub(crate) fn cpu(&self) -> f64 {
        let directory = self.server.directory().join("data/postmaster.pid");
        let main = fs::read_to_string(directory).expect("a running server");
        let main = main.lines().next().expect("a process");
        let processes = fs::read_dir("/proc").expect("Linux").flatten();
        let ids = processes.filter_map(|it| it.file_name().into_string().ok());
        ids.filter_map(|id| Process::read(&id))
            .filter(|process| process.id == main || process.parent == main)
            .map(|process| process.cpu + if process.id == main { process.children } else { 0.0 })
            .sum()
    }
}

/// What Linux says about a process. Times are in seconds.
pub(crate) struct Process {
    id: String,
    parent: String,
    pub(crate) cpu: f64,
    /// Of children that have ended.
    children: f64,
}

impl Process {
    /// Reads the state of a process. Returns `None` if it does not exist.
    pub(crate) fn read(id: &str) -> Option<Self> {
        /// The kernel's unit, which is the same on all architectures.
        const TICKS: f64 = 100.0;
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name, in parentheses, may contain anything.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let time = |index: usize| -> Option<f64> { fields.get(index)?.parse().ok() };
        Some(Self {
            id: id.to_owned(),
            parent: (*fields.get(1)?).to_owned(),
            cpu: (time(11)? + time(12)?) / TICKS,
            children: (time(13)? + time(14)?) / TICKS,
        })
    }
}
