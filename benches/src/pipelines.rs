//! A pipeline of a thousand jobs, and runs of it to query.

use std::ops::Range;

use millicron::{Schedule, schedule};
use millicron_pipeline::{Need, Pipeline, PipelineBuilder, PipelineRun};

/// The number of jobs.
pub const JOBS: usize = 1000;

/// The number of runs of each kind to query.
pub const QUERIES: usize = 200;

/// 2026-01-01 and 2027-01-01 00:00:00.
pub const YEAR: Range<i64> = 1_767_225_600_000..1_798_761_600_000;

/// A kind of job: a label, its schedule, its need, and the kinds of the two jobs that it needs.
pub type Kind = (&'static str, Schedule, fn(&str) -> Need<'_>, [usize; 2]);

/// The kinds of jobs, in turn.
pub const KINDS: [Kind; 5] = [
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

fn name(index: usize) -> String {
    format!("job {index}")
}

/// Returns a pipeline of a thousand jobs. The first of each kind needs nothing.
#[must_use]
pub fn pipeline() -> Option<Pipeline> {
    let add = |builder: PipelineBuilder, index: usize| {
        let (_, schedule, need, upstream) = &KINDS[index % KINDS.len()];
        let turn = index / KINDS.len();
        // One job of each of the two previous turns.
        let turns = [turn.checked_sub(1), turn.checked_sub(2)].into_iter().zip(upstream);
        let indices = turns.filter_map(|(turn, kind)| Some(turn? * KINDS.len() + kind));
        let names: Vec<String> = indices.map(name).collect();
        builder.job(&name(index), schedule.clone(), names.iter().map(|name| need(name)))
    };
    (0..JOBS).fold(Pipeline::builder(), add).build().ok()
}

/// Returns the last successes of each job up to the end of the year, at most `max`.
pub fn successes(pipeline: &Pipeline, max: usize) -> impl Iterator<Item = PipelineRun<'_>> {
    pipeline.jobs().enumerate().flat_map(move |(index, job)| {
        let (_, schedule, ..) = &KINDS[index % KINDS.len()];
        let events = schedule.events(..YEAR.end).rev().take(max);
        events.map(move |scheduled| PipelineRun { scheduled, job }).collect::<Vec<_>>()
    })
}

/// Returns runs of jobs of a kind from the whole pipeline: the last runs of the year, which are ready,
/// and the first runs after it, which wait.
#[must_use]
pub fn queries(kind: usize, schedule: &Schedule) -> Vec<(String, i64)> {
    let turns = JOBS / KINDS.len() - 2;
    let before = schedule.events(..YEAR.end).rev().take(2);
    let events: Vec<i64> = before.chain(schedule.events(YEAR.end..).skip(1).take(2)).collect();
    let indices = (0..QUERIES).map(|index| (2 + index * 7 % turns) * KINDS.len() + kind);
    indices.zip(events.into_iter().cycle()).map(|(index, event)| (name(index), event)).collect()
}
