//! [`Gate`]: a veto on starts.

use std::sync::Arc;

use crate::panics::catch_panic;
use crate::run::{RunContext, RunId};

/// Decides whether a run may start, for example by a distributed lock, leader election or a
/// maintenance window. Closures `|run: &RunContext| …` implement it.
///
/// A worker calls the gate before each attempt of a run, and the gate may block it. Only a run that fails because
/// no thread can be started counts as started although no gate was asked. If the gate
/// returns `false` or panics, the run is skipped, which is reported with
/// [`SkipReason::Gate`](crate::SkipReason::Gate), or is not retried any more, which is reported as
/// [`Event::RetriesCancelled`](crate::Event::RetriesCancelled). The [lateness](RunContext::lateness)
/// of a run includes the time that its gate takes.
///
/// While a gate is asked, its run counts as in progress, so closing the scheduler waits for the answer, although
/// the run no longer starts. A gate that may take long should also return when the run's
/// [token](RunContext::token) is cancelled.
///
/// ```
/// use millicron::schedule;
/// use millicron_scheduler::{RunContext, Scheduler};
///
/// # fn insert_if_absent(_: String) -> bool { true }
/// let scheduler = Scheduler::builder()
///     // The first of several processes that inserts the key runs the event.
///     .gate(|run: &RunContext| {
///         let since_1970 = run.scheduled().duration_since(std::time::UNIX_EPOCH);
///         let millis = since_1970.unwrap_or_default().as_millis();
///         insert_if_absent(format!("{}:{millis}", run.job_name()))
///     })
///     .start()?;
/// # drop(scheduler);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// With the feature `tokio`, `SchedulerBuilder::async_gate` sets an async gate.
pub trait Gate: Send + Sync + 'static {
    /// Returns whether the run may start. The run's [lateness](RunContext::lateness) is still zero,
    /// and its [start](RunContext::started) is its scheduled instant.
    fn may_start(&self, run: &RunContext) -> bool;
}

impl<F: Fn(&RunContext) -> bool + Send + Sync + 'static> Gate for F {
    fn may_start(&self, run: &RunContext) -> bool {
        self(run)
    }
}

/// Asks whether a run may start, and passes the answer on, at once or later.
pub(crate) type AnyGate = Box<dyn Fn(&RunContext, Answer) + Send + Sync>;

/// Receives the answers of gates.
pub(crate) trait AnswerSink: Send + Sync {
    /// Receives whether a run may start, or the message if the gate has panicked.
    fn answer(&self, run: RunId, answer: Result<bool, String>);
}

/// Passes on the answer of a gate for a run. If it is dropped before, because the gate has panicked or
/// its runtime shuts down, the run is refused.
pub(crate) struct Answer {
    sink: Option<Arc<dyn AnswerSink>>,
    run: RunId,
}

impl Answer {
    pub(crate) fn new(sink: Arc<dyn AnswerSink>, run: RunId) -> Self {
        Self { sink: Some(sink), run }
    }

    fn give(mut self, answer: Result<bool, String>) {
        if let Some(sink) = self.sink.take() {
            sink.answer(self.run, answer);
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(sink) = self.sink.take() {
            // The panic hook has reported the message.
            let is_panicking = std::thread::panicking();
            sink.answer(self.run, if is_panicking { Err(String::new()) } else { Ok(false) });
        }
    }
}

/// Returns a gate that blocks the worker until it has answered.
pub(crate) fn blocking_gate(gate: impl Gate) -> AnyGate {
    Box::new(move |run, answer| answer.give(catch_panic(|| gate.may_start(run))))
}

/// Returns a gate that answers on a runtime.
#[cfg(feature = "tokio")]
pub(crate) fn async_gate<F>(
    runtime: tokio::runtime::Handle,
    ask: impl Fn(RunContext) -> F + Send + Sync + 'static,
) -> AnyGate
where
    F: Future<Output = bool> + Send + 'static,
{
    Box::new(move |run, answer| match catch_panic(|| ask(run.clone())) {
        Ok(future) => drop(runtime.spawn(async move { answer.give(Ok(future.await)) })),
        Err(message) => answer.give(Err(message)),
    })
}
