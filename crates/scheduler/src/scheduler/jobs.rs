//! [`Jobs`] and [`Tagged`]: the jobs of a scheduler.

use std::sync::Arc;
use std::vec;

use crate::core::Key;
use crate::report::JobInfo;
use crate::scheduler::JobHandle;
use crate::threads::Shared;

/// The number of jobs that an iterator reads at a time, under the lock.
const PAGE: usize = 64;

/// An iterator over the jobs of a scheduler, with a handle for each; see
/// [`Scheduler::jobs`](crate::SchedulerHandle::jobs).
///
/// It reads a few jobs at a time, so listing a million jobs does not hold up the scheduler. Jobs come in
/// no particular order, each with its state when it was read. Jobs that are added or removed meanwhile
/// may be missing.
#[derive(Debug)]
pub struct Jobs {
    shared: Arc<Shared>,
    page: vec::IntoIter<(Key, JobInfo)>,
    /// The slot where the next page begins; `None` after the last.
    next: Option<u32>,
}

impl Jobs {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), page: Vec::new().into_iter(), next: Some(0) }
    }
}

impl Iterator for Jobs {
    type Item = (JobHandle, JobInfo);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, info)) = self.page.next() {
                return Some((JobHandle::new(&self.shared, key), info));
            }
            let (page, next) = self.shared.with({
                let slot = self.next?;
                move |core| core.jobs_from(slot, PAGE)
            });
            (self.page, self.next) = (page.into_iter(), next);
        }
    }
}

/// The jobs with a tag; see [`Scheduler::tagged`](crate::SchedulerHandle::tagged).
///
/// ```
/// use millicron::schedule;
/// use millicron_scheduler::{Job, Scheduler};
///
/// let scheduler = Scheduler::new()?;
/// for name in ["north", "south"] {
///     let job = Job::new(|_| {}).name(name).tag("import");
///     scheduler.add_job(schedule!("*:00:00"), job)?;
/// }
/// assert_eq!(scheduler.tagged("import").pause(), 2);
/// assert_eq!(scheduler.tagged("import").cancel(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tagged {
    shared: Arc<Shared>,
    tag: String,
}

impl Tagged {
    pub(crate) fn new(shared: &Arc<Shared>, tag: &str) -> Self {
        Self { shared: Arc::clone(shared), tag: tag.to_owned() }
    }

    /// Returns handles to the jobs, in the order in which they were added.
    #[must_use]
    pub fn jobs(&self) -> Vec<JobHandle> {
        let keys = self.shared.with(|core| core.tagged(&self.tag));
        keys.into_iter().map(|key| JobHandle::new(&self.shared, key)).collect()
    }

    /// Cancels the jobs; see [`JobHandle::cancel`]. Returns how many existed.
    pub fn cancel(&self) -> usize {
        self.each(JobHandle::cancel)
    }

    /// Pauses the jobs; see [`JobHandle::pause`]. Returns how many were waiting.
    pub fn pause(&self) -> usize {
        self.each(JobHandle::pause)
    }

    /// Resumes the jobs; see [`JobHandle::resume`]. Returns how many were paused.
    pub fn resume(&self) -> usize {
        self.each(JobHandle::resume)
    }

    fn each(&self, change: fn(&JobHandle) -> bool) -> usize {
        self.jobs().iter().filter(|job| change(job)).count()
    }
}
