//! Pipelines on a scheduler: runs that are due but not ready wait.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use millicron::schedule;
use millicron_pipeline::{
    History, MemoryHistory, Need, Pipeline, QueryError, RunState, RunningPipeline, StartError,
    WaitPolicy,
};
use millicron_scheduler::{
    Completion, Event, Job, ManualClock, Outcome, Retry, RunContext, Scheduler, Workers,
};

use crate::support::build;
use crate::support::runner::{
    HOUR, RunLog, loads_and_reports, midnight, minute, observed, rates_and_reports, runs,
    scheduler, waiting,
};
use crate::support::runner::{Log, receive, secs, until, watched};

#[test]
fn ready_run_starts_when_it_is_due() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = loads_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("load", log.job()).run("report", log.job());
    let running = runner.start().expect("the pipeline starts");
    clock.advance(4 * HOUR);
    assert_eq!(
        log.take(),
        runs(&[("load", 30), ("load", 90), ("load", 150), ("load", 210), ("report", 240)])
    );
    assert_eq!(waiting(&running), [""; 0]);
    // Each success is recorded.
    assert_eq!(running.with_history(|history| history.len()), 5);
}

#[test]
fn run_waits_until_the_last_missing_run_succeeds() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let fails = Arc::new(AtomicBool::new(true));
    let runner = loads_and_reports().run_on(&scheduler, MemoryHistory::new());
    let is_failing = Arc::clone(&fails);
    let running = runner
        .run("load", move |context: RunContext| {
            let hour =
                context.scheduled().duration_since(midnight()).map_or(0, |at| at.as_secs() / 3600);
            if is_failing.load(Ordering::Relaxed) && hour % 2 == 1 {
                Err("no data")
            } else {
                Ok(())
            }
        })
        .run("report", log.job())
        .start()
        .expect("the pipeline starts");
    clock.advance(5 * HOUR);
    assert_eq!(
        waiting(&running),
        [
            "`report` 2026-11-21 04:00:00 waits for `load` 2026-11-21 01:30:00, 2026-11-21 03:30:00, \
          although `load` 2026-11-21 01:30:00 failed"
        ]
    );
    let [run] = &running.waiting()[..] else { panic!("not one waiting run") };
    assert_eq!(run.job, "report");
    assert_eq!(run.scheduled, midnight() + 4 * HOUR);

    fails.store(false, Ordering::Relaxed);
    assert_eq!(running.submit("load", minute(90)), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(waiting(&running).len(), 1, "one run is still missing");
    assert_eq!(running.submit("load", minute(210)), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(waiting(&running), [""; 0]);
    assert_eq!(log.take(), runs(&[("report", 240)]));
}

#[test]
fn all_runs_that_wait_for_one_start() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let running = runner.run("rates", log.job()).run("report", log.job()).start();
    let running = running.expect("the pipeline starts");
    clock.advance(2 * HOUR + HOUR / 2);
    assert_eq!(waiting(&running).len(), 3);
    assert_eq!(log.take(), []);
    clock.advance(2 * HOUR);
    assert_eq!(
        log.take(),
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
fn run_that_waits_for_two_alternatives_of_one_job_starts_once() {
    const NEED: Need<'_> = Need::any_of(&[Need::latest("rates"), Need::all("rates")]);
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let builder = Pipeline::builder().since(midnight()).job("rates", schedule!("3:00:00"), []);
    let pipeline = build(builder.job("report", schedule!("4:00:00"), [NEED]));
    let runner = pipeline.run_on(&scheduler, MemoryHistory::new());
    let running = runner.external("rates").run("report", log.job()).start();
    let running = running.expect("the pipeline starts");
    clock.advance(5 * HOUR);
    assert_eq!(waiting(&running).len(), 1);
    running.record("rates", minute(180)).expect("the record succeeds");
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("report", 240)]));
}

#[test]
fn lateness_includes_the_wait() {
    let (clock, scheduler) = scheduler();
    let starts = Log::new();
    let log = starts.clone();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("rates", |_| {});
    let runner = runner.run("report", move |context: RunContext| {
        log.add((context.scheduled(), context.lateness()));
    });
    let _running = runner.start().expect("the pipeline starts");
    clock.advance(3 * HOUR);
    let half = HOUR / 2;
    let expected =
        [0, 1, 2].map(|hour| (midnight() + hour * HOUR + half, (2 - hour) * HOUR + half));
    assert_eq!(starts.take(), expected);
}

#[test]
fn self_previous_runs_one_after_another() {
    let (clock, scheduler, outcomes) = observed();
    let builder = Pipeline::builder().since(midnight());
    let pipeline = build(builder.job("load", schedule!("*:00:00"), [Need::self_previous()]));
    let (sender, requests) = channel::<(RunContext, Completion)>();
    let job = Job::deferred(move |context, completion| {
        sender.send((context, completion)).expect("the test receives");
    });
    clock.set(midnight() + 2 * HOUR);
    let runner = pipeline.run_on(&scheduler, MemoryHistory::new()).run_job("load", job);
    let running = runner.submit_since(midnight()).start().expect("the pipeline starts");
    // Three runs are due, and the first is active.
    let (context, completion) = receive(&requests);
    assert_eq!(context.scheduled(), midnight());
    assert_eq!(waiting(&running).len(), 2);
    assert_eq!(running.submit("load", minute(0)), Ok(false), "active");
    assert_eq!(running.submit("load", minute(60)), Ok(false), "waiting");
    assert_eq!(running.trigger_now("load"), Ok(false), "an earlier one is active");
    completion.finish(Outcome::Succeeded);
    let (context, completion) = receive(&requests);
    assert_eq!(context.scheduled(), midnight() + HOUR);
    // It fails, and the next run keeps waiting.
    completion.finish(Outcome::Failed("no data".to_owned()));
    assert_eq!(
        waiting(&running),
        ["`load` 2026-11-21 02:00:00 waits for `load` 2026-11-21 01:00:00, \
          although `load` 2026-11-21 01:00:00 failed"]
    );
    assert_eq!(running.submit("load", minute(60)), Ok(true));
    assert_eq!(running.waiting()[0].failed, None, "it may succeed now");
    drop(receive(&requests).1); // abandoned
    assert_eq!(waiting(&running).len(), 1);
    running.record("load", minute(60)).expect("the record succeeds");
    receive(&requests).1.finish(Outcome::Succeeded);
    assert_eq!(waiting(&running), [""; 0]);
    until(|| outcomes.len() == 4);
    let actual: Vec<Outcome> = outcomes.take().into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(
        actual,
        [
            Outcome::Succeeded,
            Outcome::Failed("no data".to_owned()),
            Outcome::Abandoned,
            Outcome::Succeeded
        ]
    );
}

#[test]
fn fail_after_fails_with_the_missing_runs() {
    let (clock, scheduler, outcomes) = observed();
    let log = RunLog::new();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("report", log.job()).external("rates");
    let running =
        runner.wait_policy(WaitPolicy::FailAfter(HOUR)).start().expect("the pipeline starts");
    clock.advance(HOUR + 29 * secs(60) + secs(59));
    assert_eq!(outcomes.take(), []);
    clock.advance(secs(1));
    let failed = "waited 3600s for `rates` 2026-11-21 03:00:00 or later".to_owned();
    assert_eq!(outcomes.take(), [("report".to_owned(), Outcome::Failed(failed))]);
    assert_eq!(waiting(&running).len(), 1, "the run at 01:30");
    // A run that no longer waits does not fail.
    running.record("rates", minute(180)).expect("the record succeeds");
    clock.advance(2 * HOUR);
    assert_eq!(log.take(), runs(&[("report", 90), ("report", 150), ("report", 210)]));
    assert!(outcomes.take().iter().all(|(_, outcome)| *outcome == Outcome::Succeeded));
    // A run that failed can be submitted again.
    assert_eq!(running.submit("report", minute(30)), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("report", 30)]));
}

#[test]
fn start_after_starts_without_the_missing_runs() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("report", log.job()).external("rates");
    let running =
        runner.wait_policy(WaitPolicy::StartAfter(HOUR)).start().expect("the pipeline starts");
    clock.advance(2 * HOUR);
    assert_eq!(log.take(), runs(&[("report", 30)]));
    assert_eq!(waiting(&running).len(), 1);
}

#[test]
fn panicked_run_is_recorded_as_failed() {
    let (clock, scheduler, outcomes) = observed();
    let runner = loads_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("load", |_| -> () { panic!("no disk") }).run("report", |_| {});
    let running = runner.start().expect("the pipeline starts");
    clock.advance(HOUR);
    assert_eq!(outcomes.take(), [("load".to_owned(), Outcome::Panicked("no disk".to_owned()))]);
    let Ok(state) = running.with_history(|history| history.state("load", minute(30)));
    assert_eq!(state, Some(RunState::Failed));
}

#[test]
fn catch_up_runs_missed_events() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let mut history = MemoryHistory::new();
    let Ok(()) = history.record("load", minute(30));
    let Ok(()) = history.record("load", minute(150));
    clock.set(midnight() + 4 * HOUR + HOUR / 4);
    let runner = loads_and_reports().run_on(&scheduler, history);
    let runner = runner.run("load", log.job()).run("report", log.job());
    let running = runner.submit_since(midnight()).start().expect("the pipeline starts");
    clock.advance(Duration::ZERO);
    let mut started = log.take();
    started.sort();
    // The run at midnight needs nothing, since the pipeline begins then.
    assert_eq!(started, runs(&[("load", 90), ("load", 210), ("report", 0), ("report", 240)]));
    assert_eq!(waiting(&running), [""; 0]);
    clock.advance(HOUR);
    assert_eq!(log.take(), runs(&[("load", 270)]));
}

#[test]
fn runs_do_not_count_towards_the_capacity() {
    let clock = ManualClock::new(midnight());
    let builder = Scheduler::builder().clock(clock.clone()).capacity(2);
    let scheduler = builder.start().expect("the threads start");
    let log = RunLog::new();
    let runner = loads_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("load", log.job()).run("report", log.job());
    let _running = runner.wait_policy(WaitPolicy::FailAfter(HOUR)).start().expect("room for two");
    assert!(scheduler.once(midnight(), |_| {}).is_err(), "no room for three");
    clock.advance(HOUR);
    assert_eq!(log.take(), runs(&[("load", 30)]));

    let runner = loads_and_reports().run_on(&scheduler, MemoryHistory::new());
    let started = runner.run("load", |_| {}).run("report", |_| {}).start();
    assert_eq!(started.map(drop), Err(StartError::SchedulerFull));
}

#[test]
fn refresh_sees_successes_recorded_by_others() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let running = runner.run("report", log.job()).external("rates").start();
    let running = running.expect("the pipeline starts");
    clock.advance(HOUR);
    running.refresh();
    assert_eq!(waiting(&running).len(), 1);
    running.with_history(|history| history.record("rates", minute(180))).expect("infallible");
    running.refresh();
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("report", 30)]));
}

#[test]
fn cancelled_pipeline_starts_nothing() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("rates", log.job()).run("report", log.job());
    let running =
        runner.wait_policy(WaitPolicy::StartAfter(2 * HOUR)).start().expect("the pipeline starts");
    clock.advance(HOUR);
    running.cancel();
    assert_eq!(running.submit("rates", minute(180)), Ok(false));
    clock.advance(24 * HOUR);
    assert_eq!(log.take(), []);
    assert_eq!(waiting(&running), [""; 0]);
    assert_eq!(scheduler.stats().waiting, 0);
}

/// There is one worker, so that other runs wait for it.
#[test]
fn runs_that_wait_for_a_worker_fail_when_the_pipeline_is_cancelled() {
    let (clock, scheduler, outcomes) = observed();
    scheduler.set_workers(Workers::Pool(1)).expect("one thread");
    let log = RunLog::new();
    let at_one = schedule!("1:00:00");
    let builder = Pipeline::builder().since(midnight());
    let builder = builder.job("a", at_one.clone(), []).job("b", at_one, []);
    let slot: Arc<OnceLock<RunningPipeline<MemoryHistory>>> = Arc::default();
    let own = Arc::clone(&slot);
    let runner = build(builder).run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("a", move |_: RunContext| {
        own.get().expect("set before the first run").cancel();
    });
    let running = runner.run("b", log.job()).start().expect("the pipeline starts");
    assert!(slot.set(running).is_ok());
    clock.advance(2 * HOUR);
    assert_eq!(log.take(), []);
    let cancelled = Outcome::Failed("the pipeline was cancelled".to_owned());
    assert_eq!(
        outcomes.take(),
        [("a".to_owned(), Outcome::Succeeded), ("b".to_owned(), cancelled)]
    );
}

#[test]
fn fail_after_starts_a_run_that_is_ready() {
    let (clock, scheduler, outcomes) = observed();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("report", |_| {}).external("rates");
    let running =
        runner.wait_policy(WaitPolicy::FailAfter(HOUR)).start().expect("the pipeline starts");
    clock.advance(HOUR);
    running.with_history(|history| history.record("rates", minute(180))).expect("infallible");
    assert_eq!(waiting(&running), ["`report` 2026-11-21 00:30:00 waits for a refresh"]);
    clock.advance(HOUR / 2);
    assert_eq!(outcomes.take()[0], ("report".to_owned(), Outcome::Succeeded));
}

/// The observer is called while jobs are added and cancelled.
#[test]
fn observer_can_use_the_pipeline() {
    watched(|| {
        let slot: Arc<OnceLock<RunningPipeline<MemoryHistory>>> = Arc::default();
        let shared = Arc::clone(&slot);
        let observer = move |event: &Event| {
            let Some(running) = shared.get() else { return };
            if let Event::Added { .. } = event {
                running.record("rates", minute(180)).expect("the record succeeds");
            }
            assert!(running.waiting().len() < 100);
        };
        let clock = ManualClock::new(midnight());
        let builder = Scheduler::builder().clock(clock.clone()).observer(observer);
        let scheduler = builder.start().expect("the threads start");
        let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
        let runner = runner.run("report", |_| {}).external("rates");
        let running =
            runner.wait_policy(WaitPolicy::FailAfter(HOUR)).start().expect("the pipeline starts");
        assert!(slot.set(running.clone()).is_ok());
        clock.advance(24 * HOUR);
        assert_eq!(waiting(&running), [""; 0]);
    });
}

#[test]
fn start_reports_all_problems_with_jobs() {
    let (_clock, scheduler) = scheduler();
    let runner = || loads_and_reports().run_on(&scheduler, MemoryHistory::new());
    let error = |runner: millicron_pipeline::PipelineRunner<MemoryHistory>| {
        runner.start().map(drop).map_err(|error| error.to_string())
    };
    let expected = |problems: &[&str]| {
        let lines = problems.iter().map(|problem| format!("\n- {problem}"));
        Err(format!("the pipeline cannot be started:{}", lines.collect::<String>()))
    };
    assert_eq!(
        error(runner()),
        expected(&[
            "`load` has no work: set it with `run`, or declare it `external`",
            "`report` has no work: set it with `run`, or declare it `external`",
        ])
    );
    let wrong = runner().run("load", |_| {}).run("repot", |_| {}).external("load");
    let wrong = wrong.run_job("report", Job::once(|_| {}));
    assert_eq!(
        error(wrong),
        expected(&[
            "`repot` is not a job of the pipeline",
            "the work of `load` is set twice",
            "`report` has many runs, but `Job::once` runs its work only once",
        ])
    );
    scheduler.close();
    let all = runner().run("load", |_| {}).run("report", |_| {});
    let error = all.start().expect_err("closed");
    assert_eq!(error, StartError::SchedulerClosed);
    assert_eq!(error.to_string(), "the pipeline cannot be started: the scheduler is closed");
    assert_eq!(scheduler.stats().waiting, 0, "no job is left");
}

#[test]
fn submit_and_record_refuse_unknown_runs() {
    let (_clock, scheduler) = scheduler();
    let runner = loads_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("load", |_| {}).external("report");
    let running = runner.start().expect("the pipeline starts");
    assert_eq!(running.submit("lod", 0), Err(QueryError::UnknownJob { job: "lod".into() }));
    let (previous, next) = (Some(minute(30)), Some(minute(90)));
    let at = minute(31);
    let no_run = QueryError::NoRun {
        job: "load".into(),
        scheduled: at,
        offset: None,
        is_exact: true,
        previous,
        next,
    };
    assert_eq!(running.submit("load", minute(31)), Err(no_run.clone()));
    assert_eq!(running.record("load", minute(31)), Err(no_run));
    assert_eq!(running.submit("report", minute(240)), Ok(false), "the job is external");
}

#[test]
fn run_can_use_its_own_pipeline() {
    watched(|| {
        let (clock, scheduler) = scheduler();
        let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
        let slot: Arc<OnceLock<RunningPipeline<MemoryHistory>>> = Arc::default();
        let (shared, seen) = (Arc::clone(&slot), Log::new());
        let log = seen.clone();
        let runner = runner.run("rates", move |_: RunContext| {
            log.add(shared.get().map(|running| running.waiting().len()));
        });
        let running = runner.run("report", |_| {}).start().expect("the pipeline starts");
        assert!(slot.set(running).is_ok());
        clock.advance(4 * HOUR);
        assert_eq!(seen.take(), [Some(3)]);
    });
}

#[test]
fn every_event_runs_even_if_the_clock_jumps() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = loads_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("load", log.job()).run("report", log.job());
    let _running = runner.start().expect("the pipeline starts");
    clock.set(midnight() + 24 * HOUR);
    clock.set(midnight() + HOUR);
    clock.advance(24 * HOUR);
    let mut started = log.take();
    started.sort();
    let loads = (0..25).map(|hour| ("load", 30 + 60 * hour)).filter(|(_, minute)| *minute < 1500);
    let reports = (1..=6).map(|four| ("report", 240 * four));
    assert_eq!(started, runs(&loads.chain(reports).collect::<Vec<_>>()));
}

#[test]
fn run_that_the_scheduler_drops_can_be_submitted_again() {
    // The gate is asked for an event, for its run, and for the second attempt of that.
    for refused in [1, 2] {
        let (clock, asked) = (ManualClock::new(midnight()), AtomicUsize::new(0));
        let gate = move |_: &RunContext| asked.fetch_add(1, Ordering::Relaxed) != refused;
        let builder = Scheduler::builder().clock(clock.clone()).workers(Workers::Pool(1));
        let scheduler = builder.gate(gate).start().expect("the scheduler starts");
        let log = RunLog::new();
        let (work, is_first) = (log.job(), AtomicBool::new(true));
        let runner = loads_and_reports().run_on(&scheduler, MemoryHistory::new());
        let runner = runner.retry(Retry::constant(secs(60))).run("report", |_| {});
        let runner = runner.run("load", move |context: RunContext| {
            work(context);
            assert!(!is_first.swap(false, Ordering::Relaxed), "the first attempt fails");
        });
        let running = runner.start().expect("the pipeline starts");
        clock.advance(32 * secs(60));
        assert_eq!(log.take().len(), refused - 1);
        assert_eq!(running.submit("load", minute(30)), Ok(true), "{refused}");
        clock.advance(2 * secs(60));
        assert_eq!(log.take().len(), 3 - refused);
        assert_eq!(running.with_history(|history| history.len()), 1);
    }
}

#[test]
fn finished_future_lets_other_runs_start() {
    let runtime = tokio::runtime::Runtime::new().expect("the threads start");
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let nap = |_: RunContext| async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok::<(), std::convert::Infallible>(())
    };
    let runner = runner.run_job("rates", Job::future(runtime.handle(), nap));
    let running = runner.run("report", log.job()).start().expect("the pipeline starts");
    clock.advance(3 * HOUR);
    assert_eq!(log.take(), runs(&[("report", 30), ("report", 90), ("report", 150)]));
    assert_eq!(running.with_history(|history| history.len()), 4);
}
