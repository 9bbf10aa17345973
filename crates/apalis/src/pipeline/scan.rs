//! [`Scan`]: the progress of a scan of the history.

use std::convert::Infallible;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use futures_channel::oneshot;
use millicron_history::{Claim, RunKey};

use super::open::Turn;

/// The maximum number of runs that a step of a scan reads or examines.
pub(crate) const RUNS_OF_A_STEP: usize = 512;

/// How long a run that a scan has found ready is left to other machines. One of them may be about to push it, and
/// its worker to claim it.
pub(crate) const STANDBY: Duration = Duration::from_secs(1);

/// How long a scan may take before the thread renews claims and answers requests again.
const SLICE: Duration = Duration::from_millis(5);

/// A scan of the history for runs that others have ended, forgotten or unlocked. It consists of many
/// steps: it reads the records of each job, then all claims, and then examines which open runs are ready.
#[derive(Debug)]
pub(crate) struct Scan {
    /// When the scan began, or went on after a failure, by the time that has elapsed.
    pub(crate) began: Option<Duration>,
    /// Whose turn it is to push the runs that the scan finds.
    pub(crate) turn: Turn,
    /// The catch-up window, if the scan looks for open runs in it.
    pub(crate) window: Option<RangeInclusive<i64>>,
    /// The job whose records are read next.
    pub(crate) job: usize,
    /// The instants of this job that remain to be read, if some have been read.
    pub(crate) rest: Option<RangeInclusive<i64>>,
    /// The claims that had not expired when the scan began to examine runs.
    pub(crate) claims: Option<Vec<Claim>>,
    /// The last run that was examined.
    pub(crate) examined: Option<RunKey>,
    /// Whether runs were left to other machines, so that another scan follows soon.
    pub(crate) has_left_runs: bool,
    /// Dropped when the scan has ended or failed, which notifies those who wait for it.
    pub(crate) waiting: Vec<oneshot::Sender<Infallible>>,
}

impl Scan {
    pub(crate) const fn new(
        turn: Turn,
        window: Option<RangeInclusive<i64>>,
        waiting: Vec<oneshot::Sender<Infallible>>,
    ) -> Self {
        Self {
            began: None,
            turn,
            window,
            job: 0,
            rest: None,
            claims: None,
            examined: None,
            has_left_runs: false,
            waiting,
        }
    }

    /// Returns when to interrupt a scan that continues now.
    pub(crate) fn pause_at(renew_at: Option<Instant>) -> Instant {
        let pause_at = Instant::now() + SLICE;
        renew_at.map_or(pause_at, |renew_at| renew_at.min(pause_at))
    }
}

/// Returns up to where a step has read a range that ends at `end`: not to the end if it has found as
/// many `runs` as it may read.
pub(crate) fn last_read(runs: impl ExactSizeIterator<Item = i64>, end: i64) -> i64 {
    if runs.len() < RUNS_OF_A_STEP { end } else { runs.last().unwrap_or(end) }
}
