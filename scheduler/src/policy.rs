//! How events are handled that cannot simply run at their time.

use std::time::Duration;

/// How to handle missed events.
///
/// An event is missed when the scheduler handles it together with a later event of the same job,
/// or later than the job's [grace](crate::Job::grace) allows: the machine slept, the clock was set
/// forward, or the program stalled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Missed {
    /// Missed events are skipped. Of several events that are due at once, the last still runs if it
    /// is within the grace.
    Skip,
    /// One run covers all of them, at the last event; see
    /// [`RunContext::coalesced`](crate::RunContext::coalesced). This is the default.
    #[default]
    Coalesce,
    /// The last `max` events run, in order; earlier ones are skipped. Each waits for the one
    /// before it, unless [`Overlap::Allow`] permits several at once.
    All {
        /// The largest number of events that run. Zero means one.
        max: usize,
    },
}

/// How to handle an event that falls due while a run of the same job is in progress or waits for a
/// worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overlap {
    /// The event runs concurrently. Events beyond `max` runs at once are skipped.
    Allow {
        /// The largest number of runs at once. Zero means one.
        max: usize,
    },
    /// The event is skipped. This is the default.
    #[default]
    Skip,
    /// The event waits until the run has finished. Events beyond `max` waiting ones are skipped.
    Queue {
        /// The largest number of waiting events.
        max: usize,
    },
}

/// The threads that run jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Workers {
    /// A pool with this number of threads. Zero means one.
    Pool(usize),
    /// A new thread for each run.
    PerRun,
}

/// The policies of a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    pub(crate) missed: Missed,
    pub(crate) overlap: Overlap,
    pub(crate) grace: Duration,
    pub(crate) jitter: Duration,
}

impl Policy {
    pub(crate) const DEFAULT: Self = Self {
        missed: Missed::Coalesce,
        overlap: Overlap::Skip,
        grace: Duration::from_secs(1),
        jitter: Duration::ZERO,
    };
}
