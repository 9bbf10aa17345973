//! Tests with an `SQLite` file.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use apalis_core::worker::builder::WorkerBuilder;
use apalis_sqlite::{SqlitePool, SqliteStorage};
use millicron::schedule;
use millicron_apalis::{Missed, Run, Source};
use sqlx::sqlite::SqliteConnectOptions;
use tempfile::TempDir;

use crate::support::{Events, MIDNIGHT, clock_at};

/// A storage in a temporary file.
pub(crate) struct File {
    pool: SqlitePool,
    _directory: TempDir,
}

impl File {
    pub(crate) async fn new() -> Self {
        let directory = TempDir::new().expect("a directory");
        let options = SqliteConnectOptions::new()
            .filename(directory.path().join("tasks.db"))
            .create_if_missing(true)
            .busy_timeout(Duration::from_mins(1));
        let pool = SqlitePool::connect_with(options).await.expect("a file");
        SqliteStorage::setup(&pool).await.expect("the tables");
        Self { pool, _directory: directory }
    }

    pub(crate) fn storage(&self) -> SqliteStorage<Run<u32>> {
        SqliteStorage::new(&self.pool)
    }

    #[cfg(feature = "pipeline")]
    pub(crate) async fn statuses(&self) -> Vec<String> {
        let statuses = sqlx::query_scalar("SELECT status FROM Jobs ORDER BY 1");
        statuses.fetch_all(&self.pool).await.expect("the statuses")
    }

    pub(crate) async fn keys(&self) -> Vec<String> {
        let keys = sqlx::query_scalar("SELECT idempotency_key FROM Jobs ORDER BY run_at, 1");
        keys.fetch_all(&self.pool).await.expect("the keys")
    }
}

#[tokio::test]
async fn replicas_push_each_event_once() {
    let file = File::new().await;
    let clock = clock_at(MIDNIGHT);
    let replica = || {
        let builder = Source::builder().clock(clock.clone()).catch_up(Duration::ZERO);
        builder.add("tick", schedule!("*:*:*.*/250"), 7).build().expect("a source")
    };
    let replicas = [replica(), replica(), replica()];
    for _ in 0..8 {
        for source in &replicas {
            assert!(source.push_due(&mut file.storage()).await.expect("a storage"));
        }
        clock.advance(Duration::from_millis(250));
    }
    let expected: Vec<_> = (0..8).map(|n| format!("tick:{}", MIDNIGHT + 250 * n)).collect();
    assert_eq!(file.keys().await, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_handles_all_events_of_its_source() {
    let file = File::new().await;
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder()
        .clock(clock.clone())
        .missed(Missed::All { max: usize::MAX })
        .add("a", schedule!("*:*:*"), 1)
        .add("b", schedule!("*:*:*/30"), 2)
        .catch_up(Duration::from_mins(1))
        .build()
        .expect("a source");
    let (sender, mut runs) = tokio::sync::mpsc::unbounded_channel();
    let handle = move |run: Run<u32>| {
        let sender = sender.clone();
        async move { sender.send(run).expect("the test receives") }
    };
    let backend = source.pipe_to(file.storage());
    let worker = tokio::spawn(WorkerBuilder::new("worker").backend(backend).build(handle).run());
    let mut seen = BTreeSet::new();
    for _ in 0..61 + 3 {
        let run = runs.recv().await.expect("a run");
        assert_eq!(run.payload, if run.job == "a" { 1 } else { 2 });
        assert!(seen.insert(run.key()));
    }
    source.close();
    worker.await.expect("no panic").expect("no error");
    assert!(runs.recv().await.is_none());
    let a = (0..=60).map(|n| format!("a:{}", MIDNIGHT - 1000 * n));
    let b = (0..=2).map(|n| format!("b:{}", MIDNIGHT - 30_000 * n));
    assert_eq!(seen, a.chain(b).collect());
}

#[tokio::test]
async fn payload_that_cannot_be_encoded_is_reported_and_holds_up_nothing() {
    let file = File::new().await;
    let (sender, mut notices) = tokio::sync::mpsc::unbounded_channel();
    // JSON keys must be strings, so only an empty map can be encoded.
    let payload = |keys: &[(u8, u8)]| keys.iter().copied().collect::<BTreeSet<_>>();
    let payload = |keys| payload(keys).into_iter().map(|key| (key, 1)).collect();
    let events = || Events(vec![MIDNIGHT]);
    let source = Source::builder()
        .clock(clock_at(MIDNIGHT))
        .observer(move |notice| sender.send(notice.to_string()).expect("the test receives"))
        .add("bad", events(), payload(&[(1, 2)]))
        .add("good", events(), payload(&[]))
        .build()
        .expect("a source");
    let mut storage = SqliteStorage::<Run<BTreeMap<(u8, u8), u8>>>::new(&file.pool);
    assert!(source.push_due(&mut storage).await.expect("a storage that remembers keys"));
    assert_eq!(file.keys().await, [format!("good:{MIDNIGHT}")]);
    assert_eq!((source.stats().rejected, source.stats().pushed), (1, 1));
    let notice = notices.recv().await.expect("a notice");
    let expected = format!("cannot encode the payload of `bad:{MIDNIGHT}`: ");
    assert!(notice.starts_with(&expected), "{notice}");
}
