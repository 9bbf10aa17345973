//! [`JobHandle`]: a job from outside.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use millicron::{IntervalError, IntoRecurrence};

use crate::job::JobName;
use crate::shared::{Shared, discard};
use crate::slots::Key;
use crate::source::EventSource;

/// A job of a scheduler. To drop it does nothing to the job.
///
/// All of it can be called from anywhere, also from within the job itself. Of a job
/// that is gone nothing can be asked, and nothing happens to it.
#[derive(Clone)]
pub struct JobHandle {
    shared: Arc<Shared>,
    key: Key,
}

impl JobHandle {
    pub(crate) fn new(shared: &Arc<Shared>, key: Key) -> Self {
        Self { shared: Arc::clone(shared), key }
    }

    /// Takes the job away. What it holds is dropped at once, and runs that are going
    /// are told by their tokens. Returns whether the job was there.
    #[expect(clippy::must_use_candidate, reason = "it is done for what it does")]
    pub fn cancel(&self) -> bool {
        self.shared.with(|core| core.cancel(self.key)).carry_out()
    }

    /// Lets events of the job pass until it is resumed: they are skipped. Runs that
    /// are due or going are not affected. Returns whether the job was waiting.
    #[expect(clippy::must_use_candidate, reason = "it is done for what it does")]
    pub fn pause(&self) -> bool {
        self.shared.with_now(|core, _| core.pause(self.key))
    }

    /// Lets a paused job wait for its next event. Returns whether the job was paused.
    #[expect(clippy::must_use_candidate, reason = "it is done for what it does")]
    pub fn resume(&self) -> bool {
        let resumed = self.shared.with_now(|core, now| core.resume(self.key, now));
        resumed.is_some_and(|remains| {
            discard(remains);
            true
        })
    }

    /// Lets the job run at once, beside its events; one that is to run once does
    /// so now. The instant of the run is now, or the next nanosecond that no other run
    /// of the job has. The overlap of the job decides if a run is going. Returns whether it
    /// will run.
    #[expect(clippy::must_use_candidate, reason = "it is done for what it does")]
    pub fn trigger_now(&self) -> bool {
        self.shared.with_now(|core, now| core.trigger(self.key, now))
    }

    /// The event that the job waits for, if it does.
    #[must_use]
    pub fn next_event(&self) -> Option<SystemTime> {
        Some(self.shared.with(|core| core.next_event(self.key))?.time())
    }

    /// The name of the job, while it is there.
    #[must_use]
    pub fn name(&self) -> Option<JobName> {
        self.shared.with(|core| core.name(self.key))
    }

    /// Gives the job another timetable, from its first event after now on. A paused
    /// job stays paused. Returns whether the job was there.
    ///
    /// # Errors
    ///
    /// The timetable is nothing to go by; the job keeps the one that it has.
    pub fn reschedule(
        &self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
    ) -> Result<bool, IntervalError> {
        let now = self.shared.now();
        let source = EventSource::new(recurrence.into_recurrence(now.ceil_millis())?);
        let replaced = self.shared.with_now(|core, now| core.reschedule(self.key, source, now));
        let was_there = replaced.is_some();
        discard(replaced);
        Ok(was_there)
    }
}

impl fmt::Debug for JobHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobHandle").field("number", &self.key.serial).finish_non_exhaustive()
    }
}
