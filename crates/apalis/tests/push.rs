//! Which tasks are pushed, and how.

use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;

use millicron::schedule;
use millicron_apalis::{Missed, Notice, Source, SourceBuilder};

use crate::support::{Answer, Events, MIDNIGHT, Recorder, clock_at, millis, push_due};

fn all(clock: &millicron_apalis::ManualClock) -> SourceBuilder<u32> {
    Source::builder().clock(clock.clone()).missed(Missed::All { max: usize::MAX })
}

fn events(count: i64) -> Events {
    Events((0..count).map(|n| MIDNIGHT + n).collect())
}

#[test]
fn task_has_the_key_the_instant_and_the_payload_of_its_event() {
    let clock = clock_at(MIDNIGHT + 1999);
    let job = millicron_apalis::Job::new("tick", schedule!("*:*:*.*/999"), 7);
    let source = all(&clock).add_job(job.max_attempts(3).priority(2)).build().expect("a source");
    let storage = Recorder::default();
    assert!(push_due(&source, &storage));
    let task = storage.task(&format!("tick:{}", MIDNIGHT + 1999));
    assert_eq!(task.args.key(), format!("tick:{}", MIDNIGHT + 1999));
    assert_eq!(
        (&*task.args.job, task.args.scheduled, task.args.payload),
        ("tick", MIDNIGHT + 1999, 7)
    );
    assert_eq!(task.run_at(), Some(u64::try_from(MIDNIGHT).expect("after 1970") / 1000 + 1));
    assert_eq!((task.max_attempts(), task.priority()), (Some(3), Some(2)));
}

#[test]
fn batches_are_split_until_duplicates_are_alone() {
    let clock = clock_at(MIDNIGHT + 1000);
    let storage = Recorder::default();
    let some = Events(vec![MIDNIGHT + 3, MIDNIGHT + 700]);
    let first = all(&clock).add("tick", some, 1).build().expect("a source");
    assert!(push_due(&first, &storage));
    assert_eq!(storage.keys().len(), 2);
    let second = all(&clock).add("tick", events(1000), 1).build().expect("a source");
    assert!(push_due(&second, &storage));
    assert_eq!(storage.keys().len(), 1000);
    let stats = second.stats();
    assert_eq!((stats.pushed, stats.duplicates, stats.waiting), (998, 2, 0));
    assert!(storage.statements() < 100, "{} statements", storage.statements());
}

#[test]
fn batches_are_no_larger_than_the_largest() {
    let clock = clock_at(MIDNIGHT + 1000);
    let storage = Recorder::default();
    let source = all(&clock).largest_batch(10).add("tick", events(1000), 1);
    assert!(push_due(&source.build().expect("a source"), &storage));
    assert_eq!((storage.keys().len(), storage.statements()), (1000, 100));
}

#[test]
fn task_that_the_storage_refuses_does_not_hold_up_others() {
    let clock = clock_at(MIDNIGHT);
    let storage = Recorder::answering([Answer::Fail]);
    let source = all(&clock).add("a", events(1), 1).add("b", Events(vec![MIDNIGHT + 200]), 1);
    let source = source.build().expect("a source");
    assert!(!push_due(&source, &storage));
    assert_eq!((source.stats().failures, source.stats().waiting), (1, 1));
    clock.advance(millis(200));
    assert!(push_due(&source, &storage));
    assert_eq!(storage.keys().len(), 2);
}

#[test]
fn pauses_between_attempts_grow_up_to_30_seconds() {
    let clock = clock_at(MIDNIGHT);
    let storage = Recorder::answering([Answer::Fail; 12]);
    let source = all(&clock).add("a", events(1), 1).build().expect("a source");
    assert!(!push_due(&source, &storage));
    let mut pauses = Vec::new();
    let mut pause = Duration::ZERO;
    while source.stats().pushed == 0 {
        clock.advance(millis(100));
        pause += millis(100);
        let failures = source.stats().failures;
        push_due(&source, &storage);
        if source.stats().failures > failures || source.stats().pushed > 0 {
            pauses.push(std::mem::take(&mut pause).as_millis() / 100);
        }
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
}

#[test]
fn task_is_given_up_when_its_window_has_passed() {
    let clock = clock_at(MIDNIGHT);
    let storage = Recorder::answering([Answer::Fail; 20]);
    let source = all(&clock).catch_up(Duration::from_mins(1)).add("a", events(1), 1);
    let source = source.build().expect("a source");
    while source.stats().expired == 0 {
        push_due(&source, &storage);
        clock.advance(Duration::from_secs(1));
    }
    assert_eq!(source.stats().waiting, 0);
    assert!(storage.keys().is_empty());
}

#[test]
fn tasks_of_a_dropped_worker_are_pushed_by_the_next() {
    let clock = clock_at(MIDNIGHT + 10);
    let source = all(&clock).add("a", events(10), 1).build().expect("a source");
    {
        let mut push = pin!(source.push_to(Recorder::answering([Answer::Hang])));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(push.as_mut().poll(&mut cx).is_pending());
        assert_eq!(source.stats().waiting, 0);
    }
    assert_eq!(source.stats().waiting, 10);
    let storage = Recorder::default();
    assert!(push_due(&source, &storage));
    assert_eq!(storage.keys().len(), 10);
}

#[test]
fn push_that_hangs_is_reported_once() {
    let clock = clock_at(MIDNIGHT);
    let (sender, notices) = std::sync::mpsc::channel();
    let source = all(&clock).add("a", events(3), 1).catch_up(Duration::ZERO);
    let observer = move |notice: &Notice<'_>| sender.send(notice.to_string()).expect("a receiver");
    let source = source.observer(observer).build().expect("a source");
    let mut push = pin!(source.push_to(Recorder::answering([Answer::Hang])));
    let mut cx = Context::from_waker(Waker::noop());
    for seconds in [0, 7, 1, 60] {
        clock.advance(Duration::from_secs(seconds));
        assert!(push.as_mut().poll(&mut cx).is_pending());
    }
    let notices: Vec<_> = notices.try_iter().collect();
    assert_eq!(notices, ["pushing 1 task has not ended after 8s"]);
}

#[test]
fn answer_of_a_push_that_was_given_up_does_not_count_for_the_next() {
    let clock = clock_at(MIDNIGHT);
    let source = all(&clock).add("a", schedule!("*:*:*"), 1).catch_up(Duration::ZERO).build();
    let source = source.expect("a source");
    for answers in [[Answer::Wait, Answer::Take], [Answer::Wait, Answer::Fail]] {
        let mut storage = Recorder::answering(answers);
        for seconds in 0..3 {
            let mut cx = Context::from_waker(Waker::noop());
            let mut push = pin!(source.push_due(&mut storage));
            let is_pending = push.as_mut().poll(&mut cx).is_pending();
            // The first push is given up, as after a timeout.
            assert_eq!(is_pending, seconds == 0);
            clock.advance(millis(1000));
        }
        assert_eq!(storage.keys().len(), 3);
    }
    let stats = source.stats();
    assert_eq!((stats.pushed, stats.duplicates, stats.waiting), (5, 1, 0));
}

/// Pushes the events that fall due while a push of the first event hangs.
fn keys_after_a_hang(seconds: u64) -> usize {
    let clock = clock_at(MIDNIGHT);
    let events = Events((0..1000).map(|n| MIDNIGHT + 100 * n).collect());
    let source = Source::builder().clock(clock.clone()).add("a", events, 1);
    let source = source.build().expect("a source");
    let storage = Recorder::answering([Answer::Wait]);
    let mut push = pin!(source.push_to(storage.clone()));
    for _ in 0..2 {
        assert!(push.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        clock.advance(Duration::from_secs(seconds));
    }
    assert_eq!(source.stats().skipped + source.stats().pushed, 10 * seconds + 1);
    storage.keys().len()
}

#[test]
fn events_during_a_push_that_hung_are_not_missed() {
    assert_eq!(keys_after_a_hang(5), 51);
    // The first event and the events within the grace: this is an outage.
    assert_eq!(keys_after_a_hang(50), 12);
}

#[test]
fn storage_that_is_always_slow_gets_no_further_behind() {
    let clock = clock_at(MIDNIGHT);
    let source = Source::builder().clock(clock.clone()).add("a", schedule!("*:*:*.*/100"), 1);
    let source = source.catch_up(Duration::ZERO).largest_batch(1).build().expect("a source");
    // Each push takes five seconds.
    let storage = Recorder::answering([Answer::Wait, Answer::Take].repeat(100));
    let mut push = pin!(source.push_to(storage.clone()));
    for _ in 0..100 {
        assert!(push.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        clock.advance(millis(5000));
    }
    let keys = storage.keys();
    let last = keys.last().and_then(|key| key.strip_prefix("a:")).expect("a key");
    let last: i64 = last.parse().expect("an instant");
    assert!(MIDNIGHT + 500_000 - last < 20_000, "{last}");
}

#[test]
fn events_on_time_are_pushed_before_a_backlog() {
    let clock = clock_at(MIDNIGHT + 5000);
    let old = all(&clock).add("old", events(100), 1).add("tick", schedule!("*:*:*"), 1);
    let source = old.catch_up(Duration::from_secs(10)).build().expect("a source");
    // The answer to the third batch never comes.
    let storage = Recorder::answering([Answer::Take, Answer::Take, Answer::Hang]);
    let mut push = pin!(source.push_to(storage.clone()));
    assert!(push.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let keys = storage.keys();
    assert!(keys.contains(&format!("tick:{}", MIDNIGHT + 5000)), "{keys:?}");
    assert!(keys.contains(&format!("tick:{}", MIDNIGHT + 4000)), "{keys:?}");
}

#[test]
fn events_that_do_not_become_tasks_are_reported() {
    let clock = clock_at(MIDNIGHT);
    let (sender, notices) = std::sync::mpsc::channel();
    let source = Source::builder()
        .clock(clock.clone())
        .observer(move |notice| sender.send(notice.to_string()).expect("the test receives"))
        .missed(Missed::Skip)
        .catch_up(Duration::from_secs(20))
        .add("tick", schedule!("*:*:*"), 1)
        .build()
        .expect("a source");
    let storage = Recorder::default();
    assert!(push_due(&source, &storage));
    assert_eq!(notices.try_iter().collect::<Vec<_>>(), ["skipped 19 events of `tick`"]);
    clock.advance(Duration::from_mins(1));
    assert!(push_due(&source, &storage));
    assert_eq!(
        notices.try_iter().collect::<Vec<_>>(),
        ["39 events of `tick` are before the catch-up window", "skipped 19 events of `tick`"],
    );
    let stats = source.stats();
    assert_eq!((stats.pushed, stats.skipped, stats.expired), (4, 38, 39));
}
