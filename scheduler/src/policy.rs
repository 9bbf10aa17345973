//! What becomes of events that can not simply run at their time.

use std::time::Duration;

/// What becomes of events that were missed: those whose time had come together
/// with that of a later event of the same job, or longer ago than the job's
/// [grace](crate::Job::grace), since the machine slept, the clock was set forward,
/// or the program stalled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Missed {
    /// They do not run. The last one runs if its time is no longer ago than the
    /// grace.
    Skip,
    /// One run stands for all of them: that of the last one. This is the default.
    #[default]
    Coalesce,
    /// They run in their order, the last `max` of them; those before are skipped.
    /// Each waits for the one before, but where [`Overlap::Allow`] lets them run beside
    /// each other.
    All {
        /// How many run at the most, 1 at the least.
        max: usize,
    },
}

/// What becomes of an event whose time comes while a run of the same job is still
/// going, or waits for a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overlap {
    /// It runs beside the others, up to `max` at once; what is beyond is skipped.
    Allow {
        /// How many go at once at the most, 1 at the least.
        max: usize,
    },
    /// It is skipped. This is the default.
    #[default]
    Skip,
    /// It waits until the run has ended; up to `max` wait, what is beyond is
    /// skipped.
    Queue {
        /// How many wait at the most.
        max: usize,
    },
}

/// Which threads run the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Workers {
    /// So many threads, which take turns; one at the least.
    Pool(usize),
    /// A new thread for each run.
    PerRun,
}

/// All that a job can choose.
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
