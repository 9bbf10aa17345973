//! Claims runs, and records how they ended.

use std::sync::Arc;
use std::time::Instant;

use futures_channel::oneshot;
use millicron_pipeline::{
    Claim, ClaimError, ClaimOutcome, Claims, QueryError, RunState, error_message,
};

use super::guard::{Deadline, Guard};
use super::keeper::Keeper;
use super::link::{ClaimStep, Link, RecordError};
use super::open::RunKey;
use crate::push::queue::Now;

/// A claim under which a task of this process executes its run.
pub(crate) struct HeldClaim {
    claim: Claim,
    lost: oneshot::Sender<()>,
    deadline: Deadline,
}

impl HeldClaim {
    /// Makes the task drop its handler.
    fn lose(self) {
        // The task may have ended by now.
        let _ = self.lost.send(());
    }
}

impl<P, H: Claims> Keeper<P, H> {
    pub(super) fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        link: Arc<Link>,
        now: Now,
    ) -> Result<ClaimStep, String> {
        let index = match self.index(job) {
            Ok(index) => index,
            Err(error) => return Ok(ClaimStep::Unknown(error)),
        };
        let run = (scheduled, index);
        // Upstream runs may have been forgotten for a rerun since the task was pushed.
        let state = self.ask(|history, _| {
            history.state(job, scheduled).map_err(|error| error_message(&error))
        })?;
        if state.is_none() {
            let ready =
                self.ask(|history, pipeline| match pipeline.ready(job, scheduled, history) {
                    Ok(ready) => Ok(Ok(ready.is_ready())),
                    Err(QueryError::History(error)) => Err(error_message(&error)),
                    Err(error) => Ok(Err(error_message(&error))),
                })?;
            match ready {
                Ok(true) => {}
                Ok(false) => {
                    self.open.lose_own_task(run);
                    return Ok(ClaimStep::NothingToDo);
                }
                Err(error) => return Ok(ClaimStep::Unknown(error)),
            }
        }
        let (owner, lease) = (self.settings.owner.clone(), self.settings.lease);
        let asked = Instant::now();
        let outcome = self.ask(|history, _| {
            history.claim(job, scheduled, &owner, lease).map_err(|error| error_message(&error))
        })?;
        match outcome {
            ClaimOutcome::Granted(claim) => {
                let (lost, notice) = oneshot::channel();
                if self.claims.is_empty() {
                    self.renew_at = asked + lease / 3;
                }
                let deadline = Deadline::new(asked + lease);
                let held = HeldClaim { claim: claim.clone(), lost, deadline: deadline.clone() };
                if let Some(replaced) = self.claims.insert(run, held) {
                    replaced.lose();
                }
                self.open.add(run);
                Ok(ClaimStep::Granted(Guard::new(link, claim, notice, deadline)))
            }
            ClaimOutcome::Held { .. } => {
                // The other worker may be dead, and this may be the only task.
                self.open.lose_task(run, now.elapsed.saturating_add(lease));
                Ok(ClaimStep::NothingToDo)
            }
            ClaimOutcome::Ended(_) => {
                self.open.remove(run);
                Ok(ClaimStep::NothingToDo)
            }
        }
    }

    pub(super) fn record(&mut self, claim: &Claim, state: RunState) -> Result<(), RecordError> {
        let run = self.index(&claim.job).map(|index| (claim.scheduled, index));
        let run = run.map_err(RecordError::History)?;
        let recorded = self.ask(|history, _| {
            Ok(match history.record_claimed(claim, state) {
                Ok(()) => Ok(()),
                Err(ClaimError::Lost) => Err(RecordError::Lost),
                Err(ClaimError::History(error)) => Err(RecordError::History(error_message(&error))),
            })
        });
        let recorded = recorded.unwrap_or_else(|error| Err(RecordError::History(error)));
        match recorded {
            Ok(()) => {
                self.remove_claim(run, claim.token);
                self.open.remove(run);
            }
            Err(RecordError::Lost) => self.remove_claim(run, claim.token),
            Err(RecordError::History(_)) => {}
        }
        recorded
    }

    /// Releases a claim.
    pub(super) fn release(&mut self, claim: &Claim) {
        if let Ok(index) = self.index(&claim.job) {
            self.remove_claim((claim.scheduled, index), claim.token);
        }
        // If this fails, the lease expires.
        drop(self.ask(|history, _| history.release(claim).map_err(|_| String::new())));
    }

    /// Removes a claim, unless a later claim of the same run has replaced it.
    fn remove_claim(&mut self, run: RunKey, token: i64) {
        if self.claims.get(&run).is_some_and(|held| held.claim.token == token) {
            self.claims.remove(&run);
        }
    }

    /// Drops the claim of a run that is no longer claimed, and its handler.
    pub(super) fn lose_claim(&mut self, run: RunKey) {
        if let Some(held) = self.claims.remove(&run) {
            held.lose();
        }
    }

    /// Renews all claims if it is time, and drops the handlers whose claims are lost.
    pub(super) fn renew_if_due(&mut self) {
        let now = Instant::now();
        if now < self.renew_at {
            return;
        }
        let lease = self.settings.lease;
        self.renew_at = now + lease / 3;
        for run in self.claims.keys().copied().collect::<Vec<_>>() {
            let Some(HeldClaim { claim, deadline, .. }) = self.claims.get(&run) else { continue };
            let (claim, deadline) = (claim.clone(), deadline.clone());
            let asked = Instant::now();
            let renewed = self.ask(|history, _| match history.renew(&claim, lease) {
                Ok(()) => Ok(true),
                Err(ClaimError::Lost) => Ok(false),
                Err(ClaimError::History(error)) => Err(error_message(&error)),
            });
            match renewed {
                Ok(true) => deadline.set(asked + lease),
                Ok(false) => self.lose_claim(run),
                // The history may recover before the lease expires.
                Err(error) => self.report(Err(error)),
            }
        }
    }
}
