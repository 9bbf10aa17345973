//! [`Claims`]: which of several runners starts a run.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::time::Duration;

use crate::{History, RunRecord, RunState};

/// A history in which runners claim runs, so that each run is started once, however many runners
/// share the history.
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
/// the lease with a monotonic clock such as [`Instant`][instant], from *before* the call that granted
/// or renewed the claim, and renew it when a third of the lease has passed.
///
/// If the clock of the history is set back, leases last longer. If it is set forward, they expire
/// earlier, and two runners may be at work on the same run, for at most the time by which the clock
/// was moved. The same happens if a runner is suspended between checking its lease and doing its
/// work. Then fencing helps.
///
/// # Fencing
///
/// Each claim has a [token](Claim::token), which is greater than those of all earlier claims in the
/// history. Only the latest claim of a run can be renewed, or be used to record how the run ended;
/// otherwise these return [`ClaimError::Lost`]. To protect another system from a runner that has lost
/// its claim, pass the token with each change, and let that system refuse a token that is lower than
/// one that it has seen.
///
/// An expired claim is not lost yet: its owner can renew it, and can record the end of the run, until
/// another runner claims the run or the claim is [removed](#claims-and-records).
///
/// # Runs that are cut off
///
/// A claim is also the record that a run has started. A run whose runner died has a claim and no
/// record, and [`started_runs`](Self::started_runs) lists it. Once the lease has expired, anyone can claim the run again.
/// A program that knows that it is the only one of its name need not wait: whatever is claimed under
/// its name when it starts was cut off, and it can [take the run over](Self::take_over). It can
/// claim with [`Duration::MAX`], and then never renews a claim.
///
/// # Claims and records
///
/// A run that has ended, in whatever state, cannot be claimed. To run it again, [forget](History::forget) it.
///
/// The methods of [`History`] do not look at claims: [`record_state`](History::record_state) records
/// a run that another runner has claimed. Methods that remove records remove claims as well:
/// [`forget`](History::forget) and [`forget_all`](History::forget_all) every claim of the runs, so that
/// a runner which is still at work loses its claim, and [`drop_before`](History::drop_before) the
/// expired claims.
///
/// [instant]: https://doc.rust-lang.org/std/time/struct.Instant.html
pub trait Claims: History {
    /// Claims a run for `owner`, unless it has ended or another claim of it has not expired.
    ///
    /// The lease is rounded up to whole milliseconds, and lasts for at least one. The owner is a name
    /// for messages: an owner that claims a run which it holds already is refused, like any other.
    ///
    /// # Errors
    ///
    /// The history could not be read or written, and the run is not claimed.
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, Self::Error>;

    /// Lets the lease of a claim start again, with a new duration.
    ///
    /// # Errors
    ///
    /// The claim is lost, or the history could not be read or written, and the lease is unchanged.
    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<Self::Error>>;

    /// Gives a claim back, so that the run can be claimed again at once.
    ///
    /// # Errors
    ///
    /// The claim is lost, or the history could not be read or written, and the claim is unchanged.
    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<Self::Error>>;

    /// Records how a run ended, and gives its claim back. Both happen, or neither.
    ///
    /// What the record does not tell is taken from the claim: when the run was [first
    /// claimed](StartedRun::started), the current instant by the history's clock, and how often the run
    /// has been claimed.
    ///
    /// # Errors
    ///
    /// The claim is lost, or the history could not be read or written, and nothing is recorded.
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
    /// The claim is lost, or the history could not be read or written, and the claim is unchanged.
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

    /// Returns the runs that have started and not ended: those with a claim and without a record, by
    /// job and instant.
    ///
    /// A runner is at work on them, or was [cut off](#runs-that-are-cut-off).
    ///
    /// # Errors
    ///
    /// The history could not be read.
    fn started_runs(&self) -> Result<Vec<StartedRun>, Self::Error>;

    /// Records how a run ended, as [`record_claimed_run`](Self::record_claimed_run) does.
    ///
    /// # Errors
    ///
    /// The claim is lost, or the history could not be read or written, and nothing is recorded.
    fn record_claimed(
        &mut self,
        claim: &Claim,
        state: RunState,
    ) -> Result<(), ClaimError<Self::Error>> {
        self.record_claimed_run(claim, state.into())
    }
}

/// A run that has started and not ended; returned by [`Claims::started_runs`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "other histories make it")]
pub struct StartedRun {
    /// The claim under which the run has started.
    pub claim: Claim,
    /// The owner of the claim.
    pub owner: Box<str>,
    /// When the run was first claimed by the history's clock, in milliseconds since 1970-01-01 00:00:00:
    /// of several claims since it was last released or forgotten, the first. `None` if an earlier version of
    /// this crate has granted it.
    pub started: Option<i64>,
    /// How often the run has been claimed since it was last released or forgotten, at least 1. If it is
    /// more, earlier runners were cut off.
    pub attempts: u32,
    /// When the lease expires by the history's clock, in milliseconds since 1970-01-01 00:00:00.
    pub expires: i64,
    /// Whether it has expired.
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
    /// The fencing token: positive, and greater than those of all earlier claims in the history.
    pub token: i64,
}

/// The result of [`Claims::claim`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[expect(clippy::exhaustive_enums, reason = "a run can be claimed, is claimed or has ended")]
pub enum ClaimOutcome {
    /// The run is claimed, and can be started.
    Granted(Claim),
    /// The run is claimed already.
    ///
    /// If runners claim it at the same time, a history on a server may tell of a claim that has just been
    /// replaced or renewed: then `owner` is the earlier one, and `expires` may have passed.
    Held {
        /// The owner of that claim.
        owner: Box<str>,
        /// When the lease expires by the history's clock, in milliseconds since 1970-01-01 00:00:00.
        expires: i64,
    },
    /// The run has ended.
    Ended(RunState),
}

/// The error of a method that needs a [`Claim`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a claim is lost, or the history failed")]
pub enum ClaimError<E> {
    /// The claim was given back, the end of the run is recorded under it, or the run was
    /// [forgotten](History::forget); or the lease expired, and another runner has claimed the run or
    /// [`drop_before`](History::drop_before) removed the claim.
    Lost,
    /// The history returned an error.
    History(E),
}

impl<E> From<E> for ClaimError<E> {
    fn from(error: E) -> Self {
        Self::History(error)
    }
}

impl<E> fmt::Display for ClaimError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lost => "the run is no longer claimed by this claim",
            Self::History(_) => "the history failed",
        })
    }
}

impl<E: Error + 'static> Error for ClaimError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::History(error) => Some(error),
            Self::Lost => None,
        }
    }
}
