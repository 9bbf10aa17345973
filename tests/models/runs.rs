//! Workers find runs: no wake-up is lost, nothing runs twice, and as many runs are concurrent as allowed.

use std::sync::{Arc, Mutex};

use millicron::schedule;
use modelled_scheduler::{Completion, Job, Outcome, Overlap, Workers};
use shuttle::sync::Barrier;
use shuttle::thread;

use crate::support::{Log, add_once, check, close, observed, scheduler, secs};

#[test]
fn jobs_added_while_the_timer_fires_run_once() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = scheduler(Workers::Pool(2));
        let threads = [1, 2].map(|_| {
            let (scheduler, log) = (scheduler.handle(), log.clone());
            thread::spawn(move || {
                for after in [2, 1, 0] {
                    add_once(&scheduler, after, log.job());
                }
            })
        });
        clock.advance(secs(1));
        for thread in threads {
            thread.join().expect("no thread panics");
        }
        clock.advance(secs(1));
        assert_eq!(log.executed(), 6);
        close(scheduler);
    });
}

/// Adds jobs that all run at the same time: each waits for the others.
fn burst(scheduler: &modelled_scheduler::Scheduler, log: &Log, after: u64, jobs: usize) {
    let barrier = Arc::new(Barrier::new(jobs));
    for _ in 0..jobs {
        let (log, barrier) = (log.clone(), Arc::clone(&barrier));
        add_once(&scheduler.handle(), after, move |run| {
            log.note(&run);
            barrier.wait();
        });
    }
}

#[test]
fn every_worker_of_a_pool_is_woken_when_it_is_needed() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = scheduler(Workers::Pool(3));
        for (after, jobs) in [(1, 2), (2, 3)] {
            burst(&scheduler, &log, after, jobs);
        }
        // Some workers go idle, some find the runs before they are woken.
        let other = scheduler.handle();
        let of_other = log.clone();
        let other = thread::spawn(move || add_once(&other, 0, of_other.job()));
        clock.advance(secs(2));
        other.join().expect("no thread panics");
        clock.advance(secs(0));
        assert_eq!(log.executed(), 6);
        close(scheduler);
    });
}

#[test]
fn one_worker_executes_all_runs() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = scheduler(Workers::Pool(1));
        let handle = scheduler.handle();
        for after in [1, 1, 2] {
            let (handle, of_next) = (handle.clone(), log.clone());
            let of_this = log.clone();
            add_once(&scheduler.handle(), after, move |run| {
                of_this.note(&run);
                add_once(&handle, 0, of_next.job());
            });
        }
        clock.advance(secs(2));
        assert_eq!(log.executed(), 6);
        close(scheduler);
    });
}

#[test]
fn threads_for_each_run_are_used_again() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = scheduler(Workers::PerRun);
        for (after, jobs) in [(1, 2), (2, 1), (3, 3)] {
            burst(&scheduler, &log, after, jobs);
        }
        let other = scheduler.handle();
        let of_other = log.clone();
        let other = thread::spawn(move || {
            for after in [2, 0] {
                add_once(&other, after, of_other.job());
            }
        });
        clock.advance(secs(3));
        other.join().expect("no thread panics");
        clock.advance(secs(0));
        assert_eq!(log.executed(), 8);
        close(scheduler);
    });
}

#[test]
fn changing_the_workers_loses_and_repeats_no_run() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = scheduler(Workers::Pool(2));
        for after in [1, 1, 2, 2] {
            add_once(&scheduler.handle(), after, log.job());
        }
        let handle = scheduler.handle();
        let other = thread::spawn(move || {
            for workers in [Workers::Pool(1), Workers::PerRun, Workers::Pool(1), Workers::Pool(2)] {
                handle.set_workers(workers).expect("shuttle starts every thread");
            }
        });
        clock.advance(secs(2));
        other.join().expect("no thread panics");
        assert_eq!(log.executed(), 4);
        burst(&scheduler, &log, 3, 2);
        clock.advance(secs(1));
        assert_eq!(log.executed(), 6);
        close(scheduler);
    });
}

#[test]
fn two_changes_of_the_workers_at_once_leave_as_many_as_were_chosen() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = scheduler(Workers::PerRun);
        burst(&scheduler, &log, 1, 2);
        let handle = scheduler.handle();
        let other = thread::spawn(move || handle.set_workers(Workers::Pool(3)));
        scheduler.set_workers(Workers::Pool(2)).expect("shuttle starts every thread");
        clock.advance(secs(1));
        other.join().expect("no thread panics").expect("shuttle starts every thread");
        burst(&scheduler, &log, 2, 2);
        clock.advance(secs(1));
        assert_eq!(log.executed(), 4);
        close(scheduler);
    });
}

#[test]
fn deferred_runs_that_end_on_other_threads_release_the_next() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = observed(Workers::Pool(1), &log);
        let threads = Arc::new(Mutex::new(Vec::new()));
        let (of_job, threads_of_job) = (log.clone(), Arc::clone(&threads));
        let job = Job::deferred(move |run, completion: Completion| {
            of_job.note(&run);
            let thread = thread::spawn(move || {
                if run.number() % 2 == 0 {
                    completion.finish(Outcome::Succeeded);
                }
            });
            threads_of_job.lock().expect("no thread panics").push(thread);
        });
        let job = job.overlap(Overlap::Queue { max: 2 });
        let job = scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
        let trigger = thread::spawn(move || job.trigger_now());
        clock.advance(secs(2));
        let is_triggered = trigger.join().expect("no thread panics");
        clock.advance(secs(0));
        assert_eq!(log.ended(), 2 + usize::from(is_triggered));
        close(scheduler);
    });
}

#[test]
fn a_deferred_run_may_end_before_its_closure_returns() {
    check(|| {
        let log = Log::default();
        let (scheduler, clock) = observed(Workers::PerRun, &log);
        let of_job = log.clone();
        let job = Job::deferred(move |run, completion: Completion| {
            of_job.note(&run);
            let thread = thread::spawn(move || completion.finish(Outcome::Succeeded));
            thread.join().expect("no thread panics");
        });
        let job = job.overlap(Overlap::Allow { max: 2 });
        let job = scheduler.add_job(schedule!("*:*:*"), job).expect("the scheduler is open");
        let trigger = thread::spawn(move || job.trigger_now());
        clock.advance(secs(2));
        trigger.join().expect("no thread panics");
        close(scheduler);
        log.ended();
    });
}
