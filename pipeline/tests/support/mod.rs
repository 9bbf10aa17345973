//! What the tests of pipelines have in common.

pub(crate) mod clock;
pub(crate) mod draw;
pub(crate) mod naive;
#[cfg(feature = "scheduler")]
pub(crate) mod runner;

use millicron::{CalendarDigits, Schedule};
use millicron_pipeline::{
    Builder, History as _, MemoryHistory, Need, Pipeline, PipelineError, Readiness, Run,
};

use crate::oracle::Oracle;

pub(crate) const SECOND: i64 = 1000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// The first day that the pipelines here know, a Thursday, and two days after it.
pub(crate) const SINCE: i64 = 1_795_046_400_000;
pub(crate) const SATURDAY: i64 = SINCE + 2 * DAY;

/// The milliseconds of a date and a time, which may have milliseconds itself.
#[track_caller]
pub(crate) fn at(text: &str) -> i64 {
    let parsed = text.parse().or_else(|_| format!("{text}.000").parse());
    parsed.map(CalendarDigits::to_millis).expect("a date and a time")
}

/// The instant of a time of Saturday.
pub(crate) fn saturday(time: &str) -> i64 {
    at(&format!("2026-11-21 {time}"))
}

/// The instant of a time of Friday.
pub(crate) fn friday(time: &str) -> i64 {
    at(&format!("2026-11-20 {time}"))
}

pub(crate) fn parse(text: &str) -> Schedule {
    text.parse().expect("a schedule")
}

/// The oracle of a text, if it has events.
pub(crate) fn fires(text: &str) -> Option<Oracle> {
    Some(Oracle::new(text)).filter(|oracle| !oracle.never_fires())
}

pub(crate) fn begun() -> Builder {
    Pipeline::builder().since(SINCE)
}

/// Jobs with their schedules and needs.
pub(crate) fn pipeline(jobs: &[(&str, &str, &[Need<'_>])]) -> Builder {
    jobs.iter().fold(begun(), |builder, (name, text, needs)| {
        builder.job(name, parse(text), needs.iter().copied())
    })
}

/// A pipeline that is known to be sound.
#[track_caller]
pub(crate) fn built(builder: Builder) -> Pipeline {
    match builder.build() {
        Ok(pipeline) => pipeline,
        Err(error) => panic!("{error}"),
    }
}

/// A job and what it needs of another.
pub(crate) fn pair(upstream: &str, job: &str, need: Need<'_>) -> Pipeline {
    built(begun().job("up", parse(upstream), []).job("job", parse(job), [need]))
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

#[track_caller]
pub(crate) fn check_waits(readiness: &Readiness<'_>, runs: &[(&str, i64)], words: &str) {
    let runs: Vec<_> = runs.iter().map(|(job, run)| ((*job).to_owned(), *run)).collect();
    assert_eq!(missing(readiness), runs);
    assert_eq!(readiness.to_string(), words);
    assert!(!readiness.is_ready());
}

#[track_caller]
pub(crate) fn check_ready(readiness: &Readiness<'_>) {
    assert_eq!(*readiness, Readiness::Ready);
    assert_eq!(readiness.to_string(), "ready");
    assert!(readiness.is_ready());
}

/// What a run waits for where nothing has succeeded; that is enough.
#[track_caller]
pub(crate) fn check_change(pipeline: &Pipeline, run: i64, words: &str) {
    let readiness = ready(pipeline, "job", run, &MemoryHistory::new());
    assert_eq!(readiness.to_string(), words);
    let mut history = MemoryHistory::new();
    for (job, run) in missing(&readiness) {
        record(&mut history, &job, run);
    }
    check_ready(&ready(pipeline, "job", run, &history));
}

/// So many instants, each so far after the one before.
pub(crate) fn steps(from: i64, step: i64, count: i64) -> Vec<i64> {
    (0..count).map(|index| from + index * step).collect()
}

/// What is said of the one thing that is wrong.
#[track_caller]
pub(crate) fn check_problem(jobs: &[(&str, &str, &[Need<'_>])], words: &str) {
    let error = refused(pipeline(jobs));
    assert_eq!(error.to_string(), format!("the pipeline can not be built: {words}"));
    assert_eq!(error.problems().len(), 1);
    assert_eq!(error.problems()[0].to_string(), words);
}
