//! Runs are identified by job and instant, and clocks wait for what runs add.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use millicron::{Recurrence, Schedule, every, schedule};
use millicron_scheduler::{
    AddErrorKind, Event, Job, ManualClock, Missed, Overlap, Retry, RunContext, RunKind, Scheduler,
    SchedulerHandle, Simulator,
};

use crate::support::{
    Log, LogRuns as _, after, at, builder, logged, secs, simulator, start, watched,
};

fn scheduler() -> (ManualClock, Scheduler) {
    let clock = ManualClock::new(start());
    let scheduler = Scheduler::builder().clock(clock.clone()).start();
    (clock, scheduler.expect("the scheduler starts"))
}

#[test]
fn each_triggered_run_has_a_different_instant() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let sink = runs.clone();
    let job = Job::new(move |run: RunContext| sink.add((run.scheduled(), run.kind())));
    let job = job.overlap(Overlap::Queue { max: 9 });
    let handle = scheduler.add_job(every(1).seconds(), job).expect("the job is added");
    clock.advance(secs(1));
    assert!(handle.trigger_now() && handle.trigger_now());
    clock.advance(Duration::ZERO);
    let step = Duration::from_nanos(100);
    let triggered = |instant| (instant, RunKind::Triggered);
    let event = (at(1), RunKind::Scheduled);
    assert_eq!(runs.take(), [event, triggered(at(1) + step), triggered(at(1) + 2 * step)]);
}

#[test]
fn a_run_that_is_triggered_after_the_clock_was_set_back_follows_the_last_one() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let sink = runs.clone();
    let job = move |run: RunContext| sink.add((run.scheduled(), run.started(), run.lateness()));
    let handle = scheduler.add(schedule!("*:00:00"), job).expect("the job is added");
    clock.advance(secs(20));
    assert!(handle.trigger_now());
    clock.set(at(10));
    assert!(handle.trigger_now());
    clock.advance(secs(11));
    assert!(handle.trigger_now());
    clock.advance(secs(0));
    let step = Duration::from_nanos(100);
    let expected = [(at(20) + step, at(20)), (at(20) + 2 * step, at(10)), (at(21) + step, at(21))];
    assert_eq!(runs.take(), expected.map(|(scheduled, now)| (scheduled, now, secs(0))));
}

/// This holds even for a plain closure, which has no policies, and for the later attempts of a run.
#[test]
fn a_triggered_run_has_its_kind() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let sink = runs.clone();
    let in_an_hour = scheduler.once(at(3600), move |run| sink.add((run.kind(), run.attempt())));
    assert!(in_an_hour.expect("the job is added").trigger_now());
    let sink = runs.clone();
    let due = scheduler.once(at(0), move |run| sink.add((run.kind(), run.attempt())));
    due.expect("the job is added");
    clock.advance(secs(1));
    let mut kinds = runs.take();
    kinds.sort_by_key(|(kind, _)| *kind == RunKind::Triggered);
    assert_eq!(kinds, [(RunKind::Scheduled, 1), (RunKind::Triggered, 1)]);

    let sink = runs.clone();
    let failing = Job::new(move |run| {
        sink.add((run.kind(), run.attempt()));
        Err::<(), _>("an error")
    });
    let failing = failing.retry(Retry::constant(secs(1)).most(1));
    let handle = scheduler.once_job(at(3600), failing).expect("the job is added");
    assert!(handle.trigger_now());
    clock.advance(secs(5));
    assert_eq!(runs.take(), [(RunKind::Triggered, 1), (RunKind::Triggered, 2)]);
}

#[test]
fn reschedule_repeats_events_only_after_the_clock_was_set_back_far() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let sink = runs.clone();
    let run = move |run: RunContext| sink.add(run.scheduled());
    let handle = scheduler.add(schedule!("*:*:*/10"), run).expect("the job is added");
    clock.advance(secs(20));
    // A small correction of the clock: the event at 20 does not run again.
    clock.set(at(20) - Duration::from_millis(900));
    assert_eq!(handle.reschedule(schedule!("*:*:*/5")), Ok(true));
    clock.advance(secs(6));
    assert_eq!(runs.take(), [at(10), at(20), at(25)]);
    // After a wrong date, rescheduling restarts the job.
    clock.set(start());
    clock.advance(secs(10));
    assert_eq!(runs.take(), [], "the job waits for the clock");
    assert_eq!(handle.reschedule(schedule!("*:*:*/5")), Ok(true));
    clock.advance(secs(20));
    assert_eq!(runs.take(), [at(15), at(20), at(25), at(30)]);
}

/// Events that ran before the clock was set back no longer count, even when the clock comes near them again.
#[test]
fn a_job_that_is_rescheduled_after_the_clock_was_set_back_forgets_its_later_events() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let job = scheduler.add(schedule!("*:*:*/10"), runs.job()).expect("the job is added");
    clock.advance(secs(20));
    clock.set(start());
    assert_eq!(job.reschedule(schedule!("*:*:*/10")), Ok(true));
    clock.advance(Duration::from_millis(19_500));
    assert_eq!(job.reschedule(schedule!("*:*:*/10")), Ok(true));
    clock.advance(secs(1));
    assert_eq!(runs.take(), [at(10), at(20), at(10), at(20)]);
}

#[test]
fn a_job_that_is_rescheduled_after_the_clock_was_set_back_is_retried() {
    const SCHEDULE: Schedule = schedule!("*:*:*/10");
    let interval = every(10).seconds();
    for (was_schedule, is_schedule) in [(true, true), (true, false), (false, true), (false, false)]
    {
        let (clock, scheduler) = scheduler();
        let attempts = Log::new();
        let sink = attempts.clone();
        let failing = Job::new(move |run: RunContext| {
            sink.add((after(run.scheduled()), run.attempt()));
            if run.attempt() == 1 { Err("an error") } else { Ok(()) }
        });
        let failing = failing.retry(Retry::constant(secs(1)).until_next_event());
        let job = if was_schedule {
            scheduler.add_job(SCHEDULE, failing)
        } else {
            scheduler.add_job(interval, failing)
        };
        let job = job.expect("the job is added");
        clock.advance(secs(22));
        clock.set(start());
        let rescheduled =
            if is_schedule { job.reschedule(SCHEDULE) } else { job.reschedule(interval) };
        assert_eq!(rescheduled, Ok(true));
        clock.advance(secs(12));
        assert_eq!(attempts.take(), [(10, 1), (10, 2), (20, 1), (20, 2), (10, 1), (10, 2)]);
    }
}

/// An interval measures elapsed time, so its events have other instants than a schedule's at the same time.
#[test]
fn the_events_of_an_interval_that_is_rescheduled_to_a_schedule_do_not_count() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let job = scheduler.add(every(10).seconds(), runs.job()).expect("the job is added");
    clock.advance(secs(20));
    clock.set(at(20) - Duration::from_millis(900));
    assert_eq!(job.reschedule(schedule!("*:*:*/5")), Ok(true));
    clock.advance(secs(6));
    assert_eq!(runs.take(), [at(10), at(20), at(20), at(25)]);
}

#[test]
fn a_job_that_is_rescheduled_after_its_next_event_is_not_retried() {
    for jump in [at(22), at(3622)] {
        let (mut simulator, log) = simulator();
        let failing = Job::new(|_| Err::<(), _>("an error"));
        let failing = failing.retry(Retry::constant(secs(1)).until_next_event());
        let job = simulator.add(every(10).seconds(), failing, |_| secs(15));
        let job = job.expect("the job is added");
        simulator.run_for(secs(22));
        simulator.set_clock(jump);
        assert_eq!(simulator.reschedule(job, every(10).seconds()), Ok(true));
        simulator.run_for(secs(9));
        let log = log.take();
        assert!(log.iter().any(|event| event.starts_with("end 10")), "{log:?}");
        assert_eq!(log.iter().filter(|event| event.starts_with("run")).count(), 1, "{log:?}");
    }
}

#[test]
fn a_job_that_replaces_another_repeats_events_only_after_the_clock_was_set_back_far() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let add = || {
        let job = Job::new(runs.job()).name("job").replace();
        scheduler.add_job(schedule!("*:*:*/10"), job).expect("the job is added")
    };
    add();
    clock.advance(secs(20));
    clock.set(at(20) - Duration::from_millis(900));
    assert_eq!(add().next_event(), Some(at(30)));
    assert_eq!(add().next_event(), Some(at(30)), "the replaced job has not run any event");
    clock.advance(secs(11));
    assert_eq!(runs.take(), [at(10), at(20), at(30)]);
    clock.set(at(15));
    assert_eq!(add().next_event(), Some(at(20)), "it may run again");
}

/// The instant that cancelling returns is the latest event, although the clock shows an earlier time.
#[test]
fn jobs_in_place_of_cancelled_ones_repeat_no_event_after_a_small_correction() {
    let (clock, scheduler, log) = logged();
    let runs = Log::new();
    let tens = || schedule!("*:*:*/10");
    let old =
        scheduler.add_job(tens(), Job::new(runs.job()).name("old")).expect("the job is added");
    // The instants of an interval do not follow the clock.
    let interval = every(20_050).milliseconds();
    let interval = scheduler.add(interval, |_| {}).expect("the job is added");
    clock.advance(Duration::from_millis(20_050));
    clock.set(at(20) - Duration::from_millis(900));
    // 19.5 seconds after the start.
    let late = scheduler.add(schedule!("*:*:39.500"), |_| {}).expect("the job is added");
    clock.advance(Duration::ZERO);
    log.take();
    let mut since = scheduler.cancel_all([old, interval, late]);
    assert_eq!(since, at(20));
    clock.advance(Duration::ZERO);
    let cancelled = ["cancel [] Some(30)", "cancel [] Some(40)", "cancel [19] Some(79)"];
    assert_eq!(log.take(), cancelled, "the last event belongs to the cancelled job");
    for name in ["new", "newer"] {
        let job = Job::new(runs.job()).name(name).since(since);
        let new = scheduler.add_job(tens(), job).expect("the job is added");
        assert_eq!(new.next_event(), Some(at(30)), "{name}");
        since = scheduler.cancel_all([new]);
        assert_eq!(since, at(20), "{name}");
    }
    assert_eq!(runs.take(), [at(10), at(20)]);
}

/// The instants of an interval do not follow the clock.
#[test]
fn a_schedule_in_place_of_an_interval_has_all_its_events() {
    let (clock, scheduler) = scheduler();
    let interval = every(20_050).milliseconds();
    scheduler.add_job(interval, Job::new(|_| {}).name("job")).expect("the job is added");
    clock.advance(Duration::from_millis(20_050));
    clock.set(at(20) - Duration::from_millis(900));
    let new = Job::new(|_| {}).name("job").replace();
    let new = scheduler.add_job(schedule!("*:*:*/10"), new).expect("the job is added");
    assert_eq!(new.next_event(), Some(at(20)));
}

/// A run adds a job that is due before every waiting job.
#[test]
fn advance_stops_at_jobs_that_runs_add() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let (sink, handle) = (runs.clone(), scheduler.handle());
    let add = move |run: RunContext| {
        std::thread::sleep(Duration::from_millis(20));
        let sink = sink.clone();
        let note = move |run: RunContext| sink.add((run.scheduled(), run.lateness()));
        handle.once(run.scheduled() + secs(1), note).map(drop)
    };
    scheduler.once(at(1), add).expect("the job is added");
    clock.advance(secs(10));
    assert_eq!(runs.take(), [(at(2), Duration::ZERO)]);
}

/// Uses the scheduler on drop, which deadlocks if the scheduler holds its lock.
struct Inquisitive(SchedulerHandle);

impl Drop for Inquisitive {
    fn drop(&mut self) {
        assert_eq!(self.0.stats().running, 0);
    }
}

impl Recurrence for Inquisitive {
    fn next_event(&self, _: i64) -> Option<i64> {
        None
    }

    fn nearest_prev_event(&self, _: i64) -> Option<i64> {
        None
    }

    fn count(&self, _: RangeInclusive<i64>) -> u64 {
        0
    }
}

#[test]
fn a_recurrence_is_dropped_without_holding_the_lock() {
    watched(|| {
        let (_clock, scheduler) = scheduler();
        let refused = scheduler.add(Inquisitive(scheduler.handle()), |_| {});
        assert!(matches!(refused, Err(error) if matches!(error.kind(), AddErrorKind::NoEvent)));
        scheduler.close();
        let refused = scheduler.add(Inquisitive(scheduler.handle()), |_| {});
        assert!(matches!(refused, Err(error) if matches!(error.kind(), AddErrorKind::Closed)));
    });
}

#[test]
fn the_closure_of_a_run_that_a_gate_refuses_is_dropped_without_holding_the_lock() {
    watched(|| {
        let (clock, builder) = builder();
        let builder = builder.gate(|_: &RunContext| false);
        let scheduler = builder.start().expect("the scheduler starts");
        let inquisitive = Inquisitive(scheduler.handle());
        scheduler.once(at(1), move |_| drop(inquisitive)).expect("the job is added");
        clock.advance(secs(1));
        assert_eq!(scheduler.stats().skipped, 1);
    });
}

#[test]
fn a_simulated_one_shot_job_runs_once_and_is_freed() {
    let runs = Log::new();
    let sink = runs.clone();
    let observer = move |event: &Event| {
        if let Event::Finished { run, duration, .. } = event {
            sink.add((run.scheduled(), *duration));
        }
    };
    let mut simulator = Simulator::new(start()).observer(observer);
    let held = Arc::new(());
    let kept = Arc::clone(&held);
    let takes = move |_: &RunContext| secs(Arc::strong_count(&kept) as u64);
    simulator.once(at(5), Job::once(|_| {}), takes).expect("the job is added");
    simulator.run_for(secs(60));
    assert_eq!(runs.take(), [(at(5), secs(2))]);
    assert_eq!(Arc::strong_count(&held), 1, "the job is freed");
}

#[test]
fn a_simulated_job_that_ends_without_a_run_is_freed() {
    let held = Arc::new(());
    let kept = Arc::clone(&held);
    let takes = move |_: &RunContext| {
        let _ = &kept;
        secs(1)
    };
    let mut simulator = Simulator::new(start());
    let skipped = Job::new(|_| {}).missed(Missed::Skip);
    simulator.once(at(5), skipped, takes.clone()).expect("the job is added");
    assert_eq!(Arc::strong_count(&held), 3);
    simulator.stall(secs(10));
    assert_eq!(Arc::strong_count(&held), 2, "it is skipped");

    let job = || Job::new(|_| {}).name("job").replace();
    let last = schedule!("*:00:00");
    for _ in 0..3 {
        simulator.add(last.clone(), job(), takes.clone()).expect("the job is added");
        assert_eq!(Arc::strong_count(&held), 3, "it replaces the one before");
    }
    let last = simulator.add(last, job().ending(at(10_000)), takes).expect("the job is added");
    assert_eq!(simulator.reschedule(last, schedule!("2100.01.01 *:00:00")), Ok(true));
    assert_eq!(Arc::strong_count(&held), 1, "it has no further event");
}

#[test]
fn closures_of_any_type_and_size_run_or_are_dropped_once() {
    let (clock, scheduler) = scheduler();
    let (log, alive) = (Log::new(), Arc::new(()));
    let mut expected = Vec::new();
    for number in 0..5000_u64 {
        let (log, alive, instant) = (log.clone(), Arc::clone(&alive), at(1 + number));
        let job = match number % 4 {
            0 => scheduler.once(instant, move |_| {
                drop(alive);
                log.add(number);
            }),
            1 => {
                let (few, many) = ([number; 3], [alive]);
                scheduler.once(instant, move |_| log.add(few[2] * many.len() as u64))
            }
            // Too large to be stored inline.
            2 => {
                let many = [number; 100];
                scheduler.once(instant, move |_| {
                    drop(alive);
                    log.add(many[99]);
                })
            }
            _ => {
                let job = Job::once(move |_| {
                    drop(alive);
                    log.add(number);
                });
                scheduler.once_job(instant, job)
            }
        };
        let job = job.expect("the job is added");
        // Later jobs take their slots.
        if number % 7 < 3 {
            assert!(job.cancel() && !job.cancel());
        } else {
            expected.push(number);
        }
    }
    assert_eq!(Arc::strong_count(&alive), 1 + expected.len());
    clock.advance(secs(2500));
    let mut ran = log.take();
    ran.sort_unstable();
    let due = expected.partition_point(|number| *number < 2500);
    assert_eq!(ran, expected[..due]);
    assert_eq!(Arc::strong_count(&alive), 1 + expected.len() - due);
    drop(scheduler);
    assert_eq!(Arc::strong_count(&alive), 1);
}
