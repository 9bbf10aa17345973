//! Storages that do not answer for a while.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use apalis_core::worker::builder::WorkerBuilder;
use apalis_core::worker::context::WorkerContext;
use millicron_apalis::stored::{Selection, StoredSchedule};
use millicron_apalis::{Clock, Run, Source, SystemClock};
use tokio::time::sleep;

use super::changes::get;
use super::{Database, TestTable, on_both, parts};
use crate::support::{Answer, Recorder, soon, unix_millis};

on_both! {
    push_that_was_given_up_goes_on
    push_due_ends_although_the_storage_hangs
    push_due_waits_for_an_earlier_push
    events_during_a_push_that_hung_are_not_missed
    worker_that_stops_during_a_push_gives_its_rows_back
}

/// A clock whose elapsed time can be advanced.
#[derive(Clone, Default)]
struct Advanced(Arc<AtomicU64>);

impl Advanced {
    fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

impl Clock for Advanced {
    fn now(&self) -> SystemTime {
        SystemClock.now()
    }

    fn elapsed(&self) -> Duration {
        SystemClock.elapsed() + Duration::from_secs(self.0.load(Ordering::Relaxed))
    }

    fn max_sleep(&self, _: Option<Duration>) -> Option<Duration> {
        Some(Duration::from_millis(10))
    }
}

async fn until(is_done: impl Fn() -> bool + Send) {
    soon(async {
        while !is_done() {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Stores a schedule without an event soon, and asks for a run.
async fn put_and_trigger<DB: TestTable>(Database { pool, schedules, .. }: &Database<DB>) {
    let schedule = StoredSchedule::new("a", "2099.01.01 00:00:00").payload(1);
    schedules.put(pool, &schedule).await.expect("a valid schedule");
    schedules.trigger(pool, Selection::Name("a")).await.expect("a trigger");
}

/// It may hold locks that all others wait for: in a file, nothing could be written until it has ended.
async fn push_that_was_given_up_goes_on<DB: TestTable>() {
    let Some(database) = DB::database("a push that is given up").await else { return };
    let Database { pool, schedules, .. } = &database;
    put_and_trigger(&database).await;
    let clock = Advanced::default();
    let notices = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&notices);
    let source = Source::<u32>::builder()
        .stored(schedules)
        .clock(clock.clone())
        .observer(move |notice| record.lock().expect("no panic").push(notice.to_string()))
        .build()
        .expect("a source");
    let storage = Recorder::answering([Answer::Hang]);
    let (task, hanging) = (source.clone(), storage.clone());
    let task = tokio::spawn(async move { task.push_to(hanging).await.expect("a storage") });
    until(|| storage.hangs()).await;
    // The machine cannot claim the row again, for example since it cannot write.
    let never = DB::run_sql(pool, format!("UPDATE {} SET next_at = NULL", DB::TABLE));
    let give_up = async {
        clock.advance(9);
        until(|| !notices.lock().expect("no panic").is_empty()).await;
    };
    tokio::join!(never, give_up);
    let notices = notices.lock().expect("no panic").clone();
    assert_eq!(notices, ["pushing 1 task has not ended after 8s"]);
    assert!(storage.keys().is_empty());
    storage.end_hang();
    until(|| storage.keys().len() == 1).await;
    source.close();
    task.await.expect("no panic");
}

async fn push_due_ends_although_the_storage_hangs<DB: TestTable>() {
    let Some(database) = DB::database("push_due with a storage that hangs").await else { return };
    let schedules = &database.schedules;
    put_and_trigger(&database).await;
    let clock = Advanced::default();
    let source = Source::<u32>::builder().stored(schedules).clock(clock.clone()).build();
    let source = source.expect("a source");
    let storage = Recorder::answering([Answer::Hang]);
    let mut hanging = storage.clone();
    let push = tokio::spawn(async move { source.push_due(&mut hanging).await });
    until(|| storage.hangs()).await;
    clock.advance(9);
    assert!(!soon(push).await.expect("no panic").expect("a storage"));
}

async fn push_due_waits_for_an_earlier_push<DB: TestTable>() {
    let Some(database) = DB::database("push_due after one that was dropped").await else { return };
    let schedules = &database.schedules;
    put_and_trigger(&database).await;
    let source = Source::<u32>::builder().stored(schedules).build().expect("a source");
    let mut storage = Recorder::answering([Answer::Hang]);
    let recorder = storage.clone();
    tokio::select! {
        _ = source.push_due(&mut storage) => panic!("it hangs"),
        () = until(|| recorder.hangs()) => {}
    }
    let (again, end) = tokio::join!(source.push_due(&mut storage), async {
        sleep(Duration::from_millis(100)).await;
        recorder.end_hang();
    });
    let () = end;
    assert!(again.expect("a storage"));
    assert_eq!(storage.keys().len(), 1);
}

async fn worker_that_stops_during_a_push_gives_its_rows_back<DB: TestTable>() {
    let Some(database) = DB::database("a worker that stops").await else { return };
    let Database { pool, schedules, .. } = &database;
    for answers in [true, false] {
        put_and_trigger(&database).await;
        let clock = Advanced::default();
        let source = Source::<u32>::builder().stored(schedules).clock(clock.clone()).build();
        let source = source.expect("a source");
        let storage = Recorder::answering([Answer::Hang]);
        let context = WorkerContext::new("worker");
        let worker = WorkerBuilder::new(&context)
            .backend(source.pipe_to(storage.clone()))
            .build(async |_: Run<u32>| {});
        let worker = tokio::spawn(worker.run());
        until(|| storage.hangs()).await;
        context.stop().expect("a running worker");
        if answers {
            storage.end_hang();
        } else {
            // The time limit of the push.
            clock.advance(9);
        }
        soon(worker).await.expect("no panic").expect("no error");
        assert_eq!(get(&database, "a").await.last_at.is_some(), answers);
        // Another machine can claim the row at once.
        schedules.trigger(pool, Selection::Name("a")).await.expect("a trigger");
        let source = Source::<u32>::builder().stored(schedules).build().expect("a source");
        let mut other = Recorder::default();
        assert!(source.push_due(&mut other).await.expect("a storage"));
        assert_eq!(other.keys().len(), if answers { 1 } else { 2 });
        schedules.remove(pool, Selection::Name("a")).await.expect("a removal");
    }
}

async fn events_during_a_push_that_hung_are_not_missed<DB: TestTable>() {
    let Some(database) = DB::database("events during a push").await else { return };
    let Database { pool, schedules, .. } = &database;
    let often = StoredSchedule::new("often", "*:*:*.*/20").payload(1);
    schedules.put(pool, &often).await.expect("a valid schedule");
    let source = Source::<u32>::builder().stored(schedules).grace(Duration::from_secs(1));
    let source = source.build().expect("a source");
    let storage = Recorder::answering([Answer::Hang]);
    let (task, hanging) = (source.clone(), storage.clone());
    let task = tokio::spawn(async move { task.push_to(hanging).await.expect("a storage") });
    until(|| storage.hangs()).await;
    // Earlier events may be missed on a busy machine.
    let hangs_since = unix_millis(SystemTime::now());
    // Three times the grace.
    sleep(Duration::from_secs(3)).await;
    storage.end_hang();
    // Those that fell due while it hung.
    let events = || {
        let keys = storage.keys();
        let instants = keys.iter().map(|key| parts(key).1).filter(|it| *it >= hangs_since);
        instants.take(150).collect::<Vec<_>>()
    };
    until(|| events().len() == 150).await;
    source.close();
    task.await.expect("no panic");
    let events = events();
    assert!(events[0] < hangs_since + 20, "{hangs_since} {events:?}");
    assert!(events.windows(2).all(|pair| pair[1] == pair[0] + 20), "{events:?}");
}
