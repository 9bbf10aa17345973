//! [`OpenRuns`]: the runs that are due and have not ended, as far as this process knows.

use std::collections::BTreeMap;
use std::ops::{Bound, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

use millicron_history::{Backoff, RunKey};

/// A run that is due and has not ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenRun {
    /// The number of tasks that this process has pushed for the run.
    pub(crate) pushes: u32,
    /// When it may become a task, or another one, if nothing happens until then. Zero if it has not been
    /// found ready.
    again_at: Duration,
    /// Why it becomes another task then.
    pub(crate) cause: Cause,
    /// The token of the latest claim that is known to have expired.
    expired: i64,
    /// Whether all machines find the run ready at the same time: it has become due while this process runs, and
    /// needs no others.
    pub(crate) is_contended: bool,
}

/// Why a run becomes another task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Nothing has happened for a while.
    #[default]
    Wait,
    /// Only this process knows that the run's task is gone, so no other process pushes another one.
    OwnLoss,
    /// The claim with this token has expired, so whoever got the run's task is dead.
    ExpiredClaim(i64),
}

/// Whose turn it is to push the first task of a run that is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// This process pushes it: it has made the run ready, is the first machine when the run is due, was asked
    /// for a scan, or has just started.
    Ours,
    /// Others may push it first: a scan has found the run, so one of them may have made it ready.
    Others,
}

impl OpenRun {
    /// Returns whether the run should become a task if it is ready: because its time has come, or because
    /// it has had none and is not left to other processes.
    pub(crate) fn is_wanted(self, elapsed: Duration, turn: Turn) -> bool {
        self.again_at <= elapsed || self.pushes == 0 && turn == Turn::Ours
    }

    /// Returns whether other processes may be about to push the run's first task, and have not been given
    /// the time to do so.
    pub(crate) fn is_left_to_others(self, turn: Turn) -> bool {
        self.pushes == 0 && self.again_at.is_zero() && turn == Turn::Others
    }
}

#[derive(Debug, Default)]
pub(crate) struct OpenRuns(BTreeMap<RunKey, OpenRun>);

impl OpenRuns {
    pub(crate) fn add(&mut self, run: RunKey) {
        self.0.entry(run).or_default();
    }

    /// Adds a run that has just become due.
    pub(crate) fn add_due(&mut self, run: RunKey, is_contended: bool) {
        self.0.entry(run).or_default().is_contended = is_contended;
    }

    pub(crate) fn remove(&mut self, run: &RunKey) {
        self.0.remove(run);
    }

    /// Returns the first and the last open run of a job.
    pub(crate) fn range(&self, job: &Arc<str>) -> Option<RangeInclusive<i64>> {
        let key = |scheduled| RunKey { job: Arc::clone(job), scheduled };
        let mut runs = self.0.range(key(i64::MIN)..=key(i64::MAX)).map(|(run, _)| run.scheduled);
        let first = runs.next()?;
        Some(first..=runs.next_back().unwrap_or(first))
    }

    /// Returns the first `most` runs after the run `after` that should become tasks if they are ready.
    pub(crate) fn wanted(
        &self,
        after: Option<&RunKey>,
        elapsed: Duration,
        turn: Turn,
        most: usize,
    ) -> Vec<RunKey> {
        let after = (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        let runs = self.0.range::<RunKey, _>(after);
        let wanted = runs.filter(|(_, open)| open.is_wanted(elapsed, turn));
        wanted.map(|(run, _)| run.clone()).take(most).collect()
    }

    pub(crate) fn get(&self, run: &RunKey) -> Option<OpenRun> {
        self.0.get(run).copied()
    }

    /// Leaves the first task of a run to other processes until a time.
    pub(crate) fn leave(&mut self, run: &RunKey, until: Duration) {
        self.0.entry(run.clone()).or_default().again_at = until;
    }

    /// Records that a worker of this process has got a task of a run. So the run needs no first task, even if
    /// the worker fails.
    pub(crate) fn note_task(&mut self, run: RunKey, again_at: Duration) {
        let open = self.0.entry(run).or_default();
        if open.pushes == 0 {
            (open.pushes, open.again_at) = (1, again_at);
        }
    }

    /// Records that a run becomes a task. The next task would follow after `after`, the one
    /// after it after twice that, and so on.
    pub(crate) fn push(&mut self, run: &RunKey, elapsed: Duration, after: Duration) {
        let open = self.0.entry(run.clone()).or_default();
        if matches!(open.cause, Cause::ExpiredClaim(_)) {
            // A task that was claimed did not wait in vain.
            open.pushes = 0;
        }
        let backoff = Backoff::new(after, after.saturating_mul(1 << 16));
        open.again_at = elapsed.saturating_add(backoff.wait(open.pushes));
        open.pushes = open.pushes.saturating_add(1);
        open.cause = Cause::Wait;
    }

    /// Records that the task of a run is gone, so that the run becomes another task at `again_at`,
    /// as in other processes.
    pub(crate) fn lose_task(&mut self, run: &RunKey, again_at: Duration) {
        self.lose(run, again_at, Cause::Wait);
    }

    /// Records that the task of a run is gone, which only this process knows, so that the run
    /// becomes another task as soon as it is ready.
    pub(crate) fn lose_own_task(&mut self, run: &RunKey) {
        self.lose(run, Duration::ZERO, Cause::OwnLoss);
    }

    /// Records that a claim of an open run has expired, so that the run becomes another task at once,
    /// as in other processes. Does nothing the second time.
    pub(crate) fn expire_claim(&mut self, run: &RunKey, token: i64) {
        if self.0.get(run).is_some_and(|open| open.expired < token) {
            let open = self.lose(run, Duration::ZERO, Cause::ExpiredClaim(token));
            open.expired = token;
        }
    }

    fn lose(&mut self, run: &RunKey, again_at: Duration, cause: Cause) -> &mut OpenRun {
        let open = self.0.entry(run.clone()).or_default();
        open.pushes = open.pushes.max(1);
        (open.again_at, open.cause) = (again_at, cause);
        open
    }
}
