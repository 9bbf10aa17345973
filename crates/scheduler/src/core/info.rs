//! Reports the state of jobs to handles.

use super::Core;
use super::entry::Entry;
use super::table::Key;
use crate::core::once::JobState;
use crate::report::{JobInfo, JobStatus};
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
    let next = (status == JobStatus::Waiting).then(|| entry.scheduled().time());
    let mut info = JobInfo::new(entry.name(), status, next);
    let Some(details) = entry.details() else { return info };
    info.tags.clone_from(&details.policy().tags);
    if let Some(source) = &details.source {
        (info.schedule, info.interval) = (source.schedule().cloned(), source.interval().copied());
        info.is_zoned = source.is_zoned();
    }
    info.last_scheduled = details.last_start.map(|(scheduled, _)| scheduled.time());
    info.last_start = details.last_start.map(|(_, started)| started.time());
    info.last_end = details.last_end.as_ref().map(|(ended, _)| Nanos::time(*ended));
    info.last_outcome = details.last_end.as_ref().map(|(_, outcome)| outcome.clone());
    info.running = details.running.len();
    info.runs = details.counts.runs;
    info.failed = details.counts.failed;
    info.skipped = details.counts.skipped;
    info
}
