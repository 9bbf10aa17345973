//! Failures that must not stop the scheduler: panics of all kinds, dropped handles, runs that do
//! not finish, and changing workers.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use millicron::{Recurrence, every, schedule};
use millicron_scheduler::{
    Completion, Event, Job, ManualClock, Outcome, Overlap, Retry, RunContext, Scheduler, Simulator,
    Workers,
};

use crate::support::{
    Log, LogRuns as _, at, lock, receive, secs, start, to_millis, until, watched,
};

fn scheduler(workers: Workers) -> (ManualClock, Scheduler) {
    let clock = ManualClock::new(start());
    let builder = Scheduler::builder().clock(clock.clone()).workers(workers);
    (clock, builder.start().expect("the scheduler starts"))
}

const KINDS: [Workers; 3] = [Workers::Pool(1), Workers::Pool(3), Workers::PerRun];

/// Panics on drop.
struct Bomb(Arc<AtomicU64>);

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("dropped");
    }
}

#[test]
fn a_panicking_job_counts_as_failed_and_runs_again() {
    for workers in KINDS {
        let (clock, scheduler) = scheduler(workers);
        let ran = Log::new();
        let log = ran.clone();
        let panicking = move |run: RunContext| {
            log.add(run.number());
            match run.number() {
                1 => panic!("a message"),
                2 => panic!("a message with a number {}", run.number()),
                // Dropping the payload also panics.
                3 => panic_any(Bomb(Arc::default())),
                _ => {}
            }
        };
        scheduler.add(schedule!("*:*:00"), panicking).expect("the job is added");
        clock.advance(secs(300));
        assert_eq!(ran.take(), [1, 2, 3, 4, 5], "{workers:?}");
        assert_eq!((scheduler.stats().completed, scheduler.stats().failed), (5, 3));
    }
}

#[test]
fn a_panicking_observer_does_not_stop_the_scheduler() {
    for workers in KINDS {
        let clock = ManualClock::new(start());
        let received = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&received);
        let observer = move |_: &Event| {
            count.fetch_add(1, Ordering::Relaxed);
            panic!("an observer");
        };
        let builder = Scheduler::builder().clock(clock.clone()).workers(workers);
        let scheduler = builder.observer(observer).start().expect("the scheduler starts");
        let ran = Log::new();
        scheduler.add(schedule!("*:*:00"), ran.job()).expect("the job is added");
        clock.advance(secs(120));
        assert_eq!(ran.take(), [at(40), at(100)]);
        assert_eq!(received.load(Ordering::Relaxed), 5, "added, two starts and two ends");
    }
}

#[test]
fn a_panic_of_a_simulations_observer_or_duration_reaches_the_caller() {
    let panics = |simulator: &mut Simulator| {
        let run = AssertUnwindSafe(|| simulator.run_for(secs(120)));
        let panic = catch_unwind(run).expect_err("a panic");
        *panic.downcast::<&str>().expect("a message")
    };
    let mut observed = Simulator::new(start()).observer(|event: &Event| {
        assert!(!matches!(event, Event::Finished { .. }), "an observer");
    });
    let panicking = Job::new(|run: RunContext| assert!(run.number() > 1, "a job"));
    observed.add(schedule!("*:*:00"), panicking, |_| secs(1)).expect("the job is added");
    assert_eq!(panics(&mut observed), "an observer");

    let mut timed = Simulator::new(start());
    let job = Job::new(|_: RunContext| {});
    timed.add(schedule!("*:*:00"), job, |_| panic_any("a duration")).expect("the job is added");
    assert_eq!(panics(&mut timed), "a duration");
}

#[test]
fn a_closure_that_panics_on_drop_does_not_stop_the_scheduler() {
    for workers in KINDS {
        let (clock, scheduler) = scheduler(workers);
        let drops = Arc::new(AtomicU64::new(0));
        let bomb = || {
            let bomb = Bomb(Arc::clone(&drops));
            move |_: RunContext| assert!(bomb.0.load(Ordering::Relaxed) < 99)
        };
        let once = Job::once(bomb());
        scheduler.once_job(at(1), once).expect("the job is added");
        let named = Job::once(bomb()).name("named");
        scheduler.once_job(at(1), named).expect("the job is added");
        scheduler.add(every(1).hours(), bomb()).expect("the job is added").cancel();
        clock.advance(secs(1));
        assert_eq!(drops.load(Ordering::Relaxed), 3);
        let ran = Log::new();
        scheduler.once(at(2), ran.job()).expect("the job is added");
        clock.advance(secs(1));
        assert_eq!(ran.take(), [at(2)]);
        // Dropped together: two panics at once would abort the process.
        for _ in 0..3 {
            scheduler.add(every(1).hours(), bomb()).expect("the job is added");
        }
        drop(scheduler);
        assert_eq!(drops.load(Ordering::Relaxed), 6);
    }
}

/// Panics on drop, as soon as the observer has received the cancellation of its job.
struct LateBomb(Receiver<()>);

impl Drop for LateBomb {
    fn drop(&mut self) {
        receive(&self.0);
        panic_any("a late bomb");
    }
}

#[test]
fn a_panic_on_drop_wakes_an_idle_observer() {
    watched(|| {
        let clock = ManualClock::new(start());
        let (cancelled, is_cancelled) = channel();
        let (reports, reported) = channel();
        let observer = move |event: &Event| match event {
            Event::Cancelled { .. } => cancelled.send(()).expect("the job waits for it"),
            Event::Panicked { during, message } => {
                reports.send((*during, message.clone())).expect("the test waits for it");
            }
            _ => {}
        };
        let builder = Scheduler::builder().clock(clock).observer(observer);
        let scheduler = builder.start().expect("the scheduler starts");
        let bomb = LateBomb(is_cancelled);
        let job = scheduler.once(at(1), move |_| drop(bomb)).expect("the job is added");
        assert!(job.cancel());
        assert_eq!(receive(&reported), ("a destructor", "a late bomb".to_owned()));
    });
}

/// A faulty recurrence, which contradicts itself after its first event.
struct Broken(fn() -> Option<i64>);

impl Recurrence for Broken {
    fn next_event(&self, instant: i64) -> Option<i64> {
        if instant == to_millis(start()) { Some(to_millis(at(1))) } else { (self.0)() }
    }

    fn nearest_prev_event(&self, _: i64) -> Option<i64> {
        None
    }

    fn count(&self, _: RangeInclusive<i64>) -> u64 {
        0
    }
}

#[test]
fn a_broken_recurrence_ends_only_its_own_job() {
    let (clock, scheduler) = scheduler(Workers::Pool(1));
    let ran = Log::new();
    let panicking =
        scheduler.add(Broken(|| panic!("a broken recurrence")), |_| {}).expect("the job is added");
    let standing =
        scheduler.add(Broken(|| Some(to_millis(at(1)))), ran.job()).expect("the job is added");
    scheduler.add(every(2).seconds(), ran.job()).expect("the job is added");
    let clock = watched(move || {
        clock.advance(secs(4));
        clock
    });
    assert_eq!(ran.take(), [at(1), at(2), at(4)]);
    assert_eq!((panicking.name(), standing.name()), (None, None));
    drop((scheduler, clock));
}

/// A faulty recurrence with an event each second, which counts far too many.
struct Overcounting;

impl Recurrence for Overcounting {
    fn next_event(&self, instant: i64) -> Option<i64> {
        Some((instant.div_euclid(1000) + 1) * 1000)
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        Some(instant.div_euclid(1000) * 1000)
    }

    fn count(&self, _: RangeInclusive<i64>) -> u64 {
        u64::MAX
    }
}

#[test]
fn a_recurrence_counts_at_most_one_event_in_each_millisecond() {
    let mut simulator = Simulator::new(start());
    simulator.add(Overcounting, Job::new(|_| {}), |_| secs(0)).expect("the job is added");
    // The events are from one to ten seconds after the start.
    simulator.stall(secs(10));
    assert_eq!(simulator.stats().missed, 9000);
}

#[test]
fn a_job_name_may_contain_nul() {
    let (clock, scheduler) = scheduler(Workers::PerRun);
    let ran = Log::new();
    let job = Job::new(ran.job()).name("a\0b");
    scheduler.add_job(schedule!("*:*:00"), job).expect("the job is added");
    let clock = watched(move || {
        clock.advance(secs(100));
        clock
    });
    assert_eq!(ran.take(), [at(40), at(100)]);
    drop((scheduler, clock));
}

#[test]
fn dropping_a_handle_does_not_affect_the_job() {
    let (clock, scheduler) = scheduler(Workers::Pool(1));
    let ran = Log::new();
    drop(scheduler.add(schedule!("*:*:00"), ran.job()).expect("the job is added"));
    drop(scheduler.handle());
    clock.advance(secs(60));
    assert_eq!(ran.take(), [at(40)]);
}

/// A job that reports each run, and blocks until the gate opens.
fn long(
    begun: &Sender<RunContext>,
    gate: &Arc<AtomicBool>,
) -> impl Fn(RunContext) + Send + Sync + use<> {
    let (begun, gate) = (Mutex::new(begun.clone()), Arc::clone(gate));
    move |run: RunContext| {
        lock(&begun).send(run.clone()).expect("the test receives it");
        until(|| gate.load(Ordering::Relaxed));
    }
}

#[test]
fn dropping_the_scheduler_drops_all_jobs_without_waiting() {
    for workers in KINDS {
        watched(move || {
            let scheduler =
                Scheduler::builder().workers(workers).start().expect("the scheduler starts");
            let (held, gate) = (Arc::new(()), Arc::new(AtomicBool::new(false)));
            let mut handles = Vec::new();
            for _ in 0..300 {
                let held = Arc::clone(&held);
                let run = move |_: RunContext| drop(Arc::clone(&held));
                handles.push(scheduler.add(every(9).hours(), run).expect("the job is added"));
            }
            let (begun, going) = channel();
            let block = long(&begun, &gate);
            let of_run = Arc::clone(&held);
            let run = move |run: RunContext| {
                block(run);
                drop(Arc::clone(&of_run));
            };
            scheduler.once(start(), run).expect("the job is added");
            receive(&going);
            assert_eq!(Arc::strong_count(&held), 302);
            drop(scheduler);
            // The closure of the run in progress remains; the others were dropped immediately.
            assert_eq!(Arc::strong_count(&held), 2, "{workers:?}");
            assert!(handles.iter().all(|handle| handle.next_event().is_none()));
            gate.store(true, Ordering::Relaxed);
            until(|| Arc::strong_count(&held) == 1);
        });
    }
}

#[test]
fn close_and_wait_returns_and_cancels_unfinished_runs() {
    for workers in KINDS {
        watched(move || {
            let scheduler =
                Scheduler::builder().workers(workers).start().expect("the scheduler starts");
            let (gate, (begun, going)) = (Arc::new(AtomicBool::new(false)), channel());
            let job = Job::new(long(&begun, &gate)).name("long");
            scheduler.add_job(every(1).milliseconds(), job).expect("the job is added");
            let run = receive(&going);
            let left = scheduler.close_and_wait(Duration::from_millis(5));
            assert_eq!(left.len(), 1);
            assert_eq!((left[0].job_name().to_string(), left[0].number()), ("long".to_owned(), 1));
            assert!(run.token().is_cancelled());
            gate.store(true, Ordering::Relaxed);
            assert!(scheduler.close_and_wait(secs(80)).is_empty());
            assert_eq!((scheduler.stats().completed, scheduler.stats().running), (1, 0));
            assert!(going.try_recv().is_err(), "nothing starts after closing");
        });
    }
}

#[test]
fn close_does_not_wait_for_ready_runs_that_never_start() {
    watched(|| {
        let scheduler =
            Scheduler::builder().workers(Workers::Pool(1)).start().expect("the scheduler starts");
        let (gate, (begun, going)) = (Arc::new(AtomicBool::new(false)), channel());
        scheduler.once(start(), long(&begun, &gate)).expect("the job is added");
        receive(&going);
        let ran = Log::new();
        let behind = scheduler.add(every(1).hours(), ran.job()).expect("the job is added");
        assert!(behind.trigger_now());
        scheduler.close();
        gate.store(true, Ordering::Relaxed);
        // Longer than `watched` allows.
        assert!(scheduler.close_and_wait(secs(900)).is_empty());
        assert_eq!(ran.take(), []);
    });
}

#[test]
fn changing_the_workers_loses_and_repeats_no_run() {
    watched(|| {
        let scheduler =
            Scheduler::builder().workers(Workers::Pool(2)).start().expect("the scheduler starts");
        let handle = scheduler.handle();
        let ran: Arc<Vec<AtomicU64>> = Arc::new((0..30_000).map(|_| AtomicU64::new(0)).collect());
        let adding = std::thread::spawn({
            let ran = Arc::clone(&ran);
            move || {
                for index in 0..ran.len() {
                    // Some machines cannot start as many threads as there are jobs.
                    until(|| handle.stats().completed + 1_000 > index as u64);
                    let ran = Arc::clone(&ran);
                    let run = move |_: RunContext| {
                        ran[index].fetch_add(1, Ordering::Relaxed);
                    };
                    handle.once(start(), run).expect("the job is added");
                }
            }
        });
        let kinds = [Workers::Pool(7), Workers::PerRun, Workers::Pool(1), Workers::Pool(0)];
        for workers in kinds.iter().cycle() {
            scheduler.set_workers(*workers).expect("the workers start");
            if adding.is_finished() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        adding.join().expect("no thread panics");
        until(|| scheduler.stats().completed == 30_000);
        assert!(ran.iter().all(|runs| runs.load(Ordering::Relaxed) == 1));
    });
}

#[test]
fn a_run_starts_immediately_after_any_change_of_workers() {
    watched(|| {
        let (clock, scheduler) = scheduler(Workers::Pool(4));
        let ran = Log::new();
        let job = scheduler.add(every(1).days(), ran.job()).expect("the job is added");
        for round in 0..2000 {
            let workers = if round % 2 == 0 { Workers::PerRun } else { Workers::Pool(4) };
            scheduler.set_workers(workers).expect("the workers start");
            assert!(job.trigger_now());
            until(|| scheduler.stats().completed == round + 1);
        }
        drop(clock);
    });
}

/// An idle thread of `Workers::PerRun` then ends, as if it had been idle for too long; the thread of a pool stays.
#[test]
fn workers_that_other_code_unparks_lose_no_run() {
    for workers in [Workers::Pool(1), Workers::PerRun] {
        watched(move || {
            let (_clock, scheduler) = scheduler(workers);
            let (begun, threads) = channel();
            let run = move |_: RunContext| {
                begun.send(std::thread::current()).expect("the test receives it");
            };
            let job = scheduler.add(every(1).hours(), run).expect("the job is added");
            let mut ids = HashSet::new();
            for round in 1.. {
                assert!(job.trigger_now());
                let worker = receive(&threads);
                worker.unpark();
                ids.insert(worker.id());
                until(|| scheduler.stats().completed == round);
                if round >= 100 {
                    if ids.len() > 1 || workers == Workers::Pool(1) {
                        break;
                    }
                    // So far, each run has come before the thread was idle.
                    std::thread::sleep(Duration::from_millis(1));
                    worker.unpark();
                }
            }
            assert_eq!(ids.len() > 1, workers == Workers::PerRun, "{workers:?}");
        });
    }
}

#[test]
fn as_many_jobs_run_at_once_as_there_are_workers() {
    for (workers, jobs) in [(Workers::Pool(4), 4), (Workers::PerRun, 30)] {
        watched(move || {
            let scheduler =
                Scheduler::builder().workers(workers).start().expect("the scheduler starts");
            // No run continues until all have started.
            let all = Arc::new(Barrier::new(jobs));
            for _ in 0..jobs {
                let all = Arc::clone(&all);
                let run = move |_: RunContext| {
                    all.wait();
                };
                scheduler.once(start(), run).expect("the job is added");
            }
            until(|| scheduler.stats().completed == jobs as u64);
        });
    }
}

#[test]
fn a_deferred_run_can_finish_on_another_thread_and_occupies_no_worker() {
    let (clock, scheduler) = scheduler(Workers::Pool(1));
    let (begun, held) = channel::<Completion>();
    let begun = Mutex::new(begun);
    let job = Job::deferred(move |_, completion| {
        lock(&begun).send(completion).expect("the test receives it");
    });
    let job = job.overlap(Overlap::Allow { max: 3 });
    let handle = scheduler.add_job(every(1).hours(), job).expect("the job is added");
    assert!(handle.trigger_now() && handle.trigger_now() && handle.trigger_now());
    assert!(!handle.trigger_now(), "three runs are in progress");
    let all = [receive(&held), receive(&held), receive(&held)];
    assert_eq!((scheduler.stats().running, scheduler.stats().completed), (3, 0));
    assert_eq!(scheduler.close_and_wait(Duration::ZERO).len(), 3);
    let [first, second, third] = all;
    first.finish(Outcome::Succeeded);
    second.finish(Outcome::Failed("later".to_owned()));
    let panicking = std::thread::spawn(move || {
        let _held = third;
        panic!("on another thread");
    });
    assert!(panicking.join().is_err());
    assert!(scheduler.close_and_wait(secs(60)).is_empty());
    assert_eq!((scheduler.stats().completed, scheduler.stats().failed), (3, 2));
    drop(clock);
}

#[test]
fn a_panicking_deferred_run_finishes_once() {
    let (clock, scheduler) = scheduler(Workers::Pool(1));
    let job = Job::deferred(|run, completion| {
        assert!(run.number() > 1, "the first run panics");
        completion.finish(Outcome::Succeeded);
    });
    scheduler.add_job(schedule!("*:*:00"), job).expect("the job is added");
    clock.advance(secs(120));
    assert_eq!((scheduler.stats().completed, scheduler.stats().failed), (2, 1));
}

/// Otherwise, tests could not rely on what an observer has received.
#[test]
fn manual_clock_waits_for_observers() {
    for workers in KINDS {
        let (clock, ends) = (ManualClock::new(start()), Log::new());
        let sink = ends.clone();
        let slow = move |event: &Event| {
            if let Event::Finished { run, .. } = event {
                std::thread::sleep(Duration::from_millis(20));
                sink.add(run.scheduled());
            }
        };
        let builder = Scheduler::builder().clock(clock.clone()).workers(workers);
        let scheduler = builder.observer(slow).start().expect("the scheduler starts");
        scheduler.add(schedule!("*:*:00"), |_| {}).expect("the job is added");
        clock.advance(secs(100));
        assert_eq!(ends.take(), [at(40), at(100)], "{workers:?}");
    }
}

/// Nothing else is due, so only the retry or the time-out itself can wake the timer.
#[test]
fn retries_and_time_outs_wake_a_timer_that_waits_for_nothing() {
    watched(|| {
        let scheduler = Scheduler::new().expect("the scheduler starts");
        let (attempts, attempted) = channel();
        let failing = Job::new(move |run| {
            attempts.send(run.attempt()).expect("the test receives");
            Err::<(), _>("failed")
        });
        let retry = Retry::constant(Duration::from_millis(5)).most(1);
        scheduler.once_job(scheduler.now(), failing.retry(retry)).expect("the job is added");
        assert_eq!((receive(&attempted), receive(&attempted)), (1, 2));

        let listening = Job::new(|run| {
            while !run.token().is_cancelled() {
                std::thread::yield_now();
            }
        });
        let listening = listening.timeout(Duration::from_millis(5));
        scheduler.once_job(scheduler.now(), listening).expect("the job is added");
        until(|| scheduler.stats().completed == 3);
        assert_eq!(scheduler.stats().timed_out, 1);
    });
}
