//! Helpers shared by the tests.

pub(crate) mod events;
pub(crate) mod model;
pub(crate) mod random;
pub(crate) mod rules;
#[cfg(feature = "scheduler")]
pub(crate) mod runner;
#[cfg(feature = "scheduler")]
pub(crate) mod scripted;
pub(crate) mod spec;

use millicron::{CalendarDigits, Schedule};
use millicron_pipeline::{
    History as _, MemoryHistory, Need, Pipeline, PipelineBuilder, PipelineError, PipelineRun,
    Readiness,
};

use crate::oracle::Oracle;

pub(crate) const SECOND: i64 = 1000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// 2026-11-19, a Thursday, when most pipelines in these tests begin; and two days later.
pub(crate) const SINCE: i64 = 1_795_046_400_000;
pub(crate) const SATURDAY: i64 = SINCE + 2 * DAY;

/// Parses a date and a time into milliseconds.
#[track_caller]
pub(crate) fn at(text: &str) -> i64 {
    text.parse().map(CalendarDigits::to_millis).expect("valid date and time")
}

/// Returns the instant of a time on Saturday.
pub(crate) fn saturday(time: &str) -> i64 {
    at(&format!("2026-11-21 {time}"))
}

/// Returns the instant of a time on Friday.
pub(crate) fn friday(time: &str) -> i64 {
    at(&format!("2026-11-20 {time}"))
}

pub(crate) fn parse(text: &str) -> Schedule {
    text.parse().expect("valid schedule")
}

/// Returns the oracle of an expression, if it has events.
pub(crate) fn oracle(text: &str) -> Option<Oracle> {
    Some(Oracle::new(text)).filter(|oracle| !oracle.never_fires())
}

pub(crate) fn builder() -> PipelineBuilder {
    Pipeline::builder().since(SINCE)
}

/// Returns a builder with jobs, their schedules and their needs.
pub(crate) fn pipeline(jobs: &[(&str, &str, &[Need<'_>])]) -> PipelineBuilder {
    jobs.iter().fold(builder(), |builder, (name, text, needs)| {
        builder.job(name, parse(text), needs.iter().copied())
    })
}

/// Builds a valid pipeline.
#[track_caller]
pub(crate) fn build(builder: PipelineBuilder) -> Pipeline {
    match builder.build() {
        Ok(pipeline) => pipeline,
        Err(error) => panic!("{error}"),
    }
}

/// Returns a pipeline with the jobs `up` and `job`, which needs `up`.
pub(crate) fn two_jobs(upstream: &str, job: &str, need: Need<'_>) -> Pipeline {
    build(builder().job("up", parse(upstream), []).job("job", parse(job), [need]))
}

/// Builds an invalid pipeline.
#[track_caller]
pub(crate) fn build_error(builder: PipelineBuilder) -> PipelineError {
    match builder.build() {
        Ok(pipeline) => panic!("{pipeline:?} should be invalid"),
        Err(error) => error,
    }
}

/// Returns the readiness of an existing run.
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

/// Returns a history with successes of one job.
pub(crate) fn history_of(job: &str, runs: &[i64]) -> MemoryHistory {
    let mut history = MemoryHistory::new();
    for run in runs {
        record(&mut history, job, *run);
    }
    history
}

/// Returns a history with the success of all runs before an instant.
pub(crate) fn all_before(pipeline: &Pipeline, instant: i64) -> MemoryHistory {
    let mut history = MemoryHistory::new();
    for PipelineRun { job, scheduled } in pipeline.plan(..instant).expect("a plan") {
        record(&mut history, job, scheduled);
    }
    history
}

/// Returns the runs that a run waits for; empty if it may start.
pub(crate) fn missing(readiness: &Readiness<'_>) -> Vec<(String, i64)> {
    match readiness {
        Readiness::Ready => Vec::new(),
        Readiness::Waiting(waiting) => waiting
            .runs()
            .map(|PipelineRun { job, scheduled }| (job.to_owned(), scheduled))
            .collect(),
    }
}

#[track_caller]
pub(crate) fn check_waits(readiness: &Readiness<'_>, runs: &[(&str, i64)], message: &str) {
    let runs: Vec<_> = runs.iter().map(|(job, run)| ((*job).to_owned(), *run)).collect();
    assert_eq!(missing(readiness), runs);
    assert_eq!(readiness.to_string(), message);
    assert!(!readiness.is_ready());
}

#[track_caller]
pub(crate) fn check_ready(readiness: &Readiness<'_>) {
    assert_eq!(*readiness, Readiness::Ready);
    assert_eq!(readiness.to_string(), "ready");
    assert!(readiness.is_ready());
}

/// Checks which runs a run waits for if nothing has succeeded, and that it is ready once they have
/// succeeded.
#[track_caller]
pub(crate) fn check_missing(pipeline: &Pipeline, run: i64, message: &str) {
    let readiness = ready(pipeline, "job", run, &MemoryHistory::new());
    assert_eq!(readiness.to_string(), message);
    let mut history = MemoryHistory::new();
    for (job, run) in missing(&readiness) {
        record(&mut history, &job, run);
    }
    check_ready(&ready(pipeline, "job", run, &history));
}

/// Returns `count` instants, `step` milliseconds apart.
pub(crate) fn steps(from: i64, step: i64, count: i64) -> Vec<i64> {
    (0..count).map(|index| from + index * step).collect()
}

/// Checks the message of the only problem.
#[track_caller]
pub(crate) fn check_problem(jobs: &[(&str, &str, &[Need<'_>])], message: &str) {
    let error = build_error(pipeline(jobs));
    assert_eq!(error.to_string(), format!("invalid pipeline: {message}"));
    assert_eq!(error.problems().len(), 1);
    assert_eq!(error.problems()[0].to_string(), message);
}
