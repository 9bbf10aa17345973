//! Jobs of a program whose machines agree in a database.

use std::time::{Duration, SystemTime};

use apalis_core::worker::builder::WorkerBuilder;
use millicron::{IntoRecurrence, Recurrence, every};
use millicron_apalis::{Missed, Run, Source};
use tokio::time::sleep;

use super::{Database, TestTable, on_both, parts};
use crate::support::{Events, Recorder, soon, unix_millis};

on_both! {
    machines_push_each_event_once
    job_goes_on_where_it_was
    event_that_no_database_can_store_affects_no_other_job
    job_of_an_earlier_program_goes_on_where_the_later_one_was
    storage_is_asked_once_for_the_tasks_of_a_second
}

fn source<DB: TestTable>(
    database: &Database<DB>,
    recurrence: impl IntoRecurrence<Recurrence: Recurrence + Send + Sync + 'static>,
) -> Source<u32> {
    let source = Source::builder().stored(&database.schedules);
    let source = source.missed(Missed::All { max: 10_000 }).catch_up(Duration::from_secs(1));
    source.add("job", recurrence, 7).build().expect("a source")
}

async fn machines_push_each_event_once<DB: TestTable>() {
    let Some(database) = DB::database("jobs of programs").await else { return };
    let machine = || {
        let source = source(&database, every(20).milliseconds().from(0));
        let (task, storage) = (source.clone(), DB::storage(&database.pool));
        let task = tokio::spawn(async move { task.push_to(storage).await.expect("a storage") });
        (source, task)
    };
    let machines = [machine(), machine(), machine()];
    // The events of the second before count too.
    while DB::keys(&database.pool).await.len() < 90 {
        sleep(Duration::from_millis(50)).await;
    }
    let mut pushed = 0;
    for (source, task) in machines {
        source.close();
        task.await.expect("no panic");
        let stats = source.stats();
        assert_eq!((stats.duplicates, stats.failures), (0, 0));
        pushed += stats.pushed;
    }
    let keys = DB::keys(&database.pool).await;
    let instants: Vec<_> = keys.iter().map(|key| parts(key).1).collect();
    assert!(instants.windows(2).all(|pair| pair[1] == pair[0] + 20), "{instants:?}");
    assert_eq!(pushed, keys.len() as u64);
}

/// Even if its schedule has changed.
async fn job_goes_on_where_it_was<DB: TestTable>() {
    let Some(database) = DB::database("jobs that change").await else { return };
    let mut storage = DB::storage(&database.pool);
    let mut sources = [20, 20, 50].map(|gap| source(&database, every(gap).milliseconds().from(0)));
    for source in &mut sources {
        assert!(source.push_due(&mut storage).await.expect("a storage"));
        sleep(Duration::from_millis(300)).await;
    }
    let stats = sources.map(|source| source.stats());
    for (stats, least) in stats.iter().zip([45, 14, 5]) {
        assert!(stats.pushed >= least && stats.duplicates == 0, "{stats:?}");
    }
    let keys = DB::keys(&database.pool).await;
    assert_eq!(keys.len() as u64, stats.iter().map(|it| it.pushed).sum::<u64>());
    let instants: Vec<_> = keys.iter().map(|key| parts(key).1).collect();
    let is_apart = |gap| move |pair: &[i64]| pair[1] == pair[0] + gap;
    let olds = instants.windows(2).take_while(|pair| is_apart(20)(pair)).count();
    let (old, new) = (instants[olds], &instants[olds + 1..]);
    assert!(new.windows(2).all(is_apart(50)), "{instants:?}");
    // The old schedule has events until an instant that is before its next one, and the new one after that.
    let next = |instant: i64| (instant / 50 + 1) * 50;
    assert!([next(old), next(old + 19)].contains(&new[0]), "{instants:?}");
}

/// A job whose next event is at the end of all time.
struct Never;

impl Recurrence for Never {
    fn next_event(&self, _: i64) -> Option<i64> {
        Some(i64::MAX)
    }

    fn nearest_prev_event(&self, _: i64) -> Option<i64> {
        None
    }
}

async fn event_that_no_database_can_store_affects_no_other_job<DB: TestTable>() {
    let Some(database) = DB::database("the end of time").await else { return };
    let source = Source::builder().stored(&database.schedules).add("never", Never, 1);
    let source = source.add("job", every(20).milliseconds().from(0), 7);
    let source = source.build().expect("a source");
    let mut storage = DB::storage(&database.pool);
    for _ in 0..2 {
        sleep(Duration::from_millis(50)).await;
        assert!(source.push_due(&mut storage).await.expect("a storage"));
    }
    assert_eq!(source.stats().failures, 0);
    let keys = DB::keys(&database.pool).await;
    assert!(keys.len() >= 2 && keys.iter().all(|key| parts(key).0 == "job"), "{keys:?}");
}

/// A deployment is rolled back.
async fn job_of_an_earlier_program_goes_on_where_the_later_one_was<DB: TestTable>() {
    let Some(database) = DB::database("a rollback").await else { return };
    let mut storage = DB::storage(&database.pool);
    // The events are at different instants.
    for start in [0, 7, 0] {
        let source = source(&database, every(20).milliseconds().from(start));
        sleep(Duration::from_millis(300)).await;
        assert!(source.push_due(&mut storage).await.expect("a storage"));
    }
    let keys = DB::keys(&database.pool).await;
    let starts: Vec<_> = keys.iter().map(|key| parts(key).1 % 20).collect();
    let changes = starts.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert_eq!(changes, 2, "{starts:?}");
}

/// It hands out all of them from the beginning of the second on.
async fn storage_is_asked_once_for_the_tasks_of_a_second<DB: TestTable>() {
    let Some(database) = DB::database("tasks of one second").await else { return };
    let second = unix_millis(SystemTime::now()).div_euclid(1000) * 1000 + 2000;
    let events = Events((0..50).map(|event| second + 20 * event).collect());
    let source = Source::builder().stored(&database.schedules).ahead(Duration::from_secs(5));
    let source = source.poll_every(Duration::from_hours(1)).add("job", events, 7);
    let source = source.build().expect("a source");
    let storage = Recorder::default();
    let worker = WorkerBuilder::new("worker").backend(source.pipe_to(storage.clone()));
    let worker = tokio::spawn(worker.build(async |_: Run<u32>| ()).run());
    soon(async {
        while unix_millis(SystemTime::now()) < second + 1000 || storage.keys().len() < 50 {
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    // At the start, up to twice at the beginning of the second, and three times soon after it, since it has not handed
    // out the tasks.
    let asked = storage.asked();
    assert!((2..=7).contains(&asked), "{asked}");
    source.close();
    worker.await.expect("no panic").expect("no error");
}
