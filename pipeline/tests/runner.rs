//! Pipelines in a scheduler: what is due and not ready waits.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::support::runner::{
    Book, HOUR, build, loads_and_reports, midnight, minute, observed, rates_and_reports, runs,
    scheduler, words,
};
use crate::support::runner::{Log, receive, secs, watched};
use millicron::schedule;
use millicron_pipeline::{AskError, History, MemoryHistory, Need, Pipeline};
use millicron_pipeline::{LaunchError, Patience, RunningPipeline};
use millicron_scheduler::{
    Completion, Event, Job, ManualClock, Outcome, RunContext, Scheduler, Workers,
};

#[test]
fn what_is_due_and_ready_starts_at_its_time() {
    let (clock, scheduler) = scheduler();
    let book = Book::new();
    let launch = loads_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("load", book.job()).run("report", book.job());
    let running = launch.start().expect("it can start");
    clock.advance(4 * HOUR);
    assert_eq!(
        book.take(),
        runs(&[("load", 30), ("load", 90), ("load", 150), ("load", 210), ("report", 240)])
    );
    assert_eq!(words(&running), [""; 0]);
    // Each success is recorded.
    assert_eq!(running.with_history(|history| history.len()), 5);
}

#[test]
fn what_is_not_ready_waits_and_starts_when_the_last_missing_run_succeeds() {
    let (clock, scheduler) = scheduler();
    let book = Book::new();
    let fails = Arc::new(AtomicBool::new(true));
    let launch = loads_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let is_failing = Arc::clone(&fails);
    let running = launch
        .run("load", move |fire: &RunContext| {
            let hour =
                fire.scheduled().duration_since(midnight()).map_or(0, |at| at.as_secs() / 3600);
            if is_failing.load(Ordering::Relaxed) && hour % 2 == 1 {
                Err("no data")
            } else {
                Ok(())
            }
        })
        .run("report", book.job())
        .start()
        .expect("it can start");
    clock.advance(5 * HOUR);
    assert_eq!(
        words(&running),
        ["`report` 2026-11-21 04:00:00 waits for `load` 2026-11-21 01:30:00, 2026-11-21 03:30:00"]
    );
    let [waiting] = &running.waiting()[..] else { panic!("one waits") };
    assert_eq!(waiting.job, "report");
    assert_eq!(waiting.scheduled, midnight() + 4 * HOUR);

    fails.store(false, Ordering::Relaxed);
    assert_eq!(running.submit("load", minute(90)), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(words(&running).len(), 1, "one is still missing");
    assert_eq!(running.submit("load", minute(210)), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(words(&running), [""; 0]);
    assert_eq!(book.take(), runs(&[("report", 240)]));
}

#[test]
fn many_runs_may_wait_for_one_and_all_of_them_start() {
    let (clock, scheduler) = scheduler();
    let book = Book::new();
    let launch = rates_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let running = launch.run("rates", book.job()).run("report", book.job()).start();
    let running = running.expect("it can start");
    clock.advance(2 * HOUR + HOUR / 2);
    assert_eq!(words(&running).len(), 3);
    assert_eq!(book.take(), []);
    clock.advance(2 * HOUR);
    assert_eq!(
        book.take(),
        runs(&[
            ("rates", 180),
            ("report", 30),
            ("report", 90),
            ("report", 150),
            ("report", 210),
            ("report", 270)
        ])
    );
}

#[test]
fn a_run_tells_the_event_and_how_long_it_has_waited() {
    let (clock, scheduler) = scheduler();
    let fires = Log::new();
    let told = fires.clone();
    let launch = rates_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("rates", |_| {});
    let launch = launch
        .run("report", move |fire: &RunContext| told.add((fire.scheduled(), fire.lateness())));
    let _running = launch.start().expect("it can start");
    clock.advance(3 * HOUR);
    let half = HOUR / 2;
    let expected =
        [0, 1, 2].map(|hour| (midnight() + hour * HOUR + half, (2 - hour) * HOUR + half));
    assert_eq!(fires.take(), expected);
}

#[test]
fn the_own_last_run_puts_runs_in_order() {
    let (clock, scheduler, ends) = observed();
    let builder = Pipeline::builder().since(midnight());
    let pipeline = build(builder.job("load", schedule!("*:00:00"), [Need::self_previous()]));
    let (served, requests) = channel::<(RunContext, Completion)>();
    let job = Job::deferred(move |fire, completion| {
        served.send((fire, completion)).expect("the test waits for it");
    });
    clock.set(midnight() + 2 * HOUR);
    let launch = pipeline.run_on(&scheduler.handle(), MemoryHistory::new()).run_job("load", job);
    let running = launch.catch_up(midnight()).start().expect("it can start");
    // Three are due, and the first is going.
    let (fire, completion) = receive(&requests);
    assert_eq!(fire.scheduled(), midnight());
    assert_eq!(words(&running).len(), 2);
    assert_eq!(running.submit("load", minute(0)), Ok(false), "it is going");
    assert_eq!(running.submit("load", minute(60)), Ok(false), "it waits");
    completion.finish(Outcome::Succeeded);
    let (fire, completion) = receive(&requests);
    assert_eq!(fire.scheduled(), midnight() + HOUR);
    // It fails, and the next one waits on.
    completion.finish(Outcome::Failed("no data".to_owned()));
    assert_eq!(
        words(&running),
        ["`load` 2026-11-21 02:00:00 waits for `load` 2026-11-21 01:00:00"]
    );
    assert_eq!(running.submit("load", minute(60)), Ok(true));
    drop(receive(&requests).1); // abandoned
    assert_eq!(words(&running).len(), 1);
    running.record("load", minute(60)).expect("it can be recorded");
    receive(&requests).1.finish(Outcome::Succeeded);
    assert_eq!(words(&running), [""; 0]);
    let outcomes: Vec<Outcome> = ends.take().into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(
        outcomes,
        [
            Outcome::Succeeded,
            Outcome::Failed("no data".to_owned()),
            Outcome::Abandoned,
            Outcome::Succeeded
        ]
    );
}

#[test]
fn patience_ends_with_a_failure_that_tells_what_is_missing() {
    let (clock, scheduler, ends) = observed();
    let book = Book::new();
    let launch = rates_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("report", book.job()).elsewhere("rates");
    let running = launch.patience(Patience::GiveUp(HOUR)).start().expect("it can start");
    clock.advance(HOUR + 29 * secs(60) + secs(59));
    assert_eq!(ends.take(), []);
    clock.advance(secs(1));
    let failed = "it waited 3600s for `rates` 2026-11-21 03:00:00 or later".to_owned();
    assert_eq!(ends.take(), [("report".to_owned(), Outcome::Failed(failed))]);
    assert_eq!(words(&running).len(), 1, "that of 01:30");
    // Those that wait no longer have no end of their patience.
    running.record("rates", minute(180)).expect("it can be recorded");
    clock.advance(2 * HOUR);
    assert_eq!(book.take(), runs(&[("report", 90), ("report", 150), ("report", 210)]));
    assert!(ends.take().iter().all(|(_, outcome)| *outcome == Outcome::Succeeded));
    // What was given up can still run.
    assert_eq!(running.submit("report", minute(30)), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(book.take(), runs(&[("report", 30)]));
}

#[test]
fn patience_may_end_with_a_start() {
    let (clock, scheduler) = scheduler();
    let book = Book::new();
    let launch = rates_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("report", book.job()).elsewhere("rates");
    let running = launch.patience(Patience::StartAnyway(HOUR)).start().expect("it can start");
    clock.advance(2 * HOUR);
    assert_eq!(book.take(), runs(&[("report", 30)]));
    assert_eq!(words(&running).len(), 1);
}

#[test]
fn what_failed_or_panicked_is_not_recorded() {
    let (clock, scheduler, ends) = observed();
    let launch = loads_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("load", |_| -> () { panic!("no disk") }).run("report", |_| {});
    let running = launch.start().expect("it can start");
    clock.advance(HOUR);
    assert_eq!(ends.take(), [("load".to_owned(), Outcome::Panicked("no disk".to_owned()))]);
    assert_eq!(running.with_history(|history| history.len()), 0);
}

#[test]
fn what_was_missed_is_caught_up() {
    let (clock, scheduler) = scheduler();
    let book = Book::new();
    let mut history = MemoryHistory::new();
    let Ok(()) = history.record("load", minute(30));
    let Ok(()) = history.record("load", minute(150));
    clock.set(midnight() + 4 * HOUR + HOUR / 4);
    let launch = loads_and_reports().run_on(&scheduler.handle(), history);
    let launch = launch.run("load", book.job()).run("report", book.job());
    let running = launch.catch_up(midnight()).start().expect("it can start");
    clock.advance(Duration::ZERO);
    let mut started = book.take();
    started.sort();
    // That of midnight needs nothing, since nothing was before.
    assert_eq!(started, runs(&[("load", 90), ("load", 210), ("report", 0), ("report", 240)]));
    assert_eq!(words(&running), [""; 0]);
    clock.advance(HOUR);
    assert_eq!(book.take(), runs(&[("load", 270)]));
}

#[test]
fn runs_need_no_room_beside_that_of_their_jobs() {
    let clock = ManualClock::new(midnight());
    let builder = Scheduler::builder().clock(clock.clone()).capacity(2);
    let scheduler = builder.start().expect("there are threads");
    let book = Book::new();
    let launch = loads_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("load", book.job()).run("report", book.job());
    let _running = launch.patience(Patience::GiveUp(HOUR)).start().expect("there is room for two");
    assert!(scheduler.once(midnight(), |_| {}).is_err(), "and not for three");
    clock.advance(HOUR);
    assert_eq!(book.take(), runs(&[("load", 30)]));

    let launch = loads_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let started = launch.run("load", |_| {}).run("report", |_| {}).start();
    assert!(matches!(started, Err(LaunchError::Scheduler(_))));
}

#[test]
fn what_others_record_is_seen_by_looking_again() {
    let (clock, scheduler) = scheduler();
    let book = Book::new();
    let launch = rates_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let running = launch.run("report", book.job()).elsewhere("rates").start();
    let running = running.expect("it can start");
    clock.advance(HOUR);
    running.look_again();
    assert_eq!(words(&running).len(), 1);
    running.with_history(|history| history.record("rates", minute(180))).expect("it is memory");
    running.look_again();
    clock.advance(Duration::ZERO);
    assert_eq!(book.take(), runs(&[("report", 30)]));
}

#[test]
fn a_pipeline_that_is_cancelled_starts_nothing() {
    let (clock, scheduler) = scheduler();
    let book = Book::new();
    let launch = rates_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("rates", book.job()).run("report", book.job());
    let running = launch.patience(Patience::StartAnyway(2 * HOUR)).start().expect("it can start");
    clock.advance(HOUR);
    running.cancel();
    assert_eq!(running.submit("rates", minute(180)), Ok(false));
    clock.advance(24 * HOUR);
    assert_eq!(book.take(), []);
    assert_eq!(words(&running), [""; 0]);
    assert_eq!(scheduler.stats().waiting, 0);
}

/// One worker, so that others wait for it.
#[test]
fn what_is_due_when_a_pipeline_is_cancelled_does_not_run() {
    let (clock, scheduler, ends) = observed();
    scheduler.set_workers(Workers::Pool(1)).expect("there is a thread");
    let book = Book::new();
    let at_one = schedule!("1:00:00");
    let builder = Pipeline::builder().since(midnight());
    let builder = builder.job("a", at_one.clone(), []).job("b", at_one, []);
    let slot: Arc<OnceLock<RunningPipeline<MemoryHistory>>> = Arc::default();
    let own = Arc::clone(&slot);
    let launch = build(builder).run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("a", move |_: &RunContext| {
        own.get().expect("it is set").cancel();
    });
    let running = launch.run("b", book.job()).start().expect("it can start");
    assert!(slot.set(running).is_ok());
    clock.advance(2 * HOUR);
    assert_eq!(book.take(), []);
    let cancelled = Outcome::Failed("the pipeline was cancelled".to_owned());
    assert_eq!(ends.take(), [("a".to_owned(), Outcome::Succeeded), ("b".to_owned(), cancelled)]);
}

#[test]
fn patience_does_not_fail_a_run_that_is_ready() {
    let (clock, scheduler, ends) = observed();
    let launch = rates_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("report", |_| {}).elsewhere("rates");
    let running = launch.patience(Patience::GiveUp(HOUR)).start().expect("it can start");
    clock.advance(HOUR);
    running.with_history(|history| history.record("rates", minute(180))).expect("it is memory");
    assert_eq!(words(&running), ["`report` 2026-11-21 00:30:00 waits for somebody to look again"]);
    clock.advance(HOUR / 2);
    assert_eq!(ends.take()[0], ("report".to_owned(), Outcome::Succeeded));
}

/// An observer is told while jobs are added and cancelled, and asks the pipeline.
#[test]
fn an_observer_may_ask_the_pipeline() {
    watched(|| {
        let slot: Arc<OnceLock<RunningPipeline<MemoryHistory>>> = Arc::default();
        let asked = Arc::clone(&slot);
        let observer = move |event: &Event| {
            let Some(running) = asked.get() else { return };
            if let Event::Added { .. } = event {
                running.record("rates", minute(180)).expect("it can be recorded");
            }
            assert!(running.waiting().len() < 100);
        };
        let clock = ManualClock::new(midnight());
        let builder = Scheduler::builder().clock(clock.clone()).observer(observer);
        let scheduler = builder.start().expect("there are threads");
        let launch = rates_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
        let launch = launch.run("report", |_| {}).elsewhere("rates");
        let running = launch.patience(Patience::GiveUp(HOUR)).start().expect("it can start");
        assert!(slot.set(running.clone()).is_ok());
        clock.advance(24 * HOUR);
        assert_eq!(words(&running), [""; 0]);
    });
}

#[test]
fn what_is_wrong_with_a_launch_is_told() {
    let (_clock, scheduler) = scheduler();
    let launch = || loads_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let error = |launch: millicron_pipeline::Launch<MemoryHistory>| {
        launch.start().map(drop).map_err(|error| error.to_string())
    };
    let told = |problems: &[&str]| {
        let lines = problems.iter().map(|problem| format!("\n- {problem}"));
        Err(format!("the pipeline can not be started:{}", lines.collect::<String>()))
    };
    assert_eq!(
        error(launch()),
        told(&[
            "nothing is said of what `load` does: it is to `run` something, or runs `elsewhere`",
            "nothing is said of what `report` does: it is to `run` something, or runs `elsewhere`",
        ])
    );
    let wrong = launch().run("load", |_| {}).run("repot", |_| {}).elsewhere("load");
    let wrong = wrong.run_job("report", Job::once(|_| {}));
    assert_eq!(
        error(wrong),
        told(&[
            "`repot` is no job of the pipeline",
            "what `load` does is said twice",
            "`report` has many runs, and `Job::once` does its work once",
        ])
    );
    scheduler.close();
    let all = launch().run("load", |_| {}).run("report", |_| {});
    assert!(matches!(all.start(), Err(LaunchError::Scheduler(_))));
    assert_eq!(scheduler.stats().waiting, 0, "nothing is left of those");
}

#[test]
fn runs_that_there_are_not_are_told() {
    let (_clock, scheduler) = scheduler();
    let launch = loads_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("load", |_| {}).elsewhere("report");
    let running = launch.start().expect("it can start");
    assert_eq!(running.submit("lod", 0), Err(AskError::NoJob { job: "lod".into() }));
    let (before, next) = (Some(minute(30)), Some(minute(90)));
    let at = minute(31);
    let no_run =
        AskError::NoRun { job: "load".into(), scheduled: at, is_exact: true, before, next };
    assert_eq!(running.submit("load", minute(31)), Err(no_run.clone()));
    assert_eq!(running.record("load", minute(31)), Err(no_run));
    assert_eq!(running.submit("report", minute(240)), Ok(false), "it runs elsewhere");
}

/// Asks the scheduler from within, in the thread of a run.
#[test]
fn a_run_may_ask_its_own_pipeline() {
    watched(|| {
        let (clock, scheduler) = scheduler();
        let launch = rates_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
        let slot: Arc<OnceLock<RunningPipeline<MemoryHistory>>> = Arc::default();
        let (asked, seen) = (Arc::clone(&slot), Log::new());
        let told = seen.clone();
        let launch = launch.run("rates", move |_: &RunContext| {
            told.add(asked.get().map(|running| running.waiting().len()));
        });
        let running = launch.run("report", |_| {}).start().expect("it can start");
        assert!(slot.set(running).is_ok());
        clock.advance(4 * HOUR);
        assert_eq!(seen.take(), [Some(3)]);
    });
}

#[test]
fn every_event_runs_also_where_the_clock_leaps() {
    let (clock, scheduler) = scheduler();
    let book = Book::new();
    let launch = loads_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let launch = launch.run("load", book.job()).run("report", book.job());
    let _running = launch.start().expect("it can start");
    clock.set(midnight() + 24 * HOUR);
    clock.set(midnight() + HOUR);
    clock.advance(24 * HOUR);
    let mut started = book.take();
    started.sort();
    let loads = (0..25).map(|hour| ("load", 30 + 60 * hour)).filter(|(_, minute)| *minute < 1500);
    let reports = (1..=6).map(|four| ("report", 240 * four));
    assert_eq!(started, runs(&loads.chain(reports).collect::<Vec<_>>()));
}

#[test]
fn futures_end_and_let_others_start() {
    let runtime = tokio::runtime::Runtime::new().expect("there are threads");
    let (clock, scheduler) = scheduler();
    let book = Book::new();
    let launch = rates_and_reports().run_on(&scheduler.handle(), MemoryHistory::new());
    let nap = |_: RunContext| async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok::<(), std::convert::Infallible>(())
    };
    let launch = launch.run_job("rates", Job::future(runtime.handle(), nap));
    let running = launch.run("report", book.job()).start().expect("it can start");
    clock.advance(3 * HOUR);
    assert_eq!(book.take(), runs(&[("report", 30), ("report", 90), ("report", 150)]));
    assert_eq!(running.with_history(|history| history.len()), 4);
}
