//! Any operations on simulated jobs, with any durations and at any instants: nothing panics or overflows, and the
//! statistics agree with what is observed. The target `core` accounts for every event, but within some years.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arbitrary::{Result, Unstructured};
use millicron::{Schedule, every};
use millicron_scheduler::{
    Event, Job, Missed, Overlap, Retry, RunContext, SetBack, SimulatedJob, Simulator,
};

/// The most operations of an input, each of which may simulate some hours of some jobs.
const MOST: usize = 40;

/// Schedules with at most one event a minute.
static SCHEDULES: LazyLock<[Schedule; 5]> = LazyLock::new(|| {
    let texts =
        ["*:*:00", "*:07:00.5", "*.*.1 00:00:00", "2000.1.1 0:0:0", "2100.12.31 23:59:59.999"];
    texts.map(|text| Schedule::parse(text).expect("a valid schedule"))
});

pub(crate) fn run(data: &[u8]) {
    // An input that ends within an operation has simulated those before it.
    let _ = simulate(&mut Unstructured::new(data));
}

fn simulate(input: &mut Unstructured) -> Result<()> {
    let running = Arc::new(AtomicUsize::new(0));
    let observed = Arc::clone(&running);
    let observer = move |event: &Event| match event {
        Event::Started { .. } => drop(observed.fetch_add(1, Ordering::Relaxed)),
        Event::Finished { .. } => drop(observed.fetch_sub(1, Ordering::Relaxed)),
        _ => {}
    };
    // The elapsed time stays within its range: at its end, all later events of intervals are due. The simulated clock
    // keeps it only if it is not set by more than the half of its own range.
    let mut simulator = Simulator::new(this_century(input)?).observer(observer);
    let mut jobs = Vec::new();
    for _ in 0..MOST {
        match (input.int_in_range(0..=11)?, jobs.last().copied()) {
            (0..=2, _) | (_, None) => jobs.extend(add(&mut simulator, input)?),
            (3, _) => simulator.stall(Duration::from_secs(input.int_in_range(0..=50_000_000)?)),
            (4, _) => simulator.set_clock(instant(input)?.max(UNIX_EPOCH)),
            (5, _) => simulator.set_workers(input.int_in_range(0..=3)?),
            (6, Some(_)) => {
                let job = jobs.swap_remove(input.choose_index(jobs.len())?);
                assert!(!(simulator.cancel(job) && simulator.cancel(job)));
            }
            (7, Some(job)) => drop(simulator.pause(job)),
            (8, Some(job)) => drop(simulator.resume(job)),
            (9, Some(job)) => drop(simulator.trigger_now(job)),
            (10, Some(job)) => {
                let schedule = input.choose(&*SCHEDULES)?.clone();
                let _ = simulator.reschedule(job, schedule);
            }
            _ => simulator.run_for(Duration::from_millis(input.int_in_range(0..=20_000_000)?)),
        }
        assert_eq!(simulator.stats().running, running.load(Ordering::Relaxed));
    }
    Ok(())
}

/// Adds a job. It may be refused.
fn add(simulator: &mut Simulator, input: &mut Unstructured) -> Result<Option<SimulatedJob>> {
    let job = job(input)?;
    let slowness = [duration(input)?, duration(input)?];
    let takes = move |run: &RunContext| slowness[(run.number() % 2) as usize];
    let added = match input.int_in_range(0..=3)? {
        0 => simulator.once(instant(input)?, job, takes),
        1 => {
            let interval = every(input.arbitrary::<u32>()?.max(1)).minutes();
            let interval = match input.arbitrary::<Option<i64>>()? {
                Some(from) => interval.from(from),
                None => interval,
            };
            simulator.add(interval, job, takes)
        }
        _ => simulator.add(input.choose(&*SCHEDULES)?.clone(), job, takes),
    };
    Ok(added.ok())
}

fn job(input: &mut Unstructured) -> Result<Job> {
    let failures = input.int_in_range(0..=3)?;
    let fails =
        move |run: RunContext| if run.number() % 4 < failures { Err("it fails") } else { Ok(()) };
    let max = input.int_in_range(0..=5)?;
    let mut job = Job::new(fails)
        .missed(*input.choose(&[Missed::Skip, Missed::Coalesce, Missed::All { max }])?)
        .overlap(*input.choose(&[Overlap::Skip, Overlap::Allow { max }, Overlap::Queue { max }])?)
        .set_back(*input.choose(&[SetBack::Wait, SetBack::Repeat])?);
    let settings: u8 = input.arbitrary()?;
    let is_set = |bit: u8| settings >> bit & 1 == 1;
    if is_set(0) {
        job = job.grace(duration(input)?);
    }
    if is_set(1) {
        job = job.jitter(duration(input)?);
    }
    if is_set(2) {
        let retry = Retry::exponential(duration(input)?).longest(duration(input)?);
        let retry = retry.jitter(duration(input)?).most(input.int_in_range(0..=4)?);
        job = job.retry(if input.arbitrary()? { retry.until_next_event() } else { retry });
    }
    if is_set(3) {
        job = job.timeout(duration(input)?);
    } else if is_set(4) {
        job = job.timeout_and_go_on(duration(input)?);
    }
    if is_set(5) {
        job = job.starting(instant(input)?);
    }
    if is_set(6) {
        job = job.ending(instant(input)?);
    }
    if is_set(7) {
        job = job.most_runs(input.int_in_range(0..=9)?);
    }
    Ok(job)
}

fn duration(input: &mut Unstructured) -> Result<Duration> {
    Ok(match input.int_in_range(0..=7)? {
        0 => Duration::ZERO,
        1 => Duration::MAX,
        2 => Duration::from_nanos(input.arbitrary()?),
        3 => Duration::from_secs(input.arbitrary()?),
        _ => Duration::from_millis(input.int_in_range(0..=10_000_000)?),
    })
}

fn this_century(input: &mut Unstructured) -> Result<SystemTime> {
    let millis = input.int_in_range(0..=4_200_000_000_000)?;
    Ok(UNIX_EPOCH + Duration::from_millis(millis))
}

/// Reads any instant, most often of this century.
fn instant(input: &mut Unstructured) -> Result<SystemTime> {
    let near = this_century(input)?;
    let distance = duration(input)?;
    let far =
        if input.arbitrary()? { near.checked_add(distance) } else { near.checked_sub(distance) };
    Ok(far.unwrap_or(near))
}
