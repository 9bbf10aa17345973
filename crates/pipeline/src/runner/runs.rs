//! [`Runs`]: the waiting and active runs of a pipeline, and what the waiting runs watch.

use alloc::string::String;
use alloc::vec::Vec;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use millicron_history::HeldClaims;
use millicron_scheduler::JobHandle;

use super::leases::Leases;
use crate::Claim;

/// The claims of active runs.
pub(super) type RunClaims = HeldClaims<RunKey, ()>;

/// A run, ordered by its instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunKey {
    /// The event, in milliseconds.
    pub(super) scheduled: i64,
    /// The index of the job.
    pub(super) index: usize,
}

/// An end of a run that may make another run ready.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Watch {
    Run(RunKey),
    /// Any run of the job at an index.
    Job(usize),
    /// Any run of the pipeline.
    All,
}

/// The state of a waiting run.
#[derive(Default)]
struct WaitEntry {
    watches: Vec<Watch>,
    /// The scheduler's jobs that end the wait, if it is limited.
    timeouts: Vec<JobHandle>,
    /// How often its limits were restarted.
    restarts: u64,
    /// Whether the run is ready, but claimed by another runner.
    is_held: bool,
    /// The failed run for which the wait was reported, as text.
    reported: Option<String>,
}

/// The state of a run that was handed to the scheduler.
#[derive(Default)]
struct ActiveEntry {
    /// The scheduler's job for the run, once it is added.
    handle: Option<JobHandle>,
    stage: Stage,
    /// Tells it from the same run at another time.
    activation: u64,
}

/// What an active run does.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// It waits for a worker.
    #[default]
    Queued,
    InProgress,
    /// It waits for its next attempt.
    Retrying,
}

/// The waiting and active runs.
#[derive(Default)]
pub(super) struct Runs {
    /// The runs that are due but not ready, or whose job is paused.
    waiting: BTreeMap<RunKey, WaitEntry>,
    /// The waiting runs by what they watch.
    watching: BTreeMap<Watch, BTreeSet<RunKey>>,
    /// The runs that were handed to the scheduler and have not finished.
    active: BTreeMap<RunKey, ActiveEntry>,
    /// The number of runs that became active.
    activations: u64,
    /// `None` if runs are not claimed.
    pub(super) claims: Option<RunClaims>,
    /// The leases of the runs in progress.
    pub(super) leases: Arc<Leases<RunKey>>,
}

impl Runs {
    pub(super) fn new(claims: Option<RunClaims>) -> Self {
        Self { claims, ..Self::default() }
    }

    pub(super) fn contains(&self, run: RunKey) -> bool {
        self.is_waiting(run) || self.is_active(run)
    }

    /// Returns whether a run was handed to the scheduler and has not finished.
    pub(super) fn is_active(&self, run: RunKey) -> bool {
        self.active.contains_key(&run)
    }

    pub(super) fn is_waiting(&self, run: RunKey) -> bool {
        self.waiting.contains_key(&run)
    }

    /// Returns the waiting runs, the earliest first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = RunKey> {
        self.waiting.keys().copied()
    }

    /// Returns the earliest instant of the waiting and active runs.
    pub(super) fn earliest(&self) -> Option<i64> {
        let first = [self.waiting.keys().next(), self.active.keys().next()];
        first.into_iter().flatten().map(|run| run.scheduled).min()
    }

    /// Returns whether an earlier run of the same job waits or has not finished.
    pub(super) fn has_earlier(&self, run: RunKey) -> bool {
        let mut earlier = self.waiting.range(..run).map(|(key, _)| key);
        let mut active = self.active.range(..run).map(|(key, _)| key);
        earlier.any(|key| key.index == run.index) || active.any(|key| key.index == run.index)
    }

    /// Makes a run wait, or changes what it watches.
    pub(super) fn wait(&mut self, run: RunKey, watches: Vec<Watch>) {
        self.unwatch(run);
        self.waiting.entry(run).or_default().is_held = false;
        for watch in watches {
            self.watch(run, watch);
        }
    }

    /// Makes a waiting run watch something as well.
    pub(super) fn watch(&mut self, run: RunKey, watch: Watch) {
        if let Some(entry) = self.waiting.get_mut(&run)
            && self.watching.entry(watch).or_default().insert(run)
        {
            entry.watches.push(watch);
        }
    }

    /// Returns the runs that a waiting run watches.
    pub(super) fn watched(&self, run: RunKey) -> Vec<RunKey> {
        let watches = self.waiting.get(&run).map(|entry| entry.watches.as_slice());
        let of_run = |watch: &Watch| match watch {
            Watch::Run(run) => Some(*run),
            Watch::Job(_) | Watch::All => None,
        };
        watches.unwrap_or_default().iter().filter_map(of_run).collect()
    }

    /// Makes an active run wait because another runner has claimed it.
    pub(super) fn hold(&mut self, run: RunKey) {
        self.finish(run);
        self.wait(run, Vec::new());
        if let Some(entry) = self.waiting.get_mut(&run) {
            entry.is_held = true;
        }
    }

    /// Returns whether a waiting run is ready, but claimed by another runner.
    pub(super) fn is_held(&self, run: RunKey) -> bool {
        self.waiting.get(&run).is_some_and(|entry| entry.is_held)
    }

    /// Sets the failed run for which a wait is reported. Returns whether it is another one than before.
    pub(super) fn set_reported(&mut self, run: RunKey, failed: Option<String>) -> bool {
        let Some(entry) = self.waiting.get_mut(&run) else { return false };
        let is_other = entry.reported != failed;
        entry.reported = failed;
        is_other
    }

    /// Adds a job that ends a wait. Returns it if the run no longer waits.
    pub(super) fn add_timeout(&mut self, run: RunKey, timeout: JobHandle) -> Option<JobHandle> {
        match self.waiting.get_mut(&run) {
            Some(entry) => {
                entry.timeouts.push(timeout);
                None
            }
            None => Some(timeout),
        }
    }

    /// Removes the limits of a wait, and returns the jobs that would have ended it, which must have no
    /// effect any more. `None` if the wait has no limits.
    pub(super) fn restart_limits(&mut self, run: RunKey) -> Option<Vec<JobHandle>> {
        let entry = self.waiting.get_mut(&run).filter(|entry| !entry.is_held)?;
        entry.restarts += 1;
        Some(std::mem::take(&mut entry.timeouts))
    }

    /// Returns how often the limits of a wait were restarted; `None` if the run does not wait.
    pub(super) fn restarts(&self, run: RunKey) -> Option<u64> {
        self.waiting.get(&run).map(|entry| entry.restarts)
    }

    /// Adds an active run that did not have to wait.
    pub(super) fn add_active(&mut self, run: RunKey) {
        self.activations += 1;
        let entry = ActiveEntry { activation: self.activations, ..ActiveEntry::default() };
        self.active.insert(run, entry);
    }

    /// Returns the number of an active run, which no other activation of it has.
    pub(super) fn activation(&self, run: RunKey) -> Option<u64> {
        self.active.get(&run).map(|entry| entry.activation)
    }

    /// Makes a waiting run active. Returns the jobs that would have ended the wait.
    pub(super) fn activate(&mut self, run: RunKey) -> Vec<JobHandle> {
        let timeouts = self.drop_wait(run);
        self.add_active(run);
        timeouts
    }

    /// Removes a waiting run. Returns the jobs that would have ended the wait.
    pub(super) fn drop_wait(&mut self, run: RunKey) -> Vec<JobHandle> {
        self.unwatch(run);
        self.waiting.remove(&run).map(|entry| entry.timeouts).unwrap_or_default()
    }

    /// Sets the job of an active run. Returns it if the run is no longer active.
    pub(super) fn set_handle(&mut self, run: RunKey, handle: JobHandle) -> Option<JobHandle> {
        match self.active.get_mut(&run) {
            Some(entry) => {
                entry.handle = Some(handle);
                self.update_lease(run);
                None
            }
            None => Some(handle),
        }
    }

    /// Returns what an active run does.
    pub(super) fn stage(&self, run: RunKey) -> Option<Stage> {
        self.active.get(&run).map(|entry| entry.stage)
    }

    /// Records what an active run does.
    pub(super) fn set_stage(&mut self, run: RunKey, stage: Stage) {
        if let Some(entry) = self.active.get_mut(&run) {
            entry.stage = stage;
        }
        self.update_lease(run);
    }

    /// Lets a run be cancelled when its claim may have expired, if it is in progress.
    fn update_lease(&self, run: RunKey) {
        let entry = self.active.get(&run).filter(|entry| entry.stage == Stage::InProgress);
        let handle = entry.and_then(|entry| entry.handle.clone());
        let held = self.claims.as_ref().and_then(|claims| claims.get(&run));
        match (held, handle) {
            (Some(held), Some(handle)) => self.leases.insert(run, held.lease.clone(), handle),
            _ => {
                self.leases.remove(&run);
            }
        }
    }

    /// Removes the runs that wait for their next attempt. Returns their jobs.
    pub(super) fn drop_retries(&mut self) -> Vec<JobHandle> {
        let dropped = self.active.extract_if(.., |_, entry| entry.stage == Stage::Retrying);
        dropped.filter_map(|(_, entry)| entry.handle).collect()
    }

    /// Takes the claims of the runs that wait for a worker or for their next attempt.
    pub(super) fn take_idle_claims(&mut self) -> Vec<Claim> {
        let Some(claims) = &mut self.claims else { return Vec::new() };
        let idle = self.active.iter().filter(|(_, entry)| entry.stage != Stage::InProgress);
        idle.filter_map(|(run, _)| claims.remove(run)).map(|held| held.claim).collect()
    }

    /// Returns the job of an active run.
    pub(super) fn handle(&self, run: RunKey) -> Option<JobHandle> {
        self.active.get(&run)?.handle.clone()
    }

    /// Handles the loss of an active run's claim. Returns the job to cancel, if any.
    pub(super) fn lose_claim(&mut self, run: RunKey) -> Option<JobHandle> {
        let handle = self.handle(run);
        match self.stage(run)? {
            // It is claimed again when it begins.
            Stage::Queued => None,
            Stage::InProgress => handle,
            Stage::Retrying => {
                self.hold(run);
                handle
            }
        }
    }

    /// Removes the claim of an active run.
    pub(super) fn drop_claim(&mut self, run: RunKey) {
        self.claims.as_mut().and_then(|claims| claims.remove(&run));
    }

    /// Returns whether an active run should be claimed, but is not.
    pub(super) fn has_lost_claim(&self, run: RunKey) -> bool {
        self.claims.as_ref().is_some_and(|claims| claims.get(&run).is_none())
    }

    /// Removes an active run that has finished, and its claim.
    pub(super) fn finish(&mut self, run: RunKey) {
        self.active.remove(&run);
        self.leases.remove(&run);
        self.drop_claim(run);
    }

    /// Drops all waiting runs. Returns the jobs that would have ended their waits.
    pub(super) fn drop_waiting(&mut self) -> Vec<JobHandle> {
        self.watching.clear();
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_values().flat_map(|entry| entry.timeouts).collect()
    }

    /// Returns the waiting runs that the end of a run may make ready.
    pub(super) fn affected_by(&self, run: RunKey) -> Vec<RunKey> {
        let watches = [Watch::Job(run.index), Watch::Run(run), Watch::All];
        let watching = watches.iter().filter_map(|watch| self.watching.get(watch));
        watching.flatten().copied().collect()
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
