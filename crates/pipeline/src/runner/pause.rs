//! Jobs whose runs wait until they are resumed.

use alloc::vec::Vec;
use std::sync::Arc;

use super::runs::RunKey;
use super::state::{State, cancel_all};
use crate::Claims;

impl<H: Claims + Send + 'static> State<H> {
    /// Makes the runs of a job wait from now on. Returns whether they did not before.
    pub(super) fn pause(&self, index: usize) -> bool {
        self.jobs[index].task().is_some() && self.lock().paused.insert(index)
    }

    /// Starts the waiting runs of a paused job that are ready. Returns whether the job was paused.
    pub(super) fn resume(self: &Arc<Self>, index: usize) -> bool {
        let mut inner = self.lock();
        if !inner.paused.remove(&index) {
            return false;
        }
        let of_job = |run: &RunKey| run.index == index;
        let waiting = inner.runs.waiting().filter(of_job).collect::<Vec<_>>();
        let pending = self.activate_ready(&mut inner, waiting);
        // Waits that have ended meanwhile begin anew, and so do the others.
        let waiting = inner.runs.waiting().filter(of_job).collect::<Vec<_>>();
        let timeouts = waiting.iter().flat_map(|run| inner.runs.take_timeouts(*run));
        let timeouts = timeouts.collect::<Vec<_>>();
        drop(inner);
        cancel_all(timeouts);
        for run in waiting {
            self.limit_wait(run);
        }
        self.call_scheduler(pending);
        true
    }
}
