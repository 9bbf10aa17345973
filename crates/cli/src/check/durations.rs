//! The lints that compare how long a run takes with its schedule and its timeout.

use std::time::Duration;

use jiff::SignedDuration;
use millicron::Field;
use millicron_scheduler::Overlap;

use super::subject::Subject;
use crate::file::Problem;

/// Jobs that are still running at their next event.
pub(super) fn long_job(subject: &Subject<'_>) -> Option<Problem> {
    let job = subject.job;
    let is_all = subject.canonical.get(Field::Millisecond) == Some("*");
    if job.duration.is_none() && (!is_all || job.command.is_none()) {
        return None;
    }
    // Only now, since it looks at all years.
    let gap = job.schedule.schedule().gaps()?.shortest();
    let field = if gap < Duration::from_secs(1) { Field::Millisecond } else { Field::Second };
    let span = subject.span(if gap < Duration::from_mins(1) { field } else { Field::Minute });
    let Some(duration) = job.duration else {
        // A process takes longer than a millisecond.
        let problem = Problem::warning("long-job", span, "this starts 1,000 processes a second");
        return Some(problem.hint("leave the milliseconds out for one run a second"));
    };
    let timeout = job.policies.timeout.unwrap_or(Duration::MAX);
    let duration = duration.min(timeout);
    if duration <= gap {
        return None;
    }
    // The most runs at once, if all gaps were as short.
    let at_once = duration.as_nanos().div_ceil(gap.as_nanos().max(1));
    let result = match job.policies.overlap {
        Overlap::Skip => "events in between are skipped".to_owned(),
        Overlap::Allow { max } if at_once <= max as u128 => return None,
        Overlap::Allow { max } => {
            format!("up to {} run at once, and others are skipped", max.max(1))
        }
        Overlap::Queue { max: usize::MAX } => "events wait until the run has ended".to_owned(),
        Overlap::Queue { max: 1 } => "1 event waits, and others are skipped".to_owned(),
        Overlap::Queue { max } => format!("{max} events wait, and others are skipped"),
        _ => "runs overlap".to_owned(),
    };
    let [taken, gap] = [duration, gap].map(|it| SignedDuration::try_from(it).unwrap_or_default());
    let message =
        format_args!("a run takes {taken:#}, and the next event may come after {gap:#}: {result}");
    Some(Problem::warning("long-job", span, message))
}

/// A job that is always killed, if it takes as long as it says.
pub(super) fn short_timeout(subject: &Subject<'_>) -> Option<Problem> {
    let (duration, timeout) = (subject.job.duration?, subject.job.policies.timeout?);
    if duration <= timeout {
        return None;
    }
    let [duration, timeout] =
        [duration, timeout].map(|it| SignedDuration::try_from(it).unwrap_or_default());
    let message =
        format_args!("a run takes {duration:#}, and the timeout ends it after {timeout:#}");
    let span = subject.job.timeout_span.clone().unwrap_or_else(|| subject.job.span.clone());
    Some(Problem::warning("short-timeout", span, message))
}
