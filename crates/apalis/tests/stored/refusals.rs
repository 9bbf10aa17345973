//! Storages that refuse tasks, or fail.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use millicron_apalis::stored::{Filter, Selection, StoredSchedule};
use millicron_apalis::{Missed, Notice, Source};
use tokio::time::sleep;

use super::changes::{get, often, pause};
use super::{Database, TestTable, on_both, parts};
use crate::support::{Answer, MIDNIGHT, Recorder, clock_at, millis, soon};

on_both! {
    refused_tasks_stop_no_others
    refused_task_alone_waits_in_the_end
    row_is_pushed_right_after_one_whose_task_was_refused
    refused_tasks_are_tried_again_without_a_pause
    triggered_runs_survive_refusals
    triggered_runs_survive_payloads_of_other_programs
    failed_push_gives_rows_back_at_once
    batches_are_limited_and_shrink_after_failures
    triggered_runs_of_a_schedule_are_pushed_in_batches
    change_after_a_refusal_loses_no_event
    dropped_events_are_counted_once
}

/// A source that records its notices.
fn source<DB: TestTable>(database: &Database<DB>) -> (Source<u32>, Arc<Mutex<Vec<String>>>) {
    let notices = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&notices);
    let observer = move |notice: &Notice<'_>| {
        record.lock().expect("no panic").push(notice.to_string());
    };
    let source = Source::builder().stored(&database.schedules).observer(observer);
    // Events are missed soon.
    let source = source.grace(Duration::from_millis(10)).largest_batch(64).build();
    (source.expect("a source"), notices)
}

async fn push<DB: TestTable>(database: &Database<DB>, storage: &Recorder) -> bool {
    let (source, _) = source(database);
    source.push_due(&mut storage.clone()).await.expect("a storage")
}

/// Puts schedules whose only events are triggered now.
async fn trigger<DB: TestTable>(database: &Database<DB>, names: impl IntoIterator<Item = String>) {
    let Database { pool, schedules, .. } = database;
    for name in names {
        let yearly = StoredSchedule::new(&name, "2099.01.01 00:00:00").payload(1);
        schedules.put(pool, &yearly).await.expect("a valid schedule");
        let count = schedules.trigger(pool, Selection::Name(&name)).await.expect("a trigger");
        assert_eq!(count, 1);
    }
}

/// Has rows tried again at once.
async fn retry<DB: TestTable>(database: &Database<DB>, table: &str) {
    let table = DB::TABLE.replace("schedules", table);
    let past = DB::PAST;
    DB::run_sql(&database.pool, format!("UPDATE {table} SET next_at = {past}")).await;
}

fn names(storage: &Recorder) -> Vec<String> {
    storage.keys().iter().map(|key| parts(key).0.to_owned()).collect()
}

async fn refused_tasks_stop_no_others<DB: TestTable>() {
    let Some(database) = DB::database("refused tasks").await else { return };
    let Database { pool, schedules, .. } = &database;
    trigger(&database, ["a", "b", "c", "d", "e"].map(str::to_owned)).await;
    let storage = Recorder::refusing_jobs(["a", "b", "d"]);
    let (source, notices) = source(&database);
    assert!(source.push_due(&mut storage.clone()).await.expect("a storage"));
    assert_eq!(names(&storage), ["c", "e"]);
    assert_eq!((source.stats().pushed, source.stats().failures), (2, 3));
    let notices = notices.lock().expect("no panic").clone();
    for (notice, name) in notices.iter().zip(["a", "b", "d"]) {
        let start = format!("cannot push 1 task, next attempt in 30s: `{name}:");
        assert!(notice.starts_with(&start) && notice.ends_with("`: the connection is lost"));
    }
    assert_eq!(notices.len(), 3);
    let failed = schedules.list(pool, &Filter::default().failed()).await.expect("a page").schedules;
    let errors: Vec<_> = failed.iter().map(|it| (&*it.name, it.error.as_deref())).collect();
    assert_eq!(errors, ["a", "b", "d"].map(|name| (name, Some("the connection is lost"))));
}

/// It is not known whether the storage refuses the task or fails, but it has been tried often enough.
async fn refused_task_alone_waits_in_the_end<DB: TestTable>() {
    let Some(database) = DB::database("a refused task").await else { return };
    trigger(&database, ["a".to_owned()]).await;
    let (source, _) = source(&database);
    let (task, storage) = (source.clone(), Recorder::refusing_jobs(["a"]));
    let task = tokio::spawn(async move { task.push_to(storage).await.expect("a storage") });
    soon(async {
        while get(&database, "a").await.error.is_none() {
            pause().await;
        }
    })
    .await;
    assert!(get(&database, "a").await.next_at.is_some());
    source.close();
    task.await.expect("no panic");
}

async fn row_is_pushed_right_after_one_whose_task_was_refused<DB: TestTable>() {
    let Some(database) = DB::database("a row after a refused one").await else { return };
    trigger(&database, ["a", "b"].map(str::to_owned)).await;
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().stored(&database.schedules).clock(clock.clone());
    let source = source.largest_batch(1).build().expect("a source");
    let storage = Recorder::refusing_jobs(["a"]);
    let (task, pushed) = (source.clone(), storage.clone());
    let task = tokio::spawn(async move { task.push_to(pushed).await.expect("a storage") });
    soon(async {
        while get(&database, "a").await.error.is_none() {
            clock.advance(millis(100));
            sleep(millis(10)).await;
        }
        // From now on, the clock stands still, so no pause ends.
        while names(&storage) != ["b"] {
            sleep(millis(10)).await;
        }
    })
    .await;
    source.close();
    task.await.expect("no panic");
}

async fn refused_tasks_are_tried_again_without_a_pause<DB: TestTable>() {
    let Some(database) = DB::database("refused tasks again").await else { return };
    // More than the failures after which a storage that takes nothing seems to be down.
    let all: Vec<_> = (0..64).map(|index| format!("{index:02}")).collect();
    trigger(&database, all.iter().cloned()).await;
    let storage = Recorder::refusing(|| "too long".into());
    let refused = format!("UPDATE {} SET error = 'too long'", DB::TABLE);
    DB::run_sql(&database.pool, refused).await;
    let (source, _) = source(&database);
    assert!(source.push_due(&mut storage.clone()).await.expect("a storage"));
    assert_eq!(source.stats().failures, 64);
    for name in all {
        let row = get(&database, &name).await;
        assert!(row.error.is_some() && row.next_at.is_some(), "{row:?}");
    }
}

async fn triggered_runs_survive_refusals<DB: TestTable>() {
    let Some(database) = DB::database("triggers of refused tasks").await else { return };
    let Database { pool, schedules, .. } = &database;
    trigger(&database, ["a", "b"].map(str::to_owned)).await;
    let storage = Recorder::refusing_jobs(["a"]);
    assert!(push(&database, &storage).await);
    assert_eq!(names(&storage), ["b"]);
    // A removal keeps the run, and so does a version that has ended.
    let removed = schedules.remove(pool, Selection::Name("a")).await.expect("a removal");
    assert_eq!(removed, 1);
    trigger(&database, ["c".to_owned()]).await;
    assert!(push(&database, &storage).await);
    assert_eq!(names(&storage), ["b", "c"]);
    storage.refuse_jobs([]);
    retry(&database, "retired").await;
    assert!(push(&database, &storage).await);
    assert_eq!(names(&storage), ["a", "b", "c"]);

    trigger(&database, ["e", "f"].map(str::to_owned)).await;
    storage.refuse_jobs(["e"]);
    assert!(push(&database, &storage).await);
    storage.refuse_jobs([]);
    retry(&database, "schedules").await;
    assert!(push(&database, &storage).await);
    assert!(names(&storage).contains(&"e".to_owned()), "{:?}", names(&storage));
    assert_eq!(get(&database, "e").await.error, None);
}

async fn triggered_runs_survive_payloads_of_other_programs<DB: TestTable>() {
    let Some(database) = DB::database("triggers of other programs").await else { return };
    let Database { pool, schedules, .. } = &database;
    let yearly = StoredSchedule::new("a", "2099.01.01 00:00:00").payload("a text");
    schedules.put(pool, &yearly).await.expect("a valid schedule");
    schedules.trigger(pool, Selection::Name("a")).await.expect("a trigger");
    let storage = Recorder::default();
    assert!(push(&database, &storage).await);
    assert_eq!(names(&storage), [""; 0]);
    schedules.put(pool, &yearly.payload(1)).await.expect("a valid schedule");
    assert!(push(&database, &storage).await);
    assert_eq!(names(&storage), ["a"]);
}

async fn failed_push_gives_rows_back_at_once<DB: TestTable>() {
    let Some(database) = DB::database("a failed push").await else { return };
    trigger(&database, ["a".to_owned()]).await;
    let storage = Recorder::answering([Answer::Fail]);
    assert!(!push(&database, &storage).await);
    assert_eq!(names(&storage), [""; 0]);
    assert!(push(&database, &storage).await);
    assert_eq!(names(&storage), ["a"]);
}

async fn batches_are_limited_and_shrink_after_failures<DB: TestTable>() {
    let Some(database) = DB::database("batches").await else { return };
    trigger(&database, (0..100).map(|index| format!("{index:03}"))).await;
    let (source, notices) = source(&database);
    let (task, storage) = (source.clone(), Recorder::refusing(|| "down".into()));
    let task = tokio::spawn(async move { task.push_to(storage).await.expect("a storage") });
    soon(async {
        while notices.lock().expect("no panic").len() < 3 {
            pause().await;
        }
    })
    .await;
    source.close();
    task.abort();
    let notices = notices.lock().expect("no panic");
    let tasks = notices.iter().take(3).map(|it| it.split(", ").next().expect("a word"));
    let tasks: Vec<_> = tasks.collect();
    assert_eq!(tasks, ["cannot push 64 tasks", "cannot push 32 tasks", "cannot push 16 tasks"]);
}

async fn triggered_runs_of_a_schedule_are_pushed_in_batches<DB: TestTable>() {
    let Some(database) = DB::database("many triggered runs").await else { return };
    let Database { pool, schedules, .. } = &database;
    for removed in [false, true] {
        let yearly = StoredSchedule::new("a", "2099.01.01 00:00:00").payload(1);
        schedules.put(pool, &yearly).await.expect("a valid schedule");
        for _ in 0..5 {
            schedules.trigger(pool, Selection::Name("a")).await.expect("a trigger");
            // Several in one millisecond are one event.
            sleep(millis(2)).await;
        }
        if removed {
            schedules.remove(pool, Selection::Name("a")).await.expect("a removal");
        }
        let source = Source::builder().stored(schedules).largest_batch(2).build();
        let storage = Recorder::default();
        let result = source.expect("a source").push_due(&mut storage.clone()).await;
        assert!(result.expect("a storage"));
        assert_eq!((storage.keys().len(), storage.statements()), (5, 3), "{removed}");
        if !removed {
            let row = get(&database, "a").await;
            assert_eq!(row.next_at, Some(4_070_908_800_000));
            assert_eq!(row.last_at, storage.keys().last().map(|key| parts(key).1));
        }
    }
}

async fn change_after_a_refusal_loses_no_event<DB: TestTable>() {
    let Some(database) = DB::database("a change after a refusal").await else { return };
    let Database { pool, schedules, .. } = &database;
    for remove in [false, true] {
        schedules.put(pool, &often(1)).await.expect("a valid schedule");
        trigger(&database, ["b".to_owned()]).await;
        pause().await;
        let storage = Recorder::refusing_jobs(["often"]);
        assert!(push(&database, &storage).await);
        assert!(get(&database, "often").await.error.is_some());
        if remove {
            schedules.remove(pool, Selection::Name("often")).await.expect("a removal");
        } else {
            schedules.put(pool, &often(2)).await.expect("a valid schedule");
        }
        pause().await;
        storage.refuse_jobs([]);
        let source = Source::builder().stored(schedules).build().expect("a source");
        assert!(source.push_due(&mut storage.clone()).await.expect("a storage"));
        let keys: Vec<_> = storage.keys().into_iter().filter(|key| key.starts_with('o')).collect();
        let old = keys.iter().filter(|key| storage.task(key).args.payload == 1).count();
        assert!(old >= 9, "{remove}: {keys:?}");
        if !remove {
            let instants: Vec<_> = keys.iter().map(|key| parts(key).1).collect();
            assert!(instants.windows(2).all(|pair| pair[1] == pair[0] + 20), "{keys:?}");
        }
        schedules.remove(pool, Selection::Name("often")).await.expect("a removal");
    }
}

async fn dropped_events_are_counted_once<DB: TestTable>() {
    let Some(database) = DB::database("dropped events").await else { return };
    let Database { pool, schedules, .. } = &database;
    let skipping = often(1).missed(Missed::Skip);
    schedules.put(pool, &skipping).await.expect("a valid schedule");
    pause().await;
    trigger(&database, ["b".to_owned()]).await;
    let storage = Recorder::refusing_jobs(["often", "b"]);
    let (source, notices) = source(&database);
    for _ in 0..2 {
        assert!(!source.push_due(&mut storage.clone()).await.expect("a storage"));
    }
    assert_eq!(source.stats().skipped, 0);
    storage.refuse_jobs([]);
    assert!(source.push_due(&mut storage.clone()).await.expect("a storage"));
    assert!(source.stats().skipped >= 5, "{:?}", source.stats());
    // On a busy machine, further events are missed during the last push.
    let notices = notices.lock().expect("no panic");
    let skipped = notices.iter().filter_map(|it| it.strip_prefix("skipped ")?.split(' ').next());
    let skipped: u64 = skipped.map(|count| count.parse::<u64>().expect("a count")).sum();
    assert_eq!(skipped, source.stats().skipped, "{notices:?}");
}
