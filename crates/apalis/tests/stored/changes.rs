//! Which version of a schedule an event belongs to.

use std::time::Duration;

use millicron_apalis::stored::{Selection, StoredSchedule};
use millicron_apalis::{Missed, Source};
use tokio::time::sleep;

use super::{Database, TestTable, on_both, parts};

on_both! {
    replicas_push_each_event_once
}

async fn replicas_push_each_event_once<DB: TestTable>() {
    let Some(database) = DB::database("replicas").await else { return };
    let Database { pool, schedules, .. } = &database;
    let replica = || {
        let source = Source::builder().stored(schedules).build().expect("a source");
        let (task, storage) = (source.clone(), DB::storage(pool));
        let task = tokio::spawn(async move { task.push_to(storage).await.expect("a storage") });
        (source, task)
    };
    let replicas = [replica(), replica(), replica()];
    let often =
        StoredSchedule::new("often", "*:*:*.*/50").payload(1).missed(Missed::All { max: 100 });
    schedules.put(pool, &often).await.expect("a valid schedule");
    sleep(Duration::from_secs(2)).await;
    schedules.pause(pool, Selection::Name("often")).await.expect("a pause");
    sleep(Duration::from_millis(300)).await;
    let keys = DB::keys(pool).await;
    let instants: Vec<_> = keys.iter().map(|key| parts(key).1).collect();
    assert!(instants.windows(2).all(|pair| pair[1] == pair[0] + 50), "{instants:?}");
    assert!((38..=44).contains(&keys.len()), "{}", keys.len());
    let mut pushed = 0;
    for (source, task) in replicas {
        source.close();
        task.await.expect("no panic");
        let stats = source.stats();
        assert_eq!((stats.duplicates, stats.failures), (0, 0));
        pushed += stats.pushed;
    }
    // The storage of `SQLite` does not report duplicates. There, the change ends a claim.
    let most = keys.len() as u64 + u64::from(DB::NAME == "SQLite");
    assert!((keys.len() as u64..=most).contains(&pushed), "{pushed} of {}", keys.len());
}
