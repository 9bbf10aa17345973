//! Jobs that are added with the instant of their last run, after a restart.

use std::time::{Duration, SystemTime};

use millicron::{Schedule, every, schedule};
use millicron_scheduler::{Job, Missed, SetBack, Simulator};

use crate::support::{Log, LogRuns as _, at, logged, secs, simulator, start};

const MINUTES: Schedule = schedule!("*:*:00");

/// Returns the log of a program that restarts at 350 after it ran the event at 40.
fn after_restart(missed: Missed, recurrence: &str) -> Vec<String> {
    let (mut simulator, log) = simulator();
    simulator.run_for(secs(350));
    let job = Job::new(|_| {}).missed(missed).since(at(40)).grace(secs(5));
    match recurrence {
        "schedule" => simulator.add(MINUTES, job, |_| secs(0)),
        // Counted from the last run, as it is not anchored.
        "interval" => simulator.add(every(1).minutes(), job, |_| secs(0)),
        _ => simulator.add(every(1).minutes().from(at(40)), job, |_| secs(0)),
    }
    .expect("the job is added");
    simulator.run_for(secs(60));
    let mut log = log.take();
    log.retain(|line| !line.starts_with("end"));
    log
}

#[test]
fn the_missed_policy_applies_to_the_time_that_the_program_was_down() {
    for recurrence in ["schedule", "interval", "anchored"] {
        let expect = |missed: Missed, expected: &[&str]| {
            assert_eq!(after_restart(missed, recurrence), expected, "{recurrence} {missed:?}");
        };
        expect(Missed::Coalesce, &["added 100", "coalesce 100 4 340", "run 340 +4", "run 400 +0"]);
        expect(Missed::Skip, &["added 100", "skip 100-340 5 Missed", "run 400 +0"]);
        expect(
            Missed::All { max: 2 },
            &["added 100", "skip 100-220 3 Missed", "run 280 +0", "run 340 +0", "run 400 +0"],
        );
        let all = ["added 100", "run 100 +0", "run 160 +0", "run 220 +0", "run 280 +0"];
        let all = [&all[..], &["run 340 +0", "run 400 +0"]].concat();
        expect(Missed::All { max: 99 }, &all);
    }
}

#[test]
fn without_events_since_the_last_run_nothing_is_caught_up() {
    for recurrence in ["schedule", "interval"] {
        let (mut simulator, _) = simulator();
        let runs = Log::new();
        simulator.run_for(secs(99));
        let job = Job::new(runs.job()).since(at(40));
        let added = if recurrence == "schedule" {
            simulator.add(MINUTES, job, |_| secs(0))
        } else {
            simulator.add(every(1).minutes(), job, |_| secs(0))
        };
        added.expect("the job is added");
        simulator.run_for(secs(100));
        assert_eq!(runs.take(), [at(100), at(160)], "{recurrence}");
    }
}

/// The clock was wrong when the program last ran.
#[test]
fn a_last_run_in_the_future_is_not_repeated() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let job = Job::new(runs.job()).since(at(220));
    simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(300));
    assert_eq!(runs.take(), [at(280)]);
}

#[test]
fn limits_apply_to_the_time_that_the_program_was_down() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    simulator.run_for(secs(350));
    let job = || Job::new(runs.job()).missed(Missed::All { max: 99 }).since(at(0));
    let job_between = job().starting(at(90)).ending(at(230));
    simulator.add(MINUTES, job_between, |_| secs(0)).expect("the job is added");
    assert_eq!(runs.take(), [100, 160, 220].map(at));
    simulator.add(MINUTES, job().most_runs(2), |_| secs(0)).expect("the job is added");
    assert_eq!(runs.take(), [40, 100].map(at));
    simulator.run_for(secs(600));
    assert_eq!(runs.take(), []);
    let ended = simulator.add(MINUTES, job().ending(at(39)), |_| secs(0));
    assert!(ended.is_err(), "there is no event between the last run and the end");
}

#[test]
fn a_one_shot_job_runs_at_the_first_event_since_the_last_run() {
    let (mut simulator, log) = simulator();
    simulator.run_for(secs(350));
    let job = Job::once(|_| {}).since(at(50)).name("once");
    simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(600));
    assert_eq!(log.take(), ["added 100", "run 100 +0", "end 100 Succeeded", "over"]);
}

/// An interval that counts from its last run follows elapsed time after that.
#[test]
fn an_interval_since_its_last_run_does_not_follow_the_clock() {
    let (clock, scheduler, log) = logged();
    clock.advance(secs(100));
    let job = Job::new(|_| {}).since(at(70)).set_back(SetBack::Repeat);
    scheduler.add_job(every(1).minutes(), job).expect("the job is added");
    clock.set(at(0));
    clock.advance(secs(29));
    assert_eq!(log.take(), ["added 130", "set back 100"]);
    clock.advance(secs(1));
    assert_eq!(log.take(), ["run 130 +0", "end 130 Succeeded"]);
}

#[test]
fn a_year_without_the_program_is_caught_up_at_once() {
    let mut simulator = Simulator::new(start());
    let runs: Log<SystemTime> = Log::new();
    let last = at(0) - secs(365 * 86_400);
    let job = Job::new(runs.job()).since(last).missed(Missed::All { max: 3 });
    simulator.add(schedule!("*:*:*.*"), job, |_| secs(0)).expect("the job is added");
    let millis = |count: u64| Duration::from_millis(count);
    assert_eq!(runs.take(), [at(0) - millis(2), at(0) - millis(1), at(0)]);
    assert_eq!(simulator.stats().skipped, 365 * 86_400_000 - 3);
}
