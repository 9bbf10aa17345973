//! Measures a query about one run in a pipeline of a thousand jobs, with a million successes in
//! memory or in a file, and how fast the runs of a year are put in order. The optional argument is the
//! number of rounds.

use std::hint::black_box;
use std::time::Instant;

use millicron::{Schedule, schedule};
use millicron_benches::is_bench;
use millicron_benches::rounds::{self, Row, median};
use millicron_benches::table::{Bound, Table};
use millicron_pipeline::{
    History, MemoryHistory, Need, Pipeline, PipelineBuilder, Run, SqliteError, SqliteHistory,
};

const ROUNDS: usize = 5;

const JOBS: usize = 1000;

/// The maximum number of successes of each job.
const SUCCESSES: usize = 1250;

/// The number of runs of each kind to query.
const QUERIES: usize = 200;

/// 2026-01-01 and 2027-01-01 00:00:00.
const YEAR: std::ops::Range<i64> = 1_767_225_600_000..1_798_761_600_000;

/// A kind of job: a label, its schedule, its need, and the kinds of the two jobs that it needs.
type Kind = (&'static str, Schedule, fn(&str) -> Need<'_>, [usize; 2]);

/// The kinds of jobs, in turn.
const KINDS: [Kind; 5] = [
    ("every five minutes", schedule!("*:*/5:03"), latest, [0, 0]),
    ("hourly, all of every five minutes", schedule!("*:05:04"), all, [0, 0]),
    ("daily, all of hourly", schedule!("3:01:03"), all, [1, 1]),
    ("weekly, all of hourly", schedule!("*.*.* 1 4:00:00"), all, [1, 1]),
    ("monthly, the latest of daily and hourly", schedule!("*.*.1 5:00:00"), latest, [2, 1]),
];

fn latest(job: &str) -> Need<'_> {
    Need::latest(job)
}

fn all(job: &str) -> Need<'_> {
    Need::all(job)
}

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

fn name(index: usize) -> String {
    format!("job {index}")
}

/// Returns a pipeline of a thousand jobs. The first of each kind needs nothing.
fn pipeline() -> Option<Pipeline> {
    let add = |builder: PipelineBuilder, index: usize| {
        let (_, schedule, need, upstream) = &KINDS[index % KINDS.len()];
        let turn = index / KINDS.len();
        // One job of each of the two turns before.
        let turns = [turn.checked_sub(1), turn.checked_sub(2)].into_iter().zip(upstream);
        let indices = turns.filter_map(|(turn, kind)| Some(turn? * KINDS.len() + kind));
        let names: Vec<String> = indices.map(name).collect();
        builder.job(&name(index), schedule.clone(), names.iter().map(|name| need(name)))
    };
    (0..JOBS).fold(Pipeline::builder(), add).build().ok()
}

/// Returns the last successes of each job in the year.
fn successes(pipeline: &Pipeline) -> impl Iterator<Item = Run<'_>> {
    pipeline.jobs().enumerate().flat_map(|(index, job)| {
        let (_, schedule, ..) = &KINDS[index % KINDS.len()];
        let events = schedule.events(..YEAR.end).rev().take(SUCCESSES);
        events.map(move |scheduled| Run { scheduled, job }).collect::<Vec<_>>()
    })
}

fn ready(pipeline: &Pipeline, rounds: usize) -> Result<Table, SqliteError> {
    let path = std::env::temp_dir().join(format!("millicron-{}.history", std::process::id()));
    let mut file = SqliteHistory::open(&path)?;
    let mut memory = MemoryHistory::new();
    file.record_all(successes(pipeline).map(|run| (run.job, run.scheduled)))?;
    for run in successes(pipeline) {
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
    // A file that stays behind does no harm.
    let _ = std::fs::remove_file(path);
    Ok(table)
}

/// Returns runs of jobs of a kind from the whole pipeline: the last ones of the year, which are ready,
/// and the first ones after it, which wait.
fn queries(kind: usize, schedule: &Schedule) -> Vec<(String, i64)> {
    let turns = JOBS / KINDS.len() - 2;
    let before = schedule.events(..YEAR.end).rev().take(2);
    let events: Vec<i64> = before.chain(schedule.events(YEAR.end..).skip(1).take(2)).collect();
    let indices = (0..QUERIES).map(|index| (2 + index * 7 % turns) * KINDS.len() + kind);
    indices.zip(events.into_iter().cycle()).map(|(index, event)| (name(index), event)).collect()
}

fn plan(pipeline: &Pipeline, rounds: usize) -> Table {
    let mut table = Table::new("A plan of a year of a thousand jobs", &["", "figure"]);
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
