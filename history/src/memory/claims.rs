//! Claims of a [`MemoryHistory`].

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use core::convert::Infallible;
use core::ops::RangeInclusive;
use core::time::Duration;

use super::{MemoryHistory, remove_range};
use crate::clock::Clock;
use crate::{Claim, ClaimError, ClaimOutcome, Claims, History as _, RunState};

/// The claims of all runs.
#[derive(Clone, Debug)]
pub(super) struct Leases {
    jobs: BTreeMap<String, BTreeMap<i64, Lease>>,
    last_token: i64,
    pub(super) clock: Clock,
}

#[derive(Clone, Debug)]
struct Lease {
    owner: Box<str>,
    token: i64,
    expires: i64,
}

impl Leases {
    pub(super) const fn new() -> Self {
        Self { jobs: BTreeMap::new(), last_token: 0, clock: Clock::SYSTEM }
    }

    /// Returns the lease of a claim, unless the claim is lost.
    fn of(&mut self, claim: &Claim) -> Result<&mut Lease, ClaimError<Infallible>> {
        let lease = self.jobs.get_mut(&*claim.job).and_then(|runs| runs.get_mut(&claim.scheduled));
        lease.filter(|lease| lease.token == claim.token).ok_or(ClaimError::Lost)
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

    /// Removes the claims of runs in a range that expire at an instant or before.
    pub(super) fn remove_range(&mut self, job: &str, range: &RangeInclusive<i64>, expired: i64) {
        remove_range(&mut self.jobs, job, range, |lease| lease.expires <= expired);
    }
}

impl Default for Leases {
    fn default() -> Self {
        Self::new()
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
        if let Some(Lease { owner, expires, .. }) = held
            && leases.clock.now() < *expires
        {
            return Ok(ClaimOutcome::Held { owner: owner.clone(), expires: *expires });
        }
        leases.last_token += 1;
        let token = leases.last_token;
        let lease = Lease { owner: owner.into(), token, expires: leases.clock.after(lease) };
        leases.jobs.entry(job.to_owned()).or_default().insert(scheduled, lease);
        Ok(ClaimOutcome::Granted(Claim { job: job.into(), scheduled, token }))
    }

    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<Infallible>> {
        let expires = self.leases.clock.after(lease);
        self.leases.of(claim)?.expires = expires;
        Ok(())
    }

    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<Infallible>> {
        self.leases.remove(claim)
    }

    fn record_claimed(
        &mut self,
        claim: &Claim,
        state: RunState,
    ) -> Result<(), ClaimError<Infallible>> {
        self.leases.remove(claim)?;
        self.record_state(&claim.job, claim.scheduled, state)?;
        Ok(())
    }
}
