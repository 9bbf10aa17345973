//! Runs jobs of `tokio-cron-scheduler` in `PostgreSQL`. The arguments are the connection string, the number of jobs,
//! and the text of their schedules.
//!
//! It prints a line when it has created the jobs, and one for each start: whether it is the former, and the instants
//! in milliseconds and microseconds at which the job is due and starts.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::RwLock;
use tokio_cron_scheduler::{
    Job, JobScheduler, PostgresMetadataStore, PostgresNotificationStore, PostgresStore,
    SimpleJobCode, SimpleNotificationCode,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, jobs, text] = &arguments[..] else { panic!("usage: URL JOBS TEXT") };
    let jobs = jobs.parse().expect("a number");
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().expect("the runtime starts");
    runtime.block_on(run(url, jobs, text));
}

async fn run(url: &str, jobs: usize, text: &str) {
    let store = || Arc::new(RwLock::new(PostgresStore::Created(url.to_owned())));
    let metadata =
        PostgresMetadataStore { store: store(), init_tables: true, table: "job".to_owned() };
    let notifications = PostgresNotificationStore {
        store: store(),
        init_tables: true,
        table: "notification".to_owned(),
        states_table: "notification_state".to_owned(),
    };
    let scheduler = JobScheduler::new_with_storage_and_code(
        Box::new(metadata),
        Box::new(notifications),
        Box::new(SimpleJobCode::default()),
        Box::new(SimpleNotificationCode::default()),
        200,
    );
    let scheduler = scheduler.await.expect("a database");
    for _ in 0..jobs {
        let job = Job::new(text, |_, _| {
            let started = now();
            report(false, Duration::from_secs(started.as_secs()), started);
        });
        scheduler.add(job.expect("a valid text")).await.expect("a database");
    }
    report(true, Duration::ZERO, now());
    scheduler.start().await.expect("a database");
    std::future::pending::<()>().await;
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970")
}

fn report(is_created: bool, scheduled: Duration, started: Duration) {
    let (scheduled, started) = (scheduled.as_millis(), started.as_micros());
    let line = format!("{} {scheduled} {started}\n", u8::from(is_created));
    drop(std::io::stdout().write_all(line.as_bytes()));
}
