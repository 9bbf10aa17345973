//! Jobs whose runs wait until they are resumed.

use alloc::vec::Vec;
use std::sync::Arc;

use super::state::{State, cancel_all};
use crate::Claims;

impl<H: Claims + Send + 'static> State<H> {
    /// Makes the runs of a job wait from now on. Returns whether they did not before.
    pub(super) fn pause(&self, index: usize) -> bool {
        self.jobs[index].task().is_some() && self.lock().paused.insert(index)
    }

    /// Starts the waiting runs of a paused job that are ready, and restarts the limits of the other
    /// waits. Returns whether the job was paused.
    pub(super) fn resume(self: &Arc<Self>, index: usize) -> bool {
        let mut inner = self.lock();
        if !inner.paused.remove(&index) {
            return false;
        }
        let waiting = inner.runs.waiting().filter(|run| run.index == index).collect::<Vec<_>>();
        let pending = self.activate_ready(&mut inner, waiting.clone());
        let limits =
            waiting.into_iter().filter_map(|run| Some((run, inner.runs.restart_limits(run)?)));
        let limits = limits.collect::<Vec<_>>();
        drop(inner);
        for (run, unused) in limits {
            cancel_all(unused);
            self.limit_wait(run);
        }
        self.call_scheduler(pending);
        true
    }
}
