//! Simulations of many jobs over years, with random disturbances, in which every event must be
//! accounted for.

use std::hash::Hasher as _;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use millicron::{Schedule, schedule};
use millicron_scheduler::{Job, RunContext, Simulator};

use crate::support::{Chance, scaled, secs, start};
use crate::world::{DAY, Ledger, World, schedules};

fn simulate(seed: u64, jobs: u64, end: SystemTime, is_hashed: bool) -> Ledger {
    let mut chance = Chance(seed);
    let schedules = schedules(&mut chance, end);
    let mut world = World::new(chance, schedules, jobs, is_hashed);
    while world.now() < end {
        world.go_on();
    }
    world.close()
}

#[test]
fn ten_years_of_disturbed_jobs_report_every_event_once() {
    let end = start() + 3653 * DAY;
    let jobs = scaled(10_000);
    let ledger = simulate(1, jobs, end, false);
    let run = ledger.sum(|account| account.run);
    let skipped = ledger.sum(|account| account.skipped);
    let coalesced = ledger.sum(|account| account.coalesced);
    let cancelled = ledger.sum(|account| account.cancelled);
    println!("{run} run, {skipped} skipped, {coalesced} coalesced, {cancelled} cancelled");
    // All kinds of events have happened often enough.
    assert!(run > scaled(3_000_000) && skipped > scaled(100_000));
    assert!(coalesced > scaled(10_000) && cancelled > scaled(10));
    assert!(ledger.accounts.len() as u64 > jobs + 500);
}

#[test]
fn a_simulation_is_deterministic() {
    let hash = |seed: u64| {
        let end = start() + 400 * DAY;
        simulate(seed, scaled(300), end, true).hash.finish()
    };
    assert_eq!(hash(5), hash(5));
    assert_ne!(hash(5), hash(6));
}

#[test]
fn undisturbed_jobs_run_every_event_on_time_for_a_year() {
    let (runs, late_runs) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut simulator = Simulator::new(start());
    let end = start() + 365 * DAY;
    let mut expected = 0;
    let jobs = scaled(1000);
    for index in 0..jobs {
        let text = match index % 10 {
            0 => format!("*:{}:00", index % 60),
            1..4 => format!("{}:00:{}", index % 24, index % 60),
            _ => format!("*.*.* {} {}:00:{}", index % 7, index % 24, index % 60),
        };
        let schedule: Schedule = text.parse().expect("the schedule is valid");
        expected += schedule.count((Bound::Excluded(start()), Bound::Included(end)));
        let (runs, late) = (Arc::clone(&runs), Arc::clone(&late_runs));
        let job = Job::new(move |run: RunContext| {
            runs.fetch_add(1, Ordering::Relaxed);
            late.fetch_add(u64::from(!run.lateness().is_zero()), Ordering::Relaxed);
        });
        simulator.add(schedule, job, |_| secs(1)).expect("the job is added");
    }
    simulator.run_for(365 * DAY);
    assert_eq!(runs.load(Ordering::Relaxed), expected);
    assert_eq!(late_runs.load(Ordering::Relaxed), 0, "no run is late");
    assert_eq!((simulator.stats().waiting as u64, simulator.stats().skipped), (jobs, 0));
}

#[test]
fn setting_the_simulated_clock_does_not_change_run_durations() {
    for jump in [start() + DAY, start() - DAY] {
        let mut simulator = Simulator::new(start());
        // 22:14:00 is in 40 seconds.
        let job = Job::new(|_| {});
        simulator.add(schedule!("*.*.* 22:14:00"), job, |_| secs(100)).expect("the job is added");
        simulator.run_for(secs(50));
        simulator.set_clock(jump);
        simulator.run_for(secs(89));
        assert_eq!((simulator.stats().running, simulator.stats().completed), (1, 0));
        simulator.run_for(secs(1));
        assert_eq!((simulator.stats().running, simulator.stats().completed), (0, 1));
        assert_eq!(simulator.now(), jump + secs(90));
    }
}
