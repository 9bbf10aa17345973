//! Jobs that are futures, and schedules as streams.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::support::{Log, at, secs, start, to_millis, until};
use millicron::{Recurrence, Schedule, every, schedule};
use millicron_scheduler::{
    Event, Job, ManualClock, Outcome, Overlap, RunContext, Scheduler, Ticks, Workers,
};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio_stream::StreamExt as _;

const TENTHS: Schedule = schedule!("*:*:*.*/100");

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("there are threads")
}

/// One worker, and how runs end.
fn scheduler() -> (ManualClock, Scheduler, Log<Outcome>) {
    let (clock, ends) = (ManualClock::new(start()), Log::new());
    let told = ends.clone();
    let observer = move |event: &Event| {
        if let Event::Finished { outcome, .. } = event {
            told.add(outcome.clone());
        }
    };
    let builder = Scheduler::builder().clock(clock.clone()).workers(Workers::Pool(1));
    (clock, builder.observer(observer).start().expect("there are threads"), ends)
}

#[test]
fn futures_run_and_their_ends_are_known() {
    let (runtime, (clock, scheduler, ends)) = (runtime(), scheduler());
    let ran = Log::new();
    let log = ran.clone();
    let job = Job::future(runtime.handle(), move |run: RunContext| {
        let log = log.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            log.add(run.scheduled());
            match run.number() {
                2 => Err("the second"),
                3 => panic!("the third"),
                _ => Ok(()),
            }
        }
    });
    scheduler.add_job(schedule!("*:*:00"), job).expect("there is room");
    clock.advance(secs(240));
    assert_eq!(ran.take(), [at(40), at(100), at(160), at(220)]);
    let failed = Outcome::Failed("the second".to_owned());
    let expected =
        [Outcome::Succeeded, failed, Outcome::Panicked(String::new()), Outcome::Succeeded];
    assert_eq!(ends.take(), expected);
    assert_eq!((scheduler.stats().completed, scheduler.stats().failed), (4, 2));
}

/// That the future is made panics, not the future.
#[test]
fn what_makes_the_future_may_panic() {
    let (runtime, (clock, scheduler, ends)) = (runtime(), scheduler());
    let job = Job::future(runtime.handle(), |run: RunContext| {
        assert!(run.number() > 1, "no future");
        async {}
    });
    scheduler.add_job(schedule!("*:*:00"), job).expect("there is room");
    clock.advance(secs(120));
    let ends = ends.take();
    assert!(matches!(ends[..], [Outcome::Panicked(_), Outcome::Succeeded]), "{ends:?}");
}

#[test]
fn futures_hold_no_worker() {
    let (runtime, (clock, scheduler, _)) = (runtime(), scheduler());
    let (gate, going) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicU64::new(0)));
    let (pass, count) = (Arc::clone(&gate), Arc::clone(&going));
    let job = Job::future(runtime.handle(), move |_| {
        let pass = Arc::clone(&pass);
        count.fetch_add(1, Ordering::Relaxed);
        async move { drop(pass.acquire().await) }
    });
    let job = job.overlap(Overlap::Allow { max: 50 });
    let job = scheduler.add_job(every(1).hours(), job).expect("there is room");
    // There is one worker.
    for _ in 0..50 {
        assert!(job.trigger_now());
    }
    assert!(!job.trigger_now());
    until(|| going.load(Ordering::Relaxed) == 50);
    assert_eq!((scheduler.stats().running, scheduler.stats().completed), (50, 0));
    gate.add_permits(1);
    clock.advance(Duration::ZERO);
    assert_eq!((scheduler.stats().running, scheduler.stats().completed), (0, 50));
}

#[test]
fn a_runtime_that_ends_abandons_its_runs() {
    let (runtime, (clock, scheduler, ends)) = (runtime(), scheduler());
    let job = Job::future(runtime.handle(), |_| pending::<()>());
    let job = scheduler.add_job(every(1).minutes(), job).expect("there is room");
    assert!(job.trigger_now());
    until(|| scheduler.stats().running == 1);
    runtime.shutdown_background();
    until(|| scheduler.stats().completed == 1);
    // Nor is there any that could begin.
    clock.advance(secs(120));
    assert_eq!(ends.take(), [Outcome::Abandoned, Outcome::Abandoned, Outcome::Abandoned]);
    assert_eq!((scheduler.stats().running, scheduler.stats().failed), (0, 3));
}

/// A future waits for the token of its run rather than to look at it.
#[test]
fn a_future_is_told_to_end() {
    let (runtime, (_clock, scheduler, ends)) = (runtime(), scheduler());
    let job = Job::future(runtime.handle(), |run: RunContext| async move {
        run.token().cancelled().await;
        // Once it is told, it is told for ever.
        run.token().cancelled().await;
    });
    let job = scheduler.add_job(every(1).minutes(), job).expect("there is room");
    assert!(job.trigger_now());
    until(|| scheduler.stats().running == 1);
    assert!(job.cancel());
    until(|| scheduler.stats().completed == 1);
    assert_eq!(ends.take(), [Outcome::Succeeded]);
}

/// The events come in order, at their time, and none between is lost while they
/// are awaited quickly.
async fn follow<R: Recurrence>(recurrence: R, mut ticks: Ticks<R>) {
    let mut last = SystemTime::now();
    for _ in 0..5 {
        let tick = ticks.next().await.expect("there are more");
        assert!(tick <= SystemTime::now(), "it is early");
        assert!(tick > last, "it comes twice");
        assert!(recurrence.matches(to_millis(tick)), "it is an event");
        last = tick;
    }
}

#[test]
fn a_schedule_is_a_stream_of_its_events() {
    runtime().block_on(async {
        let ticks = Ticks::new(TENTHS);
        assert!(format!("{ticks:?}").contains("Ticks"));
        follow(TENTHS, ticks).await;
    });
}

#[test]
fn a_schedule_in_a_zone_is_a_stream_of_its_events() {
    runtime().block_on(async {
        let tenths = TENTHS.in_zone(jiff::tz::TimeZone::UTC);
        let ticks = Ticks::new(tenths.clone());
        follow(tenths, ticks).await;
    });
}

#[test]
fn events_that_nobody_awaited_come_as_the_last_of_them() {
    runtime().block_on(async {
        let mut ticks = Ticks::new(TENTHS);
        let before = SystemTime::now();
        tokio::time::sleep(Duration::from_millis(450)).await;
        let tick = ticks.next().await.expect("there are more");
        assert!(tick >= before + Duration::from_millis(350), "it stands for the others");
        assert!(ticks.next().await.expect("there are more") > tick);
    });
}

#[test]
fn a_stream_without_events_ends() {
    runtime().block_on(async {
        let never = schedule!("2005.1.1 00:00:00");
        assert_eq!(Ticks::new(never).next().await, None);
    });
}
