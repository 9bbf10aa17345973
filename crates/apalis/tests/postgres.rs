//! Tests with a `PostgreSQL` server.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use apalis_postgres::PostgresStorage;
use millicron::schedule;
use millicron_apalis::{Clock as _, Missed, Notice, Run, Source};
use millicron_test_support::servers::PostgresServer;
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::sync::mpsc::unbounded_channel;

use crate::support::{Events, MIDNIGHT, clock_at, millis, replicas, unix_millis};

/// JSON keys must be strings, so only an empty map can be encoded.
type Payload = BTreeMap<(u8, u8), u8>;

async fn database(what: &str) -> Option<PgPool> {
    let url = PostgresServer::shared(what)?.new_database();
    Some(PgPool::connect(&url).await.expect("a database"))
}

async fn keys(pool: &PgPool) -> Vec<String> {
    let keys = sqlx::query_scalar("SELECT idempotency_key FROM apalis.jobs ORDER BY 1");
    keys.fetch_all(pool).await.expect("the keys")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_push_each_event_once() {
    let Some(pool) = database("PostgreSQL: three replicas").await else { return };
    PostgresStorage::setup(&pool).await.expect("the tables");
    let stats = replicas(|| PostgresStorage::<Run<u32>>::new(&pool)).await;
    let mut expected: Vec<_> =
        (0..=4000).step_by(50).map(|n| format!("a:{}", MIDNIGHT + n)).collect();
    expected.extend((0..=4000).step_by(1000).map(|n| format!("b:{}", MIDNIGHT + n)));
    assert_eq!(keys(&pool).await, expected);
    let count = expected.len() as u64;
    assert_eq!((stats.pushed, stats.duplicates, stats.failures), (count, 2 * count, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn payload_that_cannot_be_encoded_loses_no_other_event() {
    let Some(pool) = database("PostgreSQL: payloads that cannot be encoded").await else { return };
    PostgresStorage::setup(&pool).await.expect("the tables");
    let bad = || Payload::from([((1, 2), 3)]);
    let events = || Events(vec![MIDNIGHT]);
    for (names, good) in [(["a", "b", "c", "d"], "a"), (["e", "f", "g", "h"], "g")] {
        let payload = |name| if name == good { Payload::new() } else { bad() };
        let source = Source::builder().clock(clock_at(MIDNIGHT));
        let source = names
            .into_iter()
            .fold(source, |source, name| source.add(name, events(), payload(name)));
        let source = source.build().expect("a source");
        let mut storage = PostgresStorage::<Run<Payload>>::new(&pool);
        assert!(source.push_due(&mut storage).await.expect("no error of the configuration"));
        let stats = source.stats();
        assert_eq!((stats.pushed, stats.rejected, stats.duplicates), (1, 3, 0));
    }
    assert_eq!(keys(&pool).await, [format!("a:{MIDNIGHT}"), format!("g:{MIDNIGHT}")]);
}

/// Holds a key like a machine that was stopped before its commit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn machine_that_holds_a_key_holds_up_no_other_event() {
    let Some(server) = PostgresServer::shared("PostgreSQL: a key that is held") else { return };
    let options: PgConnectOptions = server.new_database().parse().expect("a connection string");
    let options = options.options([("lock_timeout", "200ms")]);
    let pool = PgPool::connect_with(options).await.expect("a database");
    PostgresStorage::setup(&pool).await.expect("the tables");
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone()).add("a", schedule!("*:*:*.*/100"), 1);
    let source = source.catch_up(Duration::from_mins(1)).build().expect("a source");
    let mut storage = PostgresStorage::<Run<u32>>::new(&pool);
    assert!(source.push_due(&mut storage).await.expect("no error of the configuration"));
    let held = format!("a:{}", MIDNIGHT + 500);
    let insert = "INSERT INTO apalis.jobs (id, job_type, job, run_at, idempotency_key) \
                  SELECT 'x', job_type, job, run_at, $1 FROM apalis.jobs LIMIT 1";
    let mut transaction = pool.begin().await.expect("a transaction");
    let insert = sqlx::query(insert).bind(&held);
    insert.execute(&mut *transaction).await.expect("the key");
    for _ in 0..50 {
        clock.advance(millis(100));
        source.push_due(&mut storage).await.expect("no error of the configuration");
    }
    let stats = source.stats();
    assert!(stats.failures > 0 && stats.waiting > 0, "{stats:?}");
    let present: BTreeSet<_> = keys(&pool).await.into_iter().collect();
    // Tasks that are pushed together with the key wait for a moment.
    for event in (0..4500).step_by(100).filter(|event| *event != 500) {
        assert!(present.contains(&format!("a:{}", MIDNIGHT + event)), "{event}: {stats:?}");
    }
    transaction.commit().await.expect("a commit");
    clock.advance(Duration::from_secs(30));
    assert!(source.push_due(&mut storage).await.expect("no error of the configuration"));
    assert!(keys(&pool).await.contains(&held));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missing_table_is_reported_until_it_exists() {
    let Some(pool) = database("PostgreSQL: a missing table").await else { return };
    let clock = clock_at(MIDNIGHT);
    let (sender, mut errors) = unbounded_channel();
    let source = Source::builder()
        .clock(clock.clone())
        .observer(move |notice| {
            if let Notice::PushFailed { tasks, error, .. } = notice {
                sender.send((*tasks, error.to_string())).expect("the test receives");
            }
        })
        .add("a", Events(vec![MIDNIGHT]), 1)
        .build()
        .expect("a source");
    let mut storage = PostgresStorage::<Run<u32>>::new(&pool);
    assert!(!source.push_due(&mut storage).await.expect("no error of the configuration"));
    let (tasks, error) = errors.recv().await.expect("a notice");
    assert_eq!(tasks, 1);
    // The type of a column is also missing, and is looked up first.
    assert!(error.contains("hstore") || error.contains("apalis.jobs"), "{error}");
    PostgresStorage::setup(&pool).await.expect("the tables");
    clock.advance(Duration::from_secs(1));
    assert!(source.push_due(&mut storage).await.expect("no error of the configuration"));
    assert_eq!(keys(&pool).await, [format!("a:{MIDNIGHT}")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missing_column_is_no_duplicate() {
    let Some(pool) = database("PostgreSQL: a missing column").await else { return };
    PostgresStorage::setup(&pool).await.expect("the tables");
    let drop_column = "ALTER TABLE apalis.jobs DROP COLUMN idempotency_key";
    sqlx::query(drop_column).execute(&pool).await.expect("no column");
    let source = Source::builder().clock(clock_at(MIDNIGHT)).add("a", Events(vec![MIDNIGHT]), 1);
    let source = source.build().expect("a source");
    let mut storage = PostgresStorage::<Run<u32>>::new(&pool);
    assert!(!source.push_due(&mut storage).await.expect("no error of the configuration"));
    let stats = source.stats();
    assert_eq!((stats.pushed, stats.duplicates, stats.failures, stats.waiting), (0, 0, 1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_are_pushed_after_the_server_was_away() {
    let Ok(mut server) =
        PostgresServer::start().map_err(|error| error.leave_out("PostgreSQL: an outage"))
    else {
        return;
    };
    let url = server.new_database();
    let patient = PgPool::connect(&url).await.expect("a database");
    PostgresStorage::setup(&patient).await.expect("the tables");
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder()
        .clock(clock.clone())
        .missed(Missed::All { max: usize::MAX })
        .add("a", schedule!("*:*:*"), 1)
        .catch_up(Duration::from_mins(10))
        .build()
        .expect("a source");
    clock.advance(Duration::from_secs(10));
    let mut storage = PostgresStorage::<Run<u32>>::new(&patient);
    assert!(source.push_due(&mut storage).await.expect("no error of the configuration"));
    let options = sqlx::postgres::PgPoolOptions::new().acquire_timeout(Duration::from_secs(1));
    let pool = options.connect_lazy(&url).expect("a connection string");
    let mut storage = PostgresStorage::<Run<u32>>::new(&pool);
    server.stop(millicron_test_support::servers::Stop::Immediate);
    for _ in 0..5 {
        clock.advance(Duration::from_secs(10));
        assert!(!source.push_due(&mut storage).await.expect("no error of the configuration"));
    }
    server.start_again();
    while !source.push_due(&mut storage).await.expect("no error of the configuration") {
        clock.advance(millis(5000));
    }
    assert_eq!(source.stats().waiting, 0);
    // Ten minutes before the first push, up to now.
    let first = MIDNIGHT - 590_000;
    let last = unix_millis(clock.now());
    let expected = (first..=last).step_by(1000).map(|instant| format!("a:{instant}"));
    assert_eq!(keys(&patient).await, expected.collect::<Vec<_>>());
}

/// Two machines with a pipeline. The history is in the same database as the tasks.
#[cfg(feature = "pipeline")]
struct Machines {
    clock: millicron_apalis::ManualClock,
    url: String,
    pool: PgPool,
    sources: Vec<millicron_apalis::PipelineSource<u32>>,
}

#[cfg(feature = "pipeline")]
impl Machines {
    async fn start(server: &PostgresServer, pipeline: &millicron_pipeline::Pipeline) -> Self {
        use millicron_apalis::PipelineSource;
        use millicron_pipeline::PostgresHistory;

        let url = server.new_database();
        let pool = PgPool::connect(&url).await.expect("a database");
        PostgresStorage::setup(&pool).await.expect("the tables");
        let clock = clock_at(MIDNIGHT);
        let source = || {
            let history = PostgresHistory::connect(&url).expect("a history");
            let builder = PipelineSource::builder(pipeline.clone(), history, |_| 0);
            let builder = builder.clock(clock.clone()).refresh_every(Duration::from_hours(1));
            builder.start().expect("a thread")
        };
        let sources = vec![source(), source()];
        Self { clock, url, pool, sources }
    }

    fn storage(&self) -> PostgresStorage<Run<u32>> {
        PostgresStorage::new(&self.pool)
    }

    /// Starts the workers, each with a receiver of its runs.
    fn work(
        &self,
    ) -> (tokio::sync::mpsc::UnboundedReceiver<String>, Vec<tokio::task::JoinHandle<()>>) {
        use apalis_core::backend::ext::BackendExt as _;
        use apalis_core::worker::builder::WorkerBuilder;

        let (sender, runs) = unbounded_channel();
        let work = |(source, name): (&millicron_apalis::PipelineSource<u32>, &str)| {
            let storage = self.storage().poll_with_interval(millis(5));
            let sender = sender.clone();
            let worker = WorkerBuilder::new(name).backend(source.pipe_to(storage)).build(
                move |run: Run<u32>| {
                    let scheduled = run.scheduled - MIDNIGHT;
                    sender.send(format!("{} {scheduled}", run.job)).expect("a test");
                    async {}
                },
            );
            tokio::spawn(async move { worker.run().await.expect("no error") })
        };
        (runs, self.sources.iter().zip(["first", "second"]).map(work).collect())
    }

    /// Waits until a run has succeeded.
    async fn wait_for(&self, job: &str, scheduled: i64) {
        use millicron_pipeline::{History as _, PostgresHistory, RunState};

        let history = PostgresHistory::connect(&self.url).expect("a history");
        let mut state = None;
        while state.is_none() {
            tokio::time::sleep(millis(5)).await;
            state = history.state(job, MIDNIGHT + scheduled).expect("a history");
        }
        assert_eq!(state, Some(RunState::Succeeded));
    }

    async fn close(&self, workers: Vec<tokio::task::JoinHandle<()>>) {
        for source in &self.sources {
            source.close();
        }
        for worker in workers {
            worker.await.expect("no panic");
        }
    }
}

#[cfg(feature = "pipeline")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pipeline_runs_on_two_machines() {
    use millicron_pipeline::{Need, Pipeline};

    let Some(server) = PostgresServer::shared("PostgreSQL: a pipeline") else { return };
    let pipeline = Pipeline::builder()
        .since(MIDNIGHT + 1000)
        .job("load", schedule!("*:*:*"), [])
        .job("report", schedule!("*:*:*/5"), [Need::all("load")])
        .build()
        .expect("a pipeline");
    let machines = Machines::start(server, &pipeline).await;
    let (mut runs, workers) = machines.work();
    machines.clock.advance(Duration::from_secs(5));
    let mut order = Vec::new();
    for _ in 0..6 {
        order.push(runs.recv().await.expect("a run"));
    }
    assert_eq!(order.pop().as_deref(), Some("report 5000"));
    order.sort();
    assert_eq!(order, ["load 1000", "load 2000", "load 3000", "load 4000", "load 5000"]);
    machines.wait_for("report", 5000).await;
    machines.close(workers).await;
    drop(machines);
    assert_eq!(runs.recv().await, None, "each run was executed once");
}

#[cfg(feature = "pipeline")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_machine_pushes_each_run_of_a_pipeline() {
    use millicron_pipeline::{Need, Pipeline};

    let Some(server) = PostgresServer::shared("PostgreSQL: a pipeline without duplicates") else {
        return;
    };
    let pipeline = Pipeline::builder()
        .since(MIDNIGHT + 1000)
        .job("clean", schedule!("*:*:*"), [Need::last("load")])
        .job("load", schedule!("*:*:*"), [])
        .build()
        .expect("a pipeline");
    let machines = Machines::start(server, &pipeline).await;
    for source in &machines.sources {
        source.refresh().await;
    }
    // Both push the first run, before a worker takes it.
    machines.clock.advance(Duration::from_secs(1));
    for source in &machines.sources {
        while source.stats().pushed + source.stats().duplicates == 0 {
            let mut storage = machines.storage();
            source.push_due(&mut storage).await.expect("a storage that remembers keys");
        }
    }
    let (mut runs, workers) = machines.work();
    machines.wait_for("clean", 1000).await;
    for second in 2..=20 {
        machines.clock.advance(Duration::from_secs(1));
        machines.wait_for("clean", 1000 * second).await;
    }
    machines.close(workers).await;
    let duplicates = machines.sources.iter().map(|source| source.stats().duplicates);
    assert_eq!(duplicates.collect::<Vec<_>>(), [0, 1]);
    assert_eq!(machines.sources.iter().map(|source| source.stats().pushed).sum::<u64>(), 40);
    let mut count = 0;
    while runs.try_recv().is_ok() {
        count += 1;
    }
    assert_eq!(count, 40);
}
