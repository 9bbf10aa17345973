//! Claims of a [`PostgresHistory`].

use core::time::Duration;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use tokio_postgres::Row;

use super::{PostgresError, PostgresHistory, sql, text};
use crate::clock::lease_millis;
use crate::{Claim, ClaimError, ClaimOutcome, Claims, RunRecord, StartedRun};

/// Returns a random number that identifies a request.
fn new_request() -> i64 {
    RandomState::new().build_hasher().finish().cast_signed()
}

/// Checks the result of a statement that returns a row unless the claim is lost.
fn check_held(rows: &[Row]) -> Result<(), ClaimError<PostgresError>> {
    if rows.is_empty() { Err(ClaimError::Lost) } else { Ok(()) }
}

impl Claims for PostgresHistory {
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, PostgresError> {
        let request = new_request();
        loop {
            let (name, owner) = (text::encode(job), text::encode(owner));
            let parameters =
                parameters![name, scheduled, owner, lease_millis(lease), request, self.now()];
            let answer = self.execute(sql::CLAIM, parameters)?;
            // If there is no row, the run was claimed and released while the statement was
            // executed.
            let Some(row) = answer.rows.first() else { continue };
            if let Some(token) = self.get(row, 0)? {
                return Ok(ClaimOutcome::Granted(Claim { job: job.into(), scheduled, token }));
            }
            if let Some(state) = self.get(row, 1)? {
                return Ok(ClaimOutcome::Ended(self.state(state)?));
            }
            let owner: String = self.get(row, 2)?;
            let owner = text::decode(&owner).into();
            return Ok(ClaimOutcome::Held { owner, expires: self.get(row, 3)? });
        }
    }

    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<PostgresError>> {
        let Claim { job, scheduled, token } = claim;
        let parameters =
            parameters![text::encode(job), *scheduled, *token, lease_millis(lease), self.now()];
        check_held(&self.execute(sql::RENEW, parameters)?.rows)
    }

    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<PostgresError>> {
        let Claim { job, scheduled, token } = claim;
        let answer =
            self.execute(sql::RELEASE, parameters![text::encode(job), *scheduled, *token])?;
        // After a repetition, the claim is no longer held in any case.
        if answer.is_repeated { Ok(()) } else { check_held(&answer.rows) }
    }

    fn record_claimed_run(
        &mut self,
        claim: &Claim,
        record: RunRecord,
    ) -> Result<(), ClaimError<PostgresError>> {
        let Claim { job, scheduled, token } = claim;
        let RunRecord { state, started, ended, attempts } = record;
        let parameters = parameters![
            text::encode(job),
            *scheduled,
            *token,
            i16::from(state.code()),
            started,
            ended,
            attempts.map(i64::from),
            new_request(),
            self.now()
        ];
        check_held(&self.execute(sql::RECORD_CLAIMED, parameters)?.rows)
    }

    fn take_over(
        &mut self,
        claim: &Claim,
        owner: &str,
        lease: Duration,
    ) -> Result<Claim, ClaimError<PostgresError>> {
        let Claim { job, scheduled, token } = claim;
        let parameters = parameters![
            text::encode(job),
            *scheduled,
            *token,
            text::encode(owner),
            lease_millis(lease),
            new_request(),
            self.now()
        ];
        let answer = self.execute(sql::TAKE_OVER, parameters)?;
        let row = answer.rows.first().ok_or(ClaimError::Lost)?;
        Ok(Claim { token: self.get(row, 0)?, ..claim.clone() })
    }

    fn started_runs(&self) -> Result<Vec<StartedRun>, PostgresError> {
        let answer = self.execute(sql::STARTED, parameters![self.now()])?;
        let started = answer.rows.iter().map(|row| {
            let job = text::decode(self.get(row, 0)?).into();
            let claim = Claim { job, scheduled: self.get(row, 1)?, token: self.get(row, 2)? };
            Ok(StartedRun {
                claim,
                owner: text::decode(self.get(row, 3)?).into(),
                started: self.get(row, 4)?,
                attempts: self.attempts(self.get(row, 5)?)?,
                expires: self.get(row, 6)?,
                has_expired: self.get(row, 7)?,
            })
        });
        started.collect()
    }
}
