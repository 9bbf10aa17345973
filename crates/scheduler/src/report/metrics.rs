//! Reports to the `metrics` facade.

use std::time::Duration;

use metrics::{
    Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

use crate::run::{JobName, Outcome, RunContext};

/// The names of the metrics, which the crate docs list.
const RUNS: &str = "millicron_runs_total";
const READY: &str = "millicron_ready";
const RUNNING: &str = "millicron_running";
const LATENESS: &str = "millicron_lateness_seconds";
const DURATION: &str = "millicron_duration_seconds";

/// Describes the metrics to the recorder.
pub(crate) fn describe() {
    describe_counter!(RUNS, "Runs that have ended, by job and outcome");
    describe_gauge!(READY, "Runs that wait for a worker");
    describe_gauge!(RUNNING, "Runs in progress, by job");
    describe_histogram!(LATENESS, Unit::Seconds, "How late runs started, by job");
    describe_histogram!(DURATION, Unit::Seconds, "How long runs took, by job");
}

/// Returns the label of a job; `None` for an internal one. Jobs without a name share a label, since
/// there may be a million of them.
fn label(run: &RunContext) -> Option<String> {
    match run.job_name() {
        JobName::Given(name) => Some(name.to_string()),
        JobName::Number(_) => Some("unnamed".to_string()),
        JobName::Internal(_) => None,
    }
}

/// Reports a run that starts, and how many others are ready.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
pub(crate) fn started(run: &RunContext, ready: usize) {
    gauge!(READY).set(ready as f64);
    let Some(job) = label(run) else { return };
    histogram!(LATENESS, "job" => job.clone()).record(run.lateness());
    gauge!(RUNNING, "job" => job).increment(1);
}

/// Reports an attempt that has ended.
pub(crate) fn ended(run: &RunContext, outcome: &Outcome, duration: Duration, is_retried: bool) {
    let Some(job) = label(run) else { return };
    let outcome = match outcome {
        Outcome::Succeeded => "succeeded",
        _ if is_retried => "retried",
        Outcome::Failed(_) => "failed",
        Outcome::Panicked(_) => "panicked",
        Outcome::Abandoned => "abandoned",
    };
    counter!(RUNS, "job" => job.clone(), "outcome" => outcome).increment(1);
    histogram!(DURATION, "job" => job.clone()).record(duration);
    gauge!(RUNNING, "job" => job).decrement(1);
}
