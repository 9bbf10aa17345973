//! [`Span`]: the `tracing` span of a run. Without the feature `tracing` it does nothing.

use super::{Outcome, RunContext};

/// The span of a run, with the fields `job`, `scheduled`, `lateness`, `attempt` and `outcome`.
///
/// Subscribers are users' code and may panic, even when a span is cloned or dropped. The default reports
/// nothing.
#[derive(Default)]
#[cfg_attr(not(feature = "tracing"), derive(Clone))]
pub(crate) struct Span(#[cfg(feature = "tracing")] Option<tracing::Span>);

/// Returns the instant of a run in UTC.
#[cfg(feature = "tracing")]
pub(crate) fn digits(run: &RunContext) -> Option<millicron::CalendarDigits> {
    millicron::CalendarDigits::try_from(run.scheduled()).ok()
}

#[cfg(feature = "tracing")]
impl Span {
    pub(crate) fn of(run: &RunContext) -> Self {
        Self(Some(tracing::info_span!(
            "run",
            job = %run.job_name(),
            scheduled = digits(run).map(tracing::field::display),
            lateness = ?run.lateness(),
            attempt = run.attempt(),
            outcome = tracing::field::Empty,
        )))
    }

    /// Does work, which must not panic, within the span. Also returns the message if the subscriber
    /// panics.
    pub(crate) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> (T, Option<String>) {
        use crate::panics::{catch_panic, discard};

        let entered = catch_panic(|| self.0.as_ref().map(tracing::Span::enter));
        let done = work();
        let panic = match entered {
            Ok(entered) => discard(entered).err(),
            Err(message) => Some(message),
        };
        (done, panic)
    }

    pub(crate) fn record_outcome(&self, outcome: &Outcome) {
        if let Some(span) = &self.0 {
            span.record("outcome", tracing::field::debug(outcome));
        }
    }

    /// Drops the span, which closes it if no other clone exists. A subscriber may panic.
    pub(crate) fn close(mut self) {
        drop(self.0.take());
    }

    /// Wraps a future so that it is polled within the span.
    #[cfg(feature = "tokio")]
    pub(crate) fn instrument<F: Future>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        let span = self.0.clone().unwrap_or_else(tracing::Span::none);
        tracing::Instrument::instrument(future, span)
    }
}

#[cfg(feature = "tracing")]
impl Clone for Span {
    fn clone(&self) -> Self {
        Self(crate::panics::catch_panic(|| self.0.clone()).ok().flatten())
    }
}

#[cfg(feature = "tracing")]
impl Drop for Span {
    fn drop(&mut self) {
        // The panic hook has reported the panic.
        drop(crate::panics::discard(self.0.take()));
    }
}

#[cfg(not(feature = "tracing"))]
#[expect(clippy::unused_self, reason = "the same methods as with the feature")]
impl Span {
    pub(crate) const fn of(_: &RunContext) -> Self {
        Self()
    }

    pub(crate) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> (T, Option<String>) {
        (work(), None)
    }

    pub(crate) const fn record_outcome(&self, _: &Outcome) {}

    pub(crate) const fn close(self) {}

    #[cfg(feature = "tokio")]
    pub(crate) fn instrument<F: Future>(&self, future: F) -> F {
        future
    }
}
