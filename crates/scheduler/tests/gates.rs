//! Gates, which may veto the start of a run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use millicron::{Schedule, every, schedule};
use millicron_scheduler::{
    Event, Gate, Job, ManualClock, Overlap, Retry, RunContext, Scheduler, SkipReason, Workers,
};

use crate::support::{
    Log, LogRuns as _, after, at, builder, lock, receive, secs, short, start, until, watched,
};

const MINUTES: Schedule = schedule!("*:*:00");

/// A scheduler with a gate, and a log of the events that its observer receives.
fn gated(gate: impl Gate) -> (ManualClock, Scheduler, Log<String>) {
    let (log, (clock, builder)) = (Log::new(), builder());
    let sink = log.clone();
    let observer = move |event: &Event| match event {
        Event::Panicked { during, message } => sink.add(format!("panic of {during}: {message}")),
        event => sink.add(short(event)),
    };
    let builder = builder.observer(observer).gate(gate);
    (clock, builder.start().expect("the scheduler starts"), log)
}

#[test]
fn a_gate_decides_by_job_and_instant() {
    let asked = Log::new();
    let sink = asked.clone();
    let (clock, scheduler, _) = gated(move |run: &RunContext| {
        sink.add((run.job_name().to_string(), after(run.scheduled()), run.number()));
        run.job_name().to_string() == "a" || run.scheduled() == at(100)
    });
    let runs = Log::new();
    for name in ["a", "b"] {
        let sink = runs.clone();
        let run = move |run: RunContext| sink.add((name, after(run.scheduled())));
        scheduler.add_job(MINUTES, Job::new(run).name(name)).expect("the job is added");
        clock.advance(Duration::ZERO);
    }
    clock.advance(secs(170));
    let mut runs = runs.take();
    runs.sort_unstable();
    assert_eq!(runs, [("a", 40), ("a", 100), ("a", 160), ("b", 100)]);
    assert_eq!(asked.take().len(), 6, "each run is asked for once");
    let stats = scheduler.stats();
    assert_eq!((stats.completed, stats.skipped, stats.running, stats.ready), (4, 2, 0, 0));
    let info = scheduler.job("b").and_then(|job| job.info()).expect("the job exists");
    assert_eq!((info.skipped, info.running), (2, 0));
}

#[test]
fn a_vetoed_run_is_skipped_and_its_job_goes_on() {
    let (clock, scheduler, log) = gated(|run: &RunContext| run.scheduled() != at(100));
    scheduler.add(MINUTES, |_| {}).expect("the job is added");
    clock.advance(secs(170));
    let expected = [
        "added 40",
        "run 40 +0",
        "end 40 Succeeded",
        "skip 100-100 1 Gate",
        "run 160 +0",
        "end 160 Succeeded",
    ];
    assert_eq!(log.take(), expected);
}

/// Each event is reported once.
#[test]
fn a_veto_skips_the_run_and_not_the_events_that_were_coalesced_into_it() {
    let counts = Log::new();
    let sink = counts.clone();
    let observer = move |event: &Event| match event {
        Event::Skipped { count, reason: SkipReason::Gate, .. } => {
            sink.add(format!("{count} skipped"));
        }
        Event::Coalesced { count, into, .. } => {
            sink.add(format!("{count} coalesced into {}", after(*into)));
        }
        _ => {}
    };
    let (clock, builder) = builder();
    let builder = builder.observer(observer).gate(|_: &RunContext| false);
    let scheduler = builder.start().expect("the scheduler starts");
    scheduler.add(MINUTES, |_| {}).expect("the job is added");
    clock.set(at(225));
    assert_eq!((scheduler.stats().completed, scheduler.stats().skipped), (0, 1));
    assert_eq!(counts.take(), ["3 coalesced into 220", "1 skipped"]);
}

#[test]
fn a_gate_that_panics_does_not_let_the_run_start() {
    for workers in [Workers::Pool(1), Workers::Pool(3), Workers::PerRun] {
        let (clock, scheduler, log) = gated(|run: &RunContext| {
            assert!(run.scheduled() != at(40), "a gate that fails");
            true
        });
        scheduler.set_workers(workers).expect("the workers start");
        let runs = Log::new();
        scheduler.add(MINUTES, runs.job()).expect("the job is added");
        clock.advance(secs(110));
        assert_eq!(runs.take(), [at(100)], "{workers:?}");
        let log = log.take();
        assert!(log.contains(&"panic of a gate: a gate that fails".to_owned()), "{log:?}");
        assert!(log.contains(&"skip 40-40 1 Gate".to_owned()), "{log:?}");
    }
}

#[test]
fn a_vetoed_one_shot_job_is_removed_and_dropped() {
    for name in [None, Some("named")] {
        let (clock, scheduler, log) = gated(|_: &RunContext| false);
        let held = Arc::new(());
        let kept = Arc::clone(&held);
        let job = Job::once(move |_| drop(kept));
        let job = if let Some(name) = name { job.name(name) } else { job };
        let handle = scheduler.once_job(at(10), job).expect("the job is added");
        clock.advance(secs(20));
        assert_eq!(log.take(), ["added 10", "skip 10-10 1 Gate", "over"], "{name:?}");
        assert_eq!((Arc::strong_count(&held), handle.name()), (1, None), "{name:?}");
        assert!(scheduler.close_and_wait(secs(60)).is_empty());
    }
}

#[test]
fn a_vetoed_run_lets_the_queued_one_start() {
    let asked = AtomicU64::new(0);
    let (clock, scheduler, _) =
        gated(move |_: &RunContext| asked.fetch_add(1, Ordering::Relaxed) == 1);
    let runs = Log::new();
    let job = Job::new(runs.job()).overlap(Overlap::Queue { max: 5 });
    let job = scheduler.add_job(every(1).hours(), job).expect("the job is added");
    for _ in 0..3 {
        assert!(job.trigger_now());
    }
    clock.advance(Duration::ZERO);
    assert_eq!(runs.take().len(), 1);
    assert_eq!((scheduler.stats().skipped, scheduler.stats().completed), (2, 1));
    assert_eq!(job.info().map(|info| info.runs), Some(1));
}

#[test]
fn each_attempt_asks_the_gate() {
    let asked = Log::new();
    let sink = asked.clone();
    let (clock, scheduler, log) = gated(move |run: &RunContext| {
        sink.add((run.number(), run.attempt()));
        run.attempt() < 3
    });
    let job = Job::new(|_| Err::<(), _>("it always fails")).retry(Retry::constant(secs(1)));
    scheduler.once_job(at(1), job).expect("the job is added");
    clock.advance(secs(60));
    assert_eq!(asked.take(), [(1, 1), (1, 2), (1, 3)]);
    assert_eq!((scheduler.stats().completed, scheduler.stats().waiting), (2, 0));
    let last = log.take().into_iter().skip_while(|event| !event.starts_with("no retry"));
    assert_eq!(last.collect::<Vec<_>>(), ["no retry [1]", "over"]);
}

#[test]
fn closing_while_a_gate_is_asked_starts_nothing() {
    watched(|| {
        let (asked, asking) = channel();
        let (asked, is_open) = (Mutex::new(asked), Arc::new(AtomicBool::new(false)));
        let opened = Arc::clone(&is_open);
        let (_clock, scheduler, _) = gated(move |run: &RunContext| {
            lock(&asked).send(run.clone()).expect("the test receives it");
            until(|| opened.load(Ordering::Relaxed));
            true
        });
        let runs = Log::new();
        scheduler.once(start(), runs.job()).expect("the job is added");
        let run = receive(&asking);
        let left = scheduler.close_and_wait(Duration::from_millis(1));
        assert_eq!(left.len(), 1, "the gate is still asked");
        assert!(run.token().is_cancelled());
        is_open.store(true, Ordering::Relaxed);
        assert!(scheduler.close_and_wait(secs(900)).is_empty());
        assert_eq!(runs.take(), []);
    });
}

#[test]
fn a_job_that_is_cancelled_while_its_gate_is_asked_does_not_start_again() {
    let (asked, asking) = channel();
    let (asked, is_open) = (Mutex::new(asked), Arc::new(AtomicBool::new(false)));
    let opened = Arc::clone(&is_open);
    let (clock, scheduler, _) = gated(move |run: &RunContext| {
        lock(&asked).send(run.clone()).expect("the test receives it");
        until(|| opened.load(Ordering::Relaxed));
        true
    });
    let job = scheduler.add(MINUTES, |_| {}).expect("the job is added");
    assert!(job.trigger_now());
    let run = receive(&asking);
    assert!(job.cancel() && run.token().is_cancelled());
    is_open.store(true, Ordering::Relaxed);
    clock.advance(secs(600));
    let stats = scheduler.stats();
    assert_eq!((stats.completed, stats.running, stats.waiting), (0, 0, 0));
}

#[test]
fn a_retry_that_waits_for_its_gate_is_reported_when_its_job_is_cancelled() {
    let (asked, asking) = channel();
    let (asked, is_open) = (Mutex::new(asked), Arc::new(AtomicBool::new(false)));
    let opened = Arc::clone(&is_open);
    let (clock, scheduler, log) = gated(move |run: &RunContext| {
        if run.attempt() > 1 {
            lock(&asked).send(()).expect("the test receives it");
            until(|| opened.load(Ordering::Relaxed));
        }
        true
    });
    let job = Job::new(|_| Err::<(), _>("it fails")).retry(Retry::constant(secs(5)));
    let job = scheduler.add_job(MINUTES, job).expect("the job is added");
    clock.advance(secs(41));
    // A manual clock waits for runs in progress.
    let later = clock.clone();
    let advance = thread::spawn(move || later.advance(secs(5)));
    receive(&asking);
    assert!(job.cancel());
    is_open.store(true, Ordering::Relaxed);
    advance.join().expect("the time passes");
    assert_eq!(log.take().last().map(String::as_str), Some("cancel [] Some(100) retries [40]"));
}

/// Its job is removed when the gate is asked.
#[test]
fn a_one_shot_job_that_waits_for_its_gate_is_cancelled_once() {
    let (asked, asking) = channel();
    let (asked, is_open) = (Mutex::new(asked), Arc::new(AtomicBool::new(false)));
    let opened = Arc::clone(&is_open);
    let (clock, scheduler, log) = gated(move |_: &RunContext| {
        lock(&asked).send(()).expect("the test receives it");
        until(|| opened.load(Ordering::Relaxed));
        true
    });
    let job = scheduler.once(start(), |_| {}).expect("the job is added");
    receive(&asking);
    assert_eq!((job.cancel(), job.cancel()), (true, false));
    is_open.store(true, Ordering::Relaxed);
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), ["added 0", "cancel [0] None"]);
    assert_eq!((scheduler.stats().completed, scheduler.stats().running), (0, 0));
}

#[cfg(feature = "tokio")]
mod awaited {
    use tokio::runtime::{Builder, Runtime};
    use tokio::sync::Semaphore;

    use super::*;

    fn runtime() -> Runtime {
        Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("it starts")
    }

    #[test]
    fn an_async_gate_decides_by_instant_and_may_panic() {
        let (runtime, (clock, builder)) = (runtime(), builder());
        let gate = |run: RunContext| async move {
            tokio::task::yield_now().await;
            assert!(run.scheduled() != at(100), "a gate that fails");
            run.scheduled() != at(160)
        };
        let builder = builder.async_gate(runtime.handle(), gate).workers(Workers::Pool(1));
        let scheduler = builder.start().expect("the scheduler starts");
        let runs = Log::new();
        scheduler.add(MINUTES, runs.job()).expect("the job is added");
        clock.advance(secs(230));
        assert_eq!(runs.take(), [at(40), at(220)]);
        assert_eq!(scheduler.stats().skipped, 2);
    }

    #[test]
    fn an_async_gate_occupies_no_worker() {
        let (runtime, (clock, builder)) = (runtime(), builder());
        let (pass, asked) = (Arc::new(Semaphore::new(0)), Log::new());
        let (permits, sink) = (Arc::clone(&pass), asked.clone());
        let gate = move |run: RunContext| {
            sink.add(run.number());
            let permits = Arc::clone(&permits);
            async move { permits.acquire().await.is_ok() }
        };
        let builder = builder.async_gate(runtime.handle(), gate).workers(Workers::Pool(1));
        let scheduler = builder.start().expect("the scheduler starts");
        let runs = Log::new();
        for _ in 0..20 {
            scheduler.once(start(), runs.job()).expect("the job is added");
        }
        until(|| asked.len() == 20);
        assert_eq!(runs.len(), 0);
        pass.add_permits(1);
        clock.advance(Duration::ZERO);
        assert_eq!(runs.len(), 20);
    }

    #[test]
    fn an_async_gate_ends_when_the_scheduler_closes_if_it_awaits_that() {
        let (runtime, (_clock, builder)) = (runtime(), builder());
        let asked = Log::new();
        let sink = asked.clone();
        let gate = move |run: RunContext| {
            sink.add(run.number());
            async move {
                run.token().cancelled().await;
                true
            }
        };
        let scheduler = builder.async_gate(runtime.handle(), gate).start().expect("it starts");
        let runs = Log::new();
        scheduler.once(start(), runs.job()).expect("the job is added");
        until(|| asked.len() == 1);
        assert!(scheduler.close_and_wait(secs(60)).is_empty());
        assert_eq!(runs.take(), []);
    }

    #[test]
    fn a_gate_whose_runtime_shuts_down_lets_nothing_start() {
        let (runtime, (clock, builder)) = (runtime(), builder());
        let asked = Log::new();
        let sink = asked.clone();
        let gate = move |run: RunContext| {
            sink.add(run.number());
            std::future::pending::<bool>()
        };
        let scheduler = builder.async_gate(runtime.handle(), gate).start().expect("it starts");
        scheduler.once(start(), |_| {}).expect("the job is added");
        until(|| asked.len() == 1);
        runtime.shutdown_background();
        scheduler.once(start(), |_| {}).expect("the job is added");
        clock.advance(Duration::ZERO);
        assert_eq!((scheduler.stats().completed, scheduler.stats().skipped), (0, 2));
    }
}
