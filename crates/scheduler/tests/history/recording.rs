//! What is recorded, how long it is kept, and which jobs are refused.

use std::error::Error as _;
use std::sync::mpsc::channel;
use std::time::Duration;

use millicron::every;
use millicron_history::RunState;
use millicron_scheduler::{
    AddErrorKind, CutOff, Job, JobHistory, Keep, Missed, Outcome, Overlap, RecordedRun, Retry,
    RunKind, SetBack,
};

use super::restarts::cut_off;
use super::{MINUTES, Process, Store, logging, open_ended, seconds};
use crate::support::{Log, at, receive, secs, start, to_millis, until};

#[test]
fn a_run_is_recorded_with_its_start_end_outcome_and_attempts() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    assert_eq!(process.jobs.last_run("job").expect("a read"), None);
    let (job, runs) = open_ended();
    process.jobs.add_job(MINUTES, job.retry(Retry::constant(secs(2)).most(1))).expect("added");
    assert_eq!(process.jobs.last_run("job").expect("a read"), None, "no run has ended");

    process.clock.advance(secs(41));
    let (run, completion) = receive(&runs);
    assert_eq!((run.scheduled(), run.attempt()), (at(40), 1));
    process.clock.advance(secs(1));
    completion.finish(Outcome::Failed("first".into()));
    until(|| process.scheduler.stats().failed == 1);
    assert_eq!(process.jobs.last_run("job").expect("a read"), None, "it is attempted again");
    process.clock.advance(secs(2));
    let (run, completion) = receive(&runs);
    assert_eq!((run.scheduled(), run.attempt()), (at(40), 2));
    process.clock.advance(secs(3));
    completion.finish(Outcome::Failed("second".into()));
    until(|| process.jobs.last_run("job").expect("a read").is_some());

    let RecordedRun { scheduled, state, started, ended, attempts, .. } =
        process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((scheduled, state), (at(40), RunState::Failed));
    assert_eq!((started, ended, attempts), (Some(at(41)), Some(at(47)), Some(2)));

    process.clock.advance(secs(60));
    receive(&runs).1.finish(Outcome::Succeeded);
    until(|| process.jobs.last_runs("job", 9).expect("a read").len() == 2);
    let last = process.jobs.last_runs("job", 9).expect("a read");
    assert_eq!(last.iter().map(|run| seconds(run.scheduled)).collect::<Vec<_>>(), [100, 40]);
    assert_eq!((last[0].state, last[0].attempts), (RunState::Succeeded, Some(1)));
    assert_eq!(process.jobs.last_runs("job", 1).expect("a read"), last[..1]);
    assert_eq!(process.jobs.last_runs("job", 0).expect("a read"), []);
}

#[test]
fn each_outcome_but_success_is_recorded_as_failed() {
    let store = Store::default();
    let process = Process::start(secs(0), &store);
    let job = Job::new(|run| match run.number() {
        1 => Ok(()),
        2 => Err("an error"),
        _ => panic!("a panic that the test needs"),
    });
    process.jobs.add_job(MINUTES, job.name("job")).expect("added");
    let mut states = Vec::new();
    for _ in 0..3 {
        process.clock.advance(secs(60));
        states.push(process.jobs.last_run("job").expect("a read").expect("a run").state);
    }
    assert_eq!(states, [RunState::Succeeded, RunState::Failed, RunState::Failed]);
}

/// A triggered run is not an event: if it were recorded, an earlier event would count as past.
#[test]
fn triggered_runs_are_not_recorded() {
    let store = Store::default();
    let process = Process::start(secs(0), &store);
    let log = Log::new();
    let handle = process.jobs.add_job(MINUTES, logging(&log)).expect("added");
    handle.trigger_now();
    process.clock.advance(secs(1));
    assert_eq!(log.take(), [(0, 1)]);
    assert_eq!(process.jobs.last_run("job").expect("a read"), None);
}

/// The instant of a triggered run may be in the millisecond of an event.
#[test]
fn a_triggered_run_that_is_given_up_does_not_end_the_retries_of_an_event() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let (job, runs) = open_ended();
    let job = job.retry(Retry::constant(secs(5))).overlap(Overlap::Allow { max: 2 });
    let handle = process.jobs.add_job(MINUTES, job.timeout_and_go_on(secs(3)));
    let handle = handle.expect("added");
    process.clock.advance(secs(40));
    receive(&runs).1.finish(Outcome::Failed("first".into()));
    until(|| process.scheduler.stats().failed == 1);
    assert!(handle.trigger_now());
    let (triggered, completion) = receive(&runs);
    assert_eq!(triggered.kind(), RunKind::Triggered);
    process.clock.advance(secs(3));
    until(|| triggered.token().is_cancelled());
    process.clock.advance(secs(2));
    let (retried, second) = receive(&runs);
    assert_eq!((retried.scheduled(), retried.attempt()), (at(40), 2));
    second.finish(Outcome::Succeeded);
    completion.finish(Outcome::Succeeded);
    until(|| process.jobs.last_run("job").expect("a read").is_some());
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.state, last.attempts), (RunState::Succeeded, Some(2)));
}

/// A new job begins with a record, which must not have the instant of an event.
#[test]
fn an_interval_that_begins_just_before_its_job_is_added_has_all_its_events() {
    let begin = start() + Duration::from_millis(700);
    for (millis, missed) in [(701, 0), (702, 1), (720, 19), (1_700, 999)] {
        let store = Store::default();
        let process = Process::start(Duration::from_millis(millis), &store);
        let log = Log::new();
        let runs = log.clone();
        let job = Job::new(move |run| runs.add(to_millis(run.scheduled())));
        let job = job.name("job").missed(Missed::All { max: 9999 });
        process.jobs.add_job(every(1).milliseconds().from(begin), job).expect("added");
        process.clock.advance(Duration::from_millis(2));
        drop(process);
        let first = to_millis(begin);
        assert_eq!(log.take(), (first..=first + missed + 3).collect::<Vec<_>>(), "{millis}");
    }
}

#[test]
fn an_event_that_is_repeated_by_the_clock_does_not_run_again() {
    let store = Store::default();
    let process = Process::start(secs(0), &store);
    let log = Log::new();
    process.jobs.add_job(MINUTES, logging(&log).set_back(SetBack::Repeat)).expect("added");
    process.clock.advance(secs(45));
    process.clock.set(at(30));
    process.clock.advance(secs(80));
    assert_eq!(log.take(), [(40, 1), (100, 1)]);
}

/// The first run is in progress, or waits for its next attempt.
#[test]
fn an_event_that_is_repeated_for_a_rescheduled_job_does_not_run_beside_its_first_run() {
    for is_waiting in [false, true] {
        let store = Store::default();
        let process = Process::stepped(secs(0), &store);
        let (job, runs) = open_ended();
        let job = job.retry(Retry::constant(secs(50))).overlap(Overlap::Allow { max: 3 });
        let handle = process.jobs.add_job(MINUTES, job).expect("added");
        process.clock.advance(secs(45));
        let mut first = Some(receive(&runs).1);
        if is_waiting {
            first.take().expect("a run").finish(Outcome::Failed("an error".into()));
            until(|| process.scheduler.stats().failed == 1);
        }
        process.clock.set_back(secs(15));
        assert_eq!(handle.reschedule(MINUTES), Ok(true));
        assert_eq!(handle.next_event(), Some(at(40)), "is_waiting: {is_waiting}");
        process.clock.advance(secs(15));
        until(|| handle.next_event() == Some(at(100)));
        process.clock.advance(secs(40));
        let first = first.unwrap_or_else(|| {
            let (run, again) = receive(&runs);
            assert_eq!((run.scheduled(), run.attempt()), (at(40), 2));
            again
        });
        process.clock.advance(secs(20));
        let (run, second) = receive(&runs);
        assert_eq!((run.scheduled(), run.attempt()), (at(100), 1));
        first.finish(Outcome::Succeeded);
        second.finish(Outcome::Succeeded);
        until(|| process.jobs.last_runs("job", 9).expect("a read").len() == 2);
    }
}

#[test]
fn a_job_that_is_rescheduled_after_the_clock_was_set_back_is_retried() {
    let store = Store::default();
    let process = Process::start(secs(3600), &store);
    let log = Log::new();
    let runs = log.clone();
    let failing = Job::new(move |run| {
        runs.add((seconds(run.scheduled()), run.attempt()));
        if run.attempt() == 1 { Err("an error") } else { Ok(()) }
    });
    let failing = failing.name("job").retry(Retry::constant(secs(5)).until_next_event());
    let handle = process.jobs.add_job(MINUTES, failing).expect("added");
    process.clock.advance(secs(60));
    process.clock.set(at(0));
    assert_eq!(handle.reschedule(MINUTES), Ok(true));
    process.clock.advance(secs(60));
    assert_eq!(log.take(), [(3640, 1), (3640, 2), (40, 1), (40, 2)]);
    let last = process.jobs.last_runs("job", 2).expect("a read");
    assert!(last.iter().all(|run| run.state == RunState::Succeeded), "{last:?}");
}

/// The scheduler has another job for the restarted run, which does not know of the event.
#[test]
fn a_restarted_run_that_fails_after_the_next_event_has_started_is_recorded_as_failed() {
    let store = cut_off();
    let process = Process::stepped(secs(90), &store);
    let (job, runs) = open_ended();
    let job = job.retry(Retry::constant(secs(5)).until_next_event());
    let job = job.overlap(Overlap::Allow { max: 2 }).cut_off(CutOff::Restart { most: 9 });
    process.jobs.add_job(MINUTES, job).expect("added");
    let (restarted, completion) = receive(&runs);
    assert_eq!((restarted.scheduled(), restarted.attempt()), (at(40), 2));
    process.clock.advance(secs(10));
    let (next, _next) = receive(&runs);
    assert_eq!(next.scheduled(), at(100));
    completion.finish(Outcome::Failed("again".into()));
    until(|| process.jobs.last_run("job").expect("a read").is_some());
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.scheduled, last.state), (at(40), RunState::Failed));
}

/// The history no longer knows that most of the repeated events have run.
#[test]
fn an_event_whose_record_was_removed_does_not_run_again() {
    let store = Store::default();
    let builder = JobHistory::builder().keep(Keep::last(2));
    let process = Process::start_with(secs(0), &store, builder);
    let log = Log::new();
    process.jobs.add_job(MINUTES, logging(&log).set_back(SetBack::Repeat)).expect("added");
    process.clock.advance(secs(300));
    process.clock.set(at(0));
    process.clock.advance(secs(360));
    assert_eq!(log.take(), [40, 100, 160, 220, 280, 340].map(|event| (event, 1)));
}

#[test]
fn at_most_a_tenth_more_runs_are_kept_than_requested() {
    let store = Store::default();
    let builder = JobHistory::builder().keep(Keep::last(30));
    let process = Process::start_with(secs(0), &store, builder);
    process.jobs.add_job(MINUTES, logging(&Log::new())).expect("added");
    let mut most = 0;
    for _ in 0..100 {
        process.clock.advance(secs(60));
        most = most.max(store.records("job").len());
    }
    assert!((30..=33).contains(&most), "{most}");
}

#[test]
fn a_refused_job_still_repeats_its_events() {
    let store = Store::default();
    let process = Process::start(secs(0), &store);
    let first = process.jobs.add_job(MINUTES, Job::new(|_| {}).name("job")).expect("added");
    let log = Log::new();
    let job = logging(&log).set_back(SetBack::Repeat);
    let error = process.jobs.add_job(MINUTES, job).expect_err("the name is taken");
    first.cancel();
    process.scheduler.add_job(MINUTES, error.into_job()).expect("added");
    process.clock.advance(secs(45));
    process.clock.set(at(30));
    process.clock.advance(secs(15));
    assert_eq!(log.take(), [(40, 1), (40, 1)]);
}

#[test]
fn jobs_that_cannot_be_found_again_are_refused() {
    let store = Store::default();
    let process = Process::start(secs(0), &store);
    let error = process.jobs.add_job(MINUTES, Job::new(|_| {})).expect_err("no name");
    assert!(matches!(error.kind(), AddErrorKind::Unnamed));
    assert!(error.to_string().contains("give it one with `Job::name`"), "{error}");
    let job = error.into_job().name("job").share_name();
    let error = process.jobs.add_job(MINUTES, job).expect_err("a shared name");
    assert!(matches!(error.kind(), AddErrorKind::SharedName));
    assert!(error.to_string().contains("give it a unique name"), "{error}");
    assert_eq!(store.records("job").len(), 0);

    process.jobs.add_job(MINUTES, Job::new(|_| {}).name("job")).expect("added");
    let other = Job::new(|_| {}).name("job");
    let error = process.jobs.add_job(MINUTES, other).expect_err("the name is taken");
    assert!(matches!(error.kind(), AddErrorKind::NameTaken));
    assert!(error.to_string().contains("another job has the name `job`"), "{error}");
}

/// An error returns the original job, so that a second call does not record its runs twice.
#[test]
fn a_refused_job_can_be_added_later() {
    let store = Store::default();
    let process = Process::start(secs(0), &store);
    let log = Log::new();
    for job in [logging(&log), once(&log)] {
        let first = process.jobs.add_job(MINUTES, Job::new(|_| {}).name("job")).expect("added");
        let error = process.jobs.add_job(MINUTES, job).expect_err("the name is taken");
        assert!(error.source().is_none());
        first.cancel();
        let added = process.jobs.add_job(MINUTES, error.into_job()).expect("added");
        process.clock.advance(secs(60));
        added.cancel();
    }
    assert_eq!(log.take(), [(40, 1), (100, 1)]);
}

fn once(log: &Log<(u64, u32)>) -> Job {
    let log = log.clone();
    Job::once(move |run| log.add((seconds(run.scheduled()), run.attempt()))).name("job")
}

#[test]
fn old_runs_are_removed_by_count_and_by_age() {
    let count = JobHistory::builder().keep(Keep::last(3));
    let age = JobHistory::builder().keep(Keep::last(10).no_longer_than(secs(200)));
    for (builder, expected) in [(count, 3), (age, 4), (JobHistory::builder().keep(Keep::all()), 21)]
    {
        let store = Store::default();
        let process = Process::start_with(secs(0), &store, builder);
        process.jobs.add_job(MINUTES, Job::new(|_| {}).name("job")).expect("added");
        for _ in 0..20 {
            process.clock.advance(secs(60));
        }
        // Includes the first record of a new job, unless it was removed.
        assert_eq!(store.records("job").len(), expected);
        let last = process.jobs.last_run("job").expect("a read").expect("a run");
        assert_eq!(seconds(last.scheduled), 1180);
    }
}

/// Records of skipped events do not count as runs, no matter how many there are.
#[test]
fn no_more_records_are_read_than_needed() {
    let store = Store::default();
    for after in 1..=50 {
        store.direct_record("job", after);
        if after > 20 {
            store.direct_skip("job", after);
        }
    }
    let process = Process::start(secs(60), &store);
    let last = process.jobs.last_runs("job", 3).expect("a read");
    assert_eq!(last.iter().map(|run| seconds(run.scheduled)).collect::<Vec<_>>(), [20, 19, 18]);
    assert_eq!(store.most_read(), 4);
}

/// The number of runs since the last removal is not stored, so each process removes old runs when
/// its first run ends.
#[test]
fn old_runs_are_removed_in_processes_that_end_soon() {
    let store = Store::default();
    for process in 0..60 {
        let builder = JobHistory::builder().keep(Keep::last(20));
        let process = Process::start_with(secs(60 * process), &store, builder);
        process.jobs.add_job(MINUTES, Job::new(|_| {}).name("job")).expect("added");
        process.clock.advance(secs(60));
    }
    assert_eq!(store.records("job").len(), 20);
}

#[test]
fn the_last_run_stays_whatever_its_age() {
    let store = Store::default();
    let builder = JobHistory::builder().keep(Keep::last(0).no_longer_than(Duration::ZERO));
    let process = Process::start_with(secs(0), &store, builder);
    process.jobs.add_job(MINUTES, Job::new(|_| {}).name("job")).expect("added");
    process.clock.advance(secs(600));
    assert_eq!(store.records("job").len(), 1);
}

/// The timer handles other jobs while a worker waits for a slow history.
#[test]
fn a_slow_history_does_not_hold_up_other_jobs() {
    let store = Store::default();
    let process = Process::start(secs(0), &store);
    let log = Log::new();
    process.jobs.add_job(MINUTES, logging(&log)).expect("added");
    let (sender, others) = channel();
    process.scheduler.add(MINUTES, move |run| sender.send(run.scheduled())).expect("added");

    let history = store.direct();
    let clock = process.clock.clone();
    let advancing = std::thread::spawn(move || clock.advance(secs(60)));
    assert_eq!(receive(&others), at(40));
    assert_eq!(log.take(), [], "the run waits for its record");
    drop(history);
    advancing.join().expect("the clock advances");
    assert_eq!(log.take(), [(40, 1)]);
}
