//! Jobs that are futures, and streams of events.

use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use millicron::{Recurrence, Schedule, every, schedule};
use millicron_scheduler::{
    AddErrorKind, Event, Job, ManualClock, Outcome, Overlap, RunContext, Scheduler, Ticks, Workers,
};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio_stream::{Stream as _, StreamExt as _};

use crate::support::{Log, at, secs, start, to_millis, until};

const TENTHS: Schedule = schedule!("*:*:*.*/100");

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("the runtime starts")
}

/// A scheduler with one worker, and a log of the outcomes.
fn scheduler() -> (ManualClock, Scheduler, Log<Outcome>) {
    let (clock, ends) = (ManualClock::new(start()), Log::new());
    let sink = ends.clone();
    let observer = move |event: &Event| {
        if let Event::Finished { outcome, .. } = event {
            sink.add(outcome.clone());
        }
    };
    let builder = Scheduler::builder().clock(clock.clone()).workers(Workers::Pool(1));
    (clock, builder.observer(observer).start().expect("the scheduler starts"), ends)
}

#[test]
fn futures_run_and_report_their_outcomes() {
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
    scheduler.add_job(schedule!("*:*:00"), job).expect("the job is added");
    clock.advance(secs(240));
    assert_eq!(ran.take(), [at(40), at(100), at(160), at(220)]);
    let failed = Outcome::Failed("the second".to_owned());
    let expected =
        [Outcome::Succeeded, failed, Outcome::Panicked(String::new()), Outcome::Succeeded];
    assert_eq!(ends.take(), expected);
    assert_eq!((scheduler.stats().completed, scheduler.stats().failed), (4, 2));
}

/// Here the closure that creates the future panics, not the future itself.
#[test]
fn a_panic_while_creating_the_future_fails_the_run() {
    let (runtime, (clock, scheduler, ends)) = (runtime(), scheduler());
    let job = Job::future(runtime.handle(), |run: RunContext| {
        assert!(run.number() > 1, "no future");
        async {}
    });
    scheduler.add_job(schedule!("*:*:00"), job).expect("the job is added");
    clock.advance(secs(120));
    let ends = ends.take();
    assert!(matches!(ends[..], [Outcome::Panicked(_), Outcome::Succeeded]), "{ends:?}");
}

#[test]
fn futures_occupy_no_worker() {
    let (runtime, (clock, scheduler, _)) = (runtime(), scheduler());
    let (gate, going) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicU64::new(0)));
    let (pass, count) = (Arc::clone(&gate), Arc::clone(&going));
    let job = Job::future(runtime.handle(), move |_| {
        let pass = Arc::clone(&pass);
        count.fetch_add(1, Ordering::Relaxed);
        async move { drop(pass.acquire().await) }
    });
    let job = job.overlap(Overlap::Allow { max: 50 });
    let job = scheduler.add_job(every(1).hours(), job).expect("the job is added");
    // There is only one worker.
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
fn runs_are_abandoned_when_the_tokio_runtime_shuts_down() {
    let (runtime, (clock, scheduler, ends)) = (runtime(), scheduler());
    let job = Job::future(runtime.handle(), |_| pending::<()>());
    let job = scheduler.add_job(every(1).minutes(), job).expect("the job is added");
    assert!(job.trigger_now());
    until(|| scheduler.stats().running == 1);
    runtime.shutdown_background();
    until(|| scheduler.stats().completed == 1);
    // Later runs fail to start, too.
    clock.advance(secs(120));
    assert_eq!(ends.take(), [Outcome::Abandoned, Outcome::Abandoned, Outcome::Abandoned]);
    assert_eq!((scheduler.stats().running, scheduler.stats().failed), (0, 3));
}

#[test]
fn a_future_can_await_its_cancellation() {
    let (runtime, (_clock, scheduler, ends)) = (runtime(), scheduler());
    let job = Job::future(runtime.handle(), |run: RunContext| async move {
        run.token().cancelled().await;
        // Awaiting a cancelled token returns immediately.
        run.token().cancelled().await;
    });
    let job = scheduler.add_job(every(1).minutes(), job).expect("the job is added");
    assert!(job.trigger_now());
    until(|| scheduler.stats().running == 1);
    assert!(job.cancel());
    until(|| ends.len() == 1);
    assert_eq!(ends.take(), [Outcome::Succeeded]);
}

/// Awaits five events after an instant, which come in order and never early.
async fn follow<R: Recurrence>(recurrence: R, mut last: SystemTime, mut ticks: Ticks<R>) {
    for _ in 0..5 {
        let tick = ticks.next().await.expect("there are more events");
        assert!(tick <= SystemTime::now(), "the event is early");
        assert!(tick > last, "the event comes twice");
        assert!(recurrence.matches(to_millis(tick)), "it is an event");
        last = tick;
    }
}

#[test]
fn ticks_of_a_schedule_are_its_events() {
    runtime().block_on(async {
        let before = SystemTime::now();
        let ticks = Ticks::new(TENTHS);
        assert!(format!("{ticks:?}").contains("Ticks"));
        follow(TENTHS, before, ticks).await;
    });
}

#[test]
fn ticks_of_a_zoned_schedule_are_its_events() {
    runtime().block_on(async {
        let tenths = TENTHS.in_zone(jiff::tz::TimeZone::UTC);
        let before = SystemTime::now();
        let ticks = Ticks::new(tenths.clone());
        follow(tenths, before, ticks).await;
    });
}

#[test]
fn ticks_return_only_the_last_of_several_missed_events() {
    runtime().block_on(async {
        let mut ticks = Ticks::new(TENTHS);
        let before = SystemTime::now();
        tokio::time::sleep(Duration::from_millis(450)).await;
        let tick = ticks.next().await.expect("there are more events");
        assert!(tick >= before + Duration::from_millis(350), "the earlier events are left out");
        assert!(ticks.next().await.expect("there are more events") > tick);
    });
}

#[test]
fn ticks_sleep_until_their_next_event() {
    runtime().block_on(async {
        let mut ticks = Ticks::new(TENTHS);
        let mut polls = 0;
        for _ in 0..2 {
            let tick = poll_fn(|context| {
                polls += 1;
                Pin::new(&mut ticks).poll_next(context)
            });
            tick.await.expect("there are more events");
        }
        assert!(polls <= 10, "{polls} polls");
    });
}

#[test]
fn ticks_end_when_there_are_no_more_events() {
    runtime().block_on(async {
        let never = schedule!("2005.1.1 00:00:00");
        assert_eq!(Ticks::new(never).next().await, None);
    });
}

#[test]
fn async_closures_are_jobs_as_they_are() {
    let (runtime, (clock, scheduler, ends)) = (runtime(), scheduler());
    let runs = Log::new();
    {
        let _guard = runtime.enter();
        let run = async |run: RunContext| {
            tokio::task::yield_now().await;
            if run.number() == 2 { Err("the second") } else { Ok(()) }
        };
        scheduler.add(schedule!("*:*:00"), run).expect("the job is added");
        let sink = runs.clone();
        let once = async move |run: RunContext| sink.add(run.scheduled());
        scheduler.once(at(50), once).expect("the job is added");
    }
    clock.advance(secs(110));
    assert_eq!(runs.take(), [at(50)]);
    let failed = Outcome::Failed("the second".to_owned());
    assert_eq!(ends.take(), [Outcome::Succeeded, Outcome::Succeeded, failed]);
}

/// This is how a library runs the task of a job that it has taken apart.
#[test]
fn a_job_that_begins_the_task_of_an_async_job_has_its_outcome() {
    let (runtime, (clock, scheduler, ends)) = (runtime(), scheduler());
    let inner = Job::future(runtime.handle(), |_: RunContext| async { Err::<(), _>("no paper") });
    let task = inner.into_task().expect("it can be repeated");
    let job = Job::deferred(move |run, completion| task.begin(&run, completion));
    scheduler.once_job(at(10), job).expect("the job is added");
    clock.advance(secs(10));
    assert_eq!(ends.take(), [Outcome::Failed("no paper".to_owned())]);
}

#[test]
fn an_async_closure_outside_a_runtime_is_refused() {
    let (_clock, scheduler, _) = scheduler();
    let refused = scheduler.add(every(1).hours(), async |_: RunContext| {});
    let error = refused.expect_err("there is no runtime");
    assert!(matches!(error.kind(), AddErrorKind::NoRuntime), "{error}");
    let refused = scheduler.once(start(), async |_: RunContext| {});
    assert!(matches!(refused, Err(error) if matches!(error.kind(), AddErrorKind::NoRuntime)));
    let step = Job::once(async |_: RunContext| {});
    let refused = scheduler.handle().once_job_beyond_capacity(start(), step);
    assert!(matches!(refused, Err(error) if matches!(error.kind(), AddErrorKind::NoRuntime)));
    assert_eq!(scheduler.stats().waiting, 0);
}
