//! [`Event`] and [`Observer`].

use std::time::{Duration, SystemTime};

use crate::run::{JobName, Outcome, RunContext};

/// Something that happened to a job.
///
/// Once a job is added, each event of its schedule is reported exactly once: as
/// [started](Self::Started), [skipped](Self::Skipped), [coalesced](Self::Coalesced) into a run, or
/// [cancelled](Self::Cancelled) with the job. After the scheduler is closed, it reports only the
/// [ends](Self::Finished) of its last runs, with their outcomes, and [panics](Self::Panicked) until all have ended. Runs no
/// longer time out, since closing has cancelled their tokens.
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
    /// A run has started on a worker.
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
        /// The elapsed time since it started, regardless of clock changes.
        duration: Duration,
        /// The time until the next attempt, if the run is [retried](crate::Retry). Before that attempt
        /// starts, it may be cancelled, [with its job](Self::Cancelled) or
        /// [without it](Self::RetriesCancelled).
        retry_after: Option<Duration>,
    },
    /// A run has taken longer than its job [allows](crate::Job::timeout).
    TimedOut {
        /// The run.
        run: RunContext,
        /// The limit that it has exceeded.
        limit: Duration,
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
    /// Runs are not retried after all, because their job's next event is due, as with
    /// [`Retry::until_next_event`](crate::Retry::until_next_event), or because a [gate](crate::Gate) has refused the
    /// next attempt.
    RetriesCancelled {
        /// The name of the job.
        job: JobName,
        /// The events whose runs were waiting for their next [attempt](crate::Retry).
        retries: Vec<SystemTime>,
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
        /// Its next event, if it has any.
        next: Option<SystemTime>,
    },
    /// A job was cancelled.
    Cancelled {
        /// The name of the job.
        job: JobName,
        /// The events that had passed but whose runs had not started. Of more than some thousands, only the
        /// first are listed.
        due: Vec<SystemTime>,
        /// The number of further such events, which are not listed.
        unlisted: u64,
        /// The events whose runs were waiting for their next [attempt](crate::Retry). These attempts
        /// are cancelled.
        retries: Vec<SystemTime>,
        /// The event that the job waited for, or would have waited for if it was not paused. This
        /// event and all later ones are cancelled.
        next: Option<SystemTime>,
    },
    /// A job has no more events, and its last run has finished.
    Exhausted {
        /// The name of the job.
        job: JobName,
    },
    /// The clock was set back by more than a second. Jobs that follow the clock
    /// [wait](crate::SetBack::Wait) until it has caught up, unless they
    /// [repeat](crate::SetBack::Repeat) their events.
    ClockSetBack {
        /// The time until the clock has caught up.
        by: Duration,
    },
    /// Your code panicked outside a job: in a gate, a subscriber of `tracing`, a recorder of
    /// `metrics` or the destructor of a value. The scheduler continues.
    Panicked {
        /// What was called, such as "a gate".
        during: &'static str,
        /// The message of the panic; empty if it has none.
        message: String,
    },
    /// The observer was too slow: events before this one were dropped because too many were
    /// waiting.
    Lost {
        /// The number of events.
        count: u64,
    },
}

impl Event {
    /// Returns the name of the job, if the event concerns one.
    #[must_use]
    pub const fn job_name(&self) -> Option<&JobName> {
        Some(match self {
            Self::Started { run } | Self::Finished { run, .. } | Self::TimedOut { run, .. } => {
                run.job_name()
            }
            Self::Added { job, .. }
            | Self::Skipped { job, .. }
            | Self::Coalesced { job, .. }
            | Self::RetriesCancelled { job, .. }
            | Self::Paused { job }
            | Self::Resumed { job }
            | Self::Rescheduled { job, .. }
            | Self::Cancelled { job, .. }
            | Self::Exhausted { job } => job,
            Self::ClockSetBack { .. } | Self::Panicked { .. } | Self::Lost { .. } => return None,
        })
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
    /// The job has reached its [maximum number of runs](crate::Job::most_runs).
    MostRuns,
    /// A [gate](crate::Gate) refused the run.
    Gate,
}

/// Receives the [`Event`]s of a scheduler. Closures implement it if they annotate the type of their
/// argument, as in `|event: &Event| …`.
///
/// A scheduler calls its observer on a separate thread, with one event at a time, in the order in which
/// they happened. An observer may therefore block, and may use the scheduler, even to add and cancel
/// jobs. While it is busy, up to 65,536 events wait for it. Further events are dropped,
/// [counted](crate::Stats::lost_events), and reported as [`Event::Lost`].
///
/// If an observer of a [`Scheduler`](crate::Scheduler) panics, the panic hook reports it, and the
/// observer continues with the next event. A [`Simulator`](crate::Simulator) calls its observer
/// directly, so a panic reaches the caller: a failed assertion fails the test.
pub trait Observer: Send + Sync + 'static {
    /// Receives an event.
    fn on(&self, event: &Event);
}

impl<F: Fn(&Event) + Send + Sync + 'static> Observer for F {
    fn on(&self, event: &Event) {
        self(event);
    }
}
