//! [`Known`]: the jobs that a source has returned.

use std::collections::BTreeMap;
use std::mem;

use crate::source::{Changes, Job};

/// The jobs that a source has returned, to find out which of them have changed.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// 0 until there are jobs.
    version: u64,
    jobs: BTreeMap<String, Job>,
    unlisted: u64,
}

impl Known {
    /// Sets all jobs. Returns what has changed since a version.
    pub(crate) fn update(
        &mut self,
        jobs: impl IntoIterator<Item = Job>,
        unlisted: u64,
        since: Option<u64>,
    ) -> Changes {
        let is_known = self.version > 0 && since == Some(self.version);
        let mut old = mem::take(&mut self.jobs);
        let mut changed = Vec::new();
        for job in jobs {
            if old.remove(&job.name).is_none_or(|old| old != job) {
                changed.push(job.clone());
            }
            self.jobs.insert(job.name.clone(), job);
        }
        let has_changed = !changed.is_empty() || !old.is_empty() || unlisted != self.unlisted;
        self.version += u64::from(has_changed || self.version == 0);
        self.unlisted = unlisted;
        if !is_known {
            return self.all();
        }
        let removed = old.into_keys().collect();
        let version = self.version;
        Changes { version, is_complete: false, jobs: changed, removed, unlisted }
    }

    /// Returns what has changed since a version, if all jobs are still the same.
    pub(crate) fn same(&self, since: Option<u64>) -> Changes {
        let (version, unlisted) = (self.version, self.unlisted);
        if since == Some(version) {
            Changes { version, unlisted, ..Changes::default() }
        } else {
            self.all()
        }
    }

    fn all(&self) -> Changes {
        let jobs = self.jobs.values().cloned().collect();
        let (version, unlisted) = (self.version, self.unlisted);
        Changes { version, is_complete: true, jobs, removed: Vec::new(), unlisted }
    }
}
