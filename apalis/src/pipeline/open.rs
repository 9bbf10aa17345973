//! [`OpenRuns`]: the runs that are due and have not ended, as far as this process knows.

use std::collections::BTreeMap;
use std::ops::{Bound, RangeInclusive};
use std::time::Duration;

/// A scheduled instant, and the index of a job of the source.
pub(crate) type RunKey = (i64, usize);

/// A run that is due and has not ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenRun {
    /// The tasks that this process has made of it.
    pushes: u32,
    /// When it may become another task, if nothing happens until then.
    again_at: Duration,
    /// Whether only this process knows that its task is gone.
    is_local: bool,
}

impl OpenRun {
    fn is_wanted(self, elapsed: Duration) -> bool {
        self.pushes == 0 || self.again_at <= elapsed
    }
}

#[derive(Debug, Default)]
pub(crate) struct OpenRuns(BTreeMap<RunKey, OpenRun>);

impl OpenRuns {
    pub(crate) fn add(&mut self, run: RunKey) {
        self.0.entry(run).or_default();
    }

    pub(crate) fn remove(&mut self, run: RunKey) {
        self.0.remove(&run);
    }

    /// Returns the first and the last open run of a job.
    pub(crate) fn range(&self, job: usize) -> Option<RangeInclusive<i64>> {
        let of_job = |run: &&RunKey| run.1 == job;
        let (first, _) = self.0.keys().find(of_job)?;
        let (last, _) = self.0.keys().rfind(of_job)?;
        Some(*first..=*last)
    }

    /// Returns the runs that are to become tasks, if they are ready: at most `most`, beginning after
    /// one of them, and then from the first.
    pub(crate) fn wanted(&self, after: RunKey, elapsed: Duration, most: usize) -> Vec<RunKey> {
        let after = (Bound::Excluded(after), Bound::Unbounded);
        let runs = self.0.range(after).chain(self.0.iter()).take(self.0.len());
        let wanted = runs.filter(|(_, open)| open.is_wanted(elapsed));
        wanted.map(|(run, _)| *run).take(most).collect()
    }

    /// Whether a run is to become a task, if it is ready: its first one, or another one because its
    /// time has come.
    pub(crate) fn is_wanted(&self, run: RunKey, elapsed: Duration) -> bool {
        self.0.get(&run).is_some_and(|open| open.is_wanted(elapsed))
    }

    /// Whether a run is a task already.
    pub(crate) fn is_pushed(&self, run: RunKey) -> bool {
        self.0.get(&run).is_some_and(|open| open.pushes > 0)
    }

    /// Whether no other process makes another task of a run.
    pub(crate) fn is_local(&self, run: RunKey) -> bool {
        self.0.get(&run).is_some_and(|open| open.is_local)
    }

    /// Notes that a run becomes a task. Another one would follow after `patience`, then after twice
    /// that, and so on.
    pub(crate) fn push(&mut self, run: RunKey, elapsed: Duration, patience: Duration) {
        let open = self.0.entry(run).or_default();
        let factor = 1_u32.checked_shl(open.pushes.min(16)).unwrap_or(u32::MAX);
        open.again_at = elapsed.saturating_add(patience.saturating_mul(factor));
        open.pushes = open.pushes.saturating_add(1);
        open.is_local = false;
    }

    /// Notes that the task of a run is gone, so that it becomes another one at `again_at`, as it does
    /// in other processes.
    pub(crate) fn lose_task(&mut self, run: RunKey, again_at: Duration) {
        let open = self.0.entry(run).or_default();
        open.pushes = open.pushes.max(1);
        open.again_at = again_at;
    }

    /// Notes that the task of a run is gone, which only this process knows, so that it becomes another
    /// one as soon as it is ready.
    pub(crate) fn lose_own_task(&mut self, run: RunKey) {
        self.lose_task(run, Duration::ZERO);
        self.0.entry(run).or_default().is_local = true;
    }
}
