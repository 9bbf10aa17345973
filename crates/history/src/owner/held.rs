//! [`HeldClaims`]: claims that are renewed while they are held.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::{Claim, ClaimError, ClaimOutcome, Claims};

/// The claims of one owner, which renews them while its runs are in progress.
///
/// A claim is renewed when a third of its lease has passed. So one failed renewal does not lose it.
/// `K` is how the owner identifies a run; `T` is what it keeps with a claim, such as what stops the run
/// if the claim is lost.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use millicron_history::{ClaimOutcome, HeldClaims, MemoryHistory};
///
/// let mut history = MemoryHistory::new();
/// let mut claims = HeldClaims::new("process 1", Duration::from_secs(60));
/// let outcome = claims.claim(&mut history, "load", 3_600_000, ("load", 3_600_000), ())?;
/// assert!(matches!(outcome, ClaimOutcome::Granted(_)));
/// assert!(claims.renew_at().is_some_and(|at| at > Instant::now()));
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Debug)]
pub struct HeldClaims<K, T> {
    owner: Box<str>,
    lease: Duration,
    claims: BTreeMap<K, HeldClaim<T>>,
    /// When to renew the claims; it has no meaning without any.
    renew_at: Instant,
    /// The run at which the last renewal stopped because the history took long to fail.
    stopped_at: Option<K>,
}

/// A claim that [`HeldClaims`] renews.
#[derive(Debug)]
#[non_exhaustive]
pub struct HeldClaim<T> {
    /// The claim.
    pub claim: Claim,
    /// What its owner keeps with it.
    pub value: T,
    /// How long it is valid.
    pub lease: Lease,
}

impl<T> HeldClaim<T> {
    /// Renews the claim. Returns whether it is still held.
    fn renew<H: Claims + ?Sized>(
        &self,
        history: &mut H,
        lease: Duration,
    ) -> Result<bool, H::Error> {
        let expiry = Expiry::after(lease);
        match history.renew(&self.claim, lease) {
            Ok(()) => {
                self.lease.set(expiry);
                Ok(true)
            }
            Err(ClaimError::Lost) => Ok(false),
            Err(ClaimError::History(error)) => Err(error),
        }
    }
}

/// How long a [`HeldClaim`] is valid; its clones follow the renewals.
#[derive(Clone, Debug)]
pub struct Lease(Arc<Mutex<Expiry>>);

impl Lease {
    fn new(expiry: Expiry) -> Self {
        Self(Arc::new(Mutex::new(expiry)))
    }

    fn set(&self, expiry: Expiry) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = expiry;
    }

    /// Returns how long the claim is valid if it is not renewed: zero if it may have expired. The time for which the
    /// machine slept counts, too. So does a time by which the clock was set forward, since the two look alike.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        let expiry = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        expiry.remaining(Instant::now(), SystemTime::now())
    }
}

/// When a lease expires, by two clocks: on most systems, the monotonic one stands still while the machine sleeps, and
/// the other one may be set. `None` means never, within the clock's range.
#[derive(Clone, Copy, Debug)]
struct Expiry {
    instant: Option<Instant>,
    time: Option<SystemTime>,
}

impl Expiry {
    /// Returns when a lease that begins now expires.
    fn after(lease: Duration) -> Self {
        let (instant, time) = (Instant::now(), SystemTime::now());
        Self { instant: instant.checked_add(lease), time: time.checked_add(lease) }
    }

    fn remaining(self, instant: Instant, time: SystemTime) -> Duration {
        let by_instant = self.instant.map(|expiry| expiry.saturating_duration_since(instant));
        let by_time = self.time.map(|expiry| expiry.duration_since(time).unwrap_or_default());
        by_instant.into_iter().chain(by_time).min().unwrap_or(Duration::MAX)
    }
}

impl<K: Ord, T> HeldClaims<K, T> {
    /// Creates an empty set of claims for an owner, whose claims have this lease.
    #[must_use]
    pub fn new(owner: &str, lease: Duration) -> Self {
        let (claims, renew_at) = (BTreeMap::new(), Instant::now());
        Self { owner: owner.into(), lease, claims, renew_at, stopped_at: None }
    }

    /// Returns the lease of each claim.
    #[must_use]
    pub const fn lease(&self) -> Duration {
        self.lease
    }

    /// Claims a run. If the claim is granted, `value` is kept with it, in place of an earlier claim of
    /// the same run.
    ///
    /// # Errors
    ///
    /// The history failed.
    pub fn claim<H: Claims + ?Sized>(
        &mut self,
        history: &mut H,
        job: &str,
        scheduled: i64,
        run: K,
        value: T,
    ) -> Result<ClaimOutcome, H::Error> {
        // The lease begins while the history grants the claim, so not before this instant.
        let (asked, expiry) = (Instant::now(), Expiry::after(self.lease));
        let outcome = history.claim(job, scheduled, &self.owner, self.lease)?;
        if let ClaimOutcome::Granted(claim) = &outcome {
            if self.claims.is_empty() {
                self.renew_at = next_renewal(asked, self.lease);
            }
            let lease = Lease::new(expiry);
            self.claims.insert(run, HeldClaim { claim: claim.clone(), value, lease });
        }
        Ok(outcome)
    }

    /// Returns the claim of a run, if it is held.
    #[must_use]
    pub fn get(&self, run: &K) -> Option<&HeldClaim<T>> {
        self.claims.get(run)
    }

    /// Returns whether the claim of a run is held and valid. A claim that may have expired is renewed
    /// first, and removed if it is lost.
    ///
    /// # Errors
    ///
    /// The history failed to renew the claim. It may still be valid.
    pub fn keep<H: Claims + ?Sized>(&mut self, history: &mut H, run: &K) -> Result<bool, H::Error> {
        let Some(held) = self.claims.get(run) else { return Ok(false) };
        if !held.lease.remaining().is_zero() {
            return Ok(true);
        }
        let is_valid = held.renew(history, self.lease)?;
        if !is_valid {
            self.claims.remove(run);
        }
        Ok(is_valid)
    }

    /// Stops renewing the claim of a run, and returns it.
    pub fn remove(&mut self, run: &K) -> Option<HeldClaim<T>> {
        self.claims.remove(run)
    }

    /// Returns when to [renew](Self::renew) the claims, or `None` if there are none.
    #[must_use]
    pub fn renew_at(&self) -> Option<Instant> {
        (!self.claims.is_empty()).then_some(self.renew_at)
    }
}

impl<K: Ord + Clone, T> HeldClaims<K, T> {
    /// Renews all claims, and passes those that are lost to `on_loss`.
    ///
    /// An error stops the renewals if they have taken a sixth of the lease already, because the
    /// history's server is then probably unreachable. The next time begins with the remaining claims.
    ///
    /// # Errors
    ///
    /// The history failed. A claim whose renewal failed is renewed next time, and may still be valid
    /// then.
    pub fn renew<H: Claims + ?Sized>(
        &mut self,
        history: &mut H,
        mut on_loss: impl FnMut(K, HeldClaim<T>),
    ) -> Result<(), H::Error> {
        let began = Instant::now();
        self.renew_at = next_renewal(began, self.lease);
        let (mut lost, mut renewed) = (Vec::new(), Ok(()));
        // A claim that always fails slowly must not keep the later ones from being renewed.
        let stopped_at = self.stopped_at.take();
        let first = stopped_at.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        let others = stopped_at.iter().flat_map(|run| self.claims.range(..=run));
        for (run, held) in self.claims.range((first, Bound::Unbounded)).chain(others) {
            match held.renew(history, self.lease) {
                Ok(true) => {}
                Ok(false) => lost.push(run.clone()),
                Err(error) => {
                    renewed = Err(error);
                    if began.elapsed() >= self.lease / 6 {
                        self.stopped_at = Some(run.clone());
                        break;
                    }
                }
            }
        }
        // Removed only now, because a history that panics above would hide them from the caller.
        for run in lost {
            if let Some(claim) = self.claims.remove(&run) {
                on_loss(run, claim);
            }
        }
        renewed
    }
}

/// Returns when to renew claims that were renewed now.
fn next_renewal(now: Instant, lease: Duration) -> Instant {
    let wait = (lease / 3).max(Duration::from_millis(1));
    // A lease that never expires may be renewed rarely.
    now.checked_add(wait).or_else(|| now.checked_add(Duration::from_hours(24))).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No test can let the machine sleep, so these are readings of both clocks.
    #[test]
    fn a_lease_expires_by_the_clock_that_has_moved_further() {
        let second = Duration::from_secs(1);
        let (instant, time) = (Instant::now(), SystemTime::now());
        let minute = 60 * second;
        let expiry = Expiry { instant: Some(instant + minute), time: Some(time + minute) };
        let remaining = |by_instant, by_time| expiry.remaining(instant + by_instant, by_time);
        assert_eq!(remaining(20 * second, time + 20 * second), 40 * second);
        assert_eq!(remaining(20 * second, time + 50 * second), 10 * second, "it slept");
        assert_eq!(remaining(20 * second, time + 500 * second), Duration::ZERO);
        assert_eq!(remaining(20 * second, time - 500 * second), 40 * second, "it was set back");
        assert_eq!(Expiry::after(Duration::MAX).remaining(instant, time), Duration::MAX);
    }
}
