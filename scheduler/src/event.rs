//! [`Event`] and [`Observer`].

use std::time::{Duration, SystemTime};

use crate::outcome::Outcome;
use crate::run::{JobName, RunContext};

/// Something that happened to a job.
///
/// From the time when a job is added, each event of its schedule is reported exactly once: as
/// [started](Self::Started), [skipped](Self::Skipped), [coalesced](Self::Coalesced) into a run, or
/// [cancelled](Self::Cancelled) with the job. Events that have not started when the scheduler
/// closes are not reported.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A job was added.
    Added {
        /// The name of the job.
        job: JobName,
        /// Its first event.
        next: SystemTime,
    },
    /// A worker has taken a run.
    Started {
        /// The run.
        run: RunContext,
    },
    /// A run has finished.
    Finished {
        /// The run.
        run: RunContext,
        /// How it ended.
        outcome: Outcome,
        /// The time since it started.
        duration: Duration,
    },
    /// Events will not run.
    Skipped {
        /// The name of the job.
        job: JobName,
        /// The first of the events.
        first: SystemTime,
        /// The last of the events.
        last: SystemTime,
        /// The number of events.
        count: u64,
        /// Why they will not run.
        reason: SkipReason,
    },
    /// Missed events will not run on their own: the run of a later event covers them.
    Coalesced {
        /// The name of the job.
        job: JobName,
        /// The first of the covered events.
        first: SystemTime,
        /// The number of covered events.
        count: u64,
        /// The later event that runs.
        into: SystemTime,
    },
    /// A job was paused.
    Paused {
        /// The name of the job.
        job: JobName,
    },
    /// A paused job was resumed.
    Resumed {
        /// The name of the job.
        job: JobName,
    },
    /// The recurrence of a job was replaced.
    Rescheduled {
        /// The name of the job.
        job: JobName,
        /// Its first event from now on, if it has any.
        next: Option<SystemTime>,
    },
    /// A job was cancelled.
    Cancelled {
        /// The name of the job.
        job: JobName,
        /// The events that were due but had not started.
        due: Vec<SystemTime>,
        /// The event that the job waited for, or would have waited for if it was not paused. This
        /// event and all later ones are cancelled.
        next: Option<SystemTime>,
    },
    /// A job has no more events, and its last run has finished.
    Exhausted {
        /// The name of the job.
        job: JobName,
    },
}

impl Event {
    /// Returns the name of the job.
    #[must_use]
    pub const fn job_name(&self) -> &JobName {
        match self {
            Self::Started { run } | Self::Finished { run, .. } => run.job_name(),
            Self::Added { job, .. }
            | Self::Skipped { job, .. }
            | Self::Coalesced { job, .. }
            | Self::Paused { job }
            | Self::Resumed { job }
            | Self::Rescheduled { job, .. }
            | Self::Cancelled { job, .. }
            | Self::Exhausted { job } => job,
        }
    }
}

/// Why events were skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// They were missed; see [`Missed`](crate::Missed).
    Missed,
    /// A run was in progress; see [`Overlap`](crate::Overlap).
    Overlap,
    /// The job was paused.
    Paused,
    /// The job was rescheduled after their instant, while [jitter](crate::Job::jitter) delayed
    /// them.
    Rescheduled,
}

/// Receives every [`Event`] of a scheduler. Closures implement it if they name the type of their
/// argument, as in `|event: &Event| …`.
///
/// The thread that causes an event calls the observer, in the order of its events. Events from
/// different threads arrive in no particular order. No lock is held: an observer may use the
/// scheduler, even to add and cancel jobs. It should return quickly, because it holds up the thread
/// that calls it, such as the timer or a worker.
///
/// In a [`Scheduler`](crate::Scheduler), a panic of the observer is ignored. In a
/// [`Simulator`](crate::Simulator), it reaches the caller, so a failed assertion fails the test.
pub trait Observer: Send + Sync + 'static {
    /// Receives an event.
    fn on(&self, event: &Event);
}

impl<F: Fn(&Event) + Send + Sync + 'static> Observer for F {
    fn on(&self, event: &Event) {
        self(event);
    }
}
