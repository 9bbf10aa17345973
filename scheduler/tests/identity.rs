//! Each run has an instant of its own, and what comes of a run is waited for.
#![cfg(feature = "scheduler")]

mod scheduling;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use millicron::schedule;
use millicron::scheduler::{
    Error, Event, Fire, Job, ManualClock, Overlap, Remote, Scheduler, Simulator, Timetable, every,
};
use scheduling::{Log, at, secs, start, watched};

fn scheduler() -> (ManualClock, Scheduler) {
    let clock = ManualClock::new(start());
    let scheduler = Scheduler::builder().clock(clock.clone()).start();
    (clock, scheduler.expect("there are threads"))
}

#[test]
fn triggered_runs_have_instants_of_their_own() {
    let (clock, scheduler) = scheduler();
    let fires = Log::new();
    let told = fires.clone();
    let job = Job::new(move |fire: &Fire| told.add(fire.scheduled()));
    let job = job.overlap(Overlap::Queue { max: 9 });
    let handle = scheduler.add_job(every(1).seconds(), job).expect("there is room");
    clock.advance(secs(1));
    assert!(handle.trigger_now() && handle.trigger_now());
    clock.advance(Duration::ZERO);
    let nano = Duration::from_nanos(1);
    assert_eq!(fires.take(), [at(1), at(1) + nano, at(1) + 2 * nano]);
}

#[test]
fn a_job_that_is_rescheduled_does_not_run_an_event_again() {
    let (clock, scheduler) = scheduler();
    let fires = Log::new();
    let told = fires.clone();
    let run = move |fire: &Fire| told.add(fire.scheduled());
    let handle = scheduler.add(schedule!("*:*:*/10"), run).expect("there is room");
    clock.advance(secs(20));
    clock.set(start());
    assert_eq!(handle.reschedule(schedule!("*:*:*/5")), Ok(true));
    clock.advance(secs(30));
    assert_eq!(fires.take(), [at(10), at(20), at(25), at(30)]);
}

/// A run adds a job that is due sooner than all that waits.
#[test]
fn a_clock_does_not_pass_what_a_run_adds() {
    let (clock, scheduler) = scheduler();
    let fires = Log::new();
    let (told, remote) = (fires.clone(), scheduler.remote());
    let add = move |fire: &Fire| {
        std::thread::sleep(Duration::from_millis(20));
        let told = told.clone();
        let run = move |fire: &Fire| told.add((fire.scheduled(), fire.lateness()));
        remote.once(fire.scheduled() + secs(1), run).map(drop)
    };
    scheduler.once(at(1), add).expect("there is room");
    clock.advance(secs(10));
    assert_eq!(fires.take(), [(at(2), Duration::ZERO)]);
}

/// Asks the scheduler when it is dropped.
struct Inquisitive(Remote);

impl Drop for Inquisitive {
    fn drop(&mut self) {
        assert_eq!(self.0.stats().running, 0);
    }
}

impl Timetable for Inquisitive {
    fn next(&self, _: SystemTime) -> Option<SystemTime> {
        None
    }

    fn last(&self, _: SystemTime) -> Option<SystemTime> {
        None
    }

    fn count(&self, _: SystemTime, _: SystemTime) -> u64 {
        0
    }
}

#[test]
fn a_timetable_is_dropped_without_the_lock() {
    watched(|| {
        let (_clock, scheduler) = scheduler();
        let refused = scheduler.add(Inquisitive(scheduler.remote()), |_| {});
        assert!(matches!(refused, Err(Error::NoEvent(_))));
        scheduler.close();
        let refused = scheduler.add(Inquisitive(scheduler.remote()), |_| {});
        assert!(matches!(refused, Err(Error::Closed(_))));
    });
}

#[test]
fn a_simulated_job_may_run_once() {
    let fires = Log::new();
    let told = fires.clone();
    let observer = move |event: &Event| {
        if let Event::Ended { fire, took, .. } = event {
            told.add((fire.scheduled(), *took));
        }
    };
    let mut simulator = Simulator::new(start()).observer(observer);
    let held = Arc::new(());
    let kept = Arc::clone(&held);
    let takes = move |_: &Fire| secs(Arc::strong_count(&kept) as u64);
    simulator.once(at(5), Job::once(|_| {}), takes).expect("it is open");
    simulator.run_for(secs(60));
    assert_eq!(fires.take(), [(at(5), secs(2))]);
    assert_eq!(Arc::strong_count(&held), 1, "nothing of it is kept");
}
