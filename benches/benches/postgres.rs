//! Measures a query about one run in a pipeline of a thousand jobs, with ten million successes in
//! `PostgreSQL`. `DATABASE_URL` is the connection string of a database, whose schema `millicron_bench` is
//! filled and kept for the next time; without it, a server is started. The optional argument is the
//! number of rounds.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use millicron_benches::is_bench;
use millicron_benches::pipelines::{JOBS, KINDS, QUERIES, pipeline, queries, successes};
use millicron_benches::rounds::{self, Row};
use millicron_benches::table::{Bound, Table};
use millicron_pipeline::{History, Pipeline, PostgresHistory, RunState};
use millicron_test_support::servers::PostgresServer;

const ROUNDS: usize = 5;

/// The maximum number of successes of each job.
const SUCCESSES: usize = 22_000;

/// The number of successes that are recorded at once.
const BATCH: usize = 50_000;

fn main() -> Result<(), Box<dyn Error>> {
    if !is_bench() {
        return Ok(());
    }
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let pipeline = pipeline().ok_or("the pipeline is invalid")?;
    let settings = ["shared_buffers=1GB", "max_wal_size=4GB", "fsync=off"];
    let server = match std::env::var("DATABASE_URL") {
        Ok(database) => return measure(&pipeline, &database, rounds.unwrap_or(ROUNDS)),
        Err(_) => PostgresServer::start_with(&settings).map_err(|error| error.to_string())?,
    };
    measure(&pipeline, &server.connection_string(), rounds.unwrap_or(ROUNDS))
}

fn measure(pipeline: &Pipeline, database: &str, rounds: usize) -> Result<(), Box<dyn Error>> {
    let builder = PostgresHistory::builder(database).schema("millicron_bench");
    let mut history = builder.connect()?;
    let (last, last_at) = successes(pipeline, SUCCESSES)
        .map(|run| (run.job, run.scheduled))
        .last()
        .ok_or("no runs")?;
    if history.state(last, last_at)?.is_none() {
        fill(pipeline, &mut history)?;
    }
    let count = successes(pipeline, SUCCESSES).count();
    println!("{}", ready(pipeline, &history, count, rounds.max(1)));
    Ok(())
}

fn fill(pipeline: &Pipeline, history: &mut PostgresHistory) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let mut runs = successes(pipeline, SUCCESSES)
        .map(|run| (run.job, run.scheduled, RunState::Succeeded.into()));
    let mut count = 0;
    loop {
        let batch: Vec<_> = runs.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        count += batch.len();
        history.record_runs(&batch)?;
    }
    eprintln!("recorded {count} successes in {:?}", start.elapsed());
    Ok(())
}

fn ready(pipeline: &Pipeline, history: &PostgresHistory, count: usize, rounds: usize) -> Table {
    let headers = ["runs of a job that is", "ready", "in PostgreSQL, µs (≤ 1000)"];
    let title = format!("Is a run ready? {count} successes of {JOBS} jobs");
    let mut table = Table::new(&title, &headers);
    for (kind, (label, schedule, ..)) in KINDS.iter().enumerate() {
        let runs = queries(kind, schedule);
        let ready = || {
            let is_ready = |(job, scheduled): &&(String, i64)| {
                pipeline.ready(job, *scheduled, history).is_ok_and(|answer| answer.is_ready())
            };
            runs.iter().filter(is_ready).count()
        };
        let mut row = Row::default();
        row.measure("ready", QUERIES, || {
            black_box(ready());
        });
        rounds::run([&mut row], rounds);
        table
            .row(label)
            .text(&format!("{} of {QUERIES}", ready()))
            .figure(row.ns("ready").map(|ns| ns / 1e3), Bound::AtMost(1000.0));
    }
    table
}
