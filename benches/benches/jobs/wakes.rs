//! CPU time, and the time for which other threads wait: neither must grow with the number of workers, of
//! runs in progress, or of jobs at one instant.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use millicron::{every, schedule};
use millicron_benches::cpu::Usage;
use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};
use millicron_scheduler::{Completion, Job, JobHandle, Outcome, Scheduler, Workers};

use crate::{JOBS, start};

const HOUR: Duration = Duration::from_hours(1);

/// Compares few workers with many.
pub(crate) fn workers(rounds: usize) -> Table {
    let headers = ["", "2 workers, % of a core", "1,000 workers, % of a core", "ratio (≤ 1.5)"];
    let mut table = Table::new("CPU time", &headers);
    let pairs: Vec<_> = (0..rounds).map(|_| (cpu(2), cpu(1_000))).collect();
    compare(&mut table, "two jobs together, every 5 ms", &pairs, 1.5);
    table
}

/// Compares few runs with many.
pub(crate) fn cancel(rounds: usize) -> Table {
    let headers = ["a job", "400 runs, µs", "40,000 runs, µs", "ratio (≤ 2)"];
    let mut table = Table::new("Cancelling while runs are ready or in progress", &headers);
    let ready: Vec<_> = (0..rounds).map(|_| (while_ready(400), while_ready(40_000))).collect();
    let running: Vec<_> =
        (0..rounds).map(|_| (while_running(400), while_running(40_000))).collect();
    let of_waiting = |(few, many): &(Cancel, Cancel)| (few.waiting, many.waiting);
    let of_own = |(few, many): &(Cancel, Cancel)| (few.with_run, many.with_run);
    let mut add = |label, pairs: Vec<(f64, f64)>| compare(&mut table, label, &pairs, 2.0);
    add("that waits, while runs are ready", ready.iter().map(of_waiting).collect());
    add("whose run is one of the ready ones", ready.iter().map(of_own).collect());
    add("that waits, while runs are in progress", running.iter().map(of_waiting).collect());
    add("whose run is one of those in progress", running.iter().map(of_own).collect());
    table
}

fn compare(table: &mut Table, label: &str, pairs: &[(f64, f64)], ratio: f64) {
    let median_of = |of: fn(&(f64, f64)) -> f64| median(pairs.iter().map(of).collect());
    table
        .row(label)
        .figure(median_of(|pair| pair.0), Bound::None)
        .figure(median_of(|pair| pair.1), Bound::None)
        .figure(median_of(|pair| pair.1 / pair.0), Bound::AtMost(ratio));
}

/// Measures how long threads wait for the scheduler while it is busiest.
pub(crate) fn waits(rounds: usize) -> Table {
    let mut table = Table::new("Longest waits", &["", "ms"]);
    let bursts: Vec<Burst> = (0..rounds).map(|_| burst()).collect();
    let median_of = |of: fn(&Burst) -> f64| median(bursts.iter().map(of).collect());
    table
        .row("a million jobs at one instant: until the first starts (≤ 5)")
        .figure(median_of(|burst| burst.first), Bound::AtMost(5.0));
    table
        .row("the same: `once`, called by another thread (≤ 5)")
        .figure(median_of(|burst| burst.longest_once), Bound::AtMost(5.0));
    let stats = median((0..rounds).map(|_| longest_stats()).collect());
    table
        .row("`set_workers(Pool(5000))`: `stats`, called by another thread (≤ 10)")
        .figure(stats, Bound::AtMost(10.0));
    table
}

/// Returns the CPU time with a number of workers, in percent of a core.
fn cpu(workers: usize) -> f64 {
    let scheduler = start(Workers::Pool(workers));
    for _ in 0..2 {
        drop(scheduler.add(schedule!("*:*:*.*/5"), |_| {}).expect("the job is added"));
    }
    // Let the threads start.
    thread::sleep(Duration::from_millis(200));
    let usage = Usage::start();
    thread::sleep(Duration::from_secs(1));
    usage.percent()
}

/// Microseconds to cancel a job.
struct Cancel {
    /// A job that waits for an event.
    waiting: f64,
    /// A job that has a ready run or a run in progress.
    with_run: f64,
}

impl Cancel {
    /// Cancels new jobs that wait, and some of the jobs that have runs.
    fn measure(scheduler: &Scheduler, with_runs: &[JobHandle]) -> Self {
        let instant = SystemTime::now() + HOUR;
        let add = |_| scheduler.once(instant, |_| {}).expect("the job is added");
        let waiting: Vec<JobHandle> = (0..1_000).map(add).collect();
        // The last jobs, because the first ready runs have already started.
        let with_runs = with_runs.rchunks(100).next().unwrap_or_default();
        Self { waiting: time_cancel(&waiting), with_run: time_cancel(with_runs) }
    }
}

fn time_cancel(handles: &[JobHandle]) -> f64 {
    let start = Instant::now();
    for handle in handles {
        handle.cancel();
    }
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let cancelled = handles.len() as f64;
    start.elapsed().as_secs_f64() / cancelled * 1e6
}

/// Measures while a number of runs are ready, but no worker is free.
fn while_ready(runs: usize) -> Cancel {
    let scheduler = start(Workers::Pool(2));
    let gate = Arc::new(Mutex::new(()));
    let closed = gate.lock().expect("no thread panics");
    let now = SystemTime::now();
    let add = |_| {
        let gate = Arc::clone(&gate);
        let added = scheduler.once(now, move |_| drop(gate.lock().expect("no thread panics")));
        added.expect("the job is added")
    };
    let handles: Vec<JobHandle> = (0..runs).map(add).collect();
    wait_until(|| scheduler.stats().waiting == 0 && scheduler.stats().running == 2);
    let taken = Cancel::measure(&scheduler, &handles);
    scheduler.close();
    drop(closed);
    taken
}

/// Measures while a number of runs are in progress.
fn while_running(runs: usize) -> Cancel {
    let scheduler = start(Workers::Pool(2));
    let begun = Arc::new(Mutex::new(Vec::<Completion>::new()));
    let add = |_| {
        let begun = Arc::clone(&begun);
        let job = Job::deferred(move |_, completion| {
            begun.lock().expect("no thread panics").push(completion);
        });
        scheduler.add_job(every(1).hours(), job).expect("the job is added")
    };
    let handles: Vec<JobHandle> = (0..runs).map(add).collect();
    for handle in &handles {
        handle.trigger_now();
    }
    wait_until(|| begun.lock().expect("no thread panics").len() == runs);
    let taken = Cancel::measure(&scheduler, &handles);
    let begun = std::mem::take(&mut *begun.lock().expect("no thread panics"));
    for completion in begun {
        completion.finish(Outcome::Succeeded);
    }
    taken
}

fn wait_until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Milliseconds of a burst.
struct Burst {
    /// From the instant until the first run starts.
    first: f64,
    /// The longest time in which another thread adds a job.
    longest_once: f64,
}

fn burst() -> Burst {
    let scheduler = start(Workers::Pool(2));
    let started = Arc::new((OnceLock::new(), AtomicUsize::new(0)));
    let instant = SystemTime::now() + Duration::from_secs(2);
    for _ in 0..JOBS {
        let started = Arc::clone(&started);
        let added = scheduler.once(instant, move |_| {
            started.0.get_or_init(|| instant.elapsed());
            started.1.fetch_add(1, Ordering::Relaxed);
        });
        drop(added.expect("the job is added"));
    }
    let left = instant.duration_since(SystemTime::now()).expect("the jobs were added too late");
    thread::sleep(left.saturating_sub(Duration::from_millis(20)));
    let longest_once = longest(
        || drop(scheduler.once(instant + HOUR, |_| {}).expect("the job is added")),
        || started.1.load(Ordering::Relaxed) == JOBS,
    );
    let first = started.0.get().cloned().and_then(Result::ok).unwrap_or(Duration::MAX);
    Burst { first: first.as_secs_f64() * 1e3, longest_once }
}

fn longest_stats() -> f64 {
    let scheduler = start(Workers::Pool(2));
    let longest = thread::scope(|scope| {
        let change = scope.spawn(|| scheduler.set_workers(Workers::Pool(5_000)));
        let longest = longest(|| drop(scheduler.stats()), || change.is_finished());
        change.join().expect("no thread panics").expect("the threads start");
        longest
    });
    drop(scheduler);
    // Let the threads end.
    thread::sleep(Duration::from_millis(500));
    longest
}

/// Calls the scheduler repeatedly, and returns the milliseconds of the longest call. Sleeping between
/// calls leaves the processors to the threads of the scheduler.
fn longest(call: impl Fn(), is_over: impl Fn() -> bool) -> f64 {
    let mut longest = Duration::ZERO;
    while !is_over() {
        let start = Instant::now();
        call();
        longest = longest.max(start.elapsed());
        thread::sleep(Duration::from_micros(200));
    }
    longest.as_secs_f64() * 1e3
}
