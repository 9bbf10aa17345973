//! Runs jobs for a few seconds, and shows what a scheduler can do.
//!
//! `cargo run -p millicron-scheduler --example jobs`

use std::error::Error;
use std::io;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use millicron::{CalendarDigits, Schedule, every, schedule};
use millicron_scheduler::{
    AddError, Event, Job, Missed, Outcome, Overlap, RunContext, Scheduler, Workers,
};

const EACH_SECOND: Schedule = schedule!("*:*:*");

fn main() -> Result<(), Box<dyn Error>> {
    let scheduler = Scheduler::builder()
        .workers(Workers::Pool(2))
        .capacity(6)
        .observer(|event: &Event| match event {
            Event::Finished { run, outcome: Outcome::Succeeded, .. } => say(run, "is done"),
            Event::Finished { run, outcome, .. } => {
                say(run, &format!("did not end well: {outcome:?}"));
            }
            Event::Skipped { job, count, reason, .. } => {
                println!("{job}: {count} skipped, {reason:?}");
            }
            _ => {}
        })
        .start()?;

    // Any schedule, and steps without a calendar. A closure is a job.
    let ticking = scheduler.add(EACH_SECOND, |_| {})?;
    scheduler.add(every(700).milliseconds(), |_| {})?;

    // With a name, and a choice of what becomes of events that can not simply run.
    let slow = Job::new(|_| sleep(Duration::from_millis(1300)))
        .name("slow")
        .overlap(Overlap::Queue { max: 1 })
        .missed(Missed::Skip);
    scheduler.add_job(EACH_SECOND, slow)?;

    // A job may fail or panic. It is told, and goes on.
    let failing = Job::new(|_| Err::<(), _>(io::Error::other("no space left"))).name("backup");
    let failing = scheduler.add_job(schedule!("*:*:*/2"), failing)?;

    // Once; and a job may use the scheduler that runs it.
    let remote = scheduler.handle();
    scheduler.once(SystemTime::now() + Duration::from_millis(500), move |run: &RunContext| {
        let again = run.started() + Duration::from_millis(500);
        remote.once(again, |_| {}).map(drop)
    })?;

    // There is room for six jobs. The seventh is given back.
    let spare = scheduler.once(SystemTime::now() + Duration::from_hours(1), |_| {})?;
    match scheduler.add(EACH_SECOND, |_| {}) {
        Err(AddError::Full(job)) => println!("there is no room for {job:?}"),
        other => println!("{other:?}"),
    }
    spare.cancel();

    sleep(Duration::from_secs(2));
    if let Some(next) = ticking.next_event() {
        println!("the next tick is at {}", CalendarDigits::try_from(next)?);
    }
    ticking.pause();
    failing.reschedule(every(1).days().at("03:30"))?;
    failing.trigger_now();
    scheduler.set_workers(Workers::Pool(1))?;
    sleep(Duration::from_secs(2));
    ticking.resume();
    sleep(Duration::from_millis(1200));

    let unfinished = scheduler.close_and_wait(Duration::from_secs(2));
    let stats = scheduler.stats();
    println!(
        "{} runs, {} failed, {} skipped; half of them at most {:?} late; {} did not end",
        stats.completed,
        stats.failed,
        stats.skipped,
        stats.lateness(0.5),
        unfinished.len(),
    );
    Ok(())
}

fn say(run: &RunContext, what: &str) {
    println!("{}: run {}, {:?} late, {what}", run.job_name(), run.number(), run.lateness());
}
