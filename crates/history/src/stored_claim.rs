//! [`StoredClaim`]: the claim of a run in a history in memory or in a file.

use std::time::Duration;

use crate::clock::Clock;
use crate::{Claim, ClaimOutcome, RunRecord, StartedRun};

/// The claim of a run, without the run.
#[derive(Clone, Debug)]
pub(crate) struct StoredClaim {
    pub(crate) owner: Box<str>,
    pub(crate) token: i64,
    pub(crate) expires: i64,
    /// When the run was first claimed.
    pub(crate) started: i64,
    pub(crate) attempts: u32,
}

impl StoredClaim {
    /// Creates a claim that replaces an earlier one of the same run, if there is one.
    pub(crate) fn new(
        owner: &str,
        token: i64,
        earlier: Option<&Self>,
        clock: &Clock,
        lease: Duration,
    ) -> Self {
        let (started, attempts) =
            earlier.map_or_else(|| (clock.now(), 0), |claim| (claim.started, claim.attempts));
        let (owner, expires) = (owner.into(), clock.after(lease));
        Self { owner, token, expires, started, attempts: attempts.saturating_add(1) }
    }

    /// Returns why the run cannot be claimed now, unless the claim has expired.
    pub(crate) fn held(&self, now: i64) -> Option<ClaimOutcome> {
        let Self { owner, expires, .. } = self;
        (now < *expires).then(|| ClaimOutcome::Held { owner: owner.clone(), expires: *expires })
    }

    /// Returns the run, which has started under this claim.
    pub(crate) fn started_run(&self, job: &str, scheduled: i64, now: i64) -> StartedRun {
        let Self { owner, token, expires, started, attempts } = self;
        StartedRun {
            claim: Claim { job: job.into(), scheduled, token: *token },
            owner: owner.clone(),
            started: *started,
            attempts: *attempts,
            expires: *expires,
            has_expired: *expires <= now,
        }
    }

    /// Fills in what the record of the run lacks: when the run was first claimed, the current
    /// instant, and how often the run was claimed.
    pub(crate) fn complete(&self, record: RunRecord, now: i64) -> RunRecord {
        RunRecord {
            started: record.started.or(Some(self.started)),
            ended: record.ended.or(Some(now)),
            attempts: record.attempts.or(Some(self.attempts)),
            ..record
        }
    }
}
