//! Histories that fail.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use millicron::schedule;
use millicron_history::RunState;
use millicron_scheduler::{
    AddErrorKind, CutOff, HistoryFailure, Job, JobHistory, Missed, Outcome, Overlap, Retry,
};

use super::restarts::cut_off;
use super::{MINUTES, Process, StepClock, Store, logging, open_ended, seconds};
use crate::support::{Log, at, in_child, receive, scheduler, secs, until};

fn start(store: &Store, failure: HistoryFailure) -> Process<StepClock> {
    Process::stepped_with(secs(0), store, JobHistory::builder().when_it_fails(failure))
}

/// Starts a process whose history fails before the first run, and returns where its job would log its runs.
fn held(store: &Store) -> (Process<StepClock>, Log<(u64, u32)>) {
    let process = start(store, HistoryFailure::Hold);
    let log = Log::new();
    process.jobs.add_job(MINUTES, logging(&log)).expect("added");
    store.fail(true);
    process.clock.advance(secs(45));
    until(|| !process.reports.is_empty());
    (process, log)
}

#[test]
fn a_history_that_fails_holds_up_starts_until_it_works() {
    let store = Store::default();
    let (process, log) = held(&store);
    assert_eq!(process.reports.take(), ["failed: cannot record the start of job `job`"]);
    // Runs that wait occupy no worker.
    for _ in 0..3 {
        process.scheduler.once(at(46), |_| {}).expect("added");
    }
    process.clock.advance(secs(5));
    until(|| process.scheduler.stats().completed == 3);
    assert_eq!(log.take(), []);

    store.fail(false);
    until(|| !log.is_empty());
    until(|| process.jobs.last_run("job").is_ok_and(|run| run.is_some()));
    assert_eq!(log.take(), [(40, 1)]);
    assert_eq!(process.reports.take(), ["recovered"]);
    process.clock.advance(secs(60));
    until(|| !log.is_empty());
    assert_eq!(log.take(), [(100, 1)]);
}

/// A server that does not answer fails only after a time-out, during which the history's thread waits.
#[test]
fn runs_that_wait_for_a_history_that_hangs_occupy_no_workers() {
    let store = Store::default();
    let process = start(&store, HistoryFailure::Hold);
    let log = Log::new();
    process.jobs.add_job(MINUTES, logging(&log)).expect("added");
    for name in ["second", "third"] {
        let job = logging(&log).name(name);
        process.jobs.add_job(schedule!("*:*:10"), job).expect("added");
    }
    store.fail(true);
    process.clock.advance(secs(45));
    until(|| !process.reports.is_empty());
    let history = store.direct();
    until(|| store.hangs());

    let (sender, others) = channel();
    process.scheduler.once(at(51), move |_| sender.send(())).expect("added");
    process.clock.advance(secs(6));
    receive(&others);
    assert_eq!(log.take(), []);
    store.fail(false);
    drop(history);
    until(|| log.len() == 3);
    let mut runs = log.take();
    runs.sort_unstable();
    assert_eq!(runs, [(40, 1), (50, 1), (50, 1)]);
}

#[test]
fn runs_that_end_while_the_history_hangs_occupy_no_workers() {
    for failure in [HistoryFailure::Hold, HistoryFailure::Run] {
        let store = Store::default();
        let process = start(&store, failure);
        let (started, may_end) = (Log::new(), Arc::new(AtomicBool::new(false)));
        for name in ["job", "second"] {
            let (log, may_end) = (started.clone(), Arc::clone(&may_end));
            let job = Job::new(move |_| {
                log.add(());
                until(|| may_end.load(Ordering::SeqCst));
            });
            process.jobs.add_job(MINUTES, job.name(name)).expect("added");
        }
        process.clock.advance(secs(41));
        until(|| started.len() == 2);
        store.fail(true);
        drop(process.jobs.add_job(MINUTES, Job::new(|_| {}).name("third")));
        let history = store.direct();
        let jobs = process.jobs.clone();
        let reading = std::thread::spawn(move || drop(jobs.last_run("job")));
        until(|| store.hangs());

        let (sender, others) = channel();
        process.scheduler.once(at(42), move |_| sender.send(())).expect("added");
        process.clock.advance(secs(1));
        may_end.store(true, Ordering::SeqCst);
        receive(&others);
        store.fail(false);
        drop(history);
        reading.join().expect("the history answers");
        until(|| process.jobs.last_run("job").expect("a read").is_some());
    }
}

#[test]
fn an_end_that_cannot_be_recorded_is_held_up() {
    let store = Store::default();
    let process = start(&store, HistoryFailure::Hold);
    let (job, runs) = open_ended();
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(41));
    let (_, completion) = receive(&runs);
    store.fail(true);
    completion.finish(Outcome::Succeeded);
    until(|| !process.reports.is_empty());
    assert_eq!(process.scheduler.stats().completed, 0);
    assert_eq!(process.reports.take(), ["failed: cannot record the end of job `job`"]);
    store.fail(false);
    until(|| process.scheduler.stats().completed == 1);
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.state, last.ended), (RunState::Succeeded, Some(at(41))));
}

/// For example, its row in a database is damaged.
#[test]
fn an_end_that_cannot_be_recorded_holds_up_no_other_job() {
    let store = Store::default();
    let process = start(&store, HistoryFailure::Hold);
    let (job, runs) = open_ended();
    let (other, others) = open_ended();
    process.jobs.add_job(MINUTES, job).expect("added");
    process.jobs.add_job(MINUTES, other.name("other")).expect("added");
    process.clock.advance(secs(41));
    let ends = [receive(&runs).1, receive(&others).1];
    store.refuse_ends("job", true);
    store.fail(true);
    for completion in ends {
        completion.finish(Outcome::Succeeded);
    }
    until(|| !process.reports.is_empty());
    store.fail(false);
    let last = || process.jobs.last_run("other").ok().flatten().map(|run| run.scheduled);
    until(|| last() == Some(at(40)));

    process.clock.advance(secs(60));
    receive(&others).1.finish(Outcome::Succeeded);
    until(|| last() == Some(at(100)));
    assert_eq!(process.jobs.last_run("job").expect("a read"), None);
    store.refuse_ends("job", false);
    until(|| process.jobs.last_run("job").expect("a read").is_some());
}

#[test]
fn a_run_that_times_out_while_it_is_held_up_is_recorded_when_it_fails() {
    let store = Store::default();
    let process = start(&store, HistoryFailure::Hold);
    let (job, runs) = open_ended();
    let job = job.retry(Retry::constant(secs(5))).timeout_and_go_on(secs(3));
    process.jobs.add_job(MINUTES, job.overlap(Overlap::Allow { max: 9 })).expect("added");
    store.fail(true);
    process.clock.advance(secs(41));
    until(|| !process.reports.is_empty());
    process.clock.advance(secs(5));
    until(|| process.scheduler.stats().timed_out == 1);
    store.fail(false);
    receive(&runs).1.finish(Outcome::Failed("late".to_owned()));
    until(|| process.jobs.last_run("job").expect("a read").is_some());
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.state, last.attempts), (RunState::Failed, Some(1)));
}

#[test]
fn an_end_that_is_held_up_is_recorded_when_the_process_ends() {
    let store = Store::default();
    let process = start(&store, HistoryFailure::Hold);
    let (job, runs) = open_ended();
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(41));
    let (_, completion) = receive(&runs);
    store.fail(true);
    completion.finish(Outcome::Succeeded);
    until(|| !process.reports.is_empty());
    store.fail(false);
    drop(process);
    let next = Process::start(secs(50), &store);
    until(|| next.jobs.last_run("job").expect("a read").is_some());
}

#[test]
fn an_end_that_cannot_be_recorded_when_the_process_ends_loses_no_other() {
    let store = Store::default();
    let process = start(&store, HistoryFailure::Hold);
    let (job, runs) = open_ended();
    let (other, others) = open_ended();
    process.jobs.add_job(MINUTES, job).expect("added");
    process.jobs.add_job(MINUTES, other.name("other")).expect("added");
    process.clock.advance(secs(41));
    let ends = [receive(&runs).1, receive(&others).1];
    store.refuse_ends("job", true);
    // The second end waits until the history is retried, since the first one fails.
    for completion in ends {
        completion.finish(Outcome::Succeeded);
    }
    drop(process);
    let next = Process::start(secs(50), &store);
    until(|| next.jobs.last_run("other").expect("a read").is_some());
}

#[test]
fn runs_start_without_their_history_if_they_may() {
    let store = Store::default();
    let process = start(&store, HistoryFailure::Run);
    let log = Log::new();
    store.fail(true);
    process.jobs.add_job(MINUTES, logging(&log)).expect("added");
    for runs in 1..=3 {
        process.clock.advance(secs(60));
        until(|| process.scheduler.stats().completed == runs);
    }
    assert_eq!(log.take(), [(40, 1), (100, 1), (160, 1)]);
    assert_eq!(process.reports.take().len(), 1, "one report for all");
    store.fail(false);
    until(|| process.jobs.last_runs("job", 9).is_ok_and(|runs| runs.len() == 3));
    let last = process.jobs.last_runs("job", 9).expect("a read");
    let ends: Vec<_> = last.iter().map(|run| (seconds(run.scheduled), run.state)).collect();
    let expected = [160, 100, 40].map(|event| (event, RunState::Succeeded));
    assert_eq!(ends, expected);
    assert_eq!(process.reports.take(), ["recovered"]);
    process.clock.advance(secs(60));
    until(|| !log.is_empty());
    assert_eq!(log.take(), [(220, 1)]);
}

/// They are recorded a few at a time.
#[test]
fn any_number_of_runs_are_recorded_after_an_outage() {
    const RUNS: usize = 200;
    for is_closed in [false, true] {
        let store = Store::default();
        let process = start(&store, HistoryFailure::Run);
        let job = logging(&Log::new()).missed(Missed::All { max: RUNS });
        let job = job.overlap(Overlap::Queue { max: RUNS });
        process.jobs.add_job(schedule!("*:*:*"), job).expect("added");
        store.fail(true);
        process.clock.advance(secs(RUNS as u64));
        until(|| process.scheduler.stats().completed == RUNS as u64);
        store.fail(false);
        if is_closed {
            drop(process);
        }
        // Includes the first record of a new job.
        until(|| store.records("job").len() == RUNS + 1);
    }
}

/// The end of the restarted run cannot be recorded.
#[test]
fn runs_after_a_restarted_one_start_without_their_history_if_they_may() {
    for failure in [HistoryFailure::Run, HistoryFailure::Hold] {
        let store = cut_off();
        let builder = JobHistory::builder().when_it_fails(failure);
        let process = Process::stepped_with(secs(50), &store, builder);
        let (job, runs) = open_ended();
        let job = job.cut_off(CutOff::Restart { most: 3 });
        process.jobs.add_job(MINUTES, job).expect("added");
        process.clock.advance(secs(1));
        let (run, completion) = receive(&runs);
        assert_eq!((run.scheduled(), run.attempt()), (at(40), 2));
        store.fail(true);
        completion.finish(Outcome::Succeeded);
        until(|| process.reports.len() == 2);
        process.clock.advance(secs(60));
        if failure == HistoryFailure::Hold {
            until(|| process.scheduler.stats().running == 2);
            assert!(runs.try_recv().is_err(), "both wait for the history");
            store.fail(false);
        }
        assert_eq!(receive(&runs).0.scheduled(), at(100));
    }
}

#[test]
fn without_an_observer_failures_are_written_to_standard_error() {
    let name = "history::failing::without_an_observer_failures_are_written_to_standard_error";
    let Some(written) = in_child(name) else {
        let (store, (_clock, scheduler)) = (Store::default(), scheduler());
        let jobs = JobHistory::new(&scheduler, store.clone()).expect("a thread");
        store.fail(true);
        jobs.add_job(MINUTES, logging(&Log::new())).expect_err("the history fails");
        return;
    };
    let expected = "millicron: cannot read the runs in progress of job `job`";
    assert!(written.lines().any(|line| line.starts_with(expected)), "{written}");
}

#[test]
fn adding_a_job_fails_if_its_last_run_cannot_be_read() {
    let store = Store::default();
    let process = start(&store, HistoryFailure::Hold);
    let log = Log::new();
    store.fail(true);
    let error = process.jobs.add_job(MINUTES, logging(&log)).expect_err("the history fails");
    assert!(matches!(error.kind(), AddErrorKind::History(_)));
    let source = error.source().expect("a source");
    assert!(source.to_string().contains("job `job`"), "{source}");
    assert_eq!(source.source().expect("a source").to_string(), "the store is switched off");
    store.fail(false);
    process.jobs.add_job(MINUTES, error.into_job()).expect("added");
    process.clock.advance(secs(60));
    until(|| !log.is_empty());
    assert_eq!(log.take(), [(40, 1)]);
}

/// A scheduler that closes does not wait for a failing history: the next process catches up.
#[test]
fn runs_that_are_held_up_when_the_scheduler_closes_are_missed_by_the_next() {
    let store = Store::default();
    let (process, log) = held(&store);
    let unfinished = process.scheduler.close_and_wait(Duration::from_mins(1));
    assert!(unfinished.is_empty());
    store.cut();
    store.fail(false);
    assert_eq!(log.take(), []);

    let process = Process::start(secs(110), &store);
    let job = logging(&log).missed(Missed::All { max: 9 });
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(1));
    assert_eq!(log.take(), [(40, 1), (100, 1)]);
}

/// The scheduler closes before a worker is free for a run that the history has granted.
#[test]
fn closing_drops_a_run_that_the_history_has_granted_but_no_worker_has_taken() {
    let store = Store::default();
    let (process, log) = held(&store);
    let (begun, may_end) = (Log::new(), Arc::new(AtomicBool::new(false)));
    for _ in 0..2 {
        let (begun, may_end) = (begun.clone(), Arc::clone(&may_end));
        let busy = move |_| {
            begun.add(());
            until(|| may_end.load(Ordering::SeqCst));
        };
        process.scheduler.once(at(0), busy).expect("added");
    }
    until(|| begun.len() == 2);
    store.fail(false);
    until(|| store.direct_started() == 1 && process.scheduler.stats().ready == 1);
    let closing = process.scheduler.close();
    may_end.store(true, Ordering::SeqCst);
    assert_eq!(closing.wait(secs(60)).len(), 0);
    assert_eq!(log.take(), []);
    until(|| store.direct_started() == 0);
}
