//! What the tests of pipelines have in common.

#![allow(dead_code, reason = "no test needs all of it")]

pub(crate) mod draw;
pub(crate) mod naive;

use millicron::CalendarDigits;
use millicron::dependency::{
    Builder, History as _, MemoryHistory, Pipeline, PipelineError, Readiness, Run,
};

pub(crate) const SECOND: i64 = 1000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// The milliseconds of a date and a time, which may have milliseconds itself.
#[track_caller]
pub(crate) fn at(text: &str) -> i64 {
    let parsed = text.parse().or_else(|_| format!("{text}.000").parse());
    parsed.map(CalendarDigits::to_millis).expect("a date and a time")
}

/// A pipeline that is known to be sound.
#[track_caller]
pub(crate) fn built(builder: Builder) -> Pipeline {
    match builder.build() {
        Ok(pipeline) => pipeline,
        Err(error) => panic!("{error}"),
    }
}

/// What is wrong with one that is not, in words.
#[track_caller]
pub(crate) fn refused(builder: Builder) -> PipelineError {
    match builder.build() {
        Ok(pipeline) => panic!("{pipeline:?} is built"),
        Err(error) => error,
    }
}

/// Whether a run that there is may start.
#[track_caller]
pub(crate) fn ready<'a>(
    pipeline: &'a Pipeline,
    job: &str,
    scheduled: i64,
    history: &MemoryHistory,
) -> Readiness<'a> {
    match pipeline.ready(job, scheduled, history) {
        Ok(readiness) => readiness,
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn record(history: &mut MemoryHistory, job: &str, scheduled: i64) {
    let Ok(()) = history.record(job, scheduled);
}

/// A history of some runs of one job.
pub(crate) fn history_of(job: &str, runs: &[i64]) -> MemoryHistory {
    let mut history = MemoryHistory::new();
    for run in runs {
        record(&mut history, job, *run);
    }
    history
}

/// A history of all runs of a pipeline before an instant.
pub(crate) fn all_before(pipeline: &Pipeline, instant: i64) -> MemoryHistory {
    let mut history = MemoryHistory::new();
    for Run { job, scheduled } in pipeline.plan(..instant) {
        record(&mut history, job, scheduled);
    }
    history
}

/// The runs that a run waits for, and nothing where it may start.
pub(crate) fn missing(readiness: &Readiness<'_>) -> Vec<(String, i64)> {
    match readiness {
        Readiness::Ready => Vec::new(),
        Readiness::Waiting(waiting) => {
            waiting.runs().map(|Run { job, scheduled }| (job.to_owned(), scheduled)).collect()
        }
    }
}
