//! [`Leases`]: cancels runs in progress whose claims may have expired.

use alloc::vec::Vec;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use millicron_history::Lease;
use millicron_scheduler::JobHandle;

/// The claimed runs in progress, by their keys.
///
/// They have their own lock, which is never held during a call. So a history that hangs under the
/// lock of the pipeline does not delay the cancellation of a run whose lease ends meanwhile. Any
/// keys will do, so that this module does not need the one that has them.
pub(super) struct Leases<K>(Mutex<BTreeMap<K, LeasedRun>>);

struct LeasedRun {
    lease: Lease,
    /// The scheduler's job for the run.
    handle: JobHandle,
    /// Whether the run was asked to end because its claim may have expired.
    is_stopped: bool,
}

impl<K> Default for Leases<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Ord> Leases<K> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<K, LeasedRun>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a run that is in progress.
    pub(super) fn insert(&self, run: K, lease: Lease, handle: JobHandle) {
        self.lock().insert(run, LeasedRun { lease, handle, is_stopped: false });
    }

    /// Removes a run that is no longer in progress. Returns whether it was asked to end because its claim may have
    /// expired.
    pub(super) fn remove(&self, run: &K) -> bool {
        self.lock().remove(run).is_some_and(|it| it.is_stopped)
    }

    /// Cancels the runs whose claims may have expired. Returns how long the claims of the others are
    /// valid; `None` if there are no others.
    pub(super) fn stop_expired(&self) -> Option<Duration> {
        let (mut expired, mut valid_for) = (Vec::new(), None::<Duration>);
        for run in self.lock().values_mut().filter(|run| !run.is_stopped) {
            let remaining = run.lease.remaining();
            if remaining.is_zero() {
                run.is_stopped = true;
                expired.push(run.handle.clone());
            } else {
                valid_for = Some(valid_for.map_or(remaining, |shortest| shortest.min(remaining)));
            }
        }
        for handle in expired {
            handle.cancel();
        }
        valid_for
    }
}
