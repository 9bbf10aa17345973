//! Reports starts and ends of runs to `tracing` and `metrics`, and failures that nothing else receives
//! to standard error.

pub(crate) mod event;
pub(crate) mod info;
#[cfg(feature = "metrics")]
pub(crate) mod metrics;
pub(crate) mod span;
pub(crate) mod stats;

use std::io::Write as _;

use crate::core::{Ended, StartedRun};
use crate::threads::shared::Shared;

/// Reports a run that starts.
#[cfg(feature = "metrics")]
pub(crate) fn report_start(shared: &Shared, run: &StartedRun) {
    let StartedRun { context, ready, .. } = run;
    shared.guarded("a recorder of `metrics`", || metrics::started(context, *ready));
}

#[cfg(not(feature = "metrics"))]
pub(crate) const fn report_start(_: &Shared, _: &StartedRun) {}

/// Whether there is anything to report about a run that has ended.
pub(crate) const fn must_report(ended: &Ended) -> bool {
    cfg!(feature = "metrics") || !ended.outcome.is_success()
}

/// Reports a run that has ended.
pub(crate) fn report_end(shared: &Shared, ended: &Ended) {
    #[cfg(feature = "metrics")]
    shared.guarded("a recorder of `metrics`", || metrics::ended(ended));
    if ended.outcome.is_success() {
        return;
    }
    let is_heard = shared.guarded("a subscriber of `tracing`", || report_to_subscriber(ended));
    if ended.is_first_failure && shared.observer.is_none() && is_heard != Some(true) {
        let Ended { context, outcome, duration, .. } = ended;
        let job = &context.job;
        // Nothing can be done if standard error is closed.
        drop(writeln!(std::io::stderr(), "millicron: job {job} {outcome} (after {duration:?})"));
    }
}

/// Emits an event for a run that did not succeed. Returns whether a subscriber receives it.
#[cfg(feature = "tracing")]
fn report_to_subscriber(ended: &Ended) -> bool {
    let Ended { context, outcome, .. } = ended;
    tracing::error!(
        target: "millicron_scheduler",
        job = %context.job,
        scheduled = span::digits(context).map(tracing::field::display),
        attempt = context.attempt,
        "{outcome}"
    );
    tracing::enabled!(target: "millicron_scheduler", tracing::Level::ERROR)
}

#[cfg(not(feature = "tracing"))]
const fn report_to_subscriber(_: &Ended) -> bool {
    false
}
