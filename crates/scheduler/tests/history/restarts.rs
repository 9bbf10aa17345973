//! Restarts of a process.

use std::thread::sleep;
use std::time::Duration;

use millicron::{every, schedule};
use millicron_history::RunState;
use millicron_scheduler::{
    AddErrorKind, Completion, CutOff, Job, JobHistory, JobName, Missed, Outcome, Overlap, Retry,
    Scheduler,
};

use super::{MINUTES, Process, Store, logging, open_ended, seconds};
use crate::support::{Log, at, receive, secs, until};

#[test]
fn missed_events_follow_the_policy_of_the_job() {
    let cases = [
        (Missed::Skip, vec![400]),
        (Missed::Coalesce, vec![340, 400]),
        (Missed::All { max: 2 }, vec![280, 340, 400]),
        (Missed::All { max: 99 }, vec![160, 220, 280, 340, 400]),
    ];
    for (missed, expected) in cases {
        let store = Store::default();
        let log = Log::new();
        let process = Process::start(secs(0), &store);
        process.jobs.add_job(MINUTES, logging(&log).missed(missed)).expect("added");
        process.clock.advance(secs(110));
        drop(process);
        assert_eq!(log.take(), [(40, 1), (100, 1)]);

        let process = Process::start(secs(350), &store);
        process.jobs.add_job(MINUTES, logging(&log).missed(missed)).expect("added");
        process.clock.advance(secs(60));
        let expected: Vec<_> = expected.into_iter().map(|event| (event, 1)).collect();
        assert_eq!(log.take(), expected, "{missed:?}");
        assert_eq!(process.reports.take(), [""; 0]);
    }
}

/// The process ended after the job was added, but before its first event.
#[test]
fn events_since_a_job_was_first_added_are_missed() {
    let store = Store::default();
    let log = Log::new();
    let all = Missed::All { max: 99 };
    let process = Process::start(secs(50), &store);
    process.jobs.add_job(MINUTES, logging(&log).missed(all)).expect("added");
    drop(process);
    let process = Process::start(secs(170), &store);
    process.jobs.add_job(MINUTES, logging(&log).missed(all)).expect("added");
    process.clock.advance(secs(1));
    assert_eq!(log.take(), [(100, 1), (160, 1)]);
}

#[test]
fn the_instant_that_the_program_passes_counts_if_it_is_later() {
    for (since, expected) in [(50, vec![(160, 1)]), (120, vec![(160, 1)]), (160, vec![])] {
        let store = Store::default();
        store.direct_record("job", 100);
        let log = Log::new();
        let process = Process::start(secs(170), &store);
        process.jobs.add_job(MINUTES, logging(&log).since(at(since))).expect("added");
        process.clock.advance(secs(1));
        assert_eq!(log.take(), expected);
    }
}

#[test]
fn an_interval_goes_on_from_its_last_run() {
    let store = Store::default();
    let log = Log::new();
    let process = Process::start(secs(0), &store);
    process.jobs.add_job(every(7).minutes().immediately(), logging(&log)).expect("added");
    process.clock.advance(secs(430));
    drop(process);
    let process = Process::start(secs(500), &store);
    process.jobs.add_job(every(7).minutes().immediately(), logging(&log)).expect("added");
    process.clock.advance(secs(430));
    assert_eq!(log.take(), [(0, 1), (420, 1), (840, 1)]);
}

/// Starts a run at 40, kills its process, and returns the store.
pub(super) fn cut_off() -> Store {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let (job, runs) = open_ended();
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(41));
    let (run, _completion) = receive(&runs);
    assert_eq!(run.scheduled(), at(40));
    process.kill(&store);
    store
}

#[test]
fn a_run_that_was_cut_off_is_reported_and_recorded_as_failed() {
    let store = cut_off();
    let log = Log::new();
    for is_first in [true, false] {
        let process = Process::start(secs(50), &store);
        process.jobs.add_job(MINUTES, logging(&log)).expect("added");
        let last = process.jobs.last_run("job").expect("a read").expect("a run");
        assert_eq!(
            (last.scheduled, last.state, last.attempts),
            (at(40), RunState::Failed, Some(1))
        );
        assert_eq!((last.started, last.ended), (Some(at(41)), Some(at(50))));
        let reports = process.reports.take();
        let expected = ["job 40 cut off in 1, restarts false"];
        assert_eq!(reports, if is_first { &expected[..] } else { &[] });
        process.clock.advance(secs(1));
    }
    assert_eq!(log.take(), [], "it does not start again");
}

/// The job cannot be added at first.
#[test]
fn a_run_that_was_cut_off_is_reported_once() {
    for restarts in [false, true] {
        let store = cut_off();
        let process = Process::start(secs(50), &store);
        let cut_off = if restarts { CutOff::Restart { most: 9 } } else { CutOff::Fail };
        let other = process.scheduler.add_job(MINUTES, Job::new(|_| {}).name("job"));
        store.refuse_ends("job", !restarts);
        let error = process.jobs.add_job(MINUTES, logging(&Log::new()).cut_off(cut_off));
        let job = error.expect_err("the name is taken, or the history fails").into_job();
        store.refuse_ends("job", false);
        other.expect("added").cancel();
        process.jobs.add_job(MINUTES, job).expect("added");
        let mut reports = process.reports.take();
        reports.retain(|report| report.contains("cut off"));
        assert_eq!(reports, [format!("job 40 cut off in 1, restarts {restarts}")]);
    }
}

#[test]
fn a_run_that_was_cut_off_is_reported_by_the_next_process_if_one_is_killed_meanwhile() {
    let store = cut_off();
    let killed = store.clone();
    // The process is killed before its report reaches anyone.
    let builder = JobHistory::builder().observer(move |_| killed.cut());
    let scheduler = Scheduler::new().expect("threads");
    let jobs = builder.start(&scheduler, store.clone()).expect("a thread");
    jobs.add_job(MINUTES, Job::new(|_| {}).name("job")).expect_err("the process is cut off");
    drop((jobs, scheduler));

    let process = Process::start(secs(50), &store);
    process.jobs.add_job(MINUTES, Job::new(|_| {}).name("job")).expect("added");
    assert_eq!(process.reports.take(), ["job 40 cut off in 1, restarts false"]);
}

#[test]
fn a_record_that_is_later_than_now_is_reported() {
    for (now, reports) in [(30, &["job has run at 100"][..]), (100, &[])] {
        let store = Store::default();
        store.direct_record("job", 100);
        let process = Process::start(secs(now), &store);
        let log = Log::new();
        process.jobs.add_job(MINUTES, logging(&log)).expect("added");
        assert_eq!(process.reports.take(), reports);
        process.clock.advance(secs(170 - now));
        assert_eq!(log.take(), [(160, 1)]);
    }
}

#[test]
fn a_run_that_was_cut_off_starts_again_before_other_events() {
    for (overlap, expected) in
        [(Overlap::Skip, [(40, 2), (100, 1)]), (Overlap::Queue { max: 9 }, [(40, 2), (100, 1)])]
    {
        let store = cut_off();
        let process = Process::stepped(secs(105), &store);
        let (job, runs) = open_ended();
        let job = job.cut_off(CutOff::Restart { most: 3 }).overlap(overlap);
        process.jobs.add_job(MINUTES, job.missed(Missed::All { max: 9 })).expect("added");
        process.clock.advance(secs(1));
        assert_eq!(process.reports.take(), ["job 40 cut off in 1, restarts true"]);
        for expected in expected {
            let (run, completion) = receive(&runs);
            assert_eq!((seconds(run.scheduled()), run.attempt()), expected);
            assert!(runs.try_recv().is_err(), "one run at a time");
            completion.finish(Outcome::Succeeded);
        }
        until(|| process.jobs.last_runs("job", 9).expect("a read").len() == 2);
        let last = process.jobs.last_runs("job", 9).expect("a read");
        let attempts: Vec<_> =
            last.iter().map(|run| (seconds(run.scheduled), run.attempts)).collect();
        assert_eq!(attempts, [(100, Some(1)), (40, Some(2))]);
        assert_eq!(last[1].started, Some(at(41)), "that of the first attempt");
        assert_eq!(last[1].state, RunState::Succeeded);
    }
}

#[test]
fn a_run_that_starts_again_keeps_the_settings_of_its_job() {
    let store = cut_off();
    let process = Process::stepped(secs(105), &store);
    let (job, runs) = open_ended();
    let job = job.cut_off(CutOff::Restart { most: 3 }).internal().tag("reports");
    let job = job.retry(Retry::constant(secs(5))).timeout_and_go_on(secs(3));
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(1));
    let (run, completion) = receive(&runs);
    assert_eq!(process.scheduler.tagged("reports").jobs().len(), 2, "the job and that run");
    let named = process.scheduler.job("job").expect("the job");
    assert_eq!(named.next_event(), Some(at(160)), "not the restarted run, which has no next event");
    assert!(matches!(run.job_name(), JobName::Internal(_)), "{:?}", run.job_name());
    process.clock.advance(secs(3));
    until(|| run.token().is_cancelled());
    // It is not attempted again after the time-out.
    completion.finish(Outcome::Failed("late".into()));
    until(|| process.jobs.last_run("job").expect("a read").is_some());
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.scheduled, last.state), (at(40), RunState::Failed));
}

/// The restarted run waits for an attempt after the next event, or is in progress at that event.
#[test]
fn the_next_event_ends_the_retries_of_a_restarted_run() {
    for is_waiting in [true, false] {
        let store = cut_off();
        let process = Process::stepped(secs(90), &store);
        let (job, runs) = open_ended();
        let retry = Retry::constant(secs(30)).until_next_event();
        let job = job.retry(retry).cut_off(CutOff::Restart { most: 9 });
        process.jobs.add_job(MINUTES, job).expect("added");
        process.clock.advance(secs(1));
        let (run, completion) = receive(&runs);
        assert_eq!((run.scheduled(), run.attempt()), (at(40), 2));
        let fail = |completion: Completion, failed| {
            completion.finish(Outcome::Failed("again".into()));
            until(|| process.scheduler.stats().failed == failed);
        };
        if is_waiting {
            fail(completion, 1);
            process.clock.advance(secs(10));
        } else {
            process.clock.advance(secs(10));
            until(|| process.scheduler.stats().running == 2);
            fail(completion, 1);
        }
        let (run, completion) = receive(&runs);
        assert_eq!((run.scheduled(), run.attempt()), (at(100), 1));
        let last = process.jobs.last_run("job").expect("a read").expect("a run");
        assert_eq!((last.scheduled, last.state), (at(40), RunState::Failed));
        assert_eq!(last.attempts, Some(2));

        // The scheduler still tries to start the other run again, which fails, and does not end these retries.
        process.clock.advance(secs(19));
        fail(completion, 2);
        until(|| process.scheduler.stats().running == 0);
        process.clock.advance(secs(11));
        until(|| process.scheduler.stats().failed == 3);
        process.clock.advance(secs(20));
        let (run, completion) = receive(&runs);
        assert_eq!((run.scheduled(), run.attempt()), (at(100), 2));
        completion.finish(Outcome::Succeeded);
        until(|| process.jobs.last_runs("job", 9).expect("a read").len() == 2);
        let last = process.jobs.last_run("job").expect("a read").expect("a run");
        assert_eq!((last.scheduled, last.state), (at(100), RunState::Succeeded));
    }
}

#[test]
fn a_restarted_run_that_is_given_up_does_not_hold_up_its_job() {
    let store = cut_off();
    let process = Process::stepped(secs(50), &store);
    let (job, runs) = open_ended();
    let job = job.cut_off(CutOff::Restart { most: 9 }).timeout_and_go_on(secs(70));
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(1));
    let (run, hanging) = receive(&runs);
    assert_eq!((run.scheduled(), run.attempt()), (at(40), 2));
    process.clock.advance(secs(50));
    until(|| process.scheduler.stats().running == 2);
    // Even if that is asked to end.
    run.token().cancel();
    sleep(Duration::from_millis(200));
    assert!(runs.try_recv().is_err(), "it waits for the restarted run");
    process.clock.advance(secs(21));
    let (run, completion) = receive(&runs);
    assert_eq!(run.scheduled(), at(100));
    completion.finish(Outcome::Succeeded);
    hanging.finish(Outcome::Failed("late".into()));
    until(|| process.jobs.last_runs("job", 9).expect("a read").len() == 2);
    let last = process.jobs.last_runs("job", 9).expect("a read");
    let states: Vec<_> = last.iter().map(|run| (seconds(run.scheduled), run.state)).collect();
    assert_eq!(states, [(100, RunState::Succeeded), (40, RunState::Failed)]);
}

#[test]
fn the_end_of_a_restarted_run_does_not_end_the_retries_of_another() {
    let store = Store::default();
    let overlap = Overlap::Allow { max: 2 };
    let process = Process::stepped(secs(0), &store);
    let (job, runs) = open_ended();
    process.jobs.add_job(MINUTES, job.overlap(overlap)).expect("added");
    let cut_off = [41, 60].map(|seconds| {
        process.clock.advance(secs(seconds));
        receive(&runs)
    });
    process.kill(&store);
    drop(cut_off);

    let process = Process::stepped(secs(110), &store);
    let (job, runs) = open_ended();
    let job = job.overlap(overlap).cut_off(CutOff::Restart { most: 9 });
    process.jobs.add_job(MINUTES, job.retry(Retry::constant(secs(5)))).expect("added");
    process.clock.advance(secs(1));
    let mut restarted = [receive(&runs), receive(&runs)];
    restarted.sort_by_key(|(run, _)| run.scheduled());
    let [(first, succeeds), (second, fails)] = restarted;
    assert_eq!((first.scheduled(), second.scheduled()), (at(40), at(100)));
    fails.finish(Outcome::Failed("an error".into()));
    until(|| process.scheduler.stats().failed == 1);
    succeeds.finish(Outcome::Succeeded);
    until(|| process.jobs.last_run("job").expect("a read").is_some());
    process.clock.advance(secs(5));
    let (run, _completion) = receive(&runs);
    assert_eq!((run.scheduled(), run.attempt()), (at(100), 3));
}

#[test]
fn a_run_that_ends_its_process_each_time_is_given_up() {
    let store = cut_off();
    for attempt in 2..=3 {
        let process = Process::stepped(secs(50), &store);
        let (job, runs) = open_ended();
        process.jobs.add_job(MINUTES, job.cut_off(CutOff::Restart { most: 3 })).expect("added");
        process.clock.advance(secs(1));
        let (run, _completion) = receive(&runs);
        assert_eq!(run.attempt(), attempt);
        process.kill(&store);
    }
    let process = Process::stepped(secs(60), &store);
    let (job, _runs) = open_ended();
    process.jobs.add_job(MINUTES, job.cut_off(CutOff::Restart { most: 3 })).expect("added");
    assert_eq!(process.reports.take(), ["job 40 cut off in 3, restarts false"]);
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.state, last.attempts), (RunState::Failed, Some(3)));
}

/// A run that waits for its next attempt is in progress.
#[test]
fn attempts_go_on_after_a_restart() {
    for is_closed in [false, true] {
        let store = Store::default();
        let process = Process::stepped(secs(0), &store);
        let (job, runs) = open_ended();
        let retry = Retry::constant(secs(5)).most(3);
        let restart = CutOff::Restart { most: 9 };
        process.jobs.add_job(MINUTES, job.retry(retry).cut_off(restart)).expect("added");
        process.clock.advance(secs(41));
        receive(&runs).1.finish(Outcome::Failed("first".into()));
        until(|| process.scheduler.stats().failed == 1);
        if is_closed {
            drop(process);
        } else {
            process.kill(&store);
        }

        let process = Process::stepped(secs(50), &store);
        let (job, runs) = open_ended();
        process.jobs.add_job(MINUTES, job.retry(retry).cut_off(restart)).expect("added");
        for attempt in 2..=4 {
            process.clock.advance(secs(5));
            let (run, completion) = receive(&runs);
            assert_eq!((run.scheduled(), run.attempt()), (at(40), attempt));
            completion.finish(Outcome::Failed("again".into()));
            let failed = u64::from(attempt) - 1;
            until(|| process.scheduler.stats().failed == failed);
        }
        until(|| process.jobs.last_run("job").expect("a read").is_some());
        let last = process.jobs.last_run("job").expect("a read").expect("a run");
        assert_eq!((last.state, last.attempts), (RunState::Failed, Some(4)));
    }
}

#[test]
fn a_retry_that_the_next_event_replaces_is_recorded_as_failed() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let (job, runs) = open_ended();
    let retry = Retry::constant(secs(600)).until_next_event();
    process.jobs.add_job(MINUTES, job.retry(retry)).expect("added");
    process.clock.advance(secs(41));
    receive(&runs).1.finish(Outcome::Failed("first".into()));
    until(|| process.scheduler.stats().failed == 1);
    process.clock.advance(secs(60));
    receive(&runs).1.finish(Outcome::Succeeded);
    until(|| process.jobs.last_runs("job", 9).expect("a read").len() == 2);
    let last = process.jobs.last_runs("job", 9).expect("a read");
    let states: Vec<_> = last.iter().map(|run| (seconds(run.scheduled), run.state)).collect();
    assert_eq!(states, [(100, RunState::Succeeded), (40, RunState::Failed)]);
    drop(process);
    let process = Process::stepped(secs(110), &store);
    process.jobs.add_job(MINUTES, logging(&Log::new())).expect("added");
    assert_eq!(process.reports.take(), [""; 0], "nothing was cut off");
}

#[test]
fn attempts_before_the_next_event_are_of_one_run() {
    let store = Store::default();
    let process = Process::start(secs(0), &store);
    let job = Job::new(|run| if run.attempt() == 1 { Err("an error") } else { Ok(()) });
    let retry = Retry::constant(secs(10)).until_next_event();
    process.jobs.add_job(MINUTES, job.name("job").retry(retry)).expect("added");
    process.clock.advance(secs(55));
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.scheduled, last.state), (at(40), RunState::Succeeded));
    assert_eq!(last.attempts, Some(2));
}

/// This includes runs that overlap, whether the next event starts before or after they fail.
#[test]
fn retries_that_end_at_the_next_event_are_recorded_as_failed() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let (job, runs) = open_ended();
    let retry = Retry::constant(secs(600)).until_next_event();
    let job = job.retry(retry).overlap(Overlap::Allow { max: 9 });
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(41));
    let first = receive(&runs).1;
    process.clock.advance(secs(60));
    let second = receive(&runs).1;
    first.finish(Outcome::Failed("after the next event has started".into()));
    second.finish(Outcome::Failed("before it has".into()));
    until(|| process.scheduler.stats().failed == 2);
    process.clock.advance(secs(60));
    receive(&runs).1.finish(Outcome::Succeeded);
    until(|| process.jobs.last_runs("job", 9).expect("a read").len() == 3);
    let last = process.jobs.last_runs("job", 9).expect("a read");
    let states: Vec<_> = last.iter().map(|run| (seconds(run.scheduled), run.state)).collect();
    let failed = RunState::Failed;
    assert_eq!(states, [(160, RunState::Succeeded), (100, failed), (40, failed)]);
    assert_eq!(store.direct_started(), 0);
}

/// A run that is given up after a time-out has no further attempts.
#[test]
fn a_run_that_is_given_up_is_recorded_when_it_ends() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let (job, runs) = open_ended();
    let job = job.retry(Retry::constant(secs(5))).timeout_and_go_on(secs(3));
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(41));
    let (run, completion) = receive(&runs);
    process.clock.advance(secs(3));
    until(|| run.token().is_cancelled());
    completion.finish(Outcome::Failed("late".into()));
    until(|| process.jobs.last_run("job").expect("a read").is_some());
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.scheduled, last.state), (at(40), RunState::Failed));
}

#[test]
fn a_retry_of_a_cancelled_job_is_recorded_as_failed() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let (job, runs) = open_ended();
    let job = job.retry(Retry::constant(secs(600)));
    let handle = process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(41));
    receive(&runs).1.finish(Outcome::Failed("first".into()));
    until(|| process.scheduler.stats().failed == 1);
    handle.cancel();
    until(|| process.jobs.last_run("job").expect("a read").is_some());
    let last = process.jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.scheduled, last.state), (at(40), RunState::Failed));
}

#[test]
fn a_job_without_further_events_still_settles_its_runs() {
    let store = cut_off();
    let process = Process::stepped(secs(50), &store);
    let (job, runs) = open_ended();
    let job = job.cut_off(CutOff::Restart { most: 9 }).ending(at(45));
    let error = process.jobs.add_job(MINUTES, job).expect_err("no event after now");
    assert!(matches!(error.kind(), AddErrorKind::NoEvent), "{error}");
    process.clock.advance(secs(1));
    assert_eq!(receive(&runs).0.attempt(), 2);
}

/// Each process of a program that shares its history with another settles its own runs only.
#[test]
fn runs_of_other_owners_are_left_alone() {
    let store = cut_off();
    let builder = JobHistory::builder().owner("another");
    let process = Process::start_with(secs(50), &store, builder);
    process.jobs.add_job(schedule!("*:*:*"), logging(&Log::new())).expect("added");
    process.clock.advance(secs(1));
    // Its own runs end.
    until(|| store.direct_started() == 1);
    assert_eq!(process.reports.take(), [""; 0]);
}

#[test]
fn a_job_that_replaces_another_does_not_run_its_events_again() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let (job, runs) = open_ended();
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(41));
    let (_, completion) = receive(&runs);
    let log = Log::new();
    process.jobs.add_job(MINUTES, logging(&log).replace()).expect("added");
    assert_eq!(process.reports.take(), [""; 0], "the run in progress is not cut off");
    completion.finish(Outcome::Succeeded);
    process.clock.advance(secs(60));
    until(|| !log.is_empty());
    assert_eq!(log.take(), [(100, 1)]);
}

/// The last run of the replaced job ends while a run of the other waits for its next attempt.
#[test]
fn a_job_that_replaces_another_keeps_its_retries() {
    let store = Store::default();
    let process = Process::stepped(secs(0), &store);
    let (job, runs) = open_ended();
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(41));
    let (_, completion) = receive(&runs);
    let (job, runs) = open_ended();
    let job = job.replace().retry(Retry::constant(secs(5)));
    process.jobs.add_job(MINUTES, job).expect("added");
    process.clock.advance(secs(60));
    receive(&runs).1.finish(Outcome::Failed("an error".into()));
    until(|| process.scheduler.stats().failed == 1);
    completion.finish(Outcome::Succeeded);
    until(|| process.jobs.last_run("job").expect("a read").is_some());
    process.clock.advance(secs(5));
    let (run, _completion) = receive(&runs);
    assert_eq!((run.scheduled(), run.attempt()), (at(100), 2));
}

#[test]
fn a_job_made_once_is_not_started_again() {
    let store = cut_off();
    let process = Process::start(secs(50), &store);
    let log = Log::new();
    let copy = log.clone();
    let job = Job::once(move |run| copy.add(seconds(run.scheduled()))).name("job");
    process.jobs.add_job(MINUTES, job.cut_off(CutOff::Restart { most: 9 })).expect("added");
    assert_eq!(process.reports.take(), ["job 40 cut off in 1, restarts false"]);
    process.clock.advance(secs(600));
    assert_eq!(log.take(), [100]);
}
