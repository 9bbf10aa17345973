//! Machines whose clocks differ, as in the table of the documentation.

use std::time::Duration;

use apalis_core::backend::memory::MemoryStorage;
use apalis_core::worker::builder::WorkerBuilder;
use millicron::schedule;
use millicron_apalis::{ManualClock, Missed, Run, Source};

use crate::support::{MIDNIGHT, Recorder, clock_at, millis, push_due};

fn source(clock: &ManualClock) -> Source<u32> {
    let source = Source::builder().clock(clock.clone()).catch_up(Duration::ZERO);
    let source = source.missed(Missed::All { max: usize::MAX }).add("a", schedule!("*:*:*"), 1);
    source.build().expect("a source")
}

fn keys(seconds: std::ops::RangeInclusive<i64>) -> Vec<String> {
    seconds.map(|second| format!("a:{}", MIDNIGHT + second * 1000)).collect()
}

#[test]
fn source_that_is_5_seconds_ahead_pushes_early_with_the_right_instants() {
    let [right, ahead] = [clock_at(MIDNIGHT), clock_at(MIDNIGHT + 5000)];
    let storage = Recorder::default();
    let sources = [source(&right), source(&ahead)];
    for second in 0..10 {
        for source in &sources {
            assert!(push_due(source, &storage));
        }
        let mut expected = keys(0..=0);
        expected.extend(
            (1..=second).filter(|second| *second < 5).flat_map(|second| keys(second..=second)),
        );
        expected.extend(keys(5..=second + 5));
        expected.sort();
        expected.dedup();
        assert_eq!(storage.keys(), expected);
        right.advance(millis(1000));
        ahead.advance(millis(1000));
    }
    for key in storage.keys() {
        let task = storage.task(&key);
        let seconds = u64::try_from(task.args.scheduled / 1000).expect("after 1970");
        assert_eq!(task.run_at(), Some(seconds), "the storage gives it out at its instant");
    }
}

#[test]
fn source_that_is_5_seconds_behind_misses_nothing() {
    let behind = clock_at(MIDNIGHT - 5000);
    let storage = Recorder::default();
    let alone = source(&behind);
    for _ in 0..=10 {
        assert!(push_due(&alone, &storage));
        behind.advance(millis(1000));
    }
    assert_eq!(storage.keys(), keys(-5..=5));
    assert_eq!(alone.stats().pushed, 11);
}

#[test]
fn clock_that_is_set_back_repeats_nothing() {
    let clock = clock_at(MIDNIGHT);
    let storage = Recorder::default();
    let source = source(&clock);
    clock.advance(millis(500));
    for second in [10, -5, 0, 9, 10, 12] {
        clock.set(crate::support::time(MIDNIGHT + second * 1000));
        let tasks = storage.keys().len();
        assert!(push_due(&source, &storage));
        assert!(second == 10 && tasks < 2 || second == 12 || storage.keys().len() == tasks);
    }
    assert_eq!(source.stats().duplicates, 0);
    assert!(storage.keys().contains(&keys(12..=12)[0]));
}

#[test]
fn clock_that_is_set_forward_misses_the_events_in_between() {
    let clock = clock_at(MIDNIGHT);
    let storage = Recorder::default();
    let source = Source::builder().clock(clock.clone()).add("a", schedule!("*:*:*"), 1);
    let source = source.missed(Missed::Skip).catch_up(Duration::from_mins(1)).build();
    let source = source.expect("a source");
    assert!(push_due(&source, &storage));
    clock.set(crate::support::time(MIDNIGHT + 30_000));
    assert!(push_due(&source, &storage));
    let mut expected = keys(-1..=0);
    expected.extend(keys(29..=30));
    assert_eq!(storage.keys(), expected);
    assert_eq!(source.stats().skipped, 59 + 28);
}

#[tokio::test]
async fn worker_that_is_behind_starts_nothing_before_its_instant() {
    let [right, behind] = [clock_at(MIDNIGHT), clock_at(MIDNIGHT - 5000)];
    // The storage has the task of a machine whose clock is right.
    let early = Source::builder().clock(behind.clone()).catch_up(Duration::ZERO);
    let early = early.ahead(Duration::from_secs(5)).add("a", schedule!("0:00:00"), 1).build();
    let early = early.expect("a source");
    let (sender, mut runs) = tokio::sync::mpsc::unbounded_channel();
    let worker = WorkerBuilder::new("worker").backend(early.pipe_to(MemoryStorage::new())).build(
        move |run: Run<u32>| {
            sender.send(run.scheduled).expect("the test receives");
            async {}
        },
    );
    let worker = tokio::spawn(worker.run());
    while early.stats().pushed == 0 {
        tokio::task::yield_now().await;
    }
    assert!(runs.try_recv().is_err());
    right.advance(millis(5000));
    behind.advance(millis(5000));
    assert_eq!(runs.recv().await, Some(MIDNIGHT));
    early.shutdown();
    worker.await.expect("no panic").expect("no error");
}
