//! [`Runs`]: the runs of a pipeline that wait or are active, and what the waiting ones watch.

use alloc::vec::Vec;
use std::collections::{BTreeMap, BTreeSet};

use millicron_scheduler::JobHandle;

/// A run, ordered by its instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunKey {
    /// The event, in milliseconds.
    pub(super) scheduled: i64,
    /// The index of the job.
    pub(super) index: usize,
}

/// What may make a run ready: the success of a run, or any success of a job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Watch {
    /// The index of the job.
    pub(super) index: usize,
    /// The event; `None` for any success of the job.
    pub(super) scheduled: Option<i64>,
}

/// What is known of a run that waits.
#[derive(Default)]
struct WaitEntry {
    watches: Vec<Watch>,
    /// The job that ends the wait, if the wait policy limits it.
    timeout: Option<JobHandle>,
}

/// The runs that wait or are active.
#[derive(Default)]
pub(super) struct Runs {
    /// The runs that are due and not ready.
    waiting: BTreeMap<RunKey, WaitEntry>,
    /// The waiting runs by what they watch.
    watching: BTreeMap<Watch, BTreeSet<RunKey>>,
    /// The waiting runs for which the history failed when they were last checked.
    unchecked: BTreeSet<RunKey>,
    /// The runs that were handed to the scheduler and have not finished.
    active: BTreeSet<RunKey>,
}

impl Runs {
    pub(super) fn contains(&self, run: RunKey) -> bool {
        self.is_waiting(run) || self.active.contains(&run)
    }

    pub(super) fn is_waiting(&self, run: RunKey) -> bool {
        self.waiting.contains_key(&run)
    }

    /// Returns the waiting runs, the earliest first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = RunKey> {
        self.waiting.keys().copied()
    }

    /// Makes a run wait, or changes what it watches.
    pub(super) fn wait(&mut self, run: RunKey, watches: Vec<Watch>) {
        self.unwatch(run);
        self.unchecked.remove(&run);
        for watch in &watches {
            self.watching.entry(*watch).or_default().insert(run);
        }
        self.waiting.entry(run).or_default().watches = watches;
    }

    /// Notes that the history failed when a waiting run was checked.
    pub(super) fn mark_unchecked(&mut self, run: RunKey) {
        self.unchecked.insert(run);
    }

    /// Sets the job that ends a wait. Returns it if the run does not wait any more.
    pub(super) fn set_timeout(&mut self, run: RunKey, timeout: JobHandle) -> Option<JobHandle> {
        match self.waiting.get_mut(&run) {
            Some(entry) => {
                entry.timeout = Some(timeout);
                None
            }
            None => Some(timeout),
        }
    }

    /// Adds an active run that did not have to wait.
    pub(super) fn add_active(&mut self, run: RunKey) {
        self.active.insert(run);
    }

    /// Makes a waiting run active. Returns the job that would have ended the wait.
    pub(super) fn activate(&mut self, run: RunKey) -> Option<JobHandle> {
        self.unwatch(run);
        self.unchecked.remove(&run);
        let entry = self.waiting.remove(&run)?;
        self.active.insert(run);
        entry.timeout
    }

    /// Removes an active run that has finished.
    pub(super) fn finish(&mut self, run: RunKey) {
        self.active.remove(&run);
    }

    /// Drops all waiting runs. Returns the jobs that would have ended their waits.
    pub(super) fn drop_waiting(&mut self) -> Vec<JobHandle> {
        self.watching.clear();
        self.unchecked.clear();
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_values().filter_map(|entry| entry.timeout).collect()
    }

    /// Returns the waiting runs that a success may make ready.
    pub(super) fn affected_by(&self, RunKey { scheduled, index }: RunKey) -> Vec<RunKey> {
        let watches = [None, Some(scheduled)].map(|scheduled| Watch { index, scheduled });
        let watching = watches.iter().filter_map(|watch| self.watching.get(watch));
        watching.flatten().chain(&self.unchecked).copied().collect()
    }

    /// Removes the watches of a run.
    fn unwatch(&mut self, run: RunKey) {
        let watches = self.waiting.get_mut(&run).map(|entry| std::mem::take(&mut entry.watches));
        for watch in watches.unwrap_or_default() {
            if let Some(runs) = self.watching.get_mut(&watch) {
                runs.remove(&run);
                if runs.is_empty() {
                    self.watching.remove(&watch);
                }
            }
        }
    }
}
