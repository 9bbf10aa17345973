//! Histories that carry out a call, but whose answer is lost or which then panic.

use std::sync::{Arc, Mutex};

use millicron_history::{RunState, error_message};
use millicron_scheduler::{
    CutOff, HistoryFailure, Job, JobHistory, JobName, Keep, ManualClock, Outcome, Overlap, Retry,
    RunContext, Scheduler,
};

use super::{MINUTES, Process, Store, logging, open_ended};
use crate::support::{Log, at, lock, receive, secs, to_millis, until};

#[test]
fn a_claim_whose_answer_is_lost_lets_its_run_start() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let log = Log::new();
    process.jobs.add_job(MINUTES, logging(&log)).expect("added");
    store.lose_answer();
    process.clock.advance(secs(41));
    until(|| process.jobs.last_run("job").is_ok_and(|run| run.is_some()));
    assert_eq!(log.take(), [(40, 1)]);
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.scheduled, last.attempts), (at(40), Some(1)));
    assert_eq!(store.direct_started(), 0);
}

/// A run that another process has claimed does not start in this one.
#[test]
fn a_claim_of_another_process_is_respected() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let log = Log::new();
    process.jobs.add_job(MINUTES, logging(&log)).expect("added");
    store.direct_claim("job", 40, "scheduler");
    process.clock.advance(secs(41));
    until(|| process.scheduler.stats().completed == 1);
    assert_eq!(log.take(), []);
    assert_eq!(store.direct_started(), 1);
}

#[test]
fn an_attempt_whose_answer_is_lost_starts() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let (job, runs) = open_ended();
    process.jobs.add_job(MINUTES, job.retry(Retry::constant(secs(2)))).expect("added");
    process.clock.advance(secs(41));
    receive(&runs).1.finish(Outcome::Failed("first".into()));
    until(|| process.scheduler.stats().failed == 1);
    store.lose_answer();
    process.clock.advance(secs(3));
    let (run, completion) = receive(&runs);
    assert_eq!(run.attempt(), 2);
    completion.finish(Outcome::Succeeded);
    until(|| process.jobs.last_run("job").is_ok_and(|run| run.is_some()));
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.state, last.attempts), (RunState::Succeeded, Some(2)));
    assert_eq!(store.direct_started(), 0);
}

/// The end is recorded even without a claim.
#[test]
fn an_attempt_that_starts_without_its_claim_is_recorded() {
    let store = Store::default();
    let builder = JobHistory::builder().when_it_fails(HistoryFailure::Run);
    let process = Process::stepped_with(secs(0), &store, builder);
    let (job, runs) = open_ended();
    process.jobs.add_job(MINUTES, job.retry(Retry::constant(secs(2)))).expect("added");
    process.clock.advance(secs(41));
    receive(&runs).1.finish(Outcome::Failed("first".into()));
    until(|| process.scheduler.stats().failed == 1);
    store.lose_answer();
    process.clock.advance(secs(3));
    receive(&runs).1.finish(Outcome::Succeeded);
    until(|| process.jobs.last_run("job").expect("a read").is_some());
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.state, last.attempts), (RunState::Succeeded, Some(2)));
    assert_eq!(store.direct_started(), 0);
}

/// Otherwise, the run would count as cut off once its record has been removed.
#[test]
fn a_claim_whose_answer_is_lost_does_not_outlive_its_record() {
    for is_first in [true, false] {
        let store = Store::default();
        let builder = JobHistory::builder().when_it_fails(HistoryFailure::Run).keep(Keep::last(2));
        let process = Process::stepped_with(secs(0), &store, builder);
        let (job, runs) = open_ended();
        process.jobs.add_job(MINUTES, job.retry(Retry::constant(secs(2)))).expect("added");
        if is_first {
            store.lose_answer();
        }
        process.clock.advance(secs(41));
        receive(&runs).1.finish(Outcome::Failed("first".into()));
        until(|| process.scheduler.stats().failed == 1);
        if !is_first {
            store.lose_answer();
        }
        process.clock.advance(secs(3));
        receive(&runs).1.finish(Outcome::Succeeded);
        let last_run = || process.jobs.last_run("job").expect("a read").map(|run| run.scheduled);
        until(|| last_run() == Some(at(40)));
        for event in [100, 160, 220] {
            process.clock.advance(secs(60));
            receive(&runs).1.finish(Outcome::Succeeded);
            until(|| last_run() == Some(at(event)));
        }
        assert!(!store.records("job").contains_key(&to_millis(at(40))), "it was removed");
        assert_eq!(store.direct_started(), 0);
    }
}

/// The claim is looked up among those of the job's runs in progress.
#[test]
fn a_claim_whose_answer_is_lost_is_not_that_of_another_run() {
    let store = Store::default();
    let builder = JobHistory::builder().when_it_fails(HistoryFailure::Run);
    let process = Process::stepped_with(secs(0), &store, builder);
    let (job, runs) = open_ended();
    process.jobs.add_job(MINUTES, job.overlap(Overlap::Allow { max: 2 })).expect("added");
    process.clock.advance(secs(40));
    let (_, first) = receive(&runs);
    store.lose_answer();
    process.clock.advance(secs(60));
    let (_, second) = receive(&runs);
    second.finish(Outcome::Succeeded);
    until(|| process.jobs.last_runs("job", 9).expect("a read").len() == 1);
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.scheduled, last.state), (at(100), RunState::Succeeded));
    assert_eq!(store.direct_started(), 1);
    first.finish(Outcome::Failed("an error".into()));
    until(|| process.jobs.last_runs("job", 9).expect("a read").len() == 2);
    let last = process.jobs.last_runs("job", 9).expect("a read");
    assert_eq!((last[1].scheduled, last[1].state), (at(40), RunState::Failed));
    assert_eq!(store.direct_started(), 0);
}

/// The job continues with its other events if a run was forgotten.
#[test]
fn a_restart_whose_claim_is_lost_does_not_hold_up_its_job() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    process.jobs.add_job(MINUTES, logging(&Log::new())).expect("added");
    store.direct_claim("job", 40, "scheduler");
    drop(process);
    let process = Process::stepped(secs(50), &store);
    let log = Log::new();
    store.forget();
    let job = logging(&log).cut_off(CutOff::Restart { most: 9 });
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(60));
    until(|| !log.is_empty());
    assert_eq!(log.take(), [(100, 1)]);
}

#[test]
fn a_history_that_panics_has_failed() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    store.panic();
    let (job, runs) = open_ended();
    let error = process.jobs.add_job(MINUTES, job).expect_err("the history panics");
    assert_eq!(process.reports.take(), ["failed: cannot read the runs in progress of job `job`"]);
    process.jobs.add_job(MINUTES, error.into_job()).expect("added");
    assert_eq!(process.reports.take(), ["recovered"]);

    store.panic();
    process.clock.advance(secs(41));
    let (_, completion) = receive(&runs);
    assert_eq!(store.direct_started(), 1, "the run is claimed before it starts");
    store.panic();
    completion.finish(Outcome::Succeeded);
    until(|| process.jobs.last_run("job").is_ok_and(|run| run.is_some()));
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.scheduled, last.state), (at(40), RunState::Succeeded));
    let expected = ["failed: cannot record the start of job `job`", "recovered"];
    let reports = process.reports.take();
    assert_eq!(reports[..2], expected);
    assert_eq!(reports[2..], ["failed: cannot record the end of job `job`", "recovered"]);
    store.panic();
    let error = process.jobs.last_run("job").expect_err("the history panics");
    let source = std::error::Error::source(&error).expect("a source");
    let expected = "a call of the history has panicked: a panic that the test needs";
    assert_eq!(error_message(source), expected);
}

/// A run that was held up has already passed the gate.
#[test]
fn a_gate_is_not_asked_again_about_a_run_that_was_held_up() {
    let store = Store::default();
    let clock = ManualClock::new(at(0));
    let asked = Log::new();
    let log = asked.clone();
    let scheduler = Scheduler::builder().clock(clock.clone()).gate(move |run: &RunContext| {
        log.add(run.scheduled());
        matches!(run.job_name(), JobName::Given(_))
    });
    let scheduler = scheduler.start().expect("threads");
    let jobs = JobHistory::builder().observer(|_| {}).start(&scheduler, store.clone());
    let jobs = jobs.expect("a thread");
    let log = Log::new();
    jobs.add_job(MINUTES, logging(&log)).expect("added");
    store.lose_answer();
    clock.advance(secs(41));
    until(|| !log.is_empty());
    assert_eq!((log.take(), asked.take()), (vec![(40, 1)], vec![at(40)]));
}

#[test]
fn an_observer_that_asks_the_history_gets_an_error() {
    let store = Store::default();
    let scheduler = Scheduler::new().expect("threads");
    let cell = Arc::new(Mutex::new(None::<JobHistory>));
    let (errors, jobs) = (Log::new(), Arc::clone(&cell));
    let log = errors.clone();
    let builder = JobHistory::builder().observer(move |_| {
        if let Some(jobs) = &*lock(&jobs) {
            let error = jobs.last_run("job").expect_err("it would wait for itself");
            log.add(std::error::Error::source(&error).expect("a source").to_string());
            let job = Job::new(|_| {}).name("other").cut_off(CutOff::Fail);
            let error = jobs.add_job(MINUTES, job).expect_err("it would wait for itself");
            log.add(error.to_string());
        }
    });
    let jobs = builder.start(&scheduler, store.clone()).expect("a thread");
    *lock(&cell) = Some(jobs.clone());
    store.fail(true);
    let error = jobs.add_job(MINUTES, logging(&Log::new())).expect_err("the history fails");
    drop(error);
    let expected = [
        "the thread of the history would wait for itself".to_owned(),
        "the history failed".to_owned(),
    ];
    assert_eq!(errors.take(), expected);
    lock(&cell).take();
}
