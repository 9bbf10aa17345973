//! [`Event`]: what a scheduler tells of itself.

use std::time::{Duration, SystemTime};

use crate::job::{JobName, Outcome, RunContext};

/// Something that happened to a job.
///
/// Each event of a job's schedule, from when it was added on, is told of exactly
/// once: as started, skipped, coalesced into a run, or cancelled with the job; but
/// for those that have not started when the scheduler is closed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A job was added.
    Added {
        /// The job.
        job: JobName,
        /// Its first event.
        next: SystemTime,
    },
    /// A worker has taken a run.
    Started {
        /// The run.
        run: RunContext,
    },
    /// A run has ended.
    Finished {
        /// The run.
        run: RunContext,
        /// How it ended.
        outcome: Outcome,
        /// How long it took.
        duration: Duration,
    },
    /// Events will not run.
    Skipped {
        /// The job.
        job: JobName,
        /// The first of them.
        first: SystemTime,
        /// The last of them.
        last: SystemTime,
        /// How many there are.
        count: u64,
        /// Why.
        reason: SkipReason,
    },
    /// Events will not run on their own: one run stands for them too.
    Coalesced {
        /// The job.
        job: JobName,
        /// The first of them.
        first: SystemTime,
        /// How many there are.
        count: u64,
        /// The event that runs in their place.
        into: SystemTime,
    },
    /// A job waits for nothing until it is resumed.
    Paused {
        /// The job.
        job: JobName,
    },
    /// A job waits again.
    Resumed {
        /// The job.
        job: JobName,
    },
    /// A job has another timetable.
    Rescheduled {
        /// The job.
        job: JobName,
        /// Its first event by that.
        next: Option<SystemTime>,
    },
    /// A job was cancelled.
    Cancelled {
        /// The job.
        job: JobName,
        /// Its events that were due and had not started.
        due: Vec<SystemTime>,
        /// The event that it waited for, or would have if it was not paused: from that
        /// on all are cancelled.
        next: Option<SystemTime>,
    },
    /// A job has no more events, and all its runs have ended.
    Exhausted {
        /// The job.
        job: JobName,
    },
}

/// Why events do not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// They were missed; see [`Missed`](crate::Missed).
    Missed,
    /// A run was going; see [`Overlap`](crate::Overlap).
    Overlap,
    /// The job was paused.
    Paused,
    /// The job was given another timetable when their time had come, and they were
    /// put off by its [jitter](crate::Job::jitter).
    Rescheduled,
}

/// Is told of all that happens to jobs.
///
/// It is called by the thread in which it happened, in the order of what happened
/// there; what happened in several threads comes in no certain order. It is not
/// called under a lock: it may ask the scheduler, and add and cancel jobs.
/// It should be quick all the same; the thread could run jobs meanwhile.
pub trait Observer: Send + Sync + 'static {
    /// Something happened.
    fn on(&self, event: &Event);
}

impl<F: Fn(&Event) + Send + Sync + 'static> Observer for F {
    fn on(&self, event: &Event) {
        self(event);
    }
}
