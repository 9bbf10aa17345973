//! [`Gate`]: a veto on starts.

use std::sync::Arc;

use crate::panics::catch_panic;
use crate::run::RunContext;

/// Decides whether a run may start, for example by a distributed lock, leader election or a
/// maintenance window. Closures `|run: &RunContext| …` implement it.
///
/// A worker calls the gate before each attempt of a run, and the gate may block it. If the gate
/// returns `false` or panics, the run is skipped, which is reported with
/// [`SkipReason::Gate`](crate::SkipReason::Gate). The [lateness](RunContext::lateness) of a run
/// includes the time that its gate takes.
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

/// A gate of either kind.
pub(crate) enum AnyGate {
    Blocking(Box<dyn Gate>),
    /// A gate that answers later.
    #[cfg(feature = "tokio")]
    Async(AsyncGate),
}

/// Receives the answers of gates.
pub(crate) trait AnswerSink: Send + Sync {
    /// Receives whether a run, identified by its number among all runs of the scheduler, may start,
    /// or the message if the gate has panicked.
    fn answer(&self, run: u64, answer: Result<bool, String>);
}

impl AnyGate {
    /// Asks whether a run may start.
    pub(crate) fn ask<S: AnswerSink + 'static>(&self, sink: &Arc<S>, id: u64, run: &RunContext) {
        match self {
            Self::Blocking(gate) => sink.answer(id, catch_panic(|| gate.may_start(run))),
            #[cfg(feature = "tokio")]
            Self::Async(gate) => gate.ask(Arc::clone(sink) as _, id, run.clone()),
        }
    }
}

#[cfg(feature = "tokio")]
type GateFuture = std::pin::Pin<Box<dyn Future<Output = bool> + Send>>;

/// An async gate, which answers later.
#[cfg(feature = "tokio")]
pub(crate) struct AsyncGate {
    runtime: tokio::runtime::Handle,
    ask: Box<dyn Fn(RunContext) -> GateFuture + Send + Sync>,
}

#[cfg(feature = "tokio")]
impl AsyncGate {
    pub(crate) fn new<F>(
        runtime: &tokio::runtime::Handle,
        ask: impl Fn(RunContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        Self { runtime: runtime.clone(), ask: Box::new(move |run| Box::pin(ask(run))) }
    }

    /// Asks whether a run may start. If the gate panics or the runtime shuts down, the run is refused.
    fn ask(&self, sink: Arc<dyn AnswerSink>, id: u64, run: RunContext) {
        match catch_panic(|| (self.ask)(run)) {
            Ok(future) => {
                let mut answer = Answer { sink, id, may_start: false };
                drop(self.runtime.spawn(async move {
                    answer.may_start = future.await;
                    drop(answer);
                }));
            }
            Err(message) => sink.answer(id, Err(message)),
        }
    }
}

/// Passes on the answer of a gate when dropped, even by a panic.
#[cfg(feature = "tokio")]
struct Answer {
    sink: Arc<dyn AnswerSink>,
    id: u64,
    may_start: bool,
}

#[cfg(feature = "tokio")]
impl Drop for Answer {
    fn drop(&mut self) {
        // The panic hook has reported the message.
        let is_panicking = std::thread::panicking();
        let answer = if is_panicking { Err(String::new()) } else { Ok(self.may_start) };
        self.sink.answer(self.id, answer);
    }
}
