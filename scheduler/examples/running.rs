//! A scheduler in a few lines; README.md shows it. For all that it can do, see the
//! example `jobs`.

use std::thread::sleep;
use std::time::{Duration, SystemTime};

use millicron::{every, schedule};
use millicron_scheduler::{Job, Missed, Overlap, Scheduler};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scheduler = Scheduler::new()?;

    // A closure is a job, and may be told of its run.
    let ticking = scheduler.add(schedule!("*:*:*"), |run| {
        println!("run {} is {:?} late", run.number(), run.lateness());
    })?;

    // A job can have a name, and a choice of what becomes of events that can not simply run.
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
    println!("{} runs, {} have not ended", scheduler.stats().completed, unfinished.len());
    Ok(())
}
