//! The lateness of jobs, compared with a bare loop that waits for the same instants.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};
use millicron_scheduler::{RunContext, Scheduler, Workers};

/// The number of jobs.
const JOBS: usize = 2_000;

/// Quantiles in microseconds.
struct Lateness {
    p50: f64,
    p99: f64,
}

pub(crate) fn table(rounds: usize) -> Table {
    let headers =
        ["apart", "p50, µs", "bare, µs", "/ bare (≤ 1.5)", "p99, µs", "bare, µs", "/ bare (≤ 1.5)"];
    let mut table = Table::new("Lateness of jobs and of a bare condition variable", &headers);
    for apart in [Duration::from_micros(100), Duration::from_millis(1)] {
        // Measured back to back, so that both meet the same load from other processes.
        let pairs: Vec<(Lateness, Lateness)> =
            (0..rounds).map(|_| (of_jobs(apart), of_bare_loop(apart))).collect();
        let median_of =
            |of: &dyn Fn(&(Lateness, Lateness)) -> f64| median(pairs.iter().map(of).collect());
        table
            .row(&format!("{apart:?}"))
            .figure(median_of(&|pair| pair.0.p50), Bound::None)
            .figure(median_of(&|pair| pair.1.p50), Bound::None)
            .figure(median_of(&|pair| pair.0.p50 / pair.1.p50), Bound::AtMost(1.5))
            .figure(median_of(&|pair| pair.0.p99), Bound::None)
            .figure(median_of(&|pair| pair.1.p99), Bound::None)
            .figure(median_of(&|pair| pair.0.p99 / pair.1.p99), Bound::AtMost(1.5));
    }
    table
}

fn of_jobs(apart: Duration) -> Lateness {
    let scheduler = Scheduler::builder().workers(Workers::Pool(2)).start();
    let scheduler = scheduler.expect("the scheduler starts");
    let late = Arc::new(Mutex::new(Vec::with_capacity(JOBS)));
    let first = SystemTime::now() + Duration::from_millis(50);
    for instant in instants(first, apart) {
        let late = Arc::clone(&late);
        let run = move |run: &RunContext| {
            late.lock()
                .expect("no thread panics")
                .push(run.started().duration_since(run.scheduled()));
        };
        drop(scheduler.once(instant, run).expect("the job is added"));
    }
    while late.lock().expect("no thread panics").len() < JOBS {
        thread::sleep(Duration::from_millis(10));
    }
    let mut late = late.lock().expect("no thread panics");
    let late: Result<Vec<Duration>, _> = late.drain(..).collect();
    percentiles(&mut late.expect("no run is early"))
}

fn of_bare_loop(apart: Duration) -> Lateness {
    let (lock, condition) = (Mutex::new(()), Condvar::new());
    let mut late = Vec::with_capacity(JOBS);
    let mut guard = lock.lock().expect("no thread panics");
    for instant in instants(SystemTime::now() + Duration::from_millis(50), apart) {
        loop {
            match instant.duration_since(SystemTime::now()) {
                Ok(left) if !left.is_zero() => {
                    guard = condition.wait_timeout(guard, left).expect("no thread panics").0;
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
