//! Jobs that survive a restart. Run it, end it with Ctrl-C in the middle of a run, and run it again:
//!
//! ```sh
//! cargo run -p millicron-scheduler --features sqlite --example restart
//! ```
//!
//! The run that was cut off is restarted, and missed events are caught up on. To end by itself,
//! pass a number of seconds. The second argument is the path of the history.

use std::error::Error;
use std::thread;
use std::time::Duration;

use millicron::schedule;
use millicron_scheduler::{
    CutOff, HistoryEvent, Job, JobHistory, Keep, Missed, Scheduler, SqliteHistory,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().map(|seconds| seconds.parse()).transpose()?;
    let path =
        arguments.next().map_or_else(|| std::env::temp_dir().join("restart.sqlite"), Into::into);

    let scheduler = Scheduler::new()?;
    let jobs = JobHistory::builder()
        .keep(Keep::last(1_000))
        .observer(|event| match event {
            HistoryEvent::CutOff { attempts, .. } => println!("cut off in attempt {attempts}"),
            other => eprintln!("{other:?}"),
        })
        .start(&scheduler, SqliteHistory::open(&path)?)?;

    match jobs.last_run("report")? {
        None => println!("{} has no run yet", path.display()),
        Some(run) => println!("the last run: {run:?}"),
    }
    let report = Job::new(|run| {
        println!("{:?}: attempt {}", run.scheduled(), run.attempt());
        thread::sleep(Duration::from_millis(700));
        println!("{:?}: done", run.scheduled());
    });
    let report =
        report.name("report").missed(Missed::All { max: 10 }).cut_off(CutOff::Restart { most: 3 });
    jobs.add_job(schedule!("*:*:*/2"), report)?;

    thread::sleep(seconds.map_or(Duration::MAX, Duration::from_secs));
    let unfinished = scheduler.close_and_wait(Duration::from_secs(5));
    println!("{} runs are unfinished", unfinished.len());
    Ok(())
}
