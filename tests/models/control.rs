//! Controlling jobs while they become due, run and end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use millicron::schedule;
use modelled_scheduler::{Event, Job, Overlap, RunContext, Scheduler, Workers};
use shuttle::thread;

use crate::support::{Log, at, check, close, observed, secs, started};

#[test]
fn a_job_that_is_controlled_while_due_runs_each_event_once() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = observed(Workers::Pool(2), &log);
        let job = Job::new(log.job()).overlap(Overlap::Queue { max: 3 });
        let job = scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
        let paused = job.clone();
        let pausing = thread::spawn(move || {
            paused.pause();
            paused.trigger_now();
            paused.resume();
        });
        let triggering = thread::spawn(move || {
            job.trigger_now();
            job.reschedule(schedule!("*:*:*.500")).expect("the schedule is valid");
        });
        clock.advance(secs(2));
        for thread in [pausing, triggering] {
            thread.join().expect("no thread panics");
        }
        clock.advance(secs(2));
        assert!(log.ended() >= 4, "two triggered runs, and two events at least");
        close(scheduler);
    });
}

#[test]
fn a_cancelled_job_does_not_start_again() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = observed(Workers::Pool(2), &log);
        let job = Job::new(log.job()).overlap(Overlap::Allow { max: 2 });
        let job = scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
        let cancelled = job.clone();
        let cancelling = thread::spawn(move || assert!(cancelled.cancel()));
        let triggering = thread::spawn(move || {
            job.trigger_now();
            job.resume();
        });
        clock.advance(secs(2));
        for thread in [cancelling, triggering] {
            thread.join().expect("no thread panics");
        }
        clock.advance(secs(1));
        log.ended();
        let entries = log.entries();
        let is_cancelled = |event: &Event| matches!(event, Event::Cancelled { .. });
        let place = entries.events.iter().position(is_cancelled).expect("it was cancelled");
        let later = &entries.events[place + 1..];
        assert!(later.iter().all(|event| matches!(event, Event::Finished { .. })), "{later:?}");
        drop(entries);
        close(scheduler);
    });
}

#[test]
fn a_run_whose_job_is_cancelled_sees_its_token() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = observed(Workers::Pool(1), &log);
        let of_job = log.clone();
        let job = Job::new(move |run: RunContext| {
            of_job.note(&run);
            while !run.token().is_cancelled() {
                thread::yield_now();
            }
        });
        let job = scheduler.once_job(at(1), job).expect("the scheduler is open");
        let cancelling = thread::spawn(move || job.cancel());
        clock.advance(secs(1));
        cancelling.join().expect("no thread panics");
        close(scheduler);
        log.ended();
    });
}

/// Returns a scheduler whose gate allows every other run, and a counter of the runs that it refused.
fn gated(log: &Log) -> (Scheduler, modelled_scheduler::ManualClock, Arc<AtomicUsize>) {
    let vetoes = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&vetoes);
    let asked = AtomicUsize::new(0);
    let gate = move |_: &RunContext| {
        thread::yield_now();
        let may_start = asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        counted.fetch_add(usize::from(!may_start), Ordering::Relaxed);
        may_start
    };
    let builder = Scheduler::builder().workers(Workers::Pool(2)).gate(gate);
    let (scheduler, clock) = started(builder.observer(log.observer()));
    (scheduler, clock, vetoes)
}

#[test]
fn runs_start_as_their_gate_says() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock, vetoes) = gated(&log);
        let job = Job::new(log.job()).overlap(Overlap::Queue { max: 3 });
        let job = scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
        let triggering = thread::spawn(move || job.trigger_now());
        clock.advance(secs(3));
        assert!(triggering.join().expect("no thread panics"));
        clock.advance(secs(0));
        assert_eq!(log.ended(), 2);
        assert_eq!(vetoes.load(Ordering::Relaxed), 2);
        close(scheduler);
    });
}

#[test]
fn jobs_are_cancelled_while_their_gate_is_asked() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock, _) = gated(&log);
        let job = Job::new(log.job()).overlap(Overlap::Allow { max: 2 });
        let job = scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
        let cancelling = thread::spawn(move || {
            job.trigger_now();
            job.cancel();
        });
        clock.advance(secs(2));
        cancelling.join().expect("no thread panics");
        clock.advance(secs(1));
        log.ended();
        close(scheduler);
    });
}

#[test]
fn a_scheduler_closes_while_its_gate_is_asked() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock, _) = gated(&log);
        let job = Job::new(log.job()).overlap(Overlap::Allow { max: 2 });
        scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
        let advancing = thread::spawn(move || clock.advance(secs(2)));
        close(scheduler);
        log.ended();
        advancing.join().expect("no thread panics");
    });
}
