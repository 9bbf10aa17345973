//! Records the ends of runs, and starts the runs that become ready.

use alloc::format;
use alloc::string::{String, ToString as _};
use std::sync::Arc;

use millicron::system_time;
use millicron_history::catch_panic;
use millicron_scheduler::{Completion, Outcome, RunContext};

use super::report::EndedRun;
use super::runs::{RunKey, Stage};
use super::state::{Inner, State, call, cancel_all};
use crate::{ClaimError, Claims, PipelineRun, RunState};

impl<H: Claims + Send + 'static> State<H> {
    /// Handles the outcome of an attempt. The scheduler retries a run if its retry policy says so.
    pub(super) fn end_attempt(
        self: &Arc<Self>,
        run: RunKey,
        context: &RunContext,
        outcome: Outcome,
        completion: Completion,
    ) {
        let retry = self.jobs[run.index].retry.filter(|_| !outcome.is_success());
        let mut inner = self.lock();
        // From now on, its attempt cannot be stopped.
        let is_stopped = inner.runs.leases.remove(&run);
        if !outcome.is_success() && is_stopped {
            // It has further attempts, but the scheduler does not retry a cancelled job.
            inner.runs.drop_claim(run);
        }
        let is_lost = inner.runs.has_lost_claim(run);
        if retry.is_some_and(|retry| retry.wait_after(context).is_some())
            && !inner.is_cancelled
            && !is_lost
        {
            inner.runs.set_stage(run, Stage::Retrying);
            drop(inner);
            return completion.finish(outcome);
        }
        drop(inner);
        self.finish(run, outcome, completion);
    }

    /// Gives up a run, and records it as failed.
    pub(super) fn give_up(self: &Arc<Self>, run: RunKey, reason: &str, completion: Completion) {
        if let Some(completion) = self.claim_or_complete(self.lock(), run, completion) {
            self.finish(run, Outcome::Failed(reason.to_string()), completion);
        }
    }

    /// Fails a run that could not be started, without recording it.
    pub(super) fn refuse(&self, run: RunKey, reason: String, completion: Completion) {
        let mut inner = self.lock();
        let handle = inner.runs.handle(run);
        inner.runs.finish(run);
        drop(inner);
        completion.finish(Outcome::Failed(reason));
        // It is not retried.
        cancel_all(handle);
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
        let is_lost = inner.runs.has_lost_claim(run);
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
        cancel_all(handle.filter(|_| !is_success));
    }

    /// Records how an active run ended, under its claim if runs are claimed.
    pub(super) fn record_end(
        &self,
        inner: &mut Inner<H>,
        run: RunKey,
        state: RunState,
    ) -> Result<(), String> {
        let PipelineRun { scheduled, job } = self.run(run);
        let Inner { history, runs, .. } = inner;
        let Some(claims) = &mut runs.claims else {
            return call(|| history.record_state(job, scheduled, state));
        };
        let is_recorded = match claims.get(&run) {
            Some(held) => call(|| match history.record_claimed(&held.claim, state) {
                Ok(()) => Ok(true),
                Err(ClaimError::Lost) => Ok(false),
                Err(ClaimError::History(error)) => Err(error),
            })?,
            None => false,
        };
        if is_recorded {
            return Ok(());
        }
        claims.remove(&run);
        Err("the claim is lost".to_string())
    }

    /// Reports to the observer how a run ended. A panic in the observer has no effect.
    pub(super) fn tell(&self, key: RunKey, state: RunState, reason: Option<String>) {
        let Some(on_end) = &self.observers.on_end else { return };
        let run = self.run(key);
        let Some(scheduled) = system_time(run.scheduled) else { return };
        let (job, run) = (run.job.to_string(), self.text(key));
        let ended = EndedRun { job, scheduled, state, reason, run };
        drop(catch_panic(|| on_end(&ended)));
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
