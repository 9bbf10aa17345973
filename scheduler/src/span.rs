//! [`Span`]: the `tracing` span of a run. Without the feature `tracing` it does nothing.

use crate::outcome::Outcome;
use crate::run::RunContext;

/// The span of a run, with the fields `job`, `scheduled`, `lateness` and `outcome`.
#[derive(Clone)]
pub(crate) struct Span(#[cfg(feature = "tracing")] tracing::Span);

#[cfg(feature = "tracing")]
impl Span {
    pub(crate) fn of(run: &RunContext) -> Self {
        use millicron::CalendarDigits;

        let scheduled = CalendarDigits::try_from(run.scheduled());
        Self(tracing::info_span!(
            "run",
            job = %run.job_name(),
            scheduled = scheduled.ok().map(tracing::field::display),
            lateness = ?run.lateness(),
            outcome = tracing::field::Empty,
        ))
    }

    pub(crate) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.in_scope(work)
    }

    pub(crate) fn record_outcome(&self, outcome: &Outcome) {
        self.0.record("outcome", tracing::field::debug(outcome));
    }

    /// Wraps a future so that it is polled within the span.
    #[cfg(feature = "tokio")]
    pub(crate) fn instrument<F: Future>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        tracing::Instrument::instrument(future, self.0.clone())
    }
}

#[cfg(not(feature = "tracing"))]
#[expect(clippy::unused_self, reason = "the same methods as with the feature")]
impl Span {
    pub(crate) const fn of(_: &RunContext) -> Self {
        Self()
    }

    pub(crate) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }

    pub(crate) const fn record_outcome(&self, _: &Outcome) {}

    #[cfg(feature = "tokio")]
    pub(crate) fn instrument<F: Future>(&self, future: F) -> F {
        future
    }
}
