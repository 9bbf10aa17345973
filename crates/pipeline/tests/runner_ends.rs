//! Pipelines on a scheduler: retries, runs that are given up, and how ends are recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use millicron::schedule;
use millicron_pipeline::{
    History as _, JobProblem, MemoryHistory, Need, Pipeline, RunState, RunningPipeline, StartError,
    WaitPolicy,
};
use millicron_scheduler::{Outcome, Retry, RunContext};

use crate::support::build;
use crate::support::runner::{
    HOUR, Log, RunLog, loads_and_reports, midnight, minute, observed, rates_and_reports, runs,
    scheduler, secs, waiting,
};

/// Returns an hourly load, a report that needs its successes, and a clean-up that accepts every
/// end.
fn load_report_and_clean() -> Pipeline {
    build(
        Pipeline::builder()
            .since(midnight())
            .job("load", schedule!("*:30:00"), [])
            .job("report", schedule!("*:40:00"), [Need::last("load")])
            .job("clean", schedule!("*:40:00"), [Need::last("load").ended()]),
    )
}

/// Returns work that fails a number of times.
fn fails(times: u32) -> impl Fn(RunContext) -> Result<(), String> + Send + Sync + 'static {
    let left = AtomicU32::new(times);
    move |run| {
        let failed =
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        failed.map_or(Ok(()), |_| Err(format!("attempt {}", run.attempt())))
    }
}

fn state(running: &RunningPipeline<MemoryHistory>, job: &str, run: i64) -> Option<RunState> {
    let Ok(state) = running.with_history(|history| history.state(job, run));
    state
}

#[test]
fn failed_run_is_attempted_again_until_it_succeeds() {
    let (clock, scheduler, outcomes) = observed();
    let ended = Log::new();
    let log = ended.clone();
    let running = load_report_and_clean()
        .run_on(&scheduler, MemoryHistory::new())
        .run("load", fails(2))
        .run("report", |_| {})
        .external("clean")
        .retry(Retry::constant(secs(900)).most(2))
        .on_end(move |run| log.add(run.to_string()))
        .start()
        .expect("the pipeline starts");
    clock.advance(45 * secs(60));
    assert_eq!(waiting(&running).len(), 1, "the report");
    assert_eq!(state(&running, "load", minute(30)), None);
    clock.advance(secs(899));
    assert_eq!(ended.take(), [""; 0]);
    clock.advance(secs(1));
    assert_eq!(
        ended.take(),
        ["`load` 2026-11-21 00:30:00 succeeded", "`report` 2026-11-21 00:40:00 succeeded"],
    );
    assert_eq!(state(&running, "load", minute(30)), Some(RunState::Succeeded));
    let failed = |attempt| ("load".to_owned(), Outcome::Failed(format!("attempt {attempt}")));
    let succeeded = |job: &str| (job.to_owned(), Outcome::Succeeded);
    let mut outcomes = outcomes.take();
    // The report is handed to the scheduler before the load is completed there.
    outcomes[2..].sort_by_key(|(job, _)| job.clone());
    assert_eq!(outcomes, [failed(1), failed(2), succeeded("load"), succeeded("report")]);
}

#[test]
fn run_whose_last_attempt_fails_is_recorded_and_reported() {
    let (clock, scheduler) = scheduler();
    let (log, ended) = (RunLog::new(), Log::new());
    let told = ended.clone();
    let running = load_report_and_clean()
        .run_on(&scheduler, MemoryHistory::new())
        .run("load", fails(u32::MAX))
        .run("report", log.job())
        .run("clean", log.job())
        .retry_job("load", Retry::exponential(secs(60)).most(2))
        .on_end(move |run| told.add((run.job.clone(), run.state, run.reason.clone())))
        .start()
        .expect("the pipeline starts");
    // Attempts after 0, 1 and 3 minutes.
    clock.advance(32 * secs(60) + secs(59));
    assert_eq!(ended.take(), []);
    clock.advance(secs(1));
    let failure = Some("attempt 3".to_owned());
    assert_eq!(ended.take(), [("load".to_owned(), RunState::Failed, failure)]);
    assert_eq!(state(&running, "load", minute(30)), Some(RunState::Failed));
    clock.advance(10 * secs(60));
    assert_eq!(log.take(), runs(&[("clean", 40)]));
    assert_eq!(
        waiting(&running),
        ["`report` 2026-11-21 00:40:00 waits for `load` 2026-11-21 00:30:00, \
          although `load` 2026-11-21 00:30:00 failed"]
    );
    assert_eq!(scheduler.stats().running, 0);
}

#[test]
fn observer_of_waits_is_told_when_a_run_begins_to_wait_and_of_failures() {
    let (clock, scheduler) = scheduler();
    let waits = Log::new();
    let told = waits.clone();
    let all = [Need::last("b"), Need::last("a")];
    let jobs = Pipeline::builder()
        .since(midnight())
        .job("a", schedule!("01:00:00"), [])
        .job("b", schedule!("02:00:00"), [])
        .job("job", schedule!("02:00:00"), all);
    let running = build(jobs)
        .run_on(&scheduler, MemoryHistory::new())
        .external("b")
        .run("a", fails(u32::MAX))
        .run("job", |_| {})
        .on_wait(move |run| {
            told.add((run.failed.clone(), run.reason.clone()));
            panic!("observer");
        })
        .start()
        .expect("the pipeline starts");
    clock.advance(secs(7200));
    let (a, b) = ("`a` 2026-11-21 01:00:00", "`b` 2026-11-21 02:00:00");
    // The failed run comes after the run that `job` waits for first.
    assert_eq!(waits.take(), [(None, format!("{b}; and for {a}"))]);
    running.record("b", minute(120)).expect("it is a run");
    assert_eq!(waits.take(), [(Some(format!("{a} failed")), a.to_owned())]);
    // It fails once more.
    assert!(running.submit("a", minute(60)).expect("it is a run"));
    clock.advance(secs(1));
    assert_eq!(waits.take(), [(Some(format!("{a} failed")), a.to_owned())]);
    running.record("a", minute(60)).expect("it is a run");
    clock.advance(secs(1));
    assert_eq!((waits.take().len(), running.waiting().len()), (0, 0));
}

#[test]
fn cancelled_pipeline_attempts_nothing_again() {
    let (clock, scheduler, outcomes) = observed();
    let running = load_report_and_clean()
        .run_on(&scheduler, MemoryHistory::new())
        .run("load", fails(u32::MAX))
        .external("report")
        .external("clean")
        .retry(Retry::constant(secs(60)))
        .start()
        .expect("the pipeline starts");
    clock.advance(30 * secs(60));
    assert_eq!(outcomes.take().len(), 1);
    running.cancel();
    clock.advance(HOUR);
    assert_eq!(outcomes.take(), []);
    assert_eq!(running.with_history(|history| history.len()), 0);
    assert_eq!(scheduler.jobs().count(), 0);
}

#[test]
fn panicking_observer_has_no_effect() {
    let (clock, scheduler) = scheduler();
    let running = load_report_and_clean()
        .run_on(&scheduler, MemoryHistory::new())
        .run("load", |_| {})
        .run("report", |_| {})
        .external("clean")
        .on_end(|_| panic!("observer"))
        .start()
        .expect("the pipeline starts");
    clock.advance(HOUR);
    assert_eq!(running.with_history(|history| history.len()), 2);
}

#[test]
fn given_up_runs_are_recorded() {
    let policies = [
        (WaitPolicy::FailAfter(HOUR), Some(RunState::Failed)),
        (WaitPolicy::SkipAfter(HOUR), Some(RunState::Skipped)),
        (WaitPolicy::StartAfter(HOUR), Some(RunState::Succeeded)),
        (WaitPolicy::Forever, None),
    ];
    for (policy, expected) in policies {
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
        clock.advance(HOUR + 29 * secs(60) + secs(59));
        assert_eq!(ended.take(), [""; 0]);
        clock.advance(secs(1));
        assert_eq!(state(&running, "report", minute(30)), expected);
        let text = expected.map(|state| match state {
            RunState::Succeeded => "`report` 2026-11-21 00:30:00 succeeded".to_owned(),
            state => format!(
                "`report` 2026-11-21 00:30:00 {state}: waited 3600s for `rates` 2026-11-21 03:00:00 \
                 or later"
            ),
        });
        assert_eq!(ended.take(), text.into_iter().collect::<Vec<_>>());
        let has_started = expected == Some(RunState::Succeeded);
        assert_eq!(!log.take().is_empty(), has_started);
    }
}

#[test]
fn limit_of_a_wait_counts_from_when_the_run_is_due() {
    for policy in [WaitPolicy::SkipAfter(HOUR), WaitPolicy::FailAfter(HOUR)] {
        let (clock, scheduler) = scheduler();
        let log = RunLog::new();
        let running = rates_and_reports()
            .run_on(&scheduler, MemoryHistory::new())
            .run("report", log.job())
            .external("rates")
            .wait_policy_of("report", policy)
            .start()
            .expect("the pipeline starts");
        assert_eq!(running.submit("report", minute(150)), Ok(true));
        clock.advance(3 * HOUR);
        assert_eq!(state(&running, "report", minute(150)), None);
        running.record("rates", minute(180)).expect("a record");
        clock.advance(Duration::ZERO);
        assert_eq!(state(&running, "report", minute(150)), Some(RunState::Succeeded));
    }
}

#[test]
fn waiting_run_that_is_recorded_neither_starts_nor_is_skipped() {
    for rates_succeed in [true, false] {
        let (clock, scheduler) = scheduler();
        let log = RunLog::new();
        let running = rates_and_reports()
            .run_on(&scheduler, MemoryHistory::new())
            .external("rates")
            .run("report", log.job())
            .wait_policy_of("report", WaitPolicy::SkipAfter(2 * HOUR))
            .start()
            .expect("the pipeline starts");
        clock.advance(HOUR);
        assert_eq!(waiting(&running).len(), 1);
        running.record("report", minute(30)).expect("it is a run");
        assert_eq!(waiting(&running), [""; 0]);
        if rates_succeed {
            running.record("rates", minute(180)).expect("it is a run");
        }
        clock.advance(2 * HOUR);
        assert_eq!(state(&running, "report", minute(30)), Some(RunState::Succeeded));
        assert!(!log.take().contains(&("report".to_owned(), 30)));
    }
}

#[test]
fn skipped_run_lets_those_start_that_accept_it() {
    let pipeline = build(
        Pipeline::builder()
            .since(midnight())
            .job("rates", schedule!("0:00:00"), [])
            .job("report", schedule!("1:00:00"), [Need::last("rates")])
            .job("clean", schedule!("2:00:00"), [Need::last("report").ended()]),
    );
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let running = pipeline
        .run_on(&scheduler, MemoryHistory::new())
        .external("rates")
        .run("report", log.job())
        .run("clean", log.job())
        .wait_policy_of("report", WaitPolicy::SkipAfter(2 * HOUR))
        .start()
        .expect("the pipeline starts");
    clock.advance(2 * HOUR + secs(3599));
    assert_eq!(log.take(), []);
    clock.advance(secs(1));
    assert_eq!(log.take(), runs(&[("clean", 120)]));
    assert_eq!(state(&running, "report", minute(60)), Some(RunState::Skipped));
    // A skipped run can be submitted.
    running.record("rates", minute(0)).expect("the record succeeds");
    assert_eq!(running.submit("report", minute(60)), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(state(&running, "report", minute(60)), Some(RunState::Succeeded));
}

#[test]
fn patience_applies_to_the_runs_of_one_job() {
    let pipeline = build(
        Pipeline::builder()
            .since(midnight())
            .job("a", schedule!("0:00:00"), [])
            .job("b", schedule!("0:00:00"), [])
            .job("both", schedule!("1:00:00"), [Need::last("a"), Need::last("b")])
            .job(
                "either",
                schedule!("1:00:00"),
                [Need::any_of(&[Need::last("a"), Need::last("b")])],
            ),
    );
    for is_recorded in [false, true] {
        let (clock, scheduler) = scheduler();
        let running = pipeline
            .clone()
            .run_on(&scheduler, MemoryHistory::new())
            .external("a")
            .external("b")
            .run("both", |_| {})
            .run("either", |_| {})
            .skip_after("both", "a", HOUR)
            .skip_after("either", "a", HOUR)
            .start()
            .expect("the pipeline starts");
        clock.advance(HOUR + secs(3599));
        assert_eq!(running.waiting().len(), 2);
        if is_recorded {
            running.record("a", minute(0)).expect("the record succeeds");
        }
        clock.advance(secs(1));
        let both = state(&running, "both", minute(60));
        assert_eq!(both, (!is_recorded).then_some(RunState::Skipped));
        let either = state(&running, "either", minute(60));
        assert_eq!(either, is_recorded.then_some(RunState::Succeeded));
    }
}

/// The runs become ready, are triggered, or reach the first of two limits.
#[test]
fn limits_of_runs_that_have_started_are_removed() {
    let (clock, scheduler) = scheduler();
    let running = rates_and_reports()
        .run_on(&scheduler, MemoryHistory::new())
        .external("rates")
        .run("report", |_| {})
        .wait_policy(WaitPolicy::FailAfter(6 * HOUR))
        .skip_after("report", "rates", 2 * HOUR)
        .start()
        .expect("the pipeline starts");
    let due_jobs = scheduler.stats().waiting;
    let limits = || scheduler.stats().waiting - due_jobs;
    clock.advance(2 * HOUR);
    assert_eq!(limits(), 4, "of 0:30 and 1:30");
    assert_eq!(running.trigger_now("report"), Ok(true));
    clock.advance(Duration::ZERO);
    assert_eq!(limits(), 2);
    clock.advance(HOUR / 2);
    assert_eq!(state(&running, "report", minute(30)), Some(RunState::Skipped));
    assert_eq!(limits(), 2, "of 2:30");
    running.record("rates", minute(180)).expect("the record succeeds");
    clock.advance(Duration::ZERO);
    assert_eq!(limits(), 0);
}

#[test]
fn failed_and_skipped_runs_are_not_caught_up() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let mut history = MemoryHistory::new();
    let Ok(()) = history.record_state("load", minute(30), RunState::Failed);
    let Ok(()) = history.record_state("load", minute(90), RunState::Skipped);
    clock.set(midnight() + 3 * HOUR);
    let runner = loads_and_reports().run_on(&scheduler, history);
    let runner = runner.run("load", log.job()).external("report").submit_since(midnight());
    let running = runner.start().expect("the pipeline starts");
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("load", 150)]));
    drop(running);
}

#[test]
fn settings_of_unknown_jobs_are_problems() {
    let (_clock, scheduler) = scheduler();
    let started = loads_and_reports()
        .run_on(&scheduler, MemoryHistory::new())
        .run("load", |_| {})
        .run("report", |_| {})
        .retry_job("other", Retry::constant(HOUR))
        .wait_policy_of("more", WaitPolicy::Forever)
        .skip_after("load", "report", HOUR)
        .start();
    let Err(StartError::Jobs(problems)) = started else { panic!("{started:?}") };
    assert_eq!(
        problems,
        [
            JobProblem::UnknownJob { job: "other".to_owned() },
            JobProblem::UnknownJob { job: "more".to_owned() },
            JobProblem::NotNeeded { job: "load".to_owned(), upstream: "report".to_owned() },
        ],
    );
    assert_eq!(
        problems[2].to_string(),
        "`load` does not need `report`, so it does not wait for it"
    );
}

/// An observer may use the pipeline.
#[test]
fn observer_can_submit_a_failed_run_again() {
    let (clock, scheduler) = scheduler();
    let cell = Arc::new(std::sync::OnceLock::<RunningPipeline<MemoryHistory>>::new());
    let of_observer = Arc::clone(&cell);
    let running = load_report_and_clean()
        .run_on(&scheduler, MemoryHistory::new())
        .run("load", fails(1))
        .external("report")
        .external("clean")
        .on_end(move |run| {
            if let (RunState::Failed, Some(running)) = (run.state, of_observer.get()) {
                assert_eq!(running.submit(&run.job, run.scheduled), Ok(true));
            }
        })
        .start()
        .expect("the pipeline starts");
    cell.set(running.clone()).expect("set once");
    clock.advance(30 * secs(60));
    assert_eq!(state(&running, "load", minute(30)), Some(RunState::Succeeded));
    running.cancel();
}

/// The machine wakes up, and its only worker takes another job first.
#[test]
fn pruning_keeps_what_due_runs_need_that_are_not_submitted_yet() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let running = loads_and_reports()
        .run_on(&scheduler, MemoryHistory::new())
        .run("load", log.job())
        .run("report", log.job())
        .start()
        .expect("the pipeline starts");
    for load in [30, 90, 150, 210] {
        running.record("load", minute(load)).expect("it is a run");
    }
    let of_job = running.clone();
    let prune = move |_: RunContext| of_job.prune(minute(250));
    scheduler.once(midnight() + 230 * secs(60), prune).expect("an open scheduler");
    clock.set(midnight() + 250 * secs(60));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("report", 240)]));
    running.prune(minute(250)).expect("a history in memory does not fail");
    assert_eq!(running.with_history(|history| history.len()), 0);
    // The next loads and the next report are not due yet.
    for load in [270, 330, 390, 450] {
        running.record("load", minute(load)).expect("it is a run");
    }
    running.prune(minute(1000)).expect("a history in memory does not fail");
    clock.advance(4 * HOUR);
    assert_eq!(log.take(), runs(&[("report", 480)]));
    running.cancel();
    running.prune(minute(1000)).expect("a history in memory does not fail");
    assert_eq!(running.with_history(|history| history.len()), 0);
}

#[test]
fn pruning_keeps_what_waiting_runs_need() {
    let (clock, scheduler) = scheduler();
    let running = load_report_and_clean()
        .run_on(&scheduler, MemoryHistory::new())
        .run("load", fails(1))
        .run("report", |_| {})
        .run("clean", |_| {})
        .start()
        .expect("the pipeline starts");
    clock.advance(5 * HOUR);
    let prune = || {
        running.prune(minute(300)).expect("a history in memory does not fail");
        running.with_history(|history| history.len())
    };
    assert_eq!(waiting(&running).len(), 1, "the first report");
    assert_eq!(prune(), 14, "five loads, their clean-ups, and four reports");
    assert_eq!(running.submit("load", minute(30)), Ok(true));
    clock.advance(secs(1));
    assert!(waiting(&running).is_empty());
    assert_eq!(prune(), 0, "the next report needs a later load");
}
