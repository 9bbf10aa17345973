//! Reports starts and ends of runs to `tracing` and `metrics`, and failures that nothing else receives
//! to standard error.

use std::io::Write as _;

use super::shared::Shared;
use crate::core::{AssignedRun, Ended};
#[cfg(feature = "metrics")]
use crate::report::metrics;
#[cfg(feature = "tracing")]
use crate::run::span;

impl Shared {
    /// Reports a run that starts.
    #[cfg(feature = "metrics")]
    pub(super) fn report_start(&self, run: &AssignedRun) {
        let AssignedRun { context, ready, .. } = run;
        self.guarded("a recorder of `metrics`", || metrics::started(context, *ready));
    }

    #[cfg(not(feature = "metrics"))]
    #[expect(clippy::unused_self, reason = "the same method as with the feature")]
    pub(super) const fn report_start(&self, _: &AssignedRun) {}

    /// Reports a run that has ended.
    pub(super) fn report_end(&self, ended: &Ended) {
        let Ended { context, outcome, duration, .. } = ended;
        #[cfg(feature = "metrics")]
        self.guarded("a recorder of `metrics`", || {
            metrics::ended(context, outcome, *duration, ended.is_retried);
        });
        if outcome.is_success() {
            return;
        }
        let is_heard = self.guarded("a subscriber of `tracing`", || report_to_subscriber(ended));
        if ended.is_first_failure && self.observer.is_none() && is_heard != Some(true) {
            let text = format!("job {} {outcome} (after {duration:?})", context.job);
            // Nothing can be done if standard error is closed.
            drop(writeln!(std::io::stderr(), "millicron: {text}"));
        }
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
