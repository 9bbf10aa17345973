//! A service: async jobs, retries, logs, and a shutdown that waits for runs.
//!
//! `cargo run -p millicron-scheduler --example service --features tokio,tracing`
//!
//! Stop it with Ctrl-C or `SIGTERM`. It also stops by itself if you pass a number of seconds as an
//! argument.

use std::error::Error;
use std::time::Duration;

use millicron::{every, schedule};
use millicron_scheduler::{Job, Retry, RunContext, Scheduler};
use tokio::time::sleep;

/// Fails now and then, like a call over a network.
async fn import(run: RunContext) -> Result<(), &'static str> {
    sleep(Duration::from_millis(50)).await;
    if (run.number() + u64::from(run.attempt())).is_multiple_of(3) {
        return Err("connection refused");
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().init();
    let scheduler = Scheduler::new()?;

    scheduler.add(every(700).milliseconds(), async |run| {
        println!("run {} is {:?} late", run.number(), run.lateness());
    })?;

    let retry = Retry::exponential(Duration::from_millis(100)).most(3);
    let import = Job::new(import).name("import").retry(retry).timeout(Duration::from_secs(10));
    scheduler.add_job(schedule!("*:*:*"), import)?;

    let unfinished = scheduler.run_until(end(), Duration::from_secs(30)).await?;
    println!("{} runs did not end in time", unfinished.len());
    Ok(())
}

/// Completes after the number of seconds in the first argument, or never if there is none.
async fn end() {
    match std::env::args().nth(1).and_then(|seconds| seconds.parse().ok()) {
        Some(seconds) => sleep(Duration::from_secs(seconds)).await,
        None => std::future::pending().await,
    }
}
