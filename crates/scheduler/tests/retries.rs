//! Retries and time-outs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use millicron::{Schedule, schedule};
use millicron_scheduler::{
    CancellationToken, Completion, Event, Job, ManualClock, Outcome, Overlap, Retry, RunContext,
    Scheduler, Simulator,
};

use crate::support::{Log, after, at, lock, logged, secs, simulator, start, until};

const MINUTES: Schedule = schedule!("*:*:00");

/// The second at which each attempt of a failing job starts, and the number of the attempt.
type Attempts = Log<(u64, u32)>;

/// A job that fails whenever it runs, and logs the attempts.
fn failing(attempts: &Attempts) -> Job {
    let log = attempts.clone();
    Job::new(move |run: RunContext| {
        log.add((after(run.started()), run.attempt()));
        Err::<(), _>("it always fails")
    })
}

/// The seconds of the attempts of a job's run at 10, all of which fail.
fn attempts_of(name: &str, retry: Retry, until: u64) -> Vec<u64> {
    let (attempts, (mut simulator, _)) = (Attempts::new(), simulator());
    let job = failing(&attempts).retry(retry).name(name);
    simulator.once(at(10), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(until));
    let attempts = attempts.take();
    assert!((1..).zip(&attempts).all(|(number, (_, attempt))| number == *attempt));
    attempts.into_iter().map(|(second, _)| second).collect()
}

#[test]
fn retries_wait_as_long_as_they_should() {
    let cases: [(Retry, &[u64]); 7] = [
        (Retry::constant(secs(5)).most(3), &[10, 15, 20, 25]),
        (Retry::constant(secs(5)).most(0), &[10]),
        (Retry::constant(secs(30)), &[10, 40, 70, 100]),
        (Retry::exponential(secs(1)).most(4), &[10, 11, 13, 17, 25]),
        (Retry::exponential(secs(8)), &[10, 18, 34, 66]),
        (Retry::exponential(secs(8)).longest(secs(10)).most(4), &[10, 18, 28, 38, 48]),
        (Retry::constant(secs(60)).longest(secs(40)), &[10, 50, 90]),
    ];
    for (retry, expected) in cases {
        assert_eq!(attempts_of("x", retry, 120), expected, "{retry:?}");
    }
}

#[test]
fn jitter_of_retries_differs_by_attempt_and_job_but_not_by_process() {
    let retry = Retry::constant(secs(100)).jitter(secs(50)).most(20);
    let attempts = attempts_of("x", retry, 9999);
    assert_eq!(attempts, attempts_of("x", retry, 9999));
    assert_ne!(attempts, attempts_of("y", retry, 9999));
    let waits: Vec<u64> = attempts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(waits.len(), 20);
    assert!(waits.iter().all(|wait| (100..=150).contains(wait)), "{waits:?}");
    let (shortest, longest) = (waits.iter().min(), waits.iter().max());
    assert!(shortest < Some(&115) && longest > Some(&135), "{waits:?}");
}

#[test]
fn attempts_of_a_run_have_its_instant_and_number() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let sink = runs.clone();
    let run = move |run: RunContext| {
        sink.add((after(run.scheduled()), run.number(), run.attempt(), run.lateness()));
        if run.attempt() < 3 { Err("again") } else { Ok(()) }
    };
    let job = Job::new(run).retry(Retry::constant(secs(10)));
    simulator.add(MINUTES, job, |_| secs(2)).expect("the job is added");
    simulator.run_for(secs(150));
    let expected = [(40, 1, 1), (40, 1, 2), (40, 1, 3), (100, 2, 1), (100, 2, 2), (100, 2, 3)];
    let on_time =
        expected.map(|(scheduled, number, attempt)| (scheduled, number, attempt, secs(0)));
    assert_eq!(runs.take(), on_time);
    assert_eq!((simulator.stats().completed, simulator.stats().failed), (6, 4));
}

#[test]
fn each_attempt_covers_the_events_that_were_coalesced_into_its_run() {
    let (mut simulator, log) = simulator();
    let job = Job::new(|_| Err::<(), _>("it always fails")).retry(Retry::constant(secs(5)).most(1));
    simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
    simulator.set_clock(at(345));
    simulator.run_for(secs(5));
    let mut log = log.take();
    log.retain(|line| line.starts_with("run"));
    assert_eq!(log, ["run 340 +5", "run 340 +5"]);
}

/// The first wait of the later run ends before the third wait of the earlier one.
#[test]
fn each_of_several_runs_is_retried_after_its_own_wait() {
    let (mut simulator, _) = simulator();
    let attempts = Log::new();
    let sink = attempts.clone();
    let run = move |run: RunContext| {
        sink.add((after(run.started()), after(run.scheduled()), run.attempt()));
        Err::<(), _>("it always fails")
    };
    let job = Job::new(run).retry(Retry::exponential(secs(12))).overlap(Overlap::Allow { max: 2 });
    simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(130));
    let first = [(40, 40, 1), (52, 40, 2), (76, 40, 3)];
    let both = [(100, 100, 1), (112, 100, 2), (124, 40, 4)];
    assert_eq!(attempts.take(), [first, both].concat());
}

#[test]
fn a_run_that_was_cancelled_is_not_retried() {
    let (mut simulator, _) = simulator();
    let attempts = Log::new();
    let sink = attempts.clone();
    let run = move |run: RunContext| {
        sink.add((after(run.started()), run.attempt()));
        if run.attempt() == 2 {
            run.token().cancel();
            assert!(run.token().is_cancelled());
        }
        Err::<(), _>("it always fails")
    };
    let job = Job::new(run).retry(Retry::constant(secs(5)));
    simulator.once(at(10), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(60));
    assert_eq!(attempts.take(), [(10, 1), (15, 2)]);
}

#[test]
fn cancelling_a_run_after_its_retry_was_decided_does_not_prevent_it() {
    let (mut simulator, _) = simulator();
    let attempts = Log::new();
    let sink = attempts.clone();
    let retry = Retry::constant(secs(5)).most(2);
    let run = move |run: RunContext| {
        sink.add(run.attempt());
        if run.attempt() == 1 {
            assert_eq!(retry.wait_after(&run), Some(secs(5)));
            run.token().cancel();
        }
        Err::<(), _>("it always fails")
    };
    simulator.once(at(10), Job::new(run).retry(retry), |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(60));
    assert_eq!(attempts.take(), [1, 2, 3]);
}

#[test]
fn a_run_that_is_cancelled_before_it_ends_is_not_retried_although_a_retry_was_announced() {
    let (clock, scheduler, _) = logged();
    let attempts = Log::new();
    let sink = attempts.clone();
    let job = Job::deferred(move |run, completion: Completion| {
        let announced = completion.retry_after();
        run.token().cancel();
        sink.add((run.attempt(), announced, completion.retry_after()));
        completion.finish(Outcome::Failed("it always fails".to_owned()));
    });
    scheduler.once_job(at(10), job.retry(Retry::constant(secs(5)))).expect("the job is added");
    clock.advance(secs(60));
    assert_eq!(attempts.take(), [(1, Some(secs(5)), None)]);
}

#[test]
fn a_late_retry_is_late() {
    let (mut simulator, _) = simulator();
    let lateness = Log::new();
    let sink = lateness.clone();
    let job = Job::new(move |run: RunContext| {
        sink.add(run.lateness());
        Err::<(), _>("it always fails")
    });
    let job = job.retry(Retry::constant(secs(10)).most(1));
    simulator.once(at(10), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(15));
    simulator.stall(secs(12));
    assert_eq!(lateness.take(), [secs(0), secs(7)]);
}

#[test]
fn each_end_tells_when_the_next_attempt_is() {
    let waits = Log::new();
    let sink = waits.clone();
    let observer = move |event: &Event| {
        if let Event::Finished { retry_after, .. } = event {
            sink.add(*retry_after);
        }
    };
    let mut simulator = Simulator::new(start()).observer(observer);
    let job = Job::new(|_| Err::<(), _>("it always fails"));
    let job = job.retry(Retry::exponential(secs(3)).most(2));
    simulator.once(at(10), job, |_| secs(1)).expect("the job is added");
    simulator.run_for(secs(100));
    assert_eq!(waits.take(), [Some(secs(3)), Some(secs(6)), None]);
}

/// This includes panics and abandoned runs.
#[test]
fn whatever_does_not_succeed_is_retried() {
    let (clock, scheduler, log) = logged();
    let job = Job::deferred(|run, completion| match run.attempt() {
        1 => completion.finish(Outcome::Failed("once".to_owned())),
        2 => drop(completion),
        3 => panic!("thrice"),
        _ => completion.finish(Outcome::Succeeded),
    });
    let job = job.retry(Retry::constant(secs(1)));
    scheduler.once_job(at(10), job).expect("the job is added");
    clock.advance(secs(60));
    let ends = [
        "end 10 Failed(\"once\")",
        "end 10 Abandoned",
        "end 10 Panicked(\"thrice\")",
        "end 10 Succeeded",
    ];
    let mut log = log.take();
    log.retain(|line| line.starts_with("end"));
    // The completion may be dropped while the thread unwinds, where the message is not known.
    log[2] = log[2].replace("Panicked(\"\")", ends[2].trim_start_matches("end 10 "));
    assert_eq!(log, ends);
    assert_eq!(scheduler.stats().waiting, 0);
}

#[test]
fn while_a_run_waits_for_a_retry_its_job_is_in_progress() {
    type Case = (Overlap, &'static [(u64, u32)], u64);
    let cases: [Case; 3] = [
        (Overlap::Skip, &[(40, 1), (120, 2), (160, 1)], 1),
        // The event at 100 waits for the retry.
        (Overlap::Queue { max: 1 }, &[(40, 1), (120, 2), (120, 1)], 0),
        (Overlap::Allow { max: 2 }, &[(40, 1), (100, 1), (120, 2), (160, 1)], 0),
    ];
    for (overlap, expected, skipped) in cases {
        let (attempts, (mut simulator, _)) = (Attempts::new(), simulator());
        let job = failing(&attempts).retry(Retry::constant(secs(80)).most(1)).overlap(overlap);
        simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
        simulator.run_for(secs(165));
        assert_eq!(attempts.take(), expected, "{overlap:?}");
        assert_eq!(simulator.stats().skipped, skipped, "{overlap:?}");
    }
}

#[test]
fn retries_end_with_the_next_event_if_they_are_to() {
    for overlap in [Overlap::Skip, Overlap::Queue { max: 0 }, Overlap::Allow { max: 1 }] {
        let (attempts, (mut simulator, _)) = (Attempts::new(), simulator());
        let retry = Retry::constant(secs(25)).until_next_event();
        let job = failing(&attempts).retry(retry).overlap(overlap);
        simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
        simulator.run_for(secs(200));
        let expected =
            [(40, 1), (65, 2), (90, 3), (100, 1), (125, 2), (150, 3), (160, 1), (185, 2)];
        assert_eq!(attempts.take(), expected, "{overlap:?}");
        assert_eq!((simulator.stats().skipped, simulator.stats().running), (0, 0));
    }
}

/// Also if that event has the last run.
#[test]
fn a_run_that_fails_after_the_next_event_is_not_retried_if_that_ends_its_retries() {
    let (attempts, (mut simulator, _)) = (Attempts::new(), simulator());
    let retry = Retry::constant(secs(5)).until_next_event();
    let job = failing(&attempts).retry(retry).overlap(Overlap::Allow { max: 2 }).most_runs(2);
    let takes = |run: &RunContext| secs(if run.scheduled() == at(40) { 70 } else { 7 });
    simulator.add(MINUTES, job, takes).expect("the job is added");
    simulator.run_for(secs(120));
    assert_eq!(attempts.take(), [(40, 1), (100, 1), (112, 2)]);
}

#[test]
fn the_last_attempt_before_the_next_event_is_reported_as_the_last() {
    // The events are at 40 and 100, where an attempt at 100 still precedes the event.
    let cases: [(u64, &[(u32, bool)]); 5] = [
        (25, &[(1, true), (2, true), (3, false)]),
        (30, &[(1, true), (2, true)]),
        (31, &[(1, true), (2, false)]),
        (60, &[(1, true)]),
        (61, &[(1, false)]),
    ];
    for (wait, expected) in cases {
        let ends = Log::new();
        let sink = ends.clone();
        let mut simulator = Simulator::new(start()).observer(move |event: &Event| {
            if let Event::Finished { run, retry_after, .. } = event {
                sink.add((run.attempt(), retry_after.is_some()));
            }
        });
        let retry = Retry::constant(secs(wait)).until_next_event();
        let job = Job::new(|_| Err::<(), _>("it always fails")).retry(retry);
        simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
        simulator.run_for(secs(98));
        assert_eq!(ends.take(), expected, "{wait}");
    }
}

#[test]
fn a_cancelled_job_is_not_retried() {
    let (attempts, (mut simulator, log)) = (Attempts::new(), simulator());
    let job = failing(&attempts).retry(Retry::constant(secs(10)));
    let job = simulator.add(MINUTES, job, |_| secs(5)).expect("the job is added");
    // While the run waits for an attempt, and while the attempt is in progress.
    simulator.run_for(secs(50));
    assert!(simulator.cancel(job));
    simulator.run_for(secs(600));
    assert_eq!(attempts.take(), [(40, 1)]);
    let last = log.take().pop();
    assert_eq!(last.as_deref(), Some("cancel [] Some(100) retries [40]"));

    let job = failing(&attempts).retry(Retry::constant(secs(10)));
    let job = simulator.once(simulator.now(), job, |_| secs(5)).expect("the job is added");
    simulator.run_for(secs(2));
    assert!(simulator.cancel(job));
    simulator.run_for(secs(600));
    assert_eq!(attempts.take().len(), 1);
    assert_eq!((simulator.stats().waiting, simulator.stats().ready), (0, 0));
}

#[test]
fn a_job_whose_last_run_is_retried_is_kept_until_that_ends() {
    let (attempts, (mut simulator, log)) = (Attempts::new(), simulator());
    let job = failing(&attempts).retry(Retry::constant(secs(100)).most(1)).ending(at(40));
    simulator.add(MINUTES, job, |_| secs(1)).expect("the job is added");
    simulator.run_for(secs(600));
    assert_eq!(attempts.take(), [(40, 1), (141, 2)]);
    assert_eq!(log.take().iter().filter(|line| *line == "over").count(), 1);
}

#[test]
fn a_paused_job_is_still_retried() {
    let (attempts, (mut simulator, _)) = (Attempts::new(), simulator());
    let job = failing(&attempts).retry(Retry::constant(secs(30)).most(2));
    let job = simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(50));
    assert!(simulator.pause(job));
    simulator.run_for(secs(600));
    assert_eq!(attempts.take(), [(40, 1), (70, 2), (100, 3)]);
}

/// The tokens of a job's runs.
type Tokens = Arc<Mutex<Vec<CancellationToken>>>;

fn keeping(tokens: &Tokens) -> Job {
    let tokens = Arc::clone(tokens);
    Job::new(move |run: RunContext| lock(&tokens).push(run.token().clone()))
}

fn cancelled(tokens: &Tokens) -> Vec<bool> {
    lock(tokens).iter().map(CancellationToken::is_cancelled).collect()
}

#[test]
fn a_run_that_takes_too_long_is_told_to_end_but_counts_until_it_does() {
    let (tokens, (mut simulator, log)) = (Tokens::default(), simulator());
    let job = keeping(&tokens).timeout(secs(70));
    simulator.add(MINUTES, job, |_| secs(100)).expect("the job is added");
    simulator.run_for(secs(109));
    assert_eq!((cancelled(&tokens), simulator.stats().timed_out), (vec![false], 0));
    simulator.run_for(secs(1));
    assert_eq!((cancelled(&tokens), simulator.stats().timed_out), (vec![true], 1));
    simulator.run_for(secs(51));
    let expected = [
        "added 40",
        "run 40 +0",
        "skip 100-100 1 Overlap",
        "time-out 40",
        "end 40 Succeeded",
        "run 160 +0",
    ];
    assert_eq!(log.take(), expected);
    assert_eq!(cancelled(&tokens), [true, false]);
}

#[test]
fn a_time_out_is_reported_after_the_job_was_cancelled_or_replaced() {
    for is_replaced in [false, true] {
        let (mut simulator, log) = simulator();
        let job = || Job::new(|_| {}).name("job").timeout_and_go_on(secs(50)).replace();
        let old = simulator.add(MINUTES, job(), |_| secs(55)).expect("the job is added");
        simulator.run_for(secs(45));
        log.take();
        if is_replaced {
            simulator.once(at(500), job(), |_| secs(0)).expect("the job is added");
        } else {
            assert!(simulator.cancel(old));
        }
        simulator.run_for(secs(100));
        let mut expected = vec!["cancel [] Some(100)", "time-out 40", "end 40 Succeeded"];
        if is_replaced {
            expected.insert(1, "added 500");
        }
        assert_eq!(log.take(), expected);
        assert_eq!(simulator.stats().timed_out, 1);
    }
}

#[test]
fn after_a_time_out_the_next_event_may_start() {
    let (tokens, (mut simulator, log)) = (Tokens::default(), simulator());
    let job = keeping(&tokens).timeout_and_go_on(secs(50));
    let job = simulator.add(MINUTES, job, |_| secs(500)).expect("the job is added");
    simulator.run_for(secs(170));
    let expected =
        ["added 40", "run 40 +0", "time-out 40", "run 100 +0", "time-out 100", "run 160 +0"];
    assert_eq!(log.take(), expected);
    assert_eq!(cancelled(&tokens), [true, true, false]);
    assert_eq!(simulator.stats().running, 3);
    // All of them are cancelled with the job. The last still exceeds its limit.
    assert!(simulator.cancel(job));
    assert_eq!(cancelled(&tokens), [true, true, true]);
    simulator.run_for(secs(1000));
    let ends = [
        "cancel [] Some(220)",
        "time-out 160",
        "end 40 Succeeded",
        "end 100 Succeeded",
        "end 160 Succeeded",
    ];
    assert_eq!(log.take(), ends);
    assert_eq!(simulator.stats().timed_out, 3);
}

#[test]
fn a_queued_event_starts_at_the_time_out_if_it_may() {
    for (goes_on, second) in [(true, 90), (false, 240)] {
        let (mut simulator, _) = simulator();
        let begun = Log::new();
        let sink = begun.clone();
        let job = Job::new(move |run: RunContext| sink.add(after(run.started())));
        let job = job.overlap(Overlap::Queue { max: 1 });
        let job = if goes_on { job.timeout_and_go_on(secs(110)) } else { job.timeout(secs(110)) };
        simulator.add(MINUTES, job, |_| secs(200)).expect("the job is added");
        simulator.run_for(secs(250));
        assert_eq!(begun.take()[..2], [40, if goes_on { 150 } else { second }]);
    }
}

#[test]
fn a_run_that_was_given_up_is_not_retried() {
    for (goes_on, expected) in [(true, &[(40, 1)][..]), (false, &[(40, 1), (91, 2)])] {
        let (attempts, (mut simulator, log)) = (Attempts::new(), simulator());
        let job = failing(&attempts).retry(Retry::constant(secs(1)).most(1));
        let job = if goes_on { job.timeout_and_go_on(secs(10)) } else { job.timeout(secs(10)) };
        simulator.add(MINUTES, job.ending(at(40)), |_| secs(50)).expect("the job is added");
        simulator.run_for(secs(600));
        assert_eq!(attempts.take(), expected);
        assert_eq!(simulator.stats().waiting, 0);
        // Until then, the run can be cancelled with its job.
        let log = log.take();
        assert_eq!(log[log.len() - 2..], ["end 40 Failed(\"it always fails\")", "over"]);
    }
}

#[test]
fn a_run_that_was_given_up_frees_nothing_when_it_ends() {
    let (mut simulator, _) = simulator();
    // The first run is given up at 90 and ends at 115, during the run of 100.
    let takes = |run: &RunContext| secs(if run.number() == 1 { 75 } else { 49 });
    let job = Job::new(|_| {}).timeout_and_go_on(secs(50));
    let job = simulator.add(MINUTES, job, takes).expect("the job is added");
    simulator.run_for(secs(120));
    assert_eq!((simulator.stats().completed, simulator.stats().running), (1, 1));
    assert!(!simulator.trigger_now(job), "a run is in progress");
    simulator.run_for(secs(30));
    assert!(simulator.trigger_now(job), "it has ended");
}

#[test]
fn each_attempt_has_its_own_time() {
    let (attempts, (mut simulator, log)) = (Attempts::new(), simulator());
    let job = failing(&attempts).timeout(secs(10)).retry(Retry::constant(secs(8)).most(1));
    let takes = |run: &RunContext| secs(if run.attempt() == 1 { 9 } else { 11 });
    simulator.once(at(0), job, takes).expect("the job is added");
    simulator.run_for(secs(100));
    let expected = [
        "added 0",
        "run 0 +0",
        "end 0 Failed(\"it always fails\")",
        "run 0 +0",
        "time-out 0",
        "end 0 Failed(\"it always fails\")",
        "over",
    ];
    assert_eq!(log.take(), expected);
    assert_eq!(simulator.stats().timed_out, 1);
}

/// Time-outs of runs that have ended are removed.
#[test]
fn runs_that_end_in_time_do_not_time_out() {
    let (mut simulator, _) = simulator();
    let job = Job::new(|_| {}).timeout(secs(1000));
    simulator.add(schedule!("*:*:*"), job, |_| Duration::from_millis(500)).expect("it is added");
    simulator.run_for(secs(10_000));
    assert_eq!((simulator.stats().timed_out, simulator.stats().completed), (0, 9999));
}

#[test]
fn a_run_in_progress_times_out() {
    let ends = Log::new();
    let sink = ends.clone();
    let observer = move |event: &Event| match event {
        Event::TimedOut { run, limit } => sink.add((run.number(), Some(*limit), None)),
        Event::Finished { run, outcome, .. } => {
            sink.add((run.number(), None, Some(outcome.clone())));
        }
        _ => {}
    };
    let scheduler = Scheduler::builder().observer(observer).start().expect("the scheduler starts");
    let limit = Duration::from_millis(1);
    let job = Job::new(|run: RunContext| {
        until(|| run.token().is_cancelled());
        Err::<(), _>("it ran out of time")
    });
    scheduler.once_job(start(), job.timeout(limit)).expect("the job is added");
    until(|| ends.len() == 2);
    let failed = Outcome::Failed("it ran out of time".to_owned());
    assert_eq!(ends.take(), [(1, Some(limit), None), (1, None, Some(failed))]);
    assert_eq!(scheduler.stats().timed_out, 1);
}

#[test]
fn a_completion_knows_whether_its_run_is_attempted_again() {
    let (known, reported) = (Log::new(), Log::new());
    let (known_log, reported_log) = (known.clone(), reported.clone());
    let clock = ManualClock::new(start());
    let scheduler = Scheduler::builder().clock(clock.clone()).observer(move |event: &Event| {
        if let Event::Finished { retry_after, .. } = event {
            reported_log.add(*retry_after);
        }
    });
    let scheduler = scheduler.start().expect("the scheduler starts");
    let job = Job::deferred(move |_, completion: Completion| {
        let completion = completion.intercept(|outcome, completion| completion.finish(outcome));
        known_log.add(completion.retry_after());
        completion.finish(Outcome::Failed("it always fails".to_owned()));
    });
    let job = job.retry(Retry::exponential(secs(5)).most(2));
    scheduler.once_job(at(10), job).expect("the job is added");
    clock.advance(secs(60));
    let held = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&held);
    let job = Job::deferred(move |_, completion: Completion| lock(&sink).push(completion));
    let job = scheduler.add_job(MINUTES, job.retry(Retry::constant(secs(5))));
    assert!(job.expect("the job is added").trigger_now());
    until(|| !lock(&held).is_empty());
    let completion = lock(&held).pop().expect("it runs");
    assert_eq!(completion.retry_after(), Some(secs(5)));
    drop(scheduler.close());
    assert_eq!(completion.retry_after(), None, "a closed scheduler attempts nothing again");
    completion.finish(Outcome::Failed("it was held".to_owned()));
    assert!(scheduler.close_and_wait(secs(60)).is_empty());
    assert_eq!(known.take(), [Some(secs(5)), Some(secs(10)), None]);
    assert_eq!(reported.take(), [Some(secs(5)), Some(secs(10)), None, None]);
}

/// The run succeeds, whatever its completion reports.
#[test]
fn a_completion_of_a_simulated_run_expects_no_retry() {
    let (mut simulator, log) = simulator();
    let announced = Log::new();
    let sink = announced.clone();
    let job = Job::deferred(move |_, completion: Completion| {
        sink.add(completion.retry_after());
        completion.finish(Outcome::Failed("it is ignored".to_owned()));
    });
    let job = job.retry(Retry::constant(secs(5)));
    simulator.once(at(10), job, |_| secs(3)).expect("the job is added");
    simulator.run_for(secs(60));
    assert_eq!(announced.take(), [None]);
    assert_eq!(log.take(), ["added 10", "run 10 +0", "end 10 Succeeded", "over"]);
}
