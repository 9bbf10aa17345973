//! Jobs of a running pipeline that are paused, resumed and triggered.

use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use millicron::schedule;
use millicron_pipeline::{
    History, MemoryHistory, Need, Pipeline, QueryError, RunState, RunningPipeline, WaitPolicy,
};
use millicron_scheduler::{Completion, Job, Outcome, RunContext};

use crate::support::build;
use crate::support::runner::{
    HOUR, Log, RunLog, loads_and_reports, midnight, minute, rates_and_reports, receive, runs,
    scheduler, secs, until, waiting,
};

#[test]
fn runs_of_a_paused_job_wait_until_it_is_resumed() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = loads_and_reports().run_on(&scheduler, MemoryHistory::new());
    let running = runner.run("load", log.job()).run("report", log.job()).start();
    let running = running.expect("the pipeline starts");
    clock.advance(HOUR);
    assert_eq!(log.take(), runs(&[("load", 30)]));

    assert_eq!(running.pause("load"), Ok(true));
    assert_eq!(running.pause("load"), Ok(false));
    assert_eq!(running.is_paused("load"), Ok(true));
    assert_eq!(running.is_paused("report"), Ok(false));
    clock.advance(3 * HOUR);
    assert_eq!(log.take(), []);
    assert_eq!(
        waiting(&running),
        [
            "`load` 2026-11-21 01:30:00 waits for its job to be resumed",
            "`load` 2026-11-21 02:30:00 waits for its job to be resumed",
            "`load` 2026-11-21 03:30:00 waits for its job to be resumed",
            "`report` 2026-11-21 04:00:00 waits for `load` 2026-11-21 01:30:00 … 2026-11-21 03:30:00 \
             (3)",
        ]
    );
    // Nothing that happens meanwhile starts them.
    running.refresh();
    assert_eq!(running.submit("load", minute(90)), Ok(false));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), []);

    assert_eq!(running.resume("load"), Ok(true));
    assert_eq!(running.resume("load"), Ok(false));
    assert_eq!(running.is_paused("load"), Ok(false));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("load", 90), ("load", 150), ("load", 210), ("report", 240)]));
    assert_eq!(waiting(&running), [""; 0]);
    clock.advance(HOUR);
    assert_eq!(log.take(), runs(&[("load", 270)]));
}

#[test]
fn run_that_becomes_ready_while_its_job_is_paused_waits() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let running = runner.run("rates", log.job()).run("report", log.job()).start();
    let running = running.expect("the pipeline starts");
    clock.advance(HOUR);
    assert_eq!(running.pause("report"), Ok(true));
    clock.advance(2 * HOUR);
    assert_eq!(log.take(), runs(&[("rates", 180)]));
    assert_eq!(waiting(&running).len(), 3);
    assert_eq!(running.resume("report"), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("report", 30), ("report", 90), ("report", 150)]));
}

#[test]
fn limits_of_waits_are_restarted_when_a_job_is_resumed() {
    for policy in
        [WaitPolicy::FailAfter(HOUR), WaitPolicy::SkipAfter(HOUR), WaitPolicy::StartAfter(HOUR)]
    {
        let (clock, scheduler) = scheduler();
        let (log, ended) = (RunLog::new(), Log::new());
        let told = ended.clone();
        let running = rates_and_reports()
            .run_on(&scheduler, MemoryHistory::new())
            .run("report", log.job())
            .external("rates")
            .wait_policy_of("report", policy)
            .on_end(move |run| told.add(run.to_string()))
            .start()
            .expect("the pipeline starts");
        clock.advance(HOUR);
        assert_eq!(running.pause("report"), Ok(true));
        clock.advance(HOUR);
        // Of 0:30 and 1:30. The limit of the first is over.
        assert_eq!(waiting(&running).len(), 2);
        assert_eq!(running.resume("report"), Ok(true));
        clock.advance(secs(3599));
        assert_eq!(ended.take(), [""; 0]);
        clock.advance(secs(1));
        let ended = ended.take();
        let [first, second] = &ended[..] else { panic!("not two runs: {ended:?}") };
        assert!(first.starts_with("`report` 2026-11-21 00:30:00"), "{first}");
        assert!(second.starts_with("`report` 2026-11-21 01:30:00"), "{second}");
        let has_started = matches!(policy, WaitPolicy::StartAfter(_));
        assert_eq!(log.take().len(), if has_started { 2 } else { 0 });
    }
}

fn state(running: &RunningPipeline<MemoryHistory>, job: &str, run: i64) -> Option<RunState> {
    running.with_history(|history| history.state(job, run)).expect("a history in memory")
}

#[test]
fn run_of_the_last_event_is_triggered_whatever_it_needs() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let running = runner.external("rates").run("report", log.job()).start();
    let running = running.expect("the pipeline starts");
    // Not due yet, and external.
    assert_eq!(running.trigger_now("report"), Ok(false));
    assert_eq!(running.trigger_now("rates"), Ok(false));

    clock.advance(2 * HOUR);
    assert_eq!(running.trigger_now("report"), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("report", 90)]));
    assert_eq!(state(&running, "report", minute(90)), Some(RunState::Succeeded));
    // The other one waits as before.
    assert_eq!(waiting(&running).len(), 1);
    // Again, and although the job is paused.
    assert_eq!(running.pause("report"), Ok(true));
    assert_eq!(running.trigger_now("report"), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("report", 90)]));
    running.cancel();
    assert_eq!(running.trigger_now("report"), Ok(false));
}

/// The repeated run is forgotten, so those that need it wait for its new end.
#[test]
fn runs_wait_for_a_run_that_is_repeated() {
    let (clock, scheduler) = scheduler();
    clock.set(midnight() + HOUR);
    let builder = Pipeline::builder().since(midnight() + secs(1));
    let builder = builder.job("load", schedule!("*:00:00"), []);
    let pipeline = build(builder.job("report", schedule!("1:00:00"), [Need::last("load")]));
    let (sender, requests) = channel::<(RunContext, Completion)>();
    let load = Job::deferred(move |context, completion| {
        sender.send((context, completion)).expect("the test receives");
    });
    let log = Log::new();
    let reported = log.clone();
    let runner = pipeline.run_on(&scheduler, MemoryHistory::new()).run_job("load", load);
    let runner = runner.run("report", move |_: RunContext| reported.add(()));
    let running = runner.submit_since(midnight()).start().expect("the pipeline starts");
    let (_, completion) = receive(&requests);
    completion.finish(Outcome::Succeeded);
    until(|| log.take().len() == 1);

    assert_eq!(running.trigger_now("load"), Ok(true));
    let (_, completion) = receive(&requests);
    assert_eq!(state(&running, "load", minute(60)), None);
    assert_eq!(running.submit("report", minute(60)), Ok(true));
    assert_eq!(waiting(&running).len(), 1);
    completion.finish(Outcome::Succeeded);
    until(|| log.take().len() == 1);
}

#[test]
fn run_that_follows_others_is_not_triggered_before_them() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let builder = Pipeline::builder().since(midnight() + secs(1));
    let builder = builder.job("chain", schedule!("*:00:00"), [Need::self_previous()]);
    let runner = build(builder).run_on(&scheduler, MemoryHistory::new());
    let running = runner.run("chain", log.job()).start().expect("the pipeline starts");
    assert_eq!(running.pause("chain"), Ok(true));
    clock.advance(2 * HOUR);
    assert_eq!(running.trigger_now("chain"), Ok(false), "the run of 1:00 waits");
    assert_eq!(running.resume("chain"), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("chain", 60), ("chain", 120)]));
    assert_eq!(running.trigger_now("chain"), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("chain", 120)]));
}

#[test]
fn claimed_run_is_repeated() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("rates", log.job()).run("report", |_| ()).claim_runs("one", HOUR);
    let running = runner.start().expect("the pipeline starts");
    clock.advance(4 * HOUR);
    assert_eq!(log.take(), runs(&[("rates", 180)]));
    assert_eq!(running.trigger_now("rates"), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("rates", 180)]));
}

#[test]
fn run_in_progress_is_not_triggered_again() {
    let (clock, scheduler) = scheduler();
    let slot: Arc<OnceLock<RunningPipeline<MemoryHistory>>> = Arc::default();
    let (own, answers) = (Arc::clone(&slot), Log::new());
    let log = answers.clone();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("rates", move |_: RunContext| {
        log.add(own.get().expect("set before the first run").trigger_now("rates"));
    });
    let running = runner.run("report", |_| ()).start().expect("the pipeline starts");
    assert!(slot.set(running.clone()).is_ok());
    clock.advance(4 * HOUR);
    assert_eq!(answers.take(), [Ok(false)]);
    // It has ended.
    assert_eq!(running.trigger_now("rates"), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(answers.take(), [Ok(false)]);
}

#[test]
fn external_and_unknown_jobs_are_not_paused() {
    let (_, scheduler) = scheduler();
    let runner = rates_and_reports().run_on(&scheduler, MemoryHistory::new());
    let running = runner.external("rates").run("report", |_| ()).start();
    let running = running.expect("the pipeline starts");
    assert_eq!(running.pause("rates"), Ok(false));
    let unknown = Err(QueryError::UnknownJob { job: "typo".into() });
    for answer in [running.pause("typo"), running.resume("typo"), running.is_paused("typo")] {
        assert_eq!(answer, unknown);
    }
    assert!(matches!(running.trigger_now("typo"), Err(QueryError::UnknownJob { .. })));
}
