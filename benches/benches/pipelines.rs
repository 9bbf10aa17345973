//! Measures a query about one run in a pipeline of a thousand jobs, with a million successes in
//! memory or in a file, and how fast the runs of a year are ordered. The optional argument is the
//! number of rounds.

use std::hint::black_box;
use std::time::Instant;

use millicron_benches::is_bench;
use millicron_benches::pipelines::{JOBS, KINDS, QUERIES, YEAR, pipeline, queries, successes};
use millicron_benches::rounds::{self, Row, median};
use millicron_benches::table::{Bound, Table};
use millicron_pipeline::{History, MemoryHistory, Pipeline, RunState, SqliteError, SqliteHistory};

const ROUNDS: usize = 5;

/// The maximum number of successes of each job.
const SUCCESSES: usize = 1250;

fn main() -> Result<(), SqliteError> {
    if !is_bench() {
        return Ok(());
    }
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS).max(1);
    let Some(pipeline) = pipeline() else {
        eprintln!("the pipeline is invalid");
        return Ok(());
    };
    println!("{}", ready(&pipeline, rounds)?);
    println!("{}", plan(&pipeline, rounds));
    Ok(())
}

fn ready(pipeline: &Pipeline, rounds: usize) -> Result<Table, SqliteError> {
    let path = std::env::temp_dir().join(format!("millicron-{}.history", std::process::id()));
    let mut file = SqliteHistory::open(&path)?;
    let mut memory = MemoryHistory::new();
    let runs = successes(pipeline, SUCCESSES);
    file.record_states(runs.map(|run| (run.job, run.scheduled, RunState::Succeeded)))?;
    for run in successes(pipeline, SUCCESSES) {
        let Ok(()) = memory.record(run.job, run.scheduled);
    }
    let headers =
        ["runs of a job that is", "ready", "in memory, µs (≤ 20)", "in SQLite, µs (≤ 200)"];
    let title = format!("Is a run ready? {} successes of {JOBS} jobs", memory.len());
    let mut table = Table::new(&title, &headers);
    for (kind, (label, schedule, ..)) in KINDS.iter().enumerate() {
        let runs = queries(kind, schedule);
        let ask = |history: &dyn Fn(&str, i64) -> bool| {
            runs.iter().filter(|(job, scheduled)| history(job, *scheduled)).count()
        };
        let in_memory = |job: &str, scheduled: i64| {
            pipeline.ready(job, scheduled, &memory).is_ok_and(|answer| answer.is_ready())
        };
        let in_file = |job: &str, scheduled: i64| {
            pipeline.ready(job, scheduled, &file).is_ok_and(|answer| answer.is_ready())
        };
        let ready = ask(&in_memory);
        assert_eq!(ready, ask(&in_file), "both histories give the same answers");
        let mut row = Row::default();
        row.measure("memory", QUERIES, || {
            black_box(ask(&in_memory));
        });
        row.measure("file", QUERIES, || {
            black_box(ask(&in_file));
        });
        rounds::run([&mut row], rounds);
        table
            .row(label)
            .text(&format!("{ready} of {QUERIES}"))
            .figure(row.ns("memory").map(|ns| ns / 1e3), Bound::AtMost(20.0))
            .figure(row.ns("file").map(|ns| ns / 1e3), Bound::AtMost(200.0));
    }
    drop(file);
    // A leftover file does no harm.
    let _ = std::fs::remove_file(path);
    Ok(table)
}

fn plan(pipeline: &Pipeline, rounds: usize) -> Table {
    let mut table = Table::new("A plan of a year of a thousand jobs", &["", "measurement"]);
    let mut runs = 0;
    let mut speeds = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        runs = black_box(pipeline.plan(YEAR).expect("a plan")).count();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        speeds.push(runs as f64 / start.elapsed().as_secs_f64() / 1e6);
    }
    table.row("runs").text(&runs.to_string());
    table.row("million runs a second (≥ 1)").figure(median(speeds), Bound::AtLeast(1.0));
    table
}
