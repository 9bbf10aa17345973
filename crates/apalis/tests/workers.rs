//! Workers on a source.

use std::time::{Duration, Instant};

use apalis_core::backend::memory::MemoryStorage;
use apalis_core::monitor::Monitor;
use apalis_core::worker::builder::WorkerBuilder;
use apalis_core::worker::context::WorkerContext;
use apalis_postgres::PostgresStorage;
use apalis_sqlite::{SqlitePool, SqliteStorage};
use millicron::schedule;
use millicron_apalis::{Job, Missed, Run, Source};
use millicron_test_support::servers::{PostgresServer, Stop};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

use crate::support::{Answer, CountingClock, Events, MIDNIGHT, Recorder, clock_at, millis, time};

/// Starts a worker with a storage in memory, which hands tasks out at once, whatever their instant.
fn work(source: &Source<u32>) -> (JoinHandle<()>, UnboundedReceiver<String>, WorkerContext) {
    let (sender, runs) = unbounded_channel();
    let context = WorkerContext::new("worker");
    let worker = WorkerBuilder::new(&context).backend(source.pipe_to(MemoryStorage::new())).build(
        move |run: Run<u32>| {
            sender.send(format!("{} {}", run.job, run.scheduled - MIDNIGHT)).expect("a test");
            async {}
        },
    );
    let worker = tokio::spawn(async move { worker.run().await.expect("no error") });
    (worker, runs, context)
}

/// Lets the other tasks on this thread do what they can.
async fn settle() {
    for _ in 0..5000 {
        tokio::task::yield_now().await;
    }
}

/// Waits until something is true.
async fn until(is_true: impl Fn() -> bool) {
    let wait = async {
        while !is_true() {
            tokio::time::sleep(millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), wait).await.expect("it becomes true");
}

#[tokio::test]
async fn early_tasks_wait_for_their_instants() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder()
        .clock(clock.clone())
        .ahead(Duration::from_secs(5))
        .add("a", Events(vec![MIDNIGHT, MIDNIGHT + 700, MIDNIGHT + 300, MIDNIGHT + 3000]), 1)
        .add_job(Job::new("b", Events(vec![MIDNIGHT + 699, MIDNIGHT + 701]), 1))
        .build()
        .expect("a source");
    let (worker, mut runs, _) = work(&source);
    let mut next = async |count: usize| {
        let mut next = Vec::new();
        for _ in 0..count {
            next.push(runs.recv().await.expect("a run"));
        }
        // Other tasks would have arrived by now: the worker is on the same thread.
        tokio::task::yield_now().await;
        assert!(runs.try_recv().is_err());
        next
    };
    assert_eq!(next(1).await, ["a 0"]);
    clock.advance(millis(699));
    assert_eq!(next(1).await, ["b 699"]);
    clock.advance(millis(1));
    assert_eq!(next(1).await, ["a 700"]);
    clock.advance(millis(10_000));
    assert_eq!(next(2).await, ["b 701", "a 3000"]);
    source.close();
    worker.await.expect("no panic");
}

#[tokio::test]
async fn shutdown_waits_for_tasks_that_were_fetched_early() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder()
        .clock(clock.clone())
        .ahead(Duration::from_secs(5))
        .add("a", Events(vec![MIDNIGHT, MIDNIGHT + 700]), 1)
        .build()
        .expect("a source");
    let (worker, mut runs, _) = work(&source);
    assert_eq!(runs.recv().await.expect("a run"), "a 0");
    source.close();
    tokio::task::yield_now().await;
    assert!(!worker.is_finished());
    clock.advance(millis(700));
    worker.await.expect("no panic");
    assert_eq!(runs.recv().await.expect("a run"), "a 700");
}

#[tokio::test]
async fn paused_worker_pushes_and_handles_its_tasks_later() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder()
        .clock(clock.clone())
        .missed(Missed::All { max: usize::MAX })
        .add("a", Events(vec![MIDNIGHT, MIDNIGHT + 700]), 1)
        .build()
        .expect("a source");
    let (worker, mut runs, context) = work(&source);
    assert_eq!(runs.recv().await.expect("a run"), "a 0");
    context.pause().expect("a running worker");
    clock.advance(millis(700));
    while source.stats().pushed < 2 {
        tokio::task::yield_now().await;
    }
    assert!(runs.try_recv().is_err());
    context.resume().expect("a paused worker");
    assert_eq!(runs.recv().await.expect("a run"), "a 700");
    source.close();
    worker.await.expect("no panic");
}

/// The same holds if all its slots are taken.
#[tokio::test]
async fn paused_worker_sleeps_although_a_task_is_due() {
    let clock = CountingClock::at(MIDNIGHT);
    let events = Events(vec![MIDNIGHT, MIDNIGHT + 200]);
    let source = Source::builder().clock(clock.clone()).ahead(Duration::from_secs(5));
    let source = source.add("a", events, 1).build().expect("a source");
    let (worker, mut runs, context) = work(&source);
    assert_eq!(runs.recv().await.expect("a run"), "a 0");
    settle().await;
    context.pause().expect("a running worker");
    clock.clock.advance(millis(200));
    let reads = clock.reads().await;
    assert!(reads < 100, "{reads}");
    context.resume().expect("a paused worker");
    assert_eq!(runs.recv().await.expect("a run"), "a 200");
    source.close();
    worker.await.expect("no panic");
}

#[tokio::test]
async fn tasks_fall_due_while_a_push_hangs() {
    let clock = CountingClock::at(MIDNIGHT);
    let events = Events(vec![MIDNIGHT + 300, MIDNIGHT + 5200]);
    let source = Source::builder().clock(clock.clone()).ahead(Duration::from_secs(5));
    let source = source.add("a", events, 1).build().expect("a source");
    let storage = Recorder::answering([Answer::Take, Answer::Hang]);
    let (task, hanging) = (source.clone(), storage.clone());
    let push = tokio::spawn(async move { task.push_to(hanging).await.expect("a storage") });
    until(|| !storage.keys().is_empty()).await;
    clock.clock.advance(millis(200));
    until(|| storage.hangs()).await;
    clock.clock.advance(millis(200));
    let reads = clock.reads().await;
    assert!(reads < 100, "{reads}");
    storage.end_hang();
    source.close();
    push.await.expect("no panic");
    assert_eq!(storage.keys().len(), 2);
}

#[tokio::test]
async fn push_only_ends_at_shutdown() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone()).add("a", schedule!("*:*:*"), 1);
    let source = source.build().expect("a source");
    let storage = Recorder::default();
    let push = tokio::spawn({
        let (source, storage) = (source.clone(), storage.clone());
        async move { source.push_to(storage).await.expect("a storage that remembers keys") }
    });
    for second in 0..5 {
        let key = format!("a:{}", MIDNIGHT + second * 1000);
        while !storage.keys().contains(&key) {
            tokio::task::yield_now().await;
        }
        clock.advance(millis(1000));
    }
    source.close();
    push.await.expect("no panic");
}

#[tokio::test]
async fn storage_is_asked_for_tasks_only_if_there_may_be_some() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone()).add("a", schedule!("*:*:*"), 1);
    let source = source.catch_up(Duration::ZERO).build().expect("a source");
    let storage = Recorder::default();
    let worker = WorkerBuilder::new("worker").backend(source.pipe_to(storage.clone()));
    let worker = tokio::spawn(worker.build(async |_: Run<u32>| ()).run());
    while storage.asked() == 0 || storage.keys().is_empty() {
        tokio::task::yield_now().await;
    }
    // Once at the start, and up to four times after the first event.
    for _ in 0..900 {
        clock.advance(millis(1));
        tokio::task::yield_now().await;
    }
    assert!(storage.asked() <= 5, "{}", storage.asked());
    source.close();
    worker.await.expect("no panic").expect("no error");
}

#[tokio::test]
async fn storage_is_not_asked_again_for_tasks_that_it_has_handed_out() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone()).poll_every(Duration::from_hours(1));
    let source = source.add("a", schedule!("*:*:*"), 1).catch_up(Duration::ZERO);
    let source = source.build().expect("a source");
    let storage = Recorder::giving();
    let worker = WorkerBuilder::new("worker").backend(source.pipe_to(storage.clone()));
    let worker = tokio::spawn(worker.build(async |_: Run<u32>| ()).run());
    for _ in 0..4 {
        // The first look comes with the event.
        clock.advance(millis(10));
        settle().await;
        let (asked, tasks) = (storage.asked(), storage.keys().len());
        for _ in 0..98 {
            clock.advance(millis(10));
            settle().await;
        }
        assert_eq!((storage.asked(), storage.keys().len()), (asked, tasks));
        clock.advance(millis(10));
    }
    assert!(!storage.keys().is_empty());
    source.close();
    worker.await.expect("no panic").expect("no error");
}

#[tokio::test]
async fn ended_tasks_are_recorded_after_a_query_without_tasks() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone()).poll_every(Duration::from_hours(1));
    let source = source.add("a", Events(vec![MIDNIGHT]), 1).build().expect("a source");
    for storage in [Recorder::default(), Recorder::giving()] {
        let worker = WorkerBuilder::new("worker").backend(source.pipe_to(storage.clone()));
        let worker = tokio::spawn(worker.build(async |_: Run<u32>| ()).run());
        settle().await;
        assert!(storage.asked() > 0 && storage.is_recorded());
        worker.abort();
    }
}

#[tokio::test]
async fn storage_is_asked_at_an_interval() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone()).poll_every(millis(200));
    let source = source.add("a", Events(Vec::new()), 1).build().expect("a source");
    let storage = Recorder::default();
    let worker = WorkerBuilder::new("worker").backend(source.pipe_to(storage.clone()));
    let worker = tokio::spawn(worker.build(async |_: Run<u32>| ()).run());
    for asked in 1..20 {
        settle().await;
        assert_eq!(storage.asked(), asked);
        clock.advance(millis(199));
        settle().await;
        assert_eq!(storage.asked(), asked);
        clock.advance(millis(1));
    }
    source.close();
    worker.await.expect("no panic").expect("no error");
}

#[tokio::test]
async fn worker_keeps_a_limited_number_of_early_tasks() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone()).ahead(Duration::from_mins(1));
    let events = Events((1..=1500).map(|n| MIDNIGHT + n).collect());
    let source = source.add("a", events, 1).build().expect("a source");
    let storage = Recorder::giving();
    let worker = WorkerBuilder::new("worker").backend(source.pipe_to(storage.clone()));
    let worker = tokio::spawn(worker.build(async |_: Run<u32>| ()).run());
    settle().await;
    assert_eq!((storage.keys().len(), storage.asked()), (1500, 1000));
    clock.advance(millis(100));
    settle().await;
    assert_eq!(storage.asked(), 1100);
    clock.advance(millis(1400));
    settle().await;
    assert!(storage.asked() > 1500, "{}", storage.asked());
    source.close();
    worker.await.expect("no panic").expect("no error");
}

/// The query may have several parts: the beginning of a transaction, a statement, and its end.
#[tokio::test]
async fn shutdown_waits_for_the_answer_of_a_query() {
    for parts in 1..=3 {
        loop {
            let (run, took) = run_after_shutdown(parts).await;
            // It waits a tenth of a second for each part, in which a machine that freezes does not answer.
            if run.is_some() || took < millis(100) {
                assert_eq!(run, Some(MIDNIGHT), "{parts}");
                break;
            }
        }
    }
}

/// Closes a source while a worker waits for the answer of a query. Returns the run in that answer, and after which time
/// the storage has answered.
async fn run_after_shutdown(parts: usize) -> (Option<i64>, Duration) {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock).add("a", Events(vec![MIDNIGHT]), 1);
    let source = source.build().expect("a source");
    let storage = Recorder::asking();
    let (sender, mut runs) = unbounded_channel();
    let worker = WorkerBuilder::new("worker").backend(source.pipe_to(storage.clone()));
    let worker = worker.build(move |run: Run<u32>| {
        sender.send(run.scheduled).expect("a test");
        async {}
    });
    let worker = tokio::spawn(worker.run());
    settle().await;
    let closed = Instant::now();
    source.close();
    for part in 1..=parts {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        if part < parts { storage.ring() } else { storage.answer() }
    }
    let took = closed.elapsed();
    worker.await.expect("no panic").expect("no error");
    (runs.recv().await, took)
}

/// Its transaction would lock the storage for others.
#[tokio::test]
async fn query_goes_on_while_the_worker_is_paused() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone()).add("a", Events(vec![MIDNIGHT]), 1);
    let source = source.build().expect("a source");
    let storage = Recorder::asking();
    let (sender, mut runs) = unbounded_channel();
    let context = WorkerContext::new("worker");
    let worker = WorkerBuilder::new(&context).backend(source.pipe_to(storage.clone()));
    let worker = worker.build(move |run: Run<u32>| {
        sender.send(run.scheduled).expect("a test");
        async {}
    });
    let worker = tokio::spawn(worker.run());
    settle().await;
    context.pause().expect("a running worker");
    settle().await;
    for _ in 0..3 {
        let asked = storage.asked();
        storage.ring();
        settle().await;
        assert_eq!(storage.asked(), asked + 1);
        // A paused worker asks for no more.
        storage.wake_for_heartbeat();
        settle().await;
        assert_eq!(storage.asked(), asked + 1);
    }
    storage.answer();
    settle().await;
    assert!(runs.try_recv().is_err());
    context.resume().expect("a paused worker");
    assert_eq!(runs.recv().await, Some(MIDNIGHT));
    source.close();
    worker.await.expect("no panic").expect("no error");
}

#[tokio::test]
async fn paused_worker_stops_at_shutdown() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone()).add("a", Events(vec![MIDNIGHT]), 1);
    let source = source.build().expect("a source");
    let (worker, mut runs, context) = work(&source);
    assert_eq!(runs.recv().await.expect("a run"), "a 0");
    context.pause().expect("a running worker");
    source.close();
    worker.await.expect("no panic");
}

/// A storage without tables ends each worker at once. The clock stands still, so the next worker
/// waits.
#[tokio::test]
async fn worker_that_fails_pauses_no_other_and_stops_at_shutdown() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone());
    let source = source.add("a", Events(vec![MIDNIGHT, MIDNIGHT + 50]), 1);
    let source = source.build().expect("a source");
    let (healthy, mut runs, _) = work(&source);
    assert_eq!(runs.recv().await.expect("a run"), "a 0");
    let broken = SqlitePool::connect("sqlite::memory:").await.expect("no tables");
    let (sender, mut starts) = unbounded_channel();
    let monitor = Monitor::new().should_restart(|_, _| true).register({
        let source = source.clone();
        move |restarts| {
            let _ = sender.send(restarts);
            let backend = source.pipe_to(SqliteStorage::<Run<u32>>::new(&broken));
            let name = format!("broken-{restarts}");
            WorkerBuilder::new(name).backend(backend).build(async |_: Run<u32>| ())
        }
    });
    let monitor = tokio::spawn(async move { monitor.run().await });
    // The second worker waits after the failure of the first.
    while starts.recv().await != Some(1) {}
    settle().await;
    clock.advance(millis(50));
    assert_eq!(runs.recv().await.expect("a run"), "a 50");
    source.close();
    healthy.await.expect("no panic");
    monitor.await.expect("no panic").expect("no error");
}

/// Runs with the system clock, `PostgreSQL`, and an outage. The worker fails, and a monitor starts
/// another worker on the same source.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarted_worker_goes_on_where_the_last_one_was() {
    let Ok(mut server) =
        PostgresServer::start().map_err(|error| error.leave_out("PostgreSQL: a restarted worker"))
    else {
        return;
    };
    let url = server.new_database();
    let patient = PgPool::connect(&url).await.expect("a database");
    PostgresStorage::setup(&patient).await.expect("the tables");
    // The worker notices an outage soon.
    let options = PgPoolOptions::new().acquire_timeout(Duration::from_secs(1));
    let pool = options.connect_lazy(&url).expect("a connection string");
    let source = Source::builder()
        .missed(Missed::All { max: usize::MAX })
        .catch_up(Duration::ZERO)
        .grace(Duration::from_mins(10))
        .add("a", schedule!("*:*:*.*/100"), 1)
        .build()
        .expect("a source");
    let (sender, mut runs) = unbounded_channel();
    let monitor = Monitor::new().should_restart(|_, _| true).register({
        let source = source.clone();
        let pool = pool.clone();
        move |restarts| {
            let sender = sender.clone();
            let config = apalis_postgres::Config::default().queue("restarts");
            let config = config.heartbeat_interval(millis(200));
            let storage = PostgresStorage::new(&pool).with_config(config);
            WorkerBuilder::new(format!("worker-{restarts}")).backend(source.pipe_to(storage)).build(
                move |run: Run<u32>| {
                    assert!(run.scheduled_time() <= std::time::SystemTime::now());
                    // The test may have seen enough.
                    let _ = sender.send(run.scheduled);
                    async {}
                },
            )
        }
    });
    let monitor = tokio::spawn(async move { monitor.run().await });
    let first = runs.recv().await.expect("a run");
    server.stop(Stop::Immediate);
    tokio::time::sleep(millis(1500)).await;
    server.start_again();
    // Every event up to five seconds after the first is handled at least once.
    let mut missing: std::collections::BTreeSet<_> = (first..=first + 5000).step_by(100).collect();
    missing.remove(&first);
    while !missing.is_empty() {
        missing.remove(&runs.recv().await.expect("a run"));
    }
    source.close();
    monitor.await.expect("no panic").expect("no error");
    let twice = "SELECT count(*) - count(DISTINCT idempotency_key) FROM apalis.jobs";
    let twice: i64 = sqlx::query_scalar(twice).fetch_one(&patient).await.expect("a number");
    assert_eq!(twice, 0);
    assert!(time(first) <= std::time::SystemTime::now());
}
