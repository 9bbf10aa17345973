//! Logs the scheduler's events and counts them in metrics.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use metrics::counter;
use millicron_scheduler::{Event, JobName, SkipReason};

use super::log::{OutputThread, Record};

/// The names of the jobs of the pipeline, once there is one.
pub(super) type PipelineNames = Arc<OnceLock<HashSet<String>>>;

/// Returns the scheduler's observer.
pub(super) fn observer(
    output: OutputThread,
    pipeline: PipelineNames,
) -> impl Fn(&Event) + Send + Sync + 'static {
    move |event| {
        // Each run of a pipeline is a job of the scheduler, which ends with it.
        let is_run = matches!(event, Event::Exhausted { job: JobName::Given(name) }
            if pipeline.get().is_some_and(|names| names.contains(&**name)));
        if !is_run {
            observe(event, &output);
        }
    }
}

/// Returns the name of the job in the file, also for the internal job that makes its runs due. Other internal jobs
/// have none.
pub(super) fn job_of(name: &JobName) -> Option<String> {
    match name {
        JobName::Internal(name) => name.as_deref().map(str::to_owned),
        name => Some(name.to_string()),
    }
}

fn observe(event: &Event, output: &OutputThread) {
    let name = event.job_name().map(job_of);
    if name == Some(None) {
        return;
    }
    let name = name.flatten();
    let record = match event {
        Event::Skipped { first, last, count, reason, .. } => {
            let (label, why) = reason_of(*reason, *count);
            counter!("millicron_skipped_total", "job" => name.clone().unwrap_or_default(), "reason" => label)
                .increment(*count);
            let message = format!("skipped {}: {why}", events(output, *first, *last, *count));
            Record::warning("skipped", message).count(*count)
        }
        Event::Coalesced { first, count, into, .. } => {
            let (first, into) = (output.time(*first), output.time(*into));
            let message = format!("the run of {into} makes up for {count} missed since {first}");
            Record::warning("coalesced", message).count(*count)
        }
        Event::Finished { retry_after: Some(wait), run, .. } => {
            let attempt = run.attempt().saturating_add(1);
            let message = format!("attempt {attempt} follows in {wait:?}");
            Record::info("retry", message)
        }
        Event::Cancelled { due, unlisted, retries, .. } => {
            for record in
                [dropped(due, *unlisted, output), given_up(retries, output)].into_iter().flatten()
            {
                output.log(record.of_job(name.clone()));
            }
            return;
        }
        Event::RetriesCancelled { retries, .. } => match given_up(retries, output) {
            Some(record) => record,
            None => return,
        },
        Event::Exhausted { .. } => Record::info("exhausted", "has no further runs"),
        Event::ClockSetBack { by } => {
            let message =
                format!("the clock was set back: jobs wait for {by:?} until it has caught up");
            Record::warning("clock", message)
        }
        Event::Panicked { during, message } => {
            let message = format!("{during} has panicked: {message}");
            Record::error("panicked", message)
        }
        Event::Lost { count } => {
            let message =
                format!("{count} messages like these were lost: nobody reads fast enough");
            Record::warning("lost", message).count(*count)
        }
        _ => return,
    };
    output.log(record.of_job(name));
}

/// Returns a record of runs that will not start, if there are any. After those that are listed, there are `unlisted` ones.
pub(super) fn dropped(
    due: &[SystemTime],
    unlisted: u64,
    output: &OutputThread,
) -> Option<Record<'static>> {
    let (first, last, listed) = (*due.first()?, *due.last()?, due.len() as u64);
    let count = listed + unlisted;
    let runs = match unlisted {
        0 => events(output, first, last, count),
        _ => format!("{count} runs from {} on", output.time(first)),
    };
    let message = format!("dropped {runs}, due but not started");
    Some(Record::warning("dropped", message).count(count))
}

/// Returns a record of failed runs whose next attempt is cancelled, if there are any.
fn given_up(retries: &[SystemTime], output: &OutputThread) -> Option<Record<'static>> {
    let (first, last, count) = (*retries.first()?, *retries.last()?, retries.len() as u64);
    let message = format!("no further attempt of {}", events(output, first, last, count));
    Some(Record::warning("retry", message))
}

fn events(output: &OutputThread, first: SystemTime, last: SystemTime, count: u64) -> String {
    let first = output.time(first);
    match count {
        1 => format!("the run of {first}"),
        count => format!("{count} runs from {first} to {}", output.time(last)),
    }
}

/// Returns why a number of runs were skipped, as a label of the metric and in words.
const fn reason_of(reason: SkipReason, count: u64) -> (&'static str, &'static str) {
    match reason {
        SkipReason::Overlap => ("overlap", "the previous run has not ended"),
        SkipReason::Missed if count == 1 => ("missed", "it was missed"),
        SkipReason::Missed => ("missed", "they were missed"),
        _ => ("other", "the job does not run then"),
    }
}
