//! Machines with clock skew: the database's clock decides when events are pushed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use millicron_apalis::stored::StoredSchedule;
use millicron_apalis::{Clock, Missed, Source, SystemClock};
use tokio::time::sleep;

use super::{Database, TestTable, on_both, parts};
use crate::support::{soon, unix_millis};

on_both! {
    replicas_with_wrong_clocks_push_on_time
}

/// A clock that is five seconds behind (-1) or ahead (1).
struct WrongClock(i8);

impl Clock for WrongClock {
    fn now(&self) -> SystemTime {
        match self.0 {
            ..0 => SystemClock.now() - Duration::from_secs(5),
            0 => SystemClock.now(),
            1.. => SystemClock.now() + Duration::from_secs(5),
        }
    }

    fn elapsed(&self) -> Duration {
        SystemClock.elapsed()
    }

    fn max_sleep(&self, wait: Option<Duration>) -> Option<Duration> {
        SystemClock.max_sleep(wait)
    }
}

/// A busy machine may be late, but not each time, as all replicas with a clock that is behind would be.
async fn replicas_with_wrong_clocks_push_on_time<DB: TestTable>() {
    let mut result = Ok(());
    for _ in 0..5 {
        result = push_with_wrong_clocks::<DB>().await;
        if result.is_ok() {
            break;
        }
    }
    result.expect("pushes on time");
}

/// Returns what was late, if anything was.
async fn push_with_wrong_clocks<DB: TestTable>() -> Result<(), String> {
    let Some(database) = DB::database("clocks").await else { return Ok(()) };
    let Database { pool, schedules, .. } = &database;
    DB::record_pushes(pool).await;
    let often = StoredSchedule::new("often", "*:*:*.*/50").payload(1);
    // With the wrong clock, all events would be missed, or none would be due.
    schedules.put(pool, &often.missed(Missed::Skip)).await.expect("a valid schedule");
    let dropped = Arc::new(AtomicUsize::new(0));
    for clocks in [&[1][..], &[-1], &[-1, 0, 1]] {
        let replica = |&clock: &i8| {
            let dropped = Arc::clone(&dropped);
            let source = Source::builder()
                .stored(schedules)
                .clock(WrongClock(clock))
                .grace(Duration::from_secs(3))
                .observer(move |_| {
                    dropped.fetch_add(1, Ordering::Relaxed);
                });
            let source = source.build().expect("a source");
            let (task, storage) = (source.clone(), DB::storage(pool));
            (source, tokio::spawn(async move { task.push_to(storage).await.expect("a storage") }))
        };
        let replicas: Vec<_> = clocks.iter().map(replica).collect();
        let end = unix_millis(SystemTime::now()) + 1000;
        soon(async {
            while DB::pushes(pool).await.last().is_none_or(|(key, _)| parts(key).1 < end) {
                sleep(Duration::from_millis(50)).await;
            }
        })
        .await;
        for (source, task) in replicas {
            source.close();
            task.await.expect("no panic");
        }
    }
    let pushes = DB::pushes(pool).await;
    let instants: Vec<_> = pushes.iter().map(|(key, _)| parts(key).1).collect();
    assert!(instants.len() >= 50, "{}", instants.len());
    for (key, pushed) in &pushes {
        let delay = pushed - parts(key).1;
        assert!(delay >= 0, "{key} was pushed after {delay} ms");
        if delay >= 2500 {
            return Err(format!("{key} was pushed after {delay} ms"));
        }
    }
    let is_complete = instants.windows(2).all(|pair| pair[1] == pair[0] + 50);
    let dropped = dropped.load(Ordering::Relaxed);
    if is_complete && dropped == 0 { Ok(()) } else { Err(format!("{dropped} of {instants:?}")) }
}
