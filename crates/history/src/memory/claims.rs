//! Claims of a [`MemoryHistory`].

use alloc::collections::BTreeMap;
use core::convert::Infallible;
use core::ops::RangeInclusive;
use core::time::Duration;

use super::{MemoryHistory, remove_range};
use crate::clock::Clock;
use crate::stored_claim::StoredClaim;
use crate::{Claim, ClaimError, ClaimOutcome, Claims, History as _, RunRecord, StartedRun};

/// The claims of all runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Leases {
    jobs: BTreeMap<String, BTreeMap<i64, StoredClaim>>,
    last_token: i64,
    pub(super) clock: Clock,
}

impl Leases {
    pub(super) const fn new() -> Self {
        Self { jobs: BTreeMap::new(), last_token: 0, clock: Clock::SYSTEM }
    }

    /// Returns the lease of a claim, unless the claim is lost.
    fn of(&mut self, claim: &Claim) -> Result<&mut StoredClaim, ClaimError<Infallible>> {
        let lease = self.jobs.get_mut(&*claim.job).and_then(|runs| runs.get_mut(&claim.scheduled));
        lease.filter(|lease| lease.token == claim.token).ok_or(ClaimError::Lost)
    }

    /// Grants a claim, replacing an earlier one.
    fn grant(&mut self, job: &str, scheduled: i64, owner: &str, lease: Duration) -> Claim {
        self.last_token += 1;
        let runs = self.jobs.entry(job.to_owned()).or_default();
        let earlier = runs.get(&scheduled);
        let claim = StoredClaim::new(owner, self.last_token, earlier, &self.clock, lease);
        runs.insert(scheduled, claim);
        Claim { job: job.into(), scheduled, token: self.last_token }
    }

    fn remove(&mut self, claim: &Claim) -> Result<(), ClaimError<Infallible>> {
        self.of(claim)?;
        if let Some(runs) = self.jobs.get_mut(&*claim.job) {
            runs.remove(&claim.scheduled);
            if runs.is_empty() {
                self.jobs.remove(&*claim.job);
            }
        }
        Ok(())
    }

    /// Removes the claims of runs in a range that expire at or before `expired`.
    pub(super) fn remove_range(&mut self, job: &str, range: &RangeInclusive<i64>, expired: i64) {
        remove_range(&mut self.jobs, job, range, |lease| lease.expires <= expired);
    }
}

impl Claims for MemoryHistory {
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, Infallible> {
        if let Some(state) = self.state(job, scheduled)? {
            return Ok(ClaimOutcome::Ended(state));
        }
        let leases = &mut self.leases;
        let held = leases.jobs.get(job).and_then(|runs| runs.get(&scheduled));
        if let Some(held) = held.and_then(|claim| claim.held(leases.clock.now())) {
            return Ok(held);
        }
        Ok(ClaimOutcome::Granted(leases.grant(job, scheduled, owner, lease)))
    }

    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<Infallible>> {
        let expires = self.leases.clock.after(lease);
        self.leases.of(claim)?.expires = expires;
        Ok(())
    }

    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<Infallible>> {
        self.leases.remove(claim)
    }

    fn record_claimed_run(
        &mut self,
        claim: &Claim,
        record: RunRecord,
    ) -> Result<(), ClaimError<Infallible>> {
        let now = self.leases.clock.now();
        let record = self.leases.of(claim)?.complete(record, now);
        self.leases.remove(claim)?;
        self.record_run(&claim.job, claim.scheduled, record)?;
        Ok(())
    }

    fn take_over(
        &mut self,
        claim: &Claim,
        owner: &str,
        lease: Duration,
    ) -> Result<Claim, ClaimError<Infallible>> {
        self.leases.of(claim)?;
        Ok(self.leases.grant(&claim.job, claim.scheduled, owner, lease))
    }

    fn started_runs(&self) -> Result<Vec<StartedRun>, Infallible> {
        let now = self.leases.clock.now();
        let has_ended = |job: &str, scheduled| {
            self.jobs.get(job).is_some_and(|runs| runs.contains_key(scheduled))
        };
        let jobs = self.leases.jobs.iter();
        let runs = jobs.flat_map(|(job, runs)| runs.iter().map(move |run| (job, run)));
        let started = runs.filter(|(job, (scheduled, _))| !has_ended(job, scheduled));
        let started =
            started.map(|(job, (scheduled, claim))| claim.started_run(job, *scheduled, now));
        Ok(started.collect())
    }
}
