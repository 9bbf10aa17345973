//! [`Span`]: a run, for `tracing`; nothing without that feature.

use crate::job::{Outcome, RunContext};

/// What is told of one run: job, scheduled instant, lateness and outcome.
#[derive(Clone)]
pub(crate) struct Span(#[cfg(feature = "tracing")] tracing::Span);

#[cfg(feature = "tracing")]
impl Span {
    pub(crate) fn of(fire: &RunContext) -> Self {
        use millicron::CalendarDigits;

        let scheduled = CalendarDigits::try_from(fire.scheduled());
        Self(tracing::info_span!(
            "run",
            job = %fire.job_name(),
            scheduled = scheduled.ok().map(tracing::field::display),
            lateness = ?fire.lateness(),
            outcome = tracing::field::Empty,
        ))
    }

    /// Does something within it.
    pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.in_scope(work)
    }

    pub(crate) fn end(&self, outcome: &Outcome) {
        self.0.record("outcome", tracing::field::debug(outcome));
    }

    /// The future, within the span whenever it is polled.
    #[cfg(feature = "tokio")]
    pub(crate) fn instrument<F: Future>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        tracing::Instrument::instrument(future, self.0.clone())
    }
}

#[cfg(not(feature = "tracing"))]
#[expect(clippy::unused_self, reason = "as with the feature")]
impl Span {
    pub(crate) const fn of(_: &RunContext) -> Self {
        Self()
    }

    pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }

    pub(crate) const fn end(&self, _: &Outcome) {}

    #[cfg(feature = "tokio")]
    pub(crate) fn instrument<F: Future>(&self, future: F) -> F {
        future
    }
}
