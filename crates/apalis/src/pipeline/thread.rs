//! [`PipelineThread`]: the thread that owns the history of a pipeline.

use std::convert::Infallible;
use std::io;
use std::ops::RangeInclusive;
use std::sync::{Arc, Weak};
use std::task::{Wake, Waker};
use std::time::Instant;

use futures_channel::oneshot;
use millicron_history::{CallError, Claim, HistoryThread, Lease, RunState};

use crate::error::RunError;

/// What tasks and handles need of a pipeline and its history, whatever the types of the history and
/// the payload.
pub(crate) trait Runs: Send {
    /// Does what is due, and returns when there is more to do.
    fn work(&mut self) -> Option<Instant>;

    /// Finds the runs that became ready since the last time, and pushes tasks for them.
    fn refresh(&mut self);

    /// Claims a run for its task. Returns `None` if the task has nothing to do: the run has ended, is
    /// not ready, or is claimed by another worker.
    fn claim(&mut self, job: &str, scheduled: i64) -> Result<Option<Granted>, RunError>;

    /// Records how a run ended. Returns whether it was still claimed.
    fn record(&mut self, claim: &Claim, state: RunState) -> Result<bool, RunError>;

    /// Pushes tasks for the runs that the end of a run has unlocked.
    fn unlock(&mut self, claim: &Claim, state: RunState);

    /// Releases the claim of a run that did not end.
    fn release(&mut self, claim: &Claim);

    /// Forgets the records of a job's runs, and pushes tasks for those that are ready.
    fn run_again(&mut self, job: &str, runs: &RangeInclusive<i64>) -> Result<(), RunError>;
}

/// Runs of any type.
type AnyRuns = dyn Runs;

/// A claim that was granted to a task. It is renewed until the run is recorded or released.
pub(crate) struct Granted {
    pub(crate) claim: Claim,
    pub(crate) lease: Lease,
    /// Completes when the claim is lost.
    pub(crate) lost: oneshot::Receiver<Infallible>,
}

/// The thread ends when the last clone is dropped.
#[derive(Clone, Debug)]
pub(crate) struct PipelineThread(Arc<HistoryThread<AnyRuns>>);

impl PipelineThread {
    pub(crate) fn start(runs: impl Runs + 'static) -> io::Result<Self> {
        let runs: Box<AnyRuns> = Box::new(runs);
        let thread = HistoryThread::start("history of a pipeline", runs, Runs::work)?;
        Ok(Self(Arc::new(thread)))
    }

    /// Sends a closure, and does not wait for it.
    pub(crate) fn send(&self, call: impl FnOnce(&mut AnyRuns) + Send + 'static) {
        self.0.send(call);
    }

    /// Executes a closure on the thread, and waits for its result.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut AnyRuns) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let (reply, result) = oneshot::channel();
        self.send(move |runs| drop(reply.send(call(runs))));
        result.await.map_err(|_| CallError::Ended)
    }

    /// Returns a waker that makes the thread do what is due. It does not keep the thread alive.
    pub(crate) fn waker(&self) -> Waker {
        Waker::from(Arc::new(WakeThread(Arc::downgrade(&self.0))))
    }
}

struct WakeThread(Weak<HistoryThread<AnyRuns>>);

impl Wake for WakeThread {
    fn wake(self: Arc<Self>) {
        if let Some(thread) = self.0.upgrade() {
            // The thread works after each closure.
            thread.send(|_| ());
        }
    }
}
