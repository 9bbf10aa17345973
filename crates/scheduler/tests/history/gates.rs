//! Gates that are asked about runs of jobs with a history.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::spawn;

use millicron_history::RunState;
use millicron_scheduler::{
    CutOff, Job, JobHistory, ManualClock, Overlap, Retry, RunContext, Scheduler,
};

use super::restarts::cut_off;
use super::{MINUTES, Store, logging};
use crate::support::{Log, at, receive, secs, until};

/// A gate that refuses a restarted run does not hold up the job.
#[test]
fn a_restart_that_a_gate_refuses_is_recorded_as_failed() {
    let store = cut_off();
    let scheduler = Scheduler::builder()
        .gate(|run: &RunContext| run.scheduled() != at(40))
        .clock(ManualClock::new(at(50)))
        .start()
        .expect("threads");
    let jobs = JobHistory::builder().observer(|_| {}).start(&scheduler, store.clone());
    let jobs = jobs.expect("a thread");
    let log = Log::new();
    let job = logging(&log).cut_off(CutOff::Restart { most: 9 });
    jobs.add_job(MINUTES, job).expect("added");
    until(|| jobs.last_run("job").expect("a read").is_some());
    let last = jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.scheduled, last.state), (at(40), RunState::Failed));
    assert_eq!(log.take(), []);
}

/// Otherwise, the run would count as cut off after a restart.
#[test]
fn a_retry_that_a_gate_refuses_is_recorded_as_failed() {
    let store = Store::default();
    let clock = ManualClock::new(at(0));
    let scheduler = Scheduler::builder()
        .gate(|run: &RunContext| run.attempt() == 1)
        .clock(clock.clone())
        .start()
        .expect("threads");
    let jobs = JobHistory::builder().observer(|_| {}).start(&scheduler, store.clone());
    let jobs = jobs.expect("a thread");
    let job = Job::new(|_| Err::<(), _>("it always fails")).name("job");
    // An event of a job whose runs do not overlap ends the retries of earlier ones.
    let job = job.retry(Retry::constant(secs(5))).overlap(Overlap::Allow { max: 9 });
    jobs.add_job(MINUTES, job).expect("added");
    clock.advance(secs(50));
    until(|| jobs.last_run("job").expect("a read").is_some());
    let last = jobs.last_run("job").expect("a read").expect("a run");
    assert_eq!((last.scheduled, last.state), (at(40), RunState::Failed));
    assert_eq!(last.attempts, Some(1));
    assert_eq!(store.direct_started(), 0);
}

/// A later process continues it.
#[test]
fn a_retry_whose_gate_is_asked_when_the_scheduler_closes_is_not_recorded_as_failed() {
    let store = Store::default();
    let clock = ManualClock::new(at(0));
    let ((asked, asking), is_open) = (channel(), Arc::new(AtomicBool::new(false)));
    let opened = Arc::clone(&is_open);
    let gate = move |run: &RunContext| {
        if run.attempt() > 1 {
            asked.send(()).expect("the test receives it");
            until(|| opened.load(Ordering::Relaxed));
        }
        true
    };
    let scheduler = Scheduler::builder().gate(gate).clock(clock.clone()).start();
    let scheduler = scheduler.expect("threads");
    let jobs = JobHistory::builder().observer(|_| {}).start(&scheduler, store.clone());
    let jobs = jobs.expect("a thread");
    let job = Job::new(|_| Err::<(), _>("it always fails")).name("job");
    jobs.add_job(MINUTES, job.retry(Retry::constant(secs(5)))).expect("added");
    // A manual clock waits for the gate.
    let advancing = spawn(move || clock.advance(secs(50)));
    receive(&asking);
    let closing = scheduler.close();
    is_open.store(true, Ordering::Relaxed);
    assert!(closing.wait(secs(60)).is_empty());
    advancing.join().expect("no thread panics");
    assert!(jobs.last_run("job").expect("a read").is_none());
}
