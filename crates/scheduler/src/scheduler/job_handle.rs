//! [`JobHandle`].

use std::sync::Arc;
use std::time::SystemTime;

use millicron::{IntervalError, IntoRecurrence};

use crate::core::Key;
use crate::job::EventSource;
use crate::report::JobInfo;
use crate::run::JobName;
use crate::threads::Shared;

/// A reference to a job in a scheduler. Dropping it does not affect the job.
///
/// Every method can be called from anywhere, including from within the job itself. Once a job has
/// been removed, because it was cancelled or has no more events, methods do nothing and return
/// `false` or `None`.
///
/// ```
/// use std::time::Duration;
///
/// use millicron::{every, schedule};
/// use millicron_scheduler::Scheduler;
///
/// let scheduler = Scheduler::new()?;
/// let job = scheduler.add(schedule!("*:00:00"), |_| println!("working"))?;
///
/// job.trigger_now();
/// job.pause();
/// job.resume();
/// job.reschedule(every(5).minutes())?;
/// assert!(job.next_event() > Some(scheduler.now() + Duration::from_secs(290)));
///
/// assert!(job.cancel());
/// assert_eq!(job.next_event(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct JobHandle {
    shared: Arc<Shared>,
    key: Key,
}

impl JobHandle {
    pub(crate) fn new(shared: &Arc<Shared>, key: Key) -> Self {
        Self { shared: Arc::clone(shared), key }
    }

    /// Returns the key of the job, if it belongs to a scheduler.
    pub(super) fn key_in(&self, shared: &Arc<Shared>) -> Option<Key> {
        Arc::ptr_eq(&self.shared, shared).then_some(self.key)
    }

    /// Removes the job, drops its closure, and cancels the [tokens](crate::RunContext::token) of
    /// its runs in progress. Returns whether the job existed; a job that runs once may be removed
    /// as soon as its run starts.
    #[expect(clippy::must_use_candidate, reason = "called for its effect")]
    pub fn cancel(&self) -> bool {
        self.shared.with(|core| core.cancel(self.key, || self.shared.now()))
    }

    /// Pauses the job: its events are skipped until it is resumed. Runs that are due or in progress
    /// are not affected. A one-shot job keeps its event. Returns whether the job was waiting for an
    /// event.
    #[expect(clippy::must_use_candidate, reason = "called for its effect")]
    pub fn pause(&self) -> bool {
        self.shared.with_job(self.key, |core, _| core.pause(self.key))
    }

    /// Resumes the job at its next event. A one-shot job runs immediately if its instant has
    /// passed. Returns whether the job was paused.
    #[expect(clippy::must_use_candidate, reason = "called for its effect")]
    pub fn resume(&self) -> bool {
        self.shared.with_job(self.key, |core, now| core.resume(self.key, now))
    }

    /// Runs the job now, in addition to its events, even if it is paused. A one-shot job runs now
    /// instead of later.
    ///
    /// The run's scheduled instant is now, or slightly later: 100 nanoseconds later if now is a whole
    /// millisecond, which could be an event, and up to 200 nanoseconds after another triggered run. No
    /// two runs therefore have the same instant. After the clock was set back, the run still starts now, but its instant
    /// follows that of the last triggered run, so it is later than now until the clock has caught up. For an interval that
    /// measures elapsed time, now is what the clock would show if it had not been set. If a run is in progress, the job's
    /// [overlap](crate::Job::overlap) policy applies. Returns whether the job will run.
    #[expect(clippy::must_use_candidate, reason = "called for its effect")]
    pub fn trigger_now(&self) -> bool {
        self.shared.with_job(self.key, |core, now| core.trigger(self.key, now))
    }

    /// Returns the event that the job waits for, without its [jitter](crate::Job::jitter), or
    /// `None` if the job is paused, removed, or has no more events. It is the [scheduled](crate::RunContext::scheduled)
    /// instant of the next run.
    #[must_use]
    pub fn next_event(&self) -> Option<SystemTime> {
        Some(self.shared.with(|core| core.next_event(self.key))?.time())
    }

    /// Returns the name of the job, or `None` if the job was removed.
    #[must_use]
    pub fn name(&self) -> Option<JobName> {
        self.shared.with(|core| core.name(self.key))
    }

    /// Returns the state of the job, or `None` if the job was removed.
    #[must_use]
    pub fn info(&self) -> Option<JobInfo> {
        self.shared.with(|core| core.info(self.key))
    }

    /// Replaces the recurrence of the job, starting with the first event after now. A paused job
    /// stays paused. A one-shot job runs at that event, unless it is already due. If there is no
    /// such event, the job is removed once its runs have finished. Returns whether the job existed.
    ///
    /// If the clock was set back by more than a second, this also ends the job's
    /// [wait](crate::SetBack) for the clock to catch up: events that have run may run again.
    ///
    /// # Errors
    ///
    /// Returns an error if the interval is invalid. The job keeps its recurrence.
    pub fn reschedule(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
    ) -> Result<bool, IntervalError> {
        let now = self.shared.now();
        let source = EventSource::new(recurrence.into_recurrence(now.clock.ceil_millis())?);
        Ok(self.shared.with_job(self.key, |core, now| core.reschedule(self.key, source, now)))
    }
}
