//! Claims of an [`SqliteHistory`].

use core::time::Duration;

use super::SqliteHistory;
use super::changes::{Changes, Checked};
use super::rows::{Fault, TableRow as _, claim_columns};
use crate::clock::Clock;
use crate::error::SqliteError;
use crate::stored_claim::StoredClaim;
use crate::{Claim, ClaimError, ClaimOutcome, Claims, RunRecord, StartedRun};

const STARTED: &str = concat!(
    "SELECT ",
    claim_columns!(),
    ", job FROM claim WHERE NOT EXISTS \
    (SELECT 1 FROM run WHERE run.job = claim.job AND run.scheduled = claim.scheduled) \
    ORDER BY job, scheduled"
);

impl Claims for SqliteHistory {
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, SqliteError> {
        self.change(|changes, clock| {
            let run = (job, scheduled);
            if let Some((record, _)) = changes.get::<RunRecord>(run)? {
                return Ok(ClaimOutcome::Ended(record.state));
            }
            let earlier = changes.get::<StoredClaim>(run)?;
            // The clock is read only now: waiting for other writers may have taken a while.
            if let Some(held) = earlier.as_ref().and_then(|(claim, _)| claim.held(clock.now())) {
                return Ok(held);
            }
            grant(changes, clock, run, earlier.as_ref(), (owner, lease)).map(ClaimOutcome::Granted)
        })
    }

    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, clock, run, (old, checksum)| {
            let new = StoredClaim { expires: clock.after(lease), ..old };
            changes.put(run, Some(checksum), &new)
        })
    }

    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, _, run, (_, checksum)| {
            changes.remove_claim(run, checksum)
        })
    }

    fn record_claimed_run(
        &mut self,
        claim: &Claim,
        record: RunRecord,
    ) -> Result<(), ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, clock, run, (old, checksum)| {
            changes.remove_claim(run, checksum)?;
            changes.record(run, &old.complete(record, clock.now()))
        })
    }

    fn take_over(
        &mut self,
        claim: &Claim,
        owner: &str,
        lease: Duration,
    ) -> Result<Claim, ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, clock, run, old| {
            grant(changes, clock, run, Some(&old), (owner, lease))
        })
    }

    fn started_runs(&self) -> Result<Vec<StartedRun>, SqliteError> {
        let now = self.clock.now();
        (|| {
            let mut select = self.connection.prepare_cached(STARTED)?;
            let mut rows = select.query(())?;
            let mut started = Vec::new();
            while let Some(row) = rows.next()? {
                let job: String = row.get("job")?;
                let (claim, _) = StoredClaim::read(StoredClaim::seed(&job), row)?;
                started.push(claim.started_run(&job, row.get(0)?, now));
            }
            Ok(started)
        })()
        .map_err(|fault: Fault| fault.at(&self.path))
    }
}

/// Grants a claim, replacing an earlier one.
fn grant(
    changes: &mut Changes<'_>,
    clock: &Clock,
    run: (&str, i64),
    earlier: Option<&Checked<StoredClaim>>,
    (owner, lease): (&str, Duration),
) -> Result<Claim, Fault> {
    let token = changes.next_token()?;
    let old = earlier.map(|(_, checksum)| *checksum);
    let earlier = earlier.map(|(claim, _)| claim);
    changes.put(run, old, &StoredClaim::new(owner, token, earlier, clock, lease))?;
    Ok(Claim { job: run.0.into(), scheduled: run.1, token })
}

impl SqliteHistory {
    /// Changes the history, unless a claim is lost.
    fn change_claimed<T>(
        &mut self,
        claim: &Claim,
        change: impl FnOnce(
            &mut Changes<'_>,
            &Clock,
            (&str, i64),
            Checked<StoredClaim>,
        ) -> Result<T, Fault>,
    ) -> Result<T, ClaimError<SqliteError>> {
        let run = (&*claim.job, claim.scheduled);
        let changed = self.change(|changes, clock| {
            let old = changes.get::<StoredClaim>(run)?.filter(|(old, _)| old.token == claim.token);
            old.map(|old| change(changes, clock, run, old)).transpose()
        })?;
        changed.ok_or(ClaimError::Lost)
    }
}
