//! Reports the state of jobs to handles.

use std::time::Duration;

use super::Core;
use super::entry::{Counts, Entry, JobEntry};
use super::table::Key;
use crate::core::once::JobState;
use crate::report::{JobInfo, JobStatus};
use crate::run::Outcome;
use crate::time::Nanos;

impl Core {
    /// Returns up to `most` jobs, starting at a slot, and the slot after them, or `None` at the
    /// end.
    pub(crate) fn jobs_from(
        &mut self,
        slot: u32,
        most: usize,
    ) -> (Vec<(Key, JobInfo)>, Option<u32>) {
        let mut jobs = Vec::new();
        // Limited because vacant slots also take time.
        let longest = u32::try_from(most.saturating_mul(16)).unwrap_or(u32::MAX);
        let end = self.jobs.slots().min(slot.saturating_add(longest));
        for slot in slot..end {
            if jobs.len() >= most {
                return (jobs, Some(slot));
            }
            if let Some((key, entry)) = self.jobs.at_mut(slot) {
                jobs.push((key, info(&entry)));
            }
        }
        (jobs, (end < self.jobs.slots()).then_some(end))
    }

    /// Returns the state of a job.
    pub(crate) fn info(&mut self, key: Key) -> Option<JobInfo> {
        Some(info(&self.jobs.get_mut(key)?))
    }
}

fn info(entry: &Entry<'_>) -> JobInfo {
    let status = match entry.state() {
        JobState::Waiting => JobStatus::Waiting,
        JobState::Paused => JobStatus::Paused,
        JobState::Idle => JobStatus::Ending,
    };
    let details = entry.details();
    let (last_start, last_end) = details.map_or((None, None), |job| (job.last_start, job.last_end));
    let last_failure = details.and_then(|job| job.last_failure.as_deref());
    let counts = details.map_or_else(Counts::default, |job| job.counts);
    JobInfo {
        name: entry.name(),
        tags: details.map_or_else(Vec::new, |job| job.policy().tags.clone()),
        status,
        next: (status == JobStatus::Waiting).then(|| entry.scheduled().time()),
        delay: details.map_or(Duration::ZERO, JobEntry::delay),
        last_scheduled: last_start.map(|(scheduled, _)| scheduled.time()),
        last_start: last_start.map(|(_, started)| started.time()),
        last_end: last_end.map(Nanos::time),
        last_outcome: last_end.map(|_| last_failure.cloned().unwrap_or(Outcome::Succeeded)),
        running: details.and_then(|job| job.runs.as_ref()).map_or(0, |runs| runs.running.len()),
        runs: counts.runs,
        failed: counts.failed,
        skipped: counts.skipped,
        source: details.and_then(|job| job.source.clone()),
    }
}
