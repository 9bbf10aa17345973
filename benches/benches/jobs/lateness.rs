//! The lateness of jobs, compared with a bare loop that waits for the same instants, and with
//! goroutines.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use millicron_benches::lateness::{Lateness, percentiles};
use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};
use millicron_scheduler::Workers;

use crate::goroutines::Timers;
use crate::start;

const DISTANCES: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(1)];

/// Compares 2,000 jobs on a pool with a bare loop.
pub(crate) fn pool(rounds: usize) -> Table {
    let headers =
        ["apart", "p50, µs", "bare, µs", "/ bare (≤ 1.5)", "p99, µs", "bare, µs", "/ bare (≤ 1.5)"];
    let mut table = Table::new("Lateness of jobs and of a bare condition variable", &headers);
    for apart in DISTANCES {
        let measure = || (of_jobs(Workers::Pool(2), 2_000, apart), of_bare_loop(2_000, apart));
        compare(&mut table, rounds, apart, measure, [Bound::AtMost(1.5); 2]);
    }
    table
}

/// Compares jobs on a thread for each run with goroutines, for two seconds each.
pub(crate) fn per_run(rounds: usize) -> Table {
    let timers = Timers::build();
    let peer =
        if timers.is_some() { "goroutines, µs" } else { "htask, µs (Go is not installed)" };
    let headers = ["apart", "p50, µs", peer, "ratio", "p99, µs", peer, "ratio (≤ 1)"];
    let mut table = Table::new("Lateness of jobs on a thread for each run", &headers);
    for apart in DISTANCES {
        let jobs = usize::try_from(2_000_000 / apart.as_micros()).expect("a few thousand");
        let goroutines = || match &timers {
            Some(timers) => timers.measure(jobs, apart),
            None => recorded(apart),
        };
        let measure = || (of_jobs(Workers::PerRun, jobs, apart), goroutines());
        compare(&mut table, rounds, apart, measure, [Bound::None, Bound::AtMost(1.0)]);
    }
    table
}

/// Returns the lateness of the goroutines of htask, a Go library, from an earlier measurement alongside
/// this scheduler: 1.1 ms for timers 100 µs apart. The other values are unknown.
fn recorded(apart: Duration) -> Lateness {
    let p99 = if apart == DISTANCES[0] { 1_100.0 } else { f64::NAN };
    Lateness { p50: f64::NAN, p99 }
}

/// Adds a row. The two sides are measured back to back, so other processes load both equally.
fn compare(
    table: &mut Table,
    rounds: usize,
    apart: Duration,
    measure: impl Fn() -> (Lateness, Lateness),
    [p50, p99]: [Bound; 2],
) {
    let pairs: Vec<(Lateness, Lateness)> = (0..rounds).map(|_| measure()).collect();
    let median_of = |of: fn(&(Lateness, Lateness)) -> f64| {
        Some(median(pairs.iter().map(of).collect())).filter(|median| !median.is_nan())
    };
    table
        .row(&format!("{apart:?}"))
        .figure(median_of(|pair| pair.0.p50), Bound::None)
        .figure(median_of(|pair| pair.1.p50), Bound::None)
        .figure(median_of(|pair| pair.0.p50 / pair.1.p50), p50)
        .figure(median_of(|pair| pair.0.p99), Bound::None)
        .figure(median_of(|pair| pair.1.p99), Bound::None)
        .figure(median_of(|pair| pair.0.p99 / pair.1.p99), p99);
}

/// Returns the lateness at the start of the closures, measured with the same clock as the instants.
fn of_jobs(workers: Workers, jobs: usize, apart: Duration) -> Lateness {
    let scheduler = start(workers);
    let late = Arc::new(Mutex::new(Vec::with_capacity(jobs)));
    let first = SystemTime::now() + Duration::from_millis(50);
    for instant in instants(first, jobs, apart) {
        let late = Arc::clone(&late);
        let added = scheduler.once(instant, move |_| {
            let elapsed = instant.elapsed();
            late.lock().expect("no thread panics").push(elapsed);
        });
        drop(added.expect("the job is added"));
    }
    while late.lock().expect("no thread panics").len() < jobs {
        thread::sleep(Duration::from_millis(10));
    }
    let mut late = late.lock().expect("no thread panics");
    let late: Result<Vec<Duration>, _> = late.drain(..).collect();
    percentiles(&mut late.expect("no run is early"))
}

fn of_bare_loop(jobs: usize, apart: Duration) -> Lateness {
    let (lock, condition) = (Mutex::new(()), Condvar::new());
    let mut late = Vec::with_capacity(jobs);
    let mut guard = lock.lock().expect("no thread panics");
    for instant in instants(SystemTime::now() + Duration::from_millis(50), jobs, apart) {
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

fn instants(first: SystemTime, jobs: usize, apart: Duration) -> impl Iterator<Item = SystemTime> {
    (0..jobs).scan(first, move |instant, _| {
        let this = *instant;
        *instant += apart;
        Some(this)
    })
}
