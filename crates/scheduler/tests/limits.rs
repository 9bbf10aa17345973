//! Limits on how often and when jobs run: numbers of runs, earliest and latest instants,
//! capacities, and unbounded durations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use millicron::{Schedule, every, schedule};
use millicron_scheduler::{
    AddErrorKind, Job, Missed, Outcome, Overlap, Retry, RunContext, Simulator, Workers,
};

use crate::support::{
    Log, LogRuns as _, at, builder, held, receive, scheduler, secs, simulator, start, until,
    watched,
};

const MINUTES: Schedule = schedule!("*:*:00");

#[test]
fn a_job_ends_after_its_most_runs() {
    for (most, expected) in [(1, &[40][..]), (3, &[40, 100, 160]), (0, &[40])] {
        let (mut simulator, log) = simulator();
        let runs = Log::new();
        let job = Job::new(runs.job()).most_runs(most);
        let job = simulator.add(MINUTES, job, |_| secs(5)).expect("the job is added");
        simulator.run_for(secs(600));
        assert_eq!(runs.take(), expected.iter().map(|it| at(*it)).collect::<Vec<_>>());
        assert_eq!(log.take().last().map(String::as_str), Some("over"));
        assert_eq!(simulator.stats().waiting, 0);
        assert!(!simulator.trigger_now(job) && !simulator.cancel(job));
    }
}

#[test]
fn triggered_runs_count_towards_the_most_runs() {
    let (mut simulator, log) = simulator();
    let job = Job::new(|_| {}).most_runs(3);
    let job = simulator.add(MINUTES, job, |_| secs(5)).expect("the job is added");
    assert!(simulator.trigger_now(job));
    simulator.run_for(secs(50));
    assert!(simulator.trigger_now(job), "the third");
    assert!(!simulator.trigger_now(job), "a fourth");
    simulator.run_for(secs(600));
    let expected = [
        "added 40",
        "run 0 +0",
        "end 0 Succeeded",
        "run 40 +0",
        "end 40 Succeeded",
        "run 50 +0",
        "end 50 Succeeded",
        "over",
    ];
    assert_eq!(log.take(), expected);
}

#[test]
fn retries_do_not_count_towards_the_most_runs() {
    let runs = Log::new();
    let sink = runs.clone();
    let run = move |run: RunContext| {
        sink.add((run.scheduled(), run.number(), run.attempt()));
        if run.attempt() < 3 { Err("again") } else { Ok(()) }
    };
    let (mut simulator, _) = simulator();
    let job = Job::new(run).most_runs(2).retry(Retry::constant(secs(1)));
    simulator.add(MINUTES, job, |_| secs(1)).expect("the job is added");
    simulator.run_for(secs(600));
    let first = [1, 2, 3].map(|attempt| (at(40), 1, attempt));
    let second = [1, 2, 3].map(|attempt| (at(100), 2, attempt));
    assert_eq!(runs.take(), [first, second].concat());
    assert_eq!(simulator.stats().waiting, 0);
}

#[test]
fn skipped_events_do_not_count_towards_the_most_runs() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let job = Job::new(runs.job()).most_runs(2);
    simulator.add(MINUTES, job, |_| secs(150)).expect("the job is added");
    simulator.run_for(secs(900));
    // The events at 100 and 160 overlap with the first run.
    assert_eq!(runs.take(), [at(40), at(220)]);
    assert_eq!(simulator.stats().skipped, 2);
}

#[test]
fn missed_events_that_all_run_do_so_up_to_the_most_runs() {
    for overlap in [Overlap::Skip, Overlap::Queue { max: 9 }, Overlap::Allow { max: 2 }] {
        let (mut simulator, _) = simulator();
        let runs = Log::new();
        let job = Job::new(runs.job()).most_runs(3).missed(Missed::All { max: 99 });
        simulator.add(MINUTES, job.overlap(overlap), |_| secs(1)).expect("the job is added");
        simulator.stall(secs(600));
        simulator.run_for(secs(600));
        assert_eq!(runs.take(), [at(40), at(100), at(160)], "{overlap:?}");
        assert_eq!((simulator.stats().waiting, simulator.stats().completed), (0, 3));
    }
}

#[test]
fn missed_events_beyond_the_most_runs_are_skipped_if_several_runs_start_at_once() {
    let (mut simulator, log) = simulator();
    let job = Job::new(|_| {}).most_runs(3).missed(Missed::All { max: 99 });
    let job = job.overlap(Overlap::Allow { max: 5 });
    simulator.add(MINUTES, job, |_| secs(1)).expect("the job is added");
    simulator.stall(secs(600));
    let expected = ["added 40", "skip 220-580 7 MostRuns", "run 40 +0", "run 100 +0", "run 160 +0"];
    assert_eq!(log.take(), expected);
}

/// Queued events beyond the limit do not run, and do not keep the job alive.
#[test]
fn queued_events_run_up_to_the_most_runs() {
    let (mut simulator, log) = simulator();
    let job = Job::new(|_| {}).most_runs(2).overlap(Overlap::Queue { max: 9 });
    simulator.add(MINUTES, job, |_| secs(200)).expect("the job is added");
    simulator.run_for(secs(900));
    let log = log.take();
    let runs = log.iter().filter(|line| line.starts_with("run")).count();
    assert_eq!((runs, log.last().map(String::as_str)), (2, Some("over")), "{log:?}");
}

#[test]
fn a_job_begins_and_ends_at_instants() {
    // Both instants are inclusive.
    let cases: [(u64, u64, &[u64]); 5] = [
        (100, 220, &[100, 160, 220]),
        (101, 219, &[160]),
        (0, 40, &[40]),
        (160, 160, &[160]),
        (0, 0, &[]),
    ];
    for (first, last, expected) in cases {
        let (mut simulator, log) = simulator();
        let runs = Log::new();
        let job = Job::new(runs.job()).starting(at(first)).ending(at(last));
        let added = simulator.add(MINUTES, job, |_| secs(0));
        let expected: Vec<_> = expected.iter().map(|it| at(*it)).collect();
        if expected.is_empty() {
            assert!(matches!(added, Err(error) if matches!(error.kind(), AddErrorKind::NoEvent)));
            continue;
        }
        simulator.run_for(secs(600));
        assert_eq!(runs.take(), expected, "{first} {last}");
        assert_eq!(log.take().last().map(String::as_str), Some("over"));
        assert_eq!(simulator.stats().waiting, 0);
    }
}

#[test]
fn missed_events_after_the_end_do_not_run() {
    for missed in [Missed::Coalesce, Missed::All { max: 9 }] {
        let (mut simulator, log) = simulator();
        let job = Job::new(|_| {}).ending(at(170)).missed(missed);
        simulator.add(MINUTES, job, |_| secs(1)).expect("the job is added");
        simulator.set_clock(at(3000));
        simulator.run_for(secs(600));
        let mut log = log.take();
        log.retain(|line| line.starts_with("run") || line == "over");
        let expected: &[&str] = match missed {
            Missed::Coalesce => &["run 160 +2", "over"],
            _ => &["run 40 +0", "run 100 +0", "run 160 +0", "over"],
        };
        assert_eq!(log, expected);
    }
}

#[test]
fn a_job_may_be_triggered_before_it_begins() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let job = Job::new(runs.job()).starting(at(1000));
    let job = simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
    assert!(simulator.trigger_now(job));
    simulator.run_for(secs(1000));
    assert_eq!(runs.take(), [start() + Duration::from_nanos(100), at(1000)]);
}

#[test]
fn an_interval_that_begins_later_keeps_its_distances() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let job = Job::new(runs.job()).starting(at(100)).ending(at(320));
    simulator.add(every(1).minutes(), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(600));
    assert_eq!(runs.take(), [120, 180, 240, 300].map(at));
}

#[test]
fn a_rescheduled_job_keeps_its_limits() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let job = Job::new(runs.job()).most_runs(3).ending(at(400));
    let job = simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(50));
    assert_eq!(simulator.reschedule(job, every(100).seconds()), Ok(true));
    simulator.run_for(secs(600));
    assert_eq!(runs.take(), [at(40), at(150), at(250)]);
    assert_eq!(simulator.stats().waiting, 0);
}

/// Its last run is still in progress, and the new interval begins at once.
#[test]
fn a_job_that_is_rescheduled_during_its_last_run_does_not_run_again() {
    for overlap in [Overlap::Skip, Overlap::Queue { max: 1 }, Overlap::Allow { max: 2 }] {
        let (mut simulator, log) = simulator();
        let runs = Log::new();
        let job = Job::new(runs.job()).most_runs(1).overlap(overlap);
        let job = simulator.add(MINUTES, job, |_| secs(100)).expect("the job is added");
        simulator.run_for(secs(50));
        assert_eq!(simulator.reschedule(job, every(10).minutes().from(at(50))), Ok(true));
        simulator.run_for(secs(2000));
        assert_eq!(runs.take(), [at(40)], "{overlap:?}");
        assert_eq!(log.take().last().map(String::as_str), Some("over"));
    }
}

#[test]
fn a_closure_with_state_never_overlaps() {
    for overlap in [Overlap::Skip, Overlap::Queue { max: 50 }, Overlap::Allow { max: 50 }] {
        watched(move || {
            let (clock, builder) = builder();
            let scheduler =
                builder.workers(Workers::Pool(4)).start().expect("the scheduler starts");
            let is_running = Arc::new(AtomicBool::new(false));
            let sums = Log::new();
            let (flag, sink, mut sum) = (Arc::clone(&is_running), sums.clone(), 0);
            let job = Job::new_mut(move |run: RunContext| {
                assert!(!flag.swap(true, Ordering::SeqCst), "two runs at once");
                std::thread::yield_now();
                sum += 1;
                sink.add(sum);
                assert!(flag.swap(false, Ordering::SeqCst));
                // A panic loses no state.
                assert!(run.number() != 2, "the second run panics");
            });
            let job = scheduler.add_job(every(1).hours(), job.overlap(overlap));
            let job = job.expect("the job is added");
            let mut triggered = 0;
            while triggered < 50 {
                triggered += u64::from(job.trigger_now());
            }
            until(|| scheduler.stats().completed == 50);
            assert_eq!(sums.take(), (1..=50).collect::<Vec<_>>(), "{overlap:?}");
            assert_eq!(scheduler.stats().failed, 1);
            drop(clock);
        });
    }
}

/// The capacity counts jobs whose last run is waiting or in progress.
#[test]
fn running_one_shot_jobs_count_towards_the_capacity() {
    for name in [None, Some("named")] {
        let (clock, builder) = builder();
        let scheduler = builder.capacity(2).start().expect("the scheduler starts");
        let (begun, going) = channel();
        let is_open = Arc::new(AtomicBool::new(false));
        for index in 0..2 {
            let (begun, is_open) = (begun.clone(), Arc::clone(&is_open));
            let job = Job::once(move |_| {
                begun.send(()).expect("the test receives it");
                until(|| is_open.load(Ordering::Relaxed));
            });
            let job = if let Some(name) = name { job.name(format!("{name} {index}")) } else { job };
            scheduler.once_job(start(), job).expect("the job is added");
        }
        receive(&going);
        receive(&going);
        let refused = scheduler.once(start(), |_| {});
        assert!(
            matches!(refused, Err(error) if matches!(error.kind(), AddErrorKind::Full)),
            "{name:?}"
        );
        let refused = scheduler.add(MINUTES, |_| {});
        assert!(
            matches!(refused, Err(error) if matches!(error.kind(), AddErrorKind::Full)),
            "{name:?}"
        );
        // A later step of accepted work is not refused.
        let step = scheduler.handle().once_job_beyond_capacity(start(), Job::once(|_| {}));
        step.expect("the job is added");
        is_open.store(true, Ordering::Relaxed);
        clock.advance(Duration::ZERO);
        assert_eq!(scheduler.stats().completed, 3);
        for _ in 0..2 {
            scheduler.add(MINUTES, |_| {}).expect("the jobs have ended");
        }
        assert!(
            matches!(scheduler.add(MINUTES, |_| {}), Err(error) if matches!(error.kind(), AddErrorKind::Full))
        );
    }
}

#[test]
fn a_cancelled_job_whose_run_goes_on_frees_its_place() {
    let (clock, builder) = builder();
    let scheduler = builder.capacity(1).start().expect("the scheduler starts");
    let (job, held) = held();
    let job = scheduler.add_job(MINUTES, job).expect("the job is added");
    assert!(job.trigger_now());
    let (_, completion) = receive(&held);
    assert!(
        matches!(scheduler.add(MINUTES, |_| {}), Err(error) if matches!(error.kind(), AddErrorKind::Full))
    );
    assert!(job.cancel());
    scheduler.add(MINUTES, |_| {}).expect("the job was cancelled");
    completion.finish(Outcome::Succeeded);
    clock.advance(Duration::ZERO);
    assert!(
        matches!(scheduler.add(MINUTES, |_| {}), Err(error) if matches!(error.kind(), AddErrorKind::Full))
    );
}

#[test]
fn no_duration_overflows() {
    let endless = [Duration::MAX, secs(u64::MAX), secs(u64::from(u32::MAX) * 1000)];
    for most in endless {
        let (mut simulator, _) = simulator();
        let retry = Retry::exponential(most).jitter(most).longest(most);
        let job = |name: &str| {
            let job = Job::new(|_| Err::<(), _>("it always fails")).name(name).grace(most);
            job.timeout(most).retry(retry)
        };
        let jittered = simulator.add(MINUTES, job("jittered").jitter(most), |_| secs(1));
        let jittered = jittered.expect("the job is added");
        let failing =
            simulator.add(MINUTES, job("failing"), move |_| most).expect("the job is added");
        let once = simulator.once(at(7), job("once").jitter(most), |_| secs(1));
        let once = once.expect("the job is added");
        simulator.run_for(secs(1000));
        assert_eq!((simulator.stats().running, simulator.stats().completed), (1, 0));
        assert!(simulator.trigger_now(jittered));
        simulator.run_for(secs(10));
        assert_eq!(simulator.stats().failed, 1, "the triggered run, which is tried again never");
        simulator.stall(secs(1_000_000));
        for job in [jittered, failing, once] {
            simulator.cancel(job);
        }
        assert_eq!(simulator.stats().waiting, 0);
    }
}

#[test]
fn exponential_retries_without_limits_do_not_overflow() {
    let (mut simulator, _) = simulator();
    let attempts = Log::new();
    let sink = attempts.clone();
    let job = Job::new(move |run: RunContext| {
        sink.add(run.attempt());
        Err::<(), _>("it always fails")
    });
    let job = job.retry(Retry::exponential(Duration::from_nanos(1)));
    simulator.once(at(0), job, |_| secs(0)).expect("the job is added");
    // Instants can represent at most 2^63 nanoseconds.
    simulator.run_for(secs(7_000_000_000));
    let attempts = attempts.take();
    assert!((60..70).contains(&attempts.len()), "{}", attempts.len());
}

#[test]
fn a_scheduler_accepts_jobs_with_endless_durations() {
    let (clock, scheduler) = scheduler();
    let job = Job::new(|_| Err::<(), _>("it always fails")).jitter(Duration::MAX);
    let job = job.timeout(Duration::MAX).retry(Retry::constant(Duration::MAX));
    let job = scheduler.add_job(MINUTES, job.name("x")).expect("the job is added");
    assert_eq!(job.next_event(), Some(at(40)));
    assert!(job.trigger_now());
    clock.advance(secs(3600));
    assert_eq!((scheduler.stats().completed, scheduler.stats().failed), (1, 1));
    assert!(job.cancel());
}

#[test]
fn instants_without_bounds_end_with_those_of_the_scheduler() {
    let mut simulator = Simulator::new(start());
    let far = start() + secs(1 << 40);
    let runs = Log::new();
    simulator.once(far, Job::new(runs.job()), |_| secs(0)).expect("the job is added");
    let job = Job::new(runs.job()).starting(far);
    let refused = simulator.add(MINUTES, job, |_| secs(0));
    assert!(matches!(refused, Err(error) if matches!(error.kind(), AddErrorKind::NoEvent)));
    let job = Job::new(runs.job()).ending(far).since(start() - secs(1_690_000_000));
    simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(100));
    assert_eq!(runs.take().len(), 3, "one run for all events before, and two events");
}

#[test]
fn a_one_shot_job_keeps_its_first_and_last_instant_when_it_is_rescheduled() {
    for (seconds, runs) in [(1, &[at(40)][..]), (300, &[])] {
        let (mut simulator, log) = simulator();
        let runs_of = Log::new();
        let job = Job::new(runs_of.job()).starting(at(30)).ending(at(200));
        let job = simulator.once(at(100), job, |_| secs(0)).expect("the job is added");
        let schedule = if seconds == 1 { MINUTES } else { schedule!("*:*/30:00") };
        assert_eq!(simulator.reschedule(job, schedule), Ok(true));
        simulator.run_for(secs(3600));
        assert_eq!(runs_of.take(), runs, "{:?}", log.take());
    }
}

#[test]
fn time_ends_though_a_retry_lies_beyond() {
    watched(|| {
        let (mut simulator, _log) = simulator();
        let job =
            Job::new(|_| Err::<(), _>("it always fails")).retry(Retry::constant(Duration::MAX));
        simulator.once(at(1), job, |_| secs(0)).expect("the job is added");
        simulator.run_for(Duration::MAX);
        assert_eq!(simulator.stats().failed, 1);
    });
}

/// The clock is ahead of the elapsed time, whose range has not ended.
#[test]
fn time_ends_though_a_run_in_progress_ends_beyond() {
    watched(|| {
        let mut simulator = Simulator::new(start());
        simulator.add(MINUTES, Job::new(|_| {}), |_| Duration::MAX).expect("the job is added");
        simulator.run_for(secs(60));
        assert_eq!(simulator.stats().running, 1);
        simulator.set_clock(start() + Duration::from_hours(300 * 366 * 24));
        let end = simulator.now();
        simulator.run_for(secs(60));
        assert_eq!((simulator.now(), simulator.stats().running), (end, 1));
    });
}
