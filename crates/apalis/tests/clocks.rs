//! Machines with clock skew, as in the table in the documentation.

use std::time::Duration;

use apalis_core::backend::memory::MemoryStorage;
use apalis_core::worker::builder::WorkerBuilder;
use millicron::schedule;
use millicron_apalis::{ManualClock, Missed, Run, Source};

use crate::support::{Events, MIDNIGHT, Recorder, clock_at, millis, push_due, time};

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
    let mut expected = Vec::new();
    // The grace is a second. After the third step, the source restarts.
    let steps = [
        (10_000, keys(10..=10)),
        (9500, Vec::new()),
        (-5000, keys(-5..=-5)),
        (0, keys(-1..=0)),
        (9000, keys(8..=9)),
        (10_000, Vec::new()),
        (12_000, keys(11..=12)),
    ];
    for (instant, new) in steps {
        clock.set(time(MIDNIGHT + instant));
        assert!(push_due(&source, &storage));
        expected.extend(new);
        expected.sort();
        assert_eq!(storage.keys(), expected);
    }
    let stats = source.stats();
    assert_eq!((stats.pushed, stats.duplicates), (8, 1));
}

#[test]
fn clock_that_is_ahead_for_a_moment_loses_no_event() {
    let clock = clock_at(MIDNIGHT);
    let storage = Recorder::default();
    let source = source(&clock);
    for second in [0, 3600].into_iter().chain(1..=600) {
        clock.set(time(MIDNIGHT + second * 1000));
        assert!(push_due(&source, &storage));
    }
    let mut expected = keys(0..=600);
    expected.extend(keys(3599..=3600));
    assert_eq!(storage.keys(), expected);
}

#[test]
fn clock_that_is_set_forward_misses_the_events_in_between() {
    let clock = clock_at(MIDNIGHT);
    let storage = Recorder::default();
    let source = Source::builder().clock(clock.clone()).add("a", schedule!("*:*:*"), 1);
    let source = source.missed(Missed::Skip).catch_up(Duration::from_mins(1)).build();
    let source = source.expect("a source");
    assert!(push_due(&source, &storage));
    clock.set(time(MIDNIGHT + 30_000));
    assert!(push_due(&source, &storage));
    let mut expected = keys(-1..=0);
    expected.extend(keys(29..=30));
    assert_eq!(storage.keys(), expected);
    assert_eq!(source.stats().skipped, 59 + 28);
}

#[tokio::test]
async fn worker_that_is_behind_starts_nothing_before_its_instant() {
    let [right, behind] = [clock_at(MIDNIGHT), clock_at(MIDNIGHT - 5000)];
    let mut storage = MemoryStorage::new();
    let events = Events(vec![MIDNIGHT - 5000, MIDNIGHT - 1, MIDNIGHT]);
    let pushes = Source::builder().clock(right).missed(Missed::All { max: 9 }).add("a", events, 1);
    let pushes = pushes.build().expect("a source");
    assert!(pushes.push_due(&mut storage).await.expect("a storage that remembers keys"));
    assert_eq!(pushes.stats().pushed, 3);
    // A source without jobs only hands out tasks. The first task is the last in the storage, so the
    // worker has seen the others before it.
    let works = Source::builder().clock(behind.clone()).build().expect("a source");
    let (sender, mut runs) = tokio::sync::mpsc::unbounded_channel();
    let worker =
        WorkerBuilder::new("worker").backend(works.pipe_to(storage)).build(move |run: Run<u32>| {
            sender.send(run.scheduled).expect("the test receives");
            async {}
        });
    let worker = tokio::spawn(worker.run());
    assert_eq!(runs.recv().await, Some(MIDNIGHT - 5000));
    assert!(runs.try_recv().is_err());
    behind.advance(millis(4999));
    assert_eq!(runs.recv().await, Some(MIDNIGHT - 1));
    assert!(runs.try_recv().is_err());
    behind.advance(millis(1));
    assert_eq!(runs.recv().await, Some(MIDNIGHT));
    works.close();
    worker.await.expect("no panic").expect("no error");
}
