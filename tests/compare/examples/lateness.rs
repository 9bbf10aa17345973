//! Prints how late each scheduler starts a job that fires every second.

use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clokwerk::TimeUnits as _;

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (sender, receiver) = channel();

    let job = report("tokio-cron-scheduler", &sender);
    runtime.block_on(async {
        let scheduler = tokio_cron_scheduler::JobScheduler::new().await.expect("a scheduler");
        let job = tokio_cron_scheduler::Job::new("* * * * * *", move |_, _| job());
        scheduler.add(job.expect("a job")).await.expect("added");
        scheduler.start().await.expect("started");
    });

    let mut clokwerk = clokwerk::Scheduler::with_tz(chrono::Utc);
    clokwerk.every(1.seconds()).run(report("clokwerk, called every 100 ms", &sender));
    let _thread = clokwerk.watch_thread(Duration::from_millis(100));

    let job = report("millicron-scheduler", &sender);
    let scheduler = millicron_scheduler::Scheduler::new().expect("threads");
    scheduler.add(millicron::schedule!("*:*:*"), move |_| job()).expect("added");

    for line in receiver.iter().take(30) {
        println!("{line}");
    }
}

/// Returns a job that sends how long after the full second it started.
fn report(name: &'static str, sender: &Sender<String>) -> impl Fn() + Send + Sync + use<> {
    let sender = sender.clone();
    move || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let late = f64::from(now.subsec_nanos()) / 1e6;
        // The receiver is dropped at the end.
        _ = sender.send(format!("{name:<30} {late:>8.3} ms late"));
    }
}
