//! [`Listed`]: the jobs that are listed, with their handles.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use millicron::unix_millis;
use millicron_scheduler::{JobHandle, JobInfo, SchedulerHandle};

use super::log::RunLog;
use super::runs::Name;
use super::state::shown;
use crate::pace::Pace;

/// How many jobs are listed.
const MOST: usize = 10_000;
/// How many jobs of a scheduler are visited to find those to list.
const MOST_VISITED: usize = 2 * MOST;
/// How long after an event a job is looked at again, in milliseconds, since it may have been queued.
const AFTER_EVENT: i64 = 1000;

/// The jobs that are listed, with their handles.
#[derive(Debug, Default)]
pub(super) struct Listed {
    jobs: HashMap<Name, ListedJob>,
    /// When to look at jobs again.
    due: BTreeSet<(i64, Name)>,
    /// How many jobs had been added at the last visit.
    added: Option<u64>,
    pace: Pace,
}

#[derive(Debug)]
struct ListedJob {
    handle: JobHandle,
    due: Option<i64>,
}

impl Listed {
    /// Returns the names of all listed jobs.
    pub(super) fn names(&self) -> Vec<Name> {
        self.jobs.keys().cloned().collect()
    }

    pub(super) fn get(&self, name: &str) -> Option<JobHandle> {
        self.jobs.get(name).map(|job| job.handle.clone())
    }

    /// Returns the jobs that have changed without an event, and lists those that are new.
    pub(super) fn outdated(&mut self, scheduler: &SchedulerHandle, log: &RunLog) -> Vec<Name> {
        let now = unix_millis(scheduler.now());
        let mut outdated = Vec::new();
        while let Some((due, name)) = self.due.pop_first() {
            if due > now {
                self.due.insert((due, name));
                break;
            }
            if let Some(job) = self.jobs.get_mut(&name) {
                job.due = None;
            }
            outdated.push(name);
        }
        let added = log.lock().added;
        if self.added != Some(added) && self.pace.is_due() {
            let began = Instant::now();
            self.added = Some(added);
            for (handle, info) in scheduler.jobs().take(MOST_VISITED) {
                let Some((name, _)) = shown(&info.name) else { continue };
                if self.jobs.len() < MOST && !self.jobs.contains_key(&name) {
                    self.jobs.insert(name.clone(), ListedJob { handle, due: None });
                    outdated.push(name);
                }
            }
            self.pace.rest(began, 9);
        }
        outdated
    }

    /// Looks at a job, and lists it if it is new. Returns its state if it is listed.
    pub(super) fn update(&mut self, name: &Name, scheduler: &SchedulerHandle) -> Option<JobInfo> {
        let listed =
            self.jobs.get(name).and_then(|job| Some((job.handle.clone(), job.handle.info()?)));
        let found = listed.or_else(|| {
            self.remove(name);
            // A job may have replaced one with the same name.
            let handle = scheduler.job(name).filter(|_| self.jobs.len() < MOST)?;
            let info = handle.info()?;
            Some((handle, info))
        });
        let (handle, info) = found?;
        let now = unix_millis(scheduler.now());
        let next = info.next.and_then(|next| next.checked_add(info.delay)).map(unix_millis);
        let due = next.filter(|next| *next > now).map(|next| next.saturating_add(AFTER_EVENT));
        let before = self.jobs.insert(name.clone(), ListedJob { handle, due });
        if let Some(before) = before.and_then(|job| job.due) {
            self.due.remove(&(before, name.clone()));
        }
        self.due.extend(due.map(|due| (due, name.clone())));
        Some(info)
    }

    fn remove(&mut self, name: &Name) {
        if let Some(ListedJob { due: Some(due), .. }) = self.jobs.remove(name) {
            self.due.remove(&(due, name.clone()));
        }
    }

    /// Returns how many jobs are not listed because they are too many.
    pub(super) fn unlisted(&self, scheduler: &SchedulerHandle) -> u64 {
        let unlisted = match self.jobs.len() {
            listed if listed < MOST => 0,
            listed => scheduler.stats().jobs.saturating_sub(listed),
        };
        u64::try_from(unlisted).unwrap_or(u64::MAX)
    }
}
