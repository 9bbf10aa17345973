//! [`ClaimedRun`]: a run that a task has claimed.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use apalis_core::error::BoxDynError;
use futures_timer::Delay;
use millicron_history::{Backoff, RunState};

use super::thread::{Granted, PipelineThread, report};
use crate::error::RunError;

/// How often to try to record how a run ended, and the pauses in between.
const ATTEMPTS_TO_RECORD: u32 = 6;
const PAUSES: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(2));

/// A run that a task has claimed. Dropping it releases the claim: if the handler fails or panics, if
/// the worker is dropped, or if nobody waits for the claim any more when it is granted.
pub(crate) struct ClaimedRun {
    thread: PipelineThread,
    granted: Granted,
    is_recorded: bool,
}

impl ClaimedRun {
    /// Claims a run, unless its task has nothing to do.
    pub(crate) async fn claim(
        thread: &PipelineThread,
        job: String,
        scheduled: i64,
    ) -> Result<Option<Self>, RunError> {
        let handle = thread.clone();
        let claimed = thread.call(move |runs| {
            let granted = runs.claim(&job, scheduled)?;
            Ok(granted.map(|granted| Self { thread: handle, granted, is_recorded: false }))
        });
        claimed.await
    }

    /// Waits for a handler. If the claim is lost or was not renewed in time, another worker may
    /// have it, so this drops the handler and returns `None`.
    pub(crate) async fn unless_lost<T>(&mut self, handler: impl Future<Output = T>) -> Option<T> {
        let Granted { lost, lease, .. } = &mut self.granted;
        let mut handler = pin!(handler);
        let mut delay = Delay::new(lease.remaining());
        poll_fn(|cx| {
            if Pin::new(&mut *lost).poll(cx).is_ready() {
                return Poll::Ready(None);
            }
            loop {
                // After the machine was suspended, the delay may not have noticed yet that it has
                // elapsed.
                let remaining = lease.remaining();
                if remaining.is_zero() {
                    return Poll::Ready(None);
                }
                if Pin::new(&mut delay).poll(cx).is_pending() {
                    break;
                }
                delay.reset(remaining);
            }
            handler.as_mut().poll(cx).map(Some)
        })
        .await
    }

    /// Records how the run ended.
    pub(crate) async fn record(mut self, state: RunState) -> Result<(), BoxDynError> {
        let mut failures = 0;
        loop {
            match self.try_record(state).await {
                Ok(true) => {
                    self.is_recorded = true;
                    return Ok(());
                }
                Ok(false) => return Err("another worker has taken the run over".into()),
                Err(error) if failures + 1 == ATTEMPTS_TO_RECORD => return Err(error.into()),
                Err(_) => {
                    Delay::new(PAUSES.wait(failures)).await;
                    failures += 1;
                }
            }
        }
    }

    async fn try_record(&self, state: RunState) -> Result<bool, RunError> {
        let (thread, claim) = (self.thread.clone(), self.granted.claim.clone());
        let recorded = self.thread.call(move |runs| {
            let is_recorded = runs.record(&claim, state)?;
            if is_recorded {
                // The task need not wait for this.
                thread.send(move |runs| drop(report(runs, |runs| runs.unlock(&claim, state))));
            }
            Ok(is_recorded)
        });
        recorded.await
    }
}

impl Drop for ClaimedRun {
    fn drop(&mut self) {
        if !self.is_recorded {
            let claim = self.granted.claim.clone();
            self.thread.send(move |runs| runs.release(&claim));
        }
    }
}
