//! Claims of an [`SqliteHistory`].

use core::time::Duration;

use super::SqliteHistory;
use super::changes::Changes;
use super::error::SqliteError;
use super::rows::{ClaimRow, Fault};
use crate::clock::Clock;
use crate::{Claim, ClaimError, ClaimOutcome, Claims, RunState};

impl Claims for SqliteHistory {
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, SqliteError> {
        self.change(|changes, clock| {
            if let Some(run) = changes.run(job, scheduled)? {
                return Ok(ClaimOutcome::Ended(run.state));
            }
            let held = changes.claim(job, scheduled)?;
            // The clock is read only now: waiting for other writers may have taken a while.
            if let Some(ClaimRow { owner, expires, .. }) = &held
                && clock.now() < *expires
            {
                return Ok(ClaimOutcome::Held { owner: owner.as_str().into(), expires: *expires });
            }
            let token = changes.next_token()?;
            let new = (owner, token, clock.after(lease));
            changes.put_claim((job, scheduled), held.as_ref(), new)?;
            Ok(ClaimOutcome::Granted(Claim { job: job.into(), scheduled, token }))
        })
    }

    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, clock, old| {
            let new = (&*old.owner, old.token, clock.after(lease));
            changes.put_claim((&claim.job, claim.scheduled), Some(old), new)
        })
    }

    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, _, old| {
            changes.remove_claim(&claim.job, claim.scheduled, old)
        })
    }

    fn record_claimed(
        &mut self,
        claim: &Claim,
        state: RunState,
    ) -> Result<(), ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, _, old| {
            changes.remove_claim(&claim.job, claim.scheduled, old)?;
            changes.put_run(&claim.job, claim.scheduled, state)
        })
    }
}

impl SqliteHistory {
    /// Changes the history, unless a claim is lost.
    fn change_claimed(
        &mut self,
        claim: &Claim,
        change: impl FnOnce(&mut Changes<'_>, &Clock, &ClaimRow) -> Result<(), Fault>,
    ) -> Result<(), ClaimError<SqliteError>> {
        let is_held = self.change(|changes, clock| {
            let held = changes.claim(&claim.job, claim.scheduled)?;
            let held = held.filter(|held| held.token == claim.token);
            if let Some(held) = &held {
                change(changes, clock, held)?;
            }
            Ok(held.is_some())
        })?;
        if is_held { Ok(()) } else { Err(ClaimError::Lost) }
    }
}
