//! [`Claims`]: decides which of several runners starts a run.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use crate::error::ClaimError;
use crate::{History, RunRecord, RunState};

/// A history in which runners claim runs, so that each run starts only once, no matter how many
/// runners share the history.
///
/// A runner [claims](Self::claim) a run before it starts it, [renews](Self::renew) the claim while
/// the run takes longer than its lease, and [records](Self::record_claimed) under the claim how the
/// run ended. If the runner dies, the lease expires, and another runner can claim the run.
///
#[cfg_attr(feature = "std", doc = "```")]
#[cfg_attr(not(feature = "std"), doc = "```ignore")]
/// use std::time::Duration;
///
/// use millicron_history::{ClaimOutcome, Claims, History, MemoryHistory, RunState};
///
/// let mut history = MemoryHistory::new();
/// let lease = Duration::from_secs(60);
/// let ClaimOutcome::Granted(claim) = history.claim("load", 3_600_000, "first", lease)? else {
///     unreachable!("nobody else has claimed it");
/// };
/// let other = history.claim("load", 3_600_000, "second", lease)?;
/// assert!(matches!(other, ClaimOutcome::Held { owner, .. } if &*owner == "first"));
///
/// history.record_claimed(&claim, RunState::Succeeded)?;
/// let other = history.claim("load", 3_600_000, "second", lease)?;
/// assert_eq!(other, ClaimOutcome::Ended(RunState::Succeeded));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Leases and clocks
///
/// The clock of the history decides when a lease has expired, not the clocks of the runners: the
/// server's clock for a history on a server, and the system clock of the machine for the others.
/// Processes that share a file share its machine, so their clocks do not differ.
///
/// A runner should stop when it can no longer be sure of its claim. To be on the safe side, measure
/// the lease from *before* the call that granted or renewed the claim, with a monotonic clock such as
/// [`Instant`][instant], which nobody sets, and with the system clock, which most systems also advance while the machine
/// sleeps. Renew the claim when a third of the lease has passed. [`HeldClaims`](crate::HeldClaims) does both.
///
/// If the clock of the history is set back, leases last longer. If it is set forward, they expire
/// earlier, and two runners may execute the same run, for at most the time by which the clock was
/// moved. The same happens if a runner is suspended between checking its lease and doing its work.
/// Fencing helps in these cases.
///
/// # Fencing
///
/// Each claim has a [token](Claim::token), which is greater than the tokens of all earlier claims in
/// the history. Only the latest claim of a run can be renewed or used to record how the run ended;
/// for any other claim, these methods return [`ClaimError::Lost`]. To protect another system from a
/// runner that has lost its claim, pass the token with each change, and let that system reject tokens
/// that are lower than one it has seen.
///
/// An expired claim is not lost yet: its owner can renew it, and can record the end of the run, until
/// another runner claims the run or the claim is [removed](#claims-and-records).
///
/// # Runs that are cut off
///
/// A claim also records that a run has started. A run whose runner died has a claim but no record, and
/// [`started_runs`](Self::started_runs) lists it. Once the lease has expired, any runner can claim the
/// run again. A program that knows that no other program uses its name need not wait: any run that is
/// claimed under its name when it starts was cut off, and it can [take the run over](Self::take_over).
/// Such a program can claim runs with [`Duration::MAX`], and never needs to renew a claim.
///
/// # Claims and records
///
/// A run that has ended, in any state, cannot be claimed. To repeat it, [forget](History::forget) it.
///
/// The methods of [`History`] ignore claims when they record: [`record_state`](History::record_state)
/// records a run even if another runner has claimed it. Methods that remove records also remove claims:
/// [`forget`](History::forget) and [`forget_all`](History::forget_all) remove every claim of the runs,
/// so a runner that is still at work loses its claim; [`drop_before`](History::drop_before) removes
/// only expired claims.
///
/// [instant]: https://doc.rust-lang.org/std/time/struct.Instant.html
pub trait Claims: History {
    /// Claims a run for `owner`, unless it has ended or another claim of it has not expired.
    ///
    /// The lease is rounded up to whole milliseconds, and lasts for at least one. The owner is only a
    /// name: an owner that already holds the run is refused like any other.
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be read or written. The run is then not claimed.
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, Self::Error>;

    /// Restarts the lease of a claim, with a new duration.
    ///
    /// # Errors
    ///
    /// Returns an error if the claim is lost, or if the history cannot be read or written. The
    /// lease is then unchanged.
    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<Self::Error>>;

    /// Releases a claim, so that the run can be claimed again immediately.
    ///
    /// # Errors
    ///
    /// Returns an error if the claim is lost, or if the history cannot be read or written. The
    /// claim is then unchanged.
    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<Self::Error>>;

    /// Records how a run ended, and releases its claim. Either both happen or neither.
    ///
    /// Values that the record lacks are filled in from the claim: when the run was [first
    /// claimed](StartedRun::started), the current instant by the history's clock, and how often the run
    /// was claimed.
    ///
    /// # Errors
    ///
    /// Returns an error if the claim is lost, or if the history cannot be read or written. Nothing
    /// is then recorded.
    fn record_claimed_run(
        &mut self,
        claim: &Claim,
        record: RunRecord,
    ) -> Result<(), ClaimError<Self::Error>>;

    /// Replaces a claim whose runner is known to be dead, before its lease has expired: `owner` gets
    /// a new claim, and the old one is lost.
    ///
    /// # Errors
    ///
    /// Returns an error if the claim is lost, or if the history cannot be read or written. The
    /// claim is then unchanged.
    ///
    #[cfg_attr(feature = "std", doc = "```")]
    #[cfg_attr(not(feature = "std"), doc = "```ignore")]
    /// use std::time::Duration;
    ///
    /// use millicron_history::{Claims, MemoryHistory, RunState};
    ///
    /// let mut history = MemoryHistory::new();
    /// let _ = history.claim("load", 3_600_000, "service", Duration::MAX)?;
    ///
    /// // The service was killed, and starts again.
    /// let cut_off = history.started_runs()?;
    /// assert_eq!((&*cut_off[0].owner, cut_off[0].claim.scheduled), ("service", 3_600_000));
    /// let claim = history.take_over(&cut_off[0].claim, "service", Duration::MAX)?;
    /// history.record_claimed(&claim, RunState::Succeeded)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn take_over(
        &mut self,
        claim: &Claim,
        owner: &str,
        lease: Duration,
    ) -> Result<Claim, ClaimError<Self::Error>>;

    /// Returns the runs that have started but not ended: they have a claim but no record. They are
    /// ordered by job and instant.
    ///
    /// Their runners are still at work, or were [cut off](#runs-that-are-cut-off).
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be read.
    fn started_runs(&self) -> Result<Vec<StartedRun>, Self::Error>;

    /// Records how a run ended, like [`record_claimed_run`](Self::record_claimed_run).
    ///
    /// # Errors
    ///
    /// Returns an error if the claim is lost, or if the history cannot be read or written. Nothing
    /// is then recorded.
    fn record_claimed(
        &mut self,
        claim: &Claim,
        state: RunState,
    ) -> Result<(), ClaimError<Self::Error>> {
        self.record_claimed_run(claim, state.into())
    }
}

/// A run that has started but not ended; returned by [`Claims::started_runs`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "other histories make it")]
pub struct StartedRun {
    /// The claim under which the run has started.
    pub claim: Claim,
    /// The owner of the claim.
    pub owner: Box<str>,
    /// When the run was first claimed since it was last released or forgotten, by the history's clock,
    /// in milliseconds since 1970-01-01 00:00:00.
    pub started: i64,
    /// How often the run has been claimed since it was last released or forgotten, at least 1. A higher
    /// number means that earlier runners were cut off.
    pub attempts: u32,
    /// When the lease expires by the history's clock, in milliseconds since 1970-01-01 00:00:00.
    pub expires: i64,
    /// Whether the lease has expired.
    pub has_expired: bool,
}

/// A granted claim of a run.
///
/// It can be stored and passed on, for example to the process that does the work.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a run and a token; other histories make claims")]
pub struct Claim {
    /// The name of the job.
    pub job: Box<str>,
    /// The scheduled instant of the run, in milliseconds since 1970-01-01 00:00:00.
    pub scheduled: i64,
    /// The fencing token: positive, and greater than the tokens of all earlier claims in the
    /// history.
    pub token: i64,
}

/// The result of [`Claims::claim`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[expect(clippy::exhaustive_enums, reason = "a run can be claimed, is claimed or has ended")]
pub enum ClaimOutcome {
    /// The run is claimed, and can be started.
    Granted(Claim),
    /// The run is already claimed.
    ///
    /// If runners claim the run at the same time, a history on a server may report a claim that has
    /// just been replaced or renewed: `owner` is then the earlier owner, and `expires` may have passed.
    Held {
        /// The owner of that claim.
        owner: Box<str>,
        /// When the lease expires by the history's clock, in milliseconds since 1970-01-01 00:00:00.
        expires: i64,
    },
    /// The run has ended.
    Ended(RunState),
}
