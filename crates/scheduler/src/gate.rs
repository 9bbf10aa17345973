//! [`Gate`]: a veto on starts.

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

/// How a scheduler asks whether a run may start.
pub(crate) enum AskGate {
    Blocking(Box<dyn Gate>),
    /// A gate that answers later.
    #[cfg(feature = "tokio")]
    Async(crate::tokio::AsyncGate),
}
