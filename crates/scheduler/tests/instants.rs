//! The instants of runs: triggered runs have distinct instants, which are never the instants of
//! events, and lateness is measured from when a run could start.

use std::collections::HashSet;
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::{every, schedule};
use millicron_scheduler::{Event, Job, JobHandle, Missed, Overlap, RunContext, Simulator, Workers};

use crate::support::{
    Chance, Log, LogRuns as _, at, builder, logged, receive, scaled, scheduler, secs, simulator,
    start,
};

const STEP: Duration = Duration::from_nanos(100);

/// Jitter delays the run of the event, so a trigger at its instant comes first.
#[test]
fn a_trigger_at_a_jittered_event_does_not_run_that_event() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let job = Job::new(runs.job()).name("x").jitter(secs(3600));
    let job = scheduler.add_job(schedule!("*:00:00"), job).expect("the job is added");
    clock.advance(secs(2800));
    assert_eq!(runs.take(), [], "jitter delays the event");
    assert!(job.trigger_now());
    assert_eq!(job.next_event(), Some(at(2800)));
    clock.advance(secs(3600));
    assert_eq!(runs.take(), [at(2800) + STEP, at(2800)]);
}

#[test]
fn a_one_shot_job_is_triggered_once() {
    let (clock, scheduler) = scheduler();
    scheduler.set_workers(Workers::Pool(1)).expect("one thread");
    let ((begun, going), (release, released)) = (channel(), channel::<()>());
    let busy = scheduler.once(start(), move |_| {
        begun.send(()).expect("the test receives it");
        released.recv().expect_err("the sender is dropped");
    });
    busy.expect("the job is added");
    receive(&going);
    let runs = Log::new();
    let job = scheduler.once(at(3600), runs.job()).expect("the job is added");
    assert!(job.trigger_now());
    assert!(!job.trigger_now(), "it waits for the worker");
    assert_eq!(scheduler.stats().ready, 1);
    drop(release);
    clock.advance(secs(3600));
    assert_eq!(runs.len(), 1);
}

#[test]
fn a_trigger_of_a_paused_job_at_an_event_is_not_that_event() {
    let (clock, scheduler, log) = logged();
    let runs = Log::new();
    let job = scheduler.add(schedule!("*:*:00"), runs.job()).expect("the job is added");
    assert!(job.pause());
    clock.advance(secs(40));
    assert!(job.trigger_now());
    clock.advance(Duration::ZERO);
    assert_eq!(job.next_event(), None, "the job stays paused");
    assert_eq!(runs.take(), [at(40) + STEP]);
    assert!(job.resume());
    clock.advance(Duration::ZERO);
    // The event was skipped, so it did not also run.
    let expected =
        ["added 40", "pause", "run 40 +0", "end 40 Succeeded", "resume", "skip 40-40 1 Paused"];
    assert_eq!(log.take(), expected);
    clock.advance(secs(60));
    assert_eq!(runs.take(), [at(100)]);
}

#[test]
fn an_event_whose_instant_a_trigger_has_seen_still_runs() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let job = scheduler.add(schedule!("*:*:00"), runs.job()).expect("the job is added");
    clock.advance(Duration::from_nanos(39_999_999_900));
    assert!(job.trigger_now());
    clock.advance(Duration::ZERO);
    // The next step is the event, so a second trigger at this instant must skip it.
    assert!(job.trigger_now());
    clock.advance(STEP);
    assert_eq!(runs.take(), [at(40) - STEP, at(40) + STEP, at(40)]);
}

fn assert_distinct_and_no_events(instants: &[SystemTime]) {
    let distinct: HashSet<&SystemTime> = instants.iter().collect();
    assert_eq!(distinct.len(), instants.len(), "the instants are distinct");
    let is_event = |instant: &&SystemTime| {
        let since_1970 = instant.duration_since(UNIX_EPOCH).expect("the instant is after 1970");
        since_1970.subsec_nanos().is_multiple_of(1_000_000)
    };
    assert_eq!(instants.iter().find(is_event), None, "an event is on a whole millisecond");
}

#[test]
fn a_million_triggers_at_one_instant_have_distinct_instants_between_events() {
    let count = scaled(1_000_000);
    for overlap in [Overlap::Allow { max: 3 }, Overlap::Queue { max: 3 }] {
        let runs = Log::new();
        let mut simulator = Simulator::new(start() + Duration::from_nanos(999_700));
        let job = Job::new(runs.job()).overlap(overlap);
        let job = simulator.add(schedule!("*:*:*.*"), job, |_| secs(0)).expect("the job is added");
        for _ in 0..count {
            assert!(simulator.trigger_now(job));
        }
        let runs = runs.take();
        assert_eq!(runs.len() as u64, count, "{overlap:?}");
        assert_distinct_and_no_events(&runs);
    }
}

#[test]
fn triggers_that_are_queued_together_have_distinct_instants() {
    let runs = Log::new();
    let mut simulator = Simulator::new(start());
    let job = Job::new(runs.job()).overlap(Overlap::Queue { max: usize::MAX });
    let job = simulator.add(schedule!("*:*:*"), job, |_| secs(0)).expect("the job is added");
    simulator.set_workers(0);
    for _ in 0..scaled(100_000) {
        assert!(simulator.trigger_now(job));
    }
    simulator.set_workers(1);
    let runs = runs.take();
    assert_eq!(runs.len() as u64, scaled(100_000));
    assert!(runs.is_sorted(), "they run in the order in which they were triggered");
    assert_distinct_and_no_events(&runs);
}

/// This also applies if triggers, events and small corrections of the clock alternate.
#[test]
fn no_two_runs_have_the_same_instant_whatever_the_order_of_triggers_and_events() {
    for seed in 0..20 {
        let mut chance = Chance(seed);
        let runs = Log::new();
        let mut simulator = Simulator::new(start());
        let job = Job::new(runs.job()).missed(Missed::All { max: 99 });
        let job = job.overlap(Overlap::Queue { max: 999 });
        let job = simulator.add(schedule!("*:*:*.*"), job, |_| secs(0)).expect("the job is added");
        for _ in 0..500 {
            match chance.below(4) {
                0 => simulator.run_for(Duration::from_nanos(100 * chance.below(25_000))),
                1 => simulator.set_clock(simulator.now() - Duration::from_micros(300)),
                _ => assert!(simulator.trigger_now(job)),
            }
        }
        let runs = runs.take();
        let distinct: HashSet<&SystemTime> = runs.iter().collect();
        assert_eq!(distinct.len(), runs.len(), "seed {seed}");
        assert!(runs.len() > 250);
    }
}

#[test]
fn lateness_is_counted_from_the_jittered_instant() {
    let (lateness, delays) = (Log::new(), Log::new());
    let mut simulator = Simulator::new(start());
    let (late, delay) = (lateness.clone(), delays.clone());
    let run = move |run: RunContext| {
        late.add(run.lateness());
        delay.add(run.started().duration_since(run.scheduled()).expect("no run is early"));
    };
    let job = Job::new(run).name("x").jitter(secs(3600));
    simulator.add(schedule!("*:00:00"), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(2800 + 3600));
    let delay = delays.take()[0];
    assert!(delay > secs(1), "{delay:?}");
    assert_eq!(lateness.take(), [secs(0)]);
    // The next event could start at 6400 plus its delay, but the program stalls until 90 s later.
    simulator.run_for(delay.saturating_sub(secs(1)));
    simulator.stall(secs(91));
    assert_eq!(lateness.take(), [secs(90)]);
    assert_eq!((simulator.stats().late, simulator.stats().missed), (1, 1));
}

#[test]
fn lateness_of_a_run_that_waits_for_another_includes_the_wait() {
    let lateness = Log::new();
    let late = lateness.clone();
    let mut simulator = Simulator::new(start());
    let job = Job::new(move |run: RunContext| late.add(run.lateness()));
    let job = job.overlap(Overlap::Queue { max: 9 });
    simulator.add(every(10).seconds(), job, |_| secs(15)).expect("the job is added");
    simulator.run_for(secs(60));
    assert_eq!(lateness.take(), [0, 5, 10, 15].map(secs));
}

#[test]
fn an_interval_from_now_runs_now() {
    let half = Duration::from_millis(500);
    // The clock has moved on since the caller read it, and the grace period is one second.
    let cases = [(Duration::ZERO, true), (half, true), (secs(1), true), (secs(1) + half, false)];
    for (gone_on, runs_now) in cases {
        let runs = Log::new();
        let mut simulator = Simulator::new(start() + gone_on);
        let job = Job::new(runs.job());
        let minutes = every(1).minutes().from(start());
        simulator.add(minutes, job, |_| secs(0)).expect("the job is added");
        simulator.run_for(Duration::ZERO);
        let expected: &[SystemTime] = if runs_now { &[start()] } else { &[] };
        assert_eq!(runs.take(), expected, "{gone_on:?}");
        simulator.run_for(secs(120));
        assert_eq!(runs.take(), [at(60), at(120)], "{gone_on:?}");
    }
}

#[test]
fn an_interval_from_a_later_instant_begins_then() {
    let (mut simulator, log) = simulator();
    let minutes = every(1).minutes().from(at(30));
    simulator.add(minutes, Job::new(|_| {}), |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(100));
    let expected = ["added 30", "run 30 +0", "end 30 Succeeded", "run 90 +0", "end 90 Succeeded"];
    assert_eq!(log.take(), expected);
}

#[test]
fn an_immediate_interval_runs_at_once_and_then_at_each_interval() {
    for past in [0, 1, 999_999].map(Duration::from_nanos) {
        let runs = Log::new();
        let mut simulator = Simulator::new(start() - past);
        let job = Job::new(runs.job());
        let minutes = every(1).minutes().immediately();
        simulator.add(minutes, job, |_| secs(0)).expect("the job is added");
        // Events are on whole milliseconds.
        simulator.run_for(past);
        assert_eq!(runs.take(), [start()], "{past:?}");
        simulator.run_for(secs(120));
        assert_eq!(runs.take(), [at(60), at(120)], "{past:?}");
    }
}

#[test]
fn an_interval_from_a_past_instant_runs_no_event_from_before_it_was_added() {
    let runs = Log::new();
    let mut simulator = Simulator::new(start());
    let job = Job::new(runs.job()).grace(secs(3600));
    let minutes = every(1).minutes().from(start() - secs(30));
    simulator.add(minutes, job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(100));
    assert_eq!(runs.take(), [at(30), at(90)]);
}

/// The timer handles due jobs in batches.
#[test]
fn a_burst_is_decided_in_order() {
    let (clock, scheduler) = scheduler();
    scheduler.set_workers(Workers::Pool(1)).expect("the worker starts");
    let runs = Log::new();
    let mut chance = Chance(7);
    let mut seconds: Vec<u64> = (1..=20_000).collect();
    for index in (1..seconds.len()).rev() {
        seconds.swap(index, chance.index(index + 1));
    }
    for (index, second) in seconds.into_iter().enumerate() {
        let job = Job::new(runs.job());
        // Some with policies, some without.
        let job = if index % 3 == 0 { job.name(index.to_string()) } else { job };
        scheduler.once_job(at(second), job).expect("the job is added");
    }
    clock.set(at(21_000));
    let expected: Vec<SystemTime> = (1..=20_000).map(at).collect();
    assert_eq!(runs.take(), expected);
}

#[test]
fn a_missed_one_shot_job_follows_its_policy() {
    let cases = [
        (Missed::Skip, 15, "run 10 +0"),
        (Missed::Skip, 16, "skip 10-10 1 Missed"),
        (Missed::Coalesce, 16, "run 10 +0"),
        (Missed::All { max: 3 }, 16, "run 10 +0"),
    ];
    for (missed, now, expected) in cases {
        for kind in 0..3 {
            let (clock, scheduler, log) = logged();
            let job = if kind == 0 { Job::new(|_| {}) } else { Job::once(|_| {}) };
            let job = job.missed(missed).grace(secs(5));
            if kind == 2 {
                scheduler.add_job(schedule!("22:13:30"), job).expect("the job is added");
            } else {
                scheduler.once_job(at(10), job).expect("the job is added");
            }
            clock.set(at(now));
            let is_run = expected.starts_with("run");
            let mut lines = vec!["added 10", expected, "over"];
            if is_run {
                lines.insert(2, "end 10 Succeeded");
            }
            assert_eq!(log.take(), lines, "{missed:?} {now} {kind}");
            let missed = u64::from(!is_run);
            assert_eq!((scheduler.stats().missed, scheduler.stats().waiting), (missed, 0));
        }
    }
}

#[test]
fn a_one_shot_job_that_is_added_too_late_is_missed() {
    let (mut simulator, log) = simulator();
    let job = || Job::once(|_| {}).missed(Missed::Skip).grace(secs(10));
    simulator.run_for(secs(100));
    simulator.once(at(90), job(), |_| secs(0)).expect("the job is added");
    simulator.once(at(89), job(), |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(0));
    let expected = [
        "added 90",
        "run 90 +0",
        "end 90 Succeeded",
        "over",
        "added 89",
        "skip 89-89 1 Missed",
        "over",
    ];
    assert_eq!(log.take(), expected);
}

#[test]
fn many_missed_events_are_caught_up_in_order_without_being_listed() {
    let runs = Log::new();
    let cancelled = Log::new();
    let sink = cancelled.clone();
    let mut simulator = Simulator::new(start()).observer(move |event: &Event| {
        if let Event::Cancelled { due, unlisted, .. } = event {
            sink.add((due.len(), due.first().copied(), *unlisted));
        }
    });
    let job = Job::new(runs.job()).missed(Missed::All { max: 5_000_000 });
    let job = simulator.add(schedule!("*:*:*.*"), job, |_| secs(1)).expect("the job is added");
    simulator.set_clock(at(6000));
    let first = at(1000) + Duration::from_millis(1);
    assert_eq!(runs.take(), [first], "the last five million run");
    assert_eq!(simulator.stats().skipped, 1_000_000);
    for run in 1..=5 {
        simulator.run_for(secs(1));
        assert_eq!(runs.take(), [first + run * Duration::from_millis(1)]);
    }
    assert!(simulator.cancel(job));
    let [(due, next_run, unlisted)] = cancelled.take()[..] else {
        panic!("the job is cancelled once")
    };
    assert!((1..=10_000).contains(&due), "{due} are listed");
    // All events of 6005 seconds, apart from six runs.
    assert_eq!(simulator.stats().skipped + due as u64 + unlisted, 6_005_000 - 6);
    assert_eq!(next_run, Some(first + Duration::from_millis(6)));
}

#[test]
fn passed_events_of_a_cancelled_job_are_counted_even_if_they_are_not_listed() {
    let (clock, builder) = builder();
    let cancelled = Log::new();
    let sink = cancelled.clone();
    let observer = move |event: &Event| {
        if let Event::Cancelled { due, unlisted, next, .. } = event {
            sink.add((due.len() as u64 + unlisted, due[0], *next));
        }
    };
    let scheduler = builder.observer(observer).start().expect("the scheduler starts");
    let add = |job: Job| scheduler.add_job(schedule!("*:*:*.*"), job).expect("the job is added");
    // The runs are delayed far beyond the test.
    let job = || Job::new(|_| {}).name("job").jitter(secs(1_000_000));
    let jobs = [job().share_name(), job().share_name().most_runs(5000), job().ending(at(6))];
    let jobs = jobs.map(add);
    clock.advance(secs(10));
    assert!(jobs.iter().all(JobHandle::cancel));
    assert!(scheduler.close_and_wait(secs(60)).is_empty());
    let millis = |millis| start() + Duration::from_millis(millis);
    let first = millis(1);
    let expected =
        [(10_000, first, Some(millis(10_001))), (5000, first, None), (6000, first, None)];
    assert_eq!(cancelled.take(), expected);
}

/// Missed events that run later come from the recurrence under which they were due.
#[test]
fn events_that_are_caught_up_survive_a_new_recurrence() {
    let runs = Log::new();
    let mut simulator = Simulator::new(start());
    let job = Job::new(runs.job()).missed(Missed::All { max: 5 });
    let job = simulator.add(schedule!("*:*:00"), job, |_| secs(1)).expect("the job is added");
    simulator.stall(secs(350));
    assert_eq!(runs.take(), [at(100)]);
    assert_eq!(simulator.reschedule(job, every(20).seconds()), Ok(true));
    simulator.run_for(secs(45));
    assert_eq!(runs.take(), [160, 220, 280, 340, 370, 390].map(at));
}
