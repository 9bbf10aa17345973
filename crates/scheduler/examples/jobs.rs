//! Runs jobs for a few seconds, to show most features of a scheduler.
//!
//! `cargo run -p millicron-scheduler --example jobs`

use std::error::Error;
use std::io;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use millicron::{CalendarDigits, Schedule, every, schedule};
use millicron_scheduler::{Event, Job, Missed, Overlap, RunContext, Scheduler, Workers};

const EVERY_SECOND: Schedule = schedule!("*:*:*");

fn main() -> Result<(), Box<dyn Error>> {
    let scheduler = Scheduler::builder()
        .workers(Workers::Pool(2))
        .capacity(6)
        .observer(|event: &Event| match event {
            Event::Finished { run, outcome, .. } => println!(
                "{}: run {} {outcome}, {:?} late",
                run.job_name(),
                run.number(),
                run.lateness(),
            ),
            Event::Skipped { job, count, reason, .. } => {
                println!("{job}: {count} skipped, {reason:?}");
            }
            _ => {}
        })
        .start()?;

    // A schedule, and an interval without a calendar.
    let ticking = scheduler.add(EVERY_SECOND, |_| {})?;
    scheduler.add(every(700).milliseconds(), |_| {})?;

    // A job with a name, and with policies for overlapping and missed events.
    let slow = Job::new(|_| sleep(Duration::from_millis(1300)))
        .name("slow")
        .overlap(Overlap::Queue { max: 1 })
        .missed(Missed::Skip);
    scheduler.add_job(EVERY_SECOND, slow)?;

    // A run that fails or panics is reported, and the job runs again.
    let backup = Job::new(|_| Err::<(), _>(io::Error::other("no space left"))).name("backup");
    let backup = scheduler.add_job(schedule!("*:*:*/2"), backup)?;

    // A one-shot job that uses its own scheduler.
    let handle = scheduler.handle();
    scheduler.once(SystemTime::now() + Duration::from_millis(500), move |run: RunContext| {
        let later = run.started() + Duration::from_millis(500);
        handle.once(later, |_| {}).map(drop)
    })?;

    // The capacity is six jobs: the seventh is refused.
    let spare = scheduler.once(SystemTime::now() + Duration::from_hours(1), |_| {})?;
    match scheduler.add(EVERY_SECOND, |_| {}) {
        Err(error) => println!("not added: {error}"),
        Ok(_) => println!("the scheduler has room"),
    }
    spare.cancel();

    sleep(Duration::from_secs(2));
    if let Some(next) = ticking.next_event() {
        println!("the next tick is at {}", CalendarDigits::try_from(next)?);
    }
    ticking.pause();
    backup.reschedule(every(1).days().at("03:30"))?;
    backup.trigger_now();
    scheduler.set_workers(Workers::Pool(1))?;
    sleep(Duration::from_secs(2));
    ticking.resume();
    sleep(Duration::from_millis(1200));

    let unfinished = scheduler.close_and_wait(Duration::from_secs(2));
    let stats = scheduler.stats();
    println!(
        "{} runs, {} failed, {} skipped; median lateness {:?}; {} unfinished",
        stats.completed,
        stats.failed,
        stats.skipped,
        stats.lateness(0.5),
        unfinished.len(),
    );
    Ok(())
}
