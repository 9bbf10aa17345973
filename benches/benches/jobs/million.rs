//! Adds, cancels and runs a million jobs, and lets them wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use millicron::schedule;
use millicron_benches::cpu::Usage;
use millicron_scheduler::{AddError, Job, JobHandle, Scheduler, Workers};

use crate::{JOBS, start};

/// Returns distinct delays of at least an hour, in a mixed order: multiples of a number that is coprime
/// to their count.
pub(crate) fn delays(jobs: usize) -> impl Iterator<Item = Duration> {
    const STEP: usize = 618_033;
    let place = move |index: usize| index * STEP % jobs;
    (0..jobs).map(move |index| Duration::from_hours(1) + Duration::from_micros(place(index) as u64))
}

/// Returns the seconds that adding the jobs from a number of threads takes.
pub(crate) fn add(threads: usize) -> f64 {
    let (scheduler, now) = (start(Workers::Pool(2)), SystemTime::now());
    let instants: Vec<SystemTime> = delays(JOBS).map(|after| now + after).collect();
    let start = Instant::now();
    thread::scope(|scope| {
        for part in instants.chunks(JOBS.div_ceil(threads)) {
            let scheduler = &scheduler;
            scope.spawn(move || {
                for &instant in part {
                    drop(scheduler.once(instant, |_| {}).expect("the job is added"));
                }
            });
        }
    });
    start.elapsed().as_secs_f64()
}

fn added(scheduler: &Scheduler) -> Vec<JobHandle> {
    let now = SystemTime::now();
    let add = |after| scheduler.once(now + after, |_| {}).expect("the job is added");
    delays(JOBS).map(add).collect()
}

/// Returns the seconds that cancelling the jobs in random order takes.
pub(crate) fn cancel() -> f64 {
    let scheduler = start(Workers::Pool(2));
    let mut handles = added(&scheduler);
    shuffle(&mut handles);
    let start = Instant::now();
    for handle in &handles {
        handle.cancel();
    }
    start.elapsed().as_secs_f64()
}

/// Shuffles with the Fisher-Yates algorithm and a linear congruential generator.
pub(crate) fn shuffle<T>(items: &mut [T]) {
    let mut state = 1_u64;
    for end in (1..items.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let place = (u128::from(state) * (end as u128 + 1)) >> 64;
        items.swap(end, usize::try_from(place).unwrap_or(0));
    }
}

/// Bytes of memory for each job.
pub(crate) struct Memory {
    pub(crate) waiting: f64,
    /// While it waits, with a closure that captures an `Arc`.
    pub(crate) with_closure: f64,
    /// While it waits, with a schedule.
    pub(crate) recurring: f64,
    /// Still in use after all jobs are cancelled.
    pub(crate) cancelled: f64,
    /// The same, if each has a name.
    pub(crate) cancelled_by_name: f64,
}

pub(crate) fn memory() -> Memory {
    let count = Arc::new(AtomicUsize::new(0));
    let (waiting, cancelled) = bytes(|scheduler, instant| scheduler.once(instant, |_| {}));
    let (with_closure, _) = bytes(|scheduler, instant| {
        let count = Arc::clone(&count);
        scheduler.once(instant, move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        })
    });
    let (recurring, _) = bytes(|scheduler, _| scheduler.add(schedule!("00:00:00"), |_| ()));
    let names = AtomicUsize::new(0);
    let (_, cancelled_by_name) = bytes(|scheduler, instant| {
        let name = names.fetch_add(1, Ordering::Relaxed).to_string();
        scheduler.once_job(instant, Job::new(|_| ()).name(name))
    });
    Memory { waiting, with_closure, recurring, cancelled, cancelled_by_name }
}

/// Returns the bytes for each job while it waits, and after all are cancelled.
fn bytes(add: impl Fn(&Scheduler, SystemTime) -> Result<JobHandle, AddError>) -> (f64, f64) {
    let scheduler = start(Workers::Pool(2));
    let now = SystemTime::now();
    let instants: Vec<SystemTime> = delays(JOBS).map(|after| now + after).collect();
    let mut handles = Vec::with_capacity(JOBS);
    let waiting = allocation_counter::measure(|| {
        for &instant in &instants {
            handles.push(add(&scheduler, instant).expect("the job is added"));
        }
    });
    let cancelled = allocation_counter::measure(|| {
        for handle in &handles {
            handle.cancel();
        }
    });
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let per_job = |bytes: i64| bytes as f64 / JOBS as f64;
    (per_job(waiting.bytes_current), per_job(waiting.bytes_current + cancelled.bytes_current))
}

/// Returns the seconds from the first instant until all jobs have run, with instants 1 µs apart.
pub(crate) fn run() -> f64 {
    let scheduler = start(Workers::Pool(2));
    let runs: Arc<[AtomicUsize]> = (0..=JOBS).map(|_| AtomicUsize::new(0)).collect();
    let first = SystemTime::now() + Duration::from_secs(2);
    for index in 0..JOBS {
        let (instant, runs) = (first + Duration::from_micros(index as u64), Arc::clone(&runs));
        let added = scheduler.once(instant, move |_| {
            runs[index].fetch_add(1, Ordering::Relaxed);
            runs[JOBS].fetch_add(1, Ordering::Relaxed);
        });
        drop(added.expect("the job is added"));
    }
    assert!(SystemTime::now() < first, "the jobs were added too late");
    while runs[JOBS].load(Ordering::Relaxed) < JOBS {
        thread::sleep(Duration::from_micros(500));
    }
    let taken = first.elapsed().unwrap_or_default().as_secs_f64();
    thread::sleep(Duration::from_millis(100));
    let ran_once = runs[..JOBS].iter().all(|runs| runs.load(Ordering::Relaxed) == 1);
    assert!(ran_once, "each job runs exactly once");
    taken
}

/// Returns the CPU usage while all jobs wait, in percent of a core.
pub(crate) fn idle() -> f64 {
    let scheduler = start(Workers::Pool(2));
    let handles = added(&scheduler);
    let usage = Usage::start();
    thread::sleep(Duration::from_secs(10));
    let percent = usage.percent();
    drop(handles);
    percent
}
