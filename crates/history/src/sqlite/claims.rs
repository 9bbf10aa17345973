//! Claims of an [`SqliteHistory`].

use core::time::Duration;
use std::borrow::ToOwned as _;
use std::string::String;
use std::vec::Vec;

use super::SqliteHistory;
use super::changes::{Changes, Checked};
use super::error::SqliteError;
use super::rows::{ClaimRow, Fault, TableRow as _};
use crate::clock::Clock;
use crate::{Claim, ClaimError, ClaimOutcome, Claims, RunRecord, StartedRun};

const STARTED: &str = "SELECT scheduled, checksum, owner, token, expires, started, attempts, job \
    FROM claim WHERE NOT EXISTS \
    (SELECT 1 FROM run WHERE run.job = claim.job AND run.scheduled = claim.scheduled) \
    ORDER BY job, scheduled";

impl Claims for SqliteHistory {
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, SqliteError> {
        self.change(|changes, clock| {
            if let Some((run, _)) = changes.run(job, scheduled)? {
                return Ok(ClaimOutcome::Ended(run.record.state));
            }
            let held = changes.claim(job, scheduled)?;
            // The clock is read only now: waiting for other writers may have taken a while.
            if let Some((ClaimRow { owner, expires, .. }, _)) = &held
                && clock.now() < *expires
            {
                return Ok(ClaimOutcome::Held { owner: owner.as_str().into(), expires: *expires });
            }
            let claim = grant(changes, clock, (job, scheduled), held.as_ref(), (owner, lease))?;
            Ok(ClaimOutcome::Granted(claim))
        })
    }

    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, clock, (old, checksum)| {
            let new = ClaimRow { expires: clock.after(lease), ..old };
            changes.put_claim((&claim.job, claim.scheduled), Some(checksum), &new)
        })
    }

    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, _, (_, checksum)| {
            changes.remove_claim(&claim.job, claim.scheduled, checksum)
        })
    }

    fn record_claimed_run(
        &mut self,
        claim: &Claim,
        record: RunRecord,
    ) -> Result<(), ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, clock, (old, checksum)| {
            changes.remove_claim(&claim.job, claim.scheduled, checksum)?;
            let record = record.or_claimed(old.started, clock.now(), old.attempts());
            changes.put_run(&claim.job, claim.scheduled, record)
        })
    }

    fn take_over(
        &mut self,
        claim: &Claim,
        owner: &str,
        lease: Duration,
    ) -> Result<Claim, ClaimError<SqliteError>> {
        self.change_claimed(claim, |changes, clock, held| {
            grant(changes, clock, (&claim.job, claim.scheduled), Some(&held), (owner, lease))
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
                let (held, _) = ClaimRow::read(ClaimRow::seed(&job), row)?;
                let claim = Claim { job: job.into(), scheduled: row.get(0)?, token: held.token };
                started.push(StartedRun {
                    claim,
                    attempts: held.attempts(),
                    owner: held.owner.into(),
                    started: held.started,
                    expires: held.expires,
                    has_expired: held.expires <= now,
                });
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
    (job, scheduled): (&str, i64),
    held: Option<&Checked<ClaimRow>>,
    (owner, lease): (&str, Duration),
) -> Result<Claim, Fault> {
    let token = changes.next_token()?;
    let old = held.map(|(held, _)| (held.started, held.attempts()));
    let (started, attempts) = old.unwrap_or_else(|| (Some(clock.now()), 0));
    let new = ClaimRow {
        owner: owner.to_owned(),
        token,
        expires: clock.after(lease),
        started,
        attempts: Some(attempts.saturating_add(1)),
    };
    changes.put_claim((job, scheduled), held.map(|(_, checksum)| *checksum), &new)?;
    Ok(Claim { job: job.into(), scheduled, token })
}

impl SqliteHistory {
    /// Changes the history, unless a claim is lost.
    fn change_claimed<T>(
        &mut self,
        claim: &Claim,
        change: impl FnOnce(&mut Changes<'_>, &Clock, Checked<ClaimRow>) -> Result<T, Fault>,
    ) -> Result<T, ClaimError<SqliteError>> {
        let changed = self.change(|changes, clock| {
            let held = changes.claim(&claim.job, claim.scheduled)?;
            let held = held.filter(|(held, _)| held.token == claim.token);
            held.map(|held| change(changes, clock, held)).transpose()
        })?;
        changed.ok_or(ClaimError::Lost)
    }
}
