//! [`PipelineThread`]: the thread that owns the history of a pipeline.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::ops::RangeInclusive;
use std::sync::{Arc, Weak};
use std::task::{Wake, Waker};
use std::time::Instant;

use futures_channel::oneshot;
use millicron_history::{CallError, Claim, HistoryThread, Lease, RunState, catch_panic};

use crate::error::RunError;

/// What tasks and handles need of a pipeline and its history, whatever the types of the history and
/// the payload.
pub(crate) trait Runs: Send {
    /// Does what is due, and returns when there is more to do.
    fn work(&mut self) -> Option<Instant>;

    /// Begins another scan for runs that became ready, and drops `done` when it has ended or failed.
    fn refresh(&mut self, done: oneshot::Sender<Infallible>);

    /// Claims a run for its task. Returns `None` if the task has nothing to do: the run has ended, is
    /// not ready, or is claimed by another worker.
    fn claim(&mut self, job: &str, scheduled: i64) -> Result<Option<Granted>, RunError>;

    /// Records how a run ended. Returns whether it was still claimed.
    fn record(&mut self, claim: &Claim, state: RunState) -> Result<bool, RunError>;

    /// Pushes tasks for the runs that the end of a run has unlocked.
    fn unlock(&mut self, claim: &Claim, state: RunState) -> Result<(), RunError>;

    /// Releases the claim of a run that did not end.
    fn release(&mut self, claim: &Claim);

    /// Forgets the records of a job's runs, and pushes tasks for those that are ready.
    fn run_again(&mut self, job: &str, runs: &RangeInclusive<i64>) -> Result<(), RunError>;

    /// Reports a failure of the history.
    fn history_failed(&self, error: &(dyn Error + 'static));
}

/// Calls a function, turns a panic into an error, and reports a failure of the history.
pub(crate) fn report<R: Runs + ?Sized, T>(
    runs: &mut R,
    call: impl FnOnce(&mut R) -> Result<T, RunError>,
) -> Result<T, RunError> {
    let result = catch_panic(|| call(runs)).map_err(RunError::history).flatten();
    if let Err(RunError::History(error)) = &result {
        runs.history_failed(&**error);
    }
    result
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

    /// Executes a closure on the thread, reports a failure, and waits for the result.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut AnyRuns) -> Result<T, RunError> + Send + 'static,
    ) -> Result<T, RunError> {
        let (reply, result) = oneshot::channel();
        self.send(move |runs| drop(reply.send(report(runs, call))));
        result.await.map_err(|_| RunError::history(CallError::Ended))?
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
