//! A scheduler in a few lines. The example `jobs` shows more.
//!
//! `cargo run -p millicron-scheduler --example running`

use std::thread::sleep;
use std::time::{Duration, SystemTime};

use millicron::{every, schedule};
use millicron_scheduler::{Job, Missed, Overlap, Scheduler};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scheduler = Scheduler::new()?;

    // A job is a closure; it receives the details of its run.
    let ticking = scheduler.add(schedule!("*:*:*"), |run| {
        println!("run {} is {:?} late", run.number(), run.lateness());
    })?;

    // A job can have a name and policies.
    let report = Job::new(|run| println!("{}", run.job_name()))
        .name("report")
        .overlap(Overlap::Queue { max: 1 })
        .missed(Missed::Skip)
        .jitter(Duration::from_millis(50));
    scheduler.add_job(every(2).seconds(), report)?;

    scheduler.once(SystemTime::now() + Duration::from_secs(1), |_| println!("once"))?;

    sleep(Duration::from_secs(3));
    ticking.cancel();
    let unfinished = scheduler.close_and_wait(Duration::from_secs(5));
    println!("{} runs, {} unfinished", scheduler.stats().completed, unfinished.len());
    Ok(())
}
