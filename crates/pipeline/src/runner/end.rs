//! Records the ends of runs, and starts the runs that become ready.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use std::sync::Arc;

use millicron_scheduler::{Completion, JobHandle, Outcome, RunContext};

use super::runs::RunKey;
use super::sharing::ClaimStep;
use super::state::{Inner, State, catch_panic, system_time};
use super::waiting::EndedRun;
use crate::{History, Run, RunState, error_message};

impl<H: History + Send + 'static> State<H> {
    /// Handles the outcome of an attempt. The scheduler retries a run if its retry policy says so.
    pub(super) fn end_attempt(
        self: &Arc<Self>,
        run: RunKey,
        context: &RunContext,
        outcome: Outcome,
        completion: Completion,
    ) {
        let retry = self.settings.retries[run.index].filter(|_| !outcome.is_success());
        let mut inner = self.lock();
        let is_lost = self.settings.sharing.is_some() && inner.runs.claim(run).is_none();
        if retry.is_some_and(|retry| retry.wait_after(context).is_some())
            && !inner.is_cancelled
            && !is_lost
        {
            inner.runs.set_retrying(run, true);
            drop(inner);
            return completion.finish(outcome);
        }
        drop(inner);
        self.finish(run, outcome, completion);
    }

    /// Gives up a run, and records it as failed.
    pub(super) fn give_up(self: &Arc<Self>, run: RunKey, reason: &str, completion: Completion) {
        let mut inner = self.lock();
        let step = self.claim(&mut inner, run);
        let outcome = match step {
            ClaimStep::Granted => {
                drop(inner);
                return self.finish(run, Outcome::Failed(reason.to_string()), completion);
            }
            ClaimStep::Failed(error) => {
                inner.runs.finish(run);
                drop(inner);
                Outcome::Failed(format!("cannot claim the run: {error}"))
            }
            elsewhere => {
                let pending = self.leave(&mut inner, run, &elsewhere);
                drop(inner);
                self.call_scheduler(pending);
                Outcome::Succeeded
            }
        };
        completion.finish(outcome);
    }

    /// Fails a run that could not be started, without recording it.
    pub(super) fn refuse(&self, run: RunKey, reason: String, completion: Completion) {
        let mut inner = self.lock();
        let handle = inner.runs.handle(run);
        inner.runs.finish(run);
        drop(inner);
        completion.finish(Outcome::Failed(reason));
        // It is not retried.
        if let Some(handle) = handle {
            handle.cancel();
        }
    }

    /// Records the outcome of a run. Runs that become ready are handed to the scheduler before this
    /// run is completed, so that the scheduler is never idle in between.
    fn finish(self: &Arc<Self>, run: RunKey, outcome: Outcome, completion: Completion) {
        let (state, what) = match outcome {
            Outcome::Succeeded => (RunState::Succeeded, "the success"),
            _ => (RunState::Failed, "the failure"),
        };
        let mut inner = self.lock();
        let handle = inner.runs.handle(run);
        let recorded = self.record_end(&mut inner, run, state);
        let is_lost = self.settings.sharing.is_some() && inner.runs.claim(run).is_none();
        if is_lost && recorded.is_err() && !inner.is_cancelled {
            inner.runs.hold(run);
        } else {
            inner.runs.finish(run);
        }
        let outcome = match recorded {
            Ok(()) => {
                let pending = self.recheck(&mut inner, run);
                drop(inner);
                // Call the observer before the runs that need this one start, since they may end
                // before this thread continues.
                self.tell(run, state, failure(&outcome));
                self.call_scheduler(pending);
                outcome
            }
            Err(error) => {
                drop(inner);
                let failure = failure(&outcome).map(|failure| format!("{failure}; "));
                let failure = failure.unwrap_or_default();
                Outcome::Failed(format!("{failure}cannot record {what}: {error}"))
            }
        };
        let is_success = outcome.is_success();
        completion.finish(outcome);
        // The scheduler does not know that this attempt was the last one.
        if let Some(handle) = handle.filter(|_| !is_success) {
            handle.cancel();
        }
    }

    /// Records how an active run ended, under its claim if runs are claimed.
    pub(super) fn record_end(
        &self,
        inner: &mut Inner<H>,
        run: RunKey,
        state: RunState,
    ) -> Result<(), String> {
        let Run { scheduled, job } = self.run(run);
        let Inner { history, runs, .. } = inner;
        let Some(sharing) = &self.settings.sharing else {
            let record = || history.record_state(job, scheduled, state);
            return catch_panic(record)?.map_err(|error| error_message(&error));
        };
        let Some(claim) = runs.claim(run) else {
            return Err("the claim is lost".to_string());
        };
        let recorded = catch_panic(|| sharing.record(history, claim, state))?;
        if recorded.is_lost() {
            runs.set_claim(run, None);
        }
        recorded.into_result()
    }

    /// Reports to the observer how a run ended. A panic in the observer has no effect.
    pub(super) fn tell(&self, key: RunKey, state: RunState, reason: Option<String>) {
        let Some(on_end) = &self.settings.on_end else { return };
        let run = self.run(key);
        let Some(scheduled) = system_time(run.scheduled) else { return };
        let (job, run) = (run.job.to_string(), self.text(key));
        let ended = EndedRun { job, scheduled, state, reason, run };
        drop(catch_panic(|| on_end(&ended)));
    }

    /// Drops the runs that wait for their next attempt, and releases their claims. Returns their
    /// jobs.
    pub(super) fn drop_retries(&self, inner: &mut Inner<H>) -> Vec<JobHandle> {
        let Inner { history, runs, .. } = inner;
        let mut handles = Vec::new();
        for (handle, claim) in runs.drop_retries() {
            handles.extend(handle);
            if let Some((sharing, claim)) = self.settings.sharing.as_ref().zip(claim) {
                // If this fails, the lease expires.
                drop(catch_panic(|| sharing.release(history, &claim)));
            }
        }
        handles
    }
}

/// Returns why a run did not succeed; `None` if it did.
fn failure(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Succeeded => None,
        Outcome::Failed(error) => Some(error.clone()),
        other => Some(other.to_string()),
    }
}
