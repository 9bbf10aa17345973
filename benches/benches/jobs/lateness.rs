//! How late jobs run, beside a bare loop that waits for the same instants.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};
use millicron_scheduler::{RunContext, Scheduler, Workers};

/// How many jobs.
const JOBS: usize = 2_000;

/// Median and 99th percentile, in microseconds.
struct Lateness {
    p50: f64,
    p99: f64,
}

pub(crate) fn table(rounds: usize) -> Table {
    let headers =
        ["apart", "p50, µs", "bare, µs", "/ bare (≤ 1.5)", "p99, µs", "bare, µs", "/ bare (≤ 1.5)"];
    let mut table = Table::new("Lateness of jobs, and of a bare condition variable", &headers);
    for apart in [Duration::from_micros(100), Duration::from_millis(1)] {
        // One after the other, so that both meet with the same neighbours.
        let pairs: Vec<(Lateness, Lateness)> =
            (0..rounds).map(|_| (of_jobs(apart), of_a_loop(apart))).collect();
        let middle =
            |of: &dyn Fn(&(Lateness, Lateness)) -> f64| median(pairs.iter().map(of).collect());
        table
            .row(&format!("{apart:?}"))
            .figure(middle(&|pair| pair.0.p50), Bound::None)
            .figure(middle(&|pair| pair.1.p50), Bound::None)
            .figure(middle(&|pair| pair.0.p50 / pair.1.p50), Bound::AtMost(1.5))
            .figure(middle(&|pair| pair.0.p99), Bound::None)
            .figure(middle(&|pair| pair.1.p99), Bound::None)
            .figure(middle(&|pair| pair.0.p99 / pair.1.p99), Bound::AtMost(1.5));
    }
    table
}

fn of_jobs(apart: Duration) -> Lateness {
    let scheduler = Scheduler::builder().workers(Workers::Pool(2)).start();
    let scheduler = scheduler.expect("threads for the scheduler");
    let late = Arc::new(Mutex::new(Vec::with_capacity(JOBS)));
    let first = SystemTime::now() + Duration::from_millis(50);
    for instant in instants(first, apart) {
        let late = Arc::clone(&late);
        let run = move |run: &RunContext| {
            late.lock().expect("no panic").push(run.started().duration_since(run.scheduled()));
        };
        drop(scheduler.once(instant, run).expect("room"));
    }
    while late.lock().expect("no panic").len() < JOBS {
        thread::sleep(Duration::from_millis(10));
    }
    let mut late = late.lock().expect("no panic");
    let late: Result<Vec<Duration>, _> = late.drain(..).collect();
    percentiles(&mut late.expect("none is early"))
}

fn of_a_loop(apart: Duration) -> Lateness {
    let (lock, condition) = (Mutex::new(()), Condvar::new());
    let mut late = Vec::with_capacity(JOBS);
    let mut guard = lock.lock().expect("no panic");
    for instant in instants(SystemTime::now() + Duration::from_millis(50), apart) {
        loop {
            match instant.duration_since(SystemTime::now()) {
                Ok(left) if !left.is_zero() => {
                    guard = condition.wait_timeout(guard, left).expect("no panic").0;
                }
                _ => break,
            }
        }
        late.push(instant.elapsed().unwrap_or_default());
    }
    percentiles(&mut late)
}

fn instants(first: SystemTime, apart: Duration) -> impl Iterator<Item = SystemTime> {
    (0..JOBS).scan(first, move |instant, _| {
        let this = *instant;
        *instant += apart;
        Some(this)
    })
}

fn percentiles(late: &mut [Duration]) -> Lateness {
    late.sort_unstable();
    let micros = |percent: usize| late[late.len() * percent / 100].as_secs_f64() * 1e6;
    Lateness { p50: micros(50), p99: micros(99) }
}
