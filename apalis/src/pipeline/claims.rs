//! Claims of runs, and how the runs ended.

use std::time::Instant;

use futures_channel::oneshot;
use millicron_pipeline::{Claim, ClaimError, ClaimOutcome, Claims, RunState};

use super::keeper::{Keeper, message};
use super::link::{ClaimStep, RecordError};
use crate::queue::Now;

impl<P, H: Claims> Keeper<P, H> {
    pub(super) fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        now: Now,
    ) -> Result<ClaimStep, String> {
        let index = self.index(job)?;
        let run = (scheduled, index);
        // The task may be older than the decision to run its upstream runs again.
        let state =
            self.ask(|history, _| history.state(job, scheduled).map_err(|error| message(&error)))?;
        if state.is_none() && !self.is_ready(job, scheduled)? {
            self.open.lose_task(run, now.elapsed);
            return Ok(ClaimStep::NothingToDo);
        }
        let (owner, lease) = (self.settings.owner.clone(), self.settings.lease);
        let outcome = self.ask(|history, _| {
            history.claim(job, scheduled, &owner, lease).map_err(|error| message(&error))
        })?;
        match outcome {
            ClaimOutcome::Granted(claim) => {
                let (lost, notice) = oneshot::channel();
                if self.claims.is_empty() {
                    self.renew_at = Instant::now() + lease / 3;
                }
                self.claims.insert(run, (claim.clone(), lost));
                self.open.add(run);
                Ok(ClaimStep::Granted(claim, notice))
            }
            ClaimOutcome::Held { .. } => {
                // The other worker may be dead, and this may have been the only task.
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
                Err(ClaimError::History(error)) => Err(RecordError::History(message(&error))),
            })
        });
        let recorded = recorded.unwrap_or_else(|error| Err(RecordError::History(error)));
        match recorded {
            Ok(()) => {
                self.claims.remove(&run);
                self.open.remove(run);
            }
            Err(RecordError::Lost) => drop(self.claims.remove(&run)),
            Err(RecordError::History(_)) => {}
        }
        recorded
    }

    /// Renews all claims, and drops the handlers whose claims are lost.
    pub(super) fn renew(&mut self) {
        let lease = self.settings.lease;
        self.renew_at = Instant::now() + lease / 3;
        for run in self.claims.keys().copied().collect::<Vec<_>>() {
            let Some((claim, _)) = self.claims.get(&run) else { continue };
            let claim = claim.clone();
            let renewed = self.ask(|history, _| match history.renew(&claim, lease) {
                Ok(()) => Ok(true),
                Err(ClaimError::Lost) => Ok(false),
                Err(ClaimError::History(error)) => Err(message(&error)),
            });
            if renewed == Ok(false)
                && let Some((_, lost)) = self.claims.remove(&run)
            {
                // The task may have ended meanwhile.
                let _ = lost.send(());
            }
            // A history that fails may recover before the lease expires.
            self.report(renewed.map(drop));
        }
    }
}
