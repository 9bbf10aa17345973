//! [`Scan`]: the progress of a scan of the history.

use std::convert::Infallible;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use futures_channel::oneshot;
use millicron_history::{Claim, RunKey};

/// How long a scan may take before the thread renews claims and answers requests again.
const SLICE: Duration = Duration::from_millis(5);

/// A scan of the history for runs that others have ended, forgotten or unlocked. It consists of many
/// steps: it reads the records of each job, then all claims, and then examines which open runs are ready.
#[derive(Debug)]
pub(crate) struct Scan {
    /// When the scan began, by the time that has elapsed.
    pub(crate) began: Duration,
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
    /// Dropped when the scan has ended or failed, which notifies those who wait for it.
    pub(crate) waiting: Vec<oneshot::Sender<Infallible>>,
}

impl Scan {
    /// Returns when to interrupt a scan that continues now.
    pub(crate) fn pause_at(renew_at: Option<Instant>) -> Instant {
        let pause_at = Instant::now() + SLICE;
        renew_at.map_or(pause_at, |renew_at| renew_at.min(pause_at))
    }
}
