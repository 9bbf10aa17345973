//! Closing and dropping a scheduler while everything else happens.

use std::sync::Arc;
use std::time::Duration;

use millicron::schedule;
use modelled_scheduler::{Completion, Job, Outcome, Overlap, RunContext, Workers};
use shuttle::sync::Barrier;
use shuttle::thread;

use crate::support::{Log, at, check, close, observed, scheduler, secs};

fn closes_while_all_is_busy(workers: Workers) {
    let log = Log::default();
    let (scheduler, clock) = observed(workers, &log);
    let job = Job::new(log.job()).overlap(Overlap::Queue { max: 2 });
    let job = scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
    let (handle, of_other) = (scheduler.handle(), log.clone());
    let adding = thread::spawn(move || {
        for after in [1, 0] {
            drop(handle.once_job(at(after), Job::new(of_other.job())));
        }
        job.trigger_now();
    });
    let advancing = thread::spawn(move || clock.advance(secs(2)));
    let unfinished = scheduler.close_and_wait(Duration::MAX);
    assert_eq!(unfinished.len(), 0, "all runs have ended");
    let ended = log.ended();
    for thread in [adding, advancing] {
        thread.join().expect("no thread panics");
    }
    assert_eq!(log.ended(), ended, "nothing starts after closing");
    drop(scheduler);
    assert!(log.is_alone(), "no thread is left");
}

#[test]
fn a_closed_pool_has_delivered_every_end_and_joined_its_threads() {
    check(|| closes_while_all_is_busy(Workers::Pool(2)));
}

#[test]
fn closed_threads_for_each_run_have_delivered_every_end_and_were_joined() {
    check(|| closes_while_all_is_busy(Workers::PerRun));
}

#[test]
fn closing_cancels_tokens_before_it_waits() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = observed(Workers::Pool(2), &log);
        for _ in 0..2 {
            let of_job = log.clone();
            let job = Job::new(move |run: RunContext| {
                of_job.note(&run);
                while !run.token().is_cancelled() {
                    thread::yield_now();
                }
            });
            scheduler.once_job(at(1), job).expect("the scheduler is open");
        }
        let advancing = thread::spawn(move || clock.advance(secs(1)));
        close(scheduler);
        log.ended();
        advancing.join().expect("no thread panics");
        assert!(log.is_alone(), "no thread is left");
    });
}

#[test]
fn two_threads_close_at_once() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = observed(Workers::Pool(2), &log);
        for after in [1, 1] {
            let job = Job::new(log.job());
            scheduler.once_job(at(after), job).expect("the scheduler is open");
        }
        let handle = scheduler.handle();
        let closing = thread::spawn(move || {
            assert_eq!(handle.close_and_wait(Duration::MAX).len(), 0, "all runs have ended");
        });
        let advancing = thread::spawn(move || clock.advance(secs(1)));
        close(scheduler);
        log.ended();
        for thread in [closing, advancing] {
            thread.join().expect("no thread panics");
        }
        assert!(log.is_alone(), "no thread is left");
    });
}

#[test]
fn closing_waits_for_deferred_runs() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = observed(Workers::Pool(1), &log);
        let of_job = log.clone();
        let job = Job::deferred(move |run, completion: Completion| {
            of_job.note(&run);
            thread::spawn(move || completion.finish(Outcome::Succeeded));
        });
        let job = job.overlap(Overlap::Allow { max: 2 });
        scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
        let advancing = thread::spawn(move || clock.advance(secs(2)));
        close(scheduler);
        log.ended();
        advancing.join().expect("no thread panics");
    });
}

#[test]
fn closing_joins_workers_whose_deferred_runs_have_ended() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = observed(Workers::Pool(2), &log);
        let of_job = log.clone();
        let job = Job::deferred(move |run, completion: Completion| {
            of_job.note(&run);
            completion.finish(Outcome::Succeeded);
        });
        scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
        let advancing = thread::spawn(move || clock.advance(secs(2)));
        close(scheduler);
        log.ended();
        advancing.join().expect("no thread panics");
        assert!(log.is_alone(), "no thread is left");
    });
}

#[test]
fn the_number_of_workers_changes_while_a_scheduler_closes() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = observed(Workers::Pool(1), &log);
        let job = Job::new(log.job());
        scheduler.once_job(at(1), job).expect("the scheduler is open");
        let handle = scheduler.handle();
        let changing = thread::spawn(move || {
            for workers in [Workers::Pool(2), Workers::PerRun] {
                handle.set_workers(workers).expect("shuttle starts every thread");
            }
        });
        let advancing = thread::spawn(move || clock.advance(secs(1)));
        close(scheduler);
        log.ended();
        for thread in [changing, advancing] {
            thread.join().expect("no thread panics");
        }
    });
}

#[test]
fn all_threads_end_after_a_scheduler_is_dropped() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = scheduler(Workers::PerRun);
        let job = Job::new(log.job()).overlap(Overlap::Allow { max: 2 });
        let job = scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
        let (handle, of_other) = (scheduler.handle(), log.clone());
        let adding = thread::spawn(move || {
            drop(handle.once_job(at(0), Job::new(of_other.job())));
            drop(handle.set_workers(Workers::Pool(2)));
            job.trigger_now();
        });
        let advancing = thread::spawn(move || clock.advance(secs(1)));
        drop(scheduler);
        for thread in [adding, advancing] {
            thread.join().expect("no thread panics");
        }
        log.executed();
    });
}

#[test]
fn dropping_a_scheduler_waits_for_no_closure() {
    check(|| {
        let barrier = Arc::new(Barrier::new(2));
        let (scheduler, clock) = scheduler(Workers::Pool(2));
        let of_job = Arc::clone(&barrier);
        let job = Job::deferred(move |_, completion: Completion| {
            completion.finish(Outcome::Succeeded);
            of_job.wait();
            of_job.wait();
        });
        scheduler.once_job(at(1), job).expect("the scheduler is open");
        let advancing = thread::spawn(move || clock.advance(secs(1)));
        barrier.wait();
        drop(scheduler);
        barrier.wait();
        advancing.join().expect("no thread panics");
    });
}
