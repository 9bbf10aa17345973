//! [`Completion`]: reports how a deferred run ended.

use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use crate::panics::catch_panic;
use crate::run::{Outcome, RunId, Span};
use crate::sync::{Mutex, thread};

/// Where a [`Completion`] reports the outcome of a run.
pub(crate) trait OutcomeSink: Send + Sync {
    /// Receives the outcome of a run.
    fn report(&self, run: RunId, outcome: Outcome);

    /// Like [`report`](Self::report), but the run may end after this returns.
    #[cfg(feature = "tokio")]
    fn report_soon(&self, run: RunId, outcome: Outcome) {
        self.report(run, outcome);
    }

    /// Returns the wait until the next attempt if the run fails now.
    fn retry_after(&self, run: RunId) -> Option<Duration>;
}

/// Reports the end of a [deferred](crate::Job::deferred) run.
///
/// Dropping it without calling [`finish`](Self::finish) ends the run as
/// [abandoned](Outcome::Abandoned), or as [panicked](Outcome::Panicked) if the thread is
/// unwinding.
#[must_use = "dropping it abandons the run"]
pub struct Completion {
    /// `None` once the outcome is reported.
    report_to: Option<(Arc<dyn OutcomeSink>, RunId)>,
    span: Span,
    /// Whether the outcome is final: no other completion may change it.
    is_final: bool,
}

impl Completion {
    pub(crate) fn new(sink: Arc<dyn OutcomeSink>, run: RunId, span: Span) -> Self {
        Self { report_to: Some((sink, run)), span, is_final: true }
    }

    /// Returns a completion that reports nothing.
    pub(crate) fn inert() -> Self {
        Self { report_to: None, span: Span::default(), is_final: false }
    }

    /// Returns a completion that passes its outcome to `receive`, together with this completion,
    /// instead of ending the run. `receive` may be called while the completion is dropped; if it
    /// panics, the run counts as [panicked](Outcome::Panicked).
    ///
    /// ```
    /// use millicron_scheduler::{Completion, Outcome};
    ///
    /// /// Ends a run as failed if its work succeeds but the result cannot be stored.
    /// fn with_store(completion: Completion, store: fn() -> bool) -> Completion {
    ///     completion.intercept(move |outcome, completion| {
    ///         completion.finish(match outcome {
    ///             Outcome::Succeeded if !store() => Outcome::Failed("not stored".to_owned()),
    ///             outcome => outcome,
    ///         });
    ///     })
    /// }
    /// # let _ = with_store;
    /// ```
    pub fn intercept(self, receive: impl FnOnce(Outcome, Self) + Send + 'static) -> Self {
        self.intercepted(receive).0
    }

    /// Returns a completion that finishes this one, and another sink for the outcome. The first
    /// report counts.
    pub(crate) fn watched(self) -> (Self, Arc<Interceptor>) {
        self.intercepted(|outcome, completion| completion.finish(outcome))
    }

    fn intercepted(
        self,
        receive: impl FnOnce(Outcome, Self) + Send + 'static,
    ) -> (Self, Arc<Interceptor>) {
        let span = self.span.clone();
        let interceptor = Arc::new(Interceptor(Mutex::new(Some((Box::new(receive), self)))));
        let report_to = Some((Arc::clone(&interceptor) as Arc<dyn OutcomeSink>, RunId::default()));
        (Self { report_to, span, is_final: false }, interceptor)
    }

    #[cfg(feature = "tokio")]
    pub(crate) const fn span(&self) -> &Span {
        &self.span
    }

    /// Returns the time until the next attempt if the run fails now, or `None` if no attempt follows.
    /// Use it to report a failure that is [retried](crate::Retry) differently from a final one. A run that
    /// is [cancelled](crate::CancellationToken::cancel) after that, but before it ends, is not retried.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let (sink, run) = self.report_to.as_ref()?;
        sink.retry_after(*run)
    }

    /// Ends the run with an outcome.
    pub fn finish(mut self, outcome: Outcome) {
        self.report(outcome);
    }

    /// Ends the run with the outcome of its future, soon after this returns.
    #[cfg(feature = "tokio")]
    pub(crate) fn finish_soon(mut self, outcome: Outcome) {
        if let Some((sink, run)) = self.record(&outcome) {
            sink.report_soon(run, outcome);
        }
    }

    fn report(&mut self, outcome: Outcome) {
        if let Some((sink, run)) = self.record(&outcome) {
            sink.report(run, outcome);
        }
    }

    /// Records the outcome in the run's span. Returns where to report it, unless that is done.
    fn record(&mut self, outcome: &Outcome) -> Option<(Arc<dyn OutcomeSink>, RunId)> {
        let report_to = self.report_to.take()?;
        if self.is_final {
            // A subscriber may panic; the panic hook reports it.
            drop(catch_panic(|| self.span.record_outcome(outcome)));
        }
        Some(report_to)
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        self.report(if thread::panicking() {
            Outcome::Panicked(String::new())
        } else {
            Outcome::Abandoned
        });
    }
}

impl fmt::Debug for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion").finish_non_exhaustive()
    }
}

/// A function that receives an outcome, and the completion to pass to it.
type Interception = (Box<dyn FnOnce(Outcome, Completion) + Send>, Completion);

/// Passes the first outcome of a run to a function.
pub(crate) struct Interceptor(Mutex<Option<Interception>>);

impl OutcomeSink for Interceptor {
    fn report(&self, _: RunId, outcome: Outcome) {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((receive, completion)) = taken {
            // This may run while a completion is dropped, where a panic would abort the program.
            drop(catch_panic(|| receive(outcome, completion)));
        }
    }

    fn retry_after(&self, _: RunId) -> Option<Duration> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.as_ref().and_then(|(_, completion)| completion.retry_after())
    }
}
