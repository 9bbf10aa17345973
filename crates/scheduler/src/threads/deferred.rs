//! The ends of deferred runs.

#[cfg(feature = "tokio")]
use std::sync::PoisonError;
use std::time::Duration;

use crate::job::OutcomeSink;
use crate::run::{Outcome, RunId};
use crate::sync::MutexGuard;
use crate::threads::shared::Report;
use crate::threads::{Shared, State};

impl OutcomeSink for Shared {
    fn report(&self, run: RunId, outcome: Outcome) {
        let now = self.now();
        self.end(self.lock(), [(run, outcome, now)]);
    }

    #[cfg(feature = "tokio")]
    fn report_soon(&self, run: RunId, outcome: Outcome) {
        let now = self.now();
        let reported = || self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let len = {
            let mut reported = reported();
            reported.push((run, outcome, now));
            reported.len()
        };
        if len == 1 {
            let state = self.lock();
            let all = std::mem::take(&mut *reported());
            self.end(state, all);
        }
    }

    fn retry_after(&self, run: RunId) -> Option<Duration> {
        let now = self.now();
        self.lock().core.retry_after(run, now)
    }
}

impl Shared {
    /// Ends deferred runs.
    fn end(&self, mut state: MutexGuard<'_, State>, reported: impl IntoIterator<Item = Report>) {
        let finish = |(run, outcome, now)| state.core.finish(run, outcome, now);
        let ended: Vec<_> = reported.into_iter().filter_map(finish).collect();
        state.busy += usize::from(!ended.is_empty());
        let kept = self.release_lock(state);
        if ended.is_empty() {
            let state = kept.unwrap_or_else(|| self.lock());
            return self.notify_if_idle(&state);
        }
        drop(kept);
        for ended in &ended {
            self.report_end(ended);
        }
        let mut state = self.lock();
        state.busy -= 1;
        self.notify_if_idle(&state);
    }
}
