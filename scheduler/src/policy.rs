//! How events are handled that cannot simply run at their time, and how runs are limited.

use std::sync::Arc;
use std::time::Duration;

use crate::instant::Nanos;
use crate::retry::Retry;

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

impl Overlap {
    /// Returns the largest number of runs at once.
    pub(crate) fn most(self) -> usize {
        match self {
            Self::Allow { max } => max.max(1),
            Self::Skip | Self::Queue { .. } => 1,
        }
    }
}

/// What a job does after the clock was set back, when the instants of its past events come again.
///
/// It concerns jobs that follow the clock. [Intervals](millicron::every) measure elapsed time, unless
/// they have a fixed instant, and are not affected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SetBack {
    /// The job waits until the clock has caught up, so that no event runs twice. This is the
    /// default. The wait is reported as [`Event::ClockSetBack`](crate::Event::ClockSetBack).
    #[default]
    Wait,
    /// The events whose instants come again run again. This happens if the clock is set back by more
    /// than a second.
    Repeat,
}

/// The threads that run jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Workers {
    /// A pool with this number of threads. Zero means one.
    Pool(usize),
    /// A thread for each run in progress. A thread whose run has ended is used again for the next one,
    /// and ends after ten seconds without any.
    ///
    /// How many threads a process can have depends on the system, and is often some ten thousand.
    /// Beyond that, starting another one can end the process, so limit the jobs that run at once.
    PerRun,
}

/// The policies of a job.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub(crate) struct Policy {
    pub(crate) missed: Missed,
    pub(crate) overlap: Overlap,
    pub(crate) set_back: SetBack,
    pub(crate) grace: Duration,
    pub(crate) jitter: Duration,
    pub(crate) retry: Option<Retry>,
    pub(crate) timeout: Option<Duration>,
    /// Whether a run that has timed out no longer counts as in progress.
    pub(crate) abandons: bool,
    /// The most runs, apart from retries.
    pub(crate) most_runs: Option<u64>,
    /// Events up to this instant have run, perhaps in an earlier process.
    pub(crate) since: Option<Nanos>,
    /// The first and the last instant at which an event may be.
    pub(crate) starting: Option<Nanos>,
    pub(crate) ending: Option<Nanos>,
    /// How to handle a run that an earlier process has not ended.
    #[cfg(feature = "history")]
    pub(crate) cut_off: crate::history::CutOff,
    /// Whether the job goes on with a run that has passed the gate.
    #[cfg(feature = "history")]
    pub(crate) has_passed_gate: bool,
    /// Whether the job replaces one of the same name.
    pub(crate) replaces: bool,
    /// Whether other jobs may have the same name.
    pub(crate) shares_name: bool,
    /// Whether the job is a part of a library's machinery.
    pub(crate) is_internal: bool,
    pub(crate) tags: Vec<Arc<str>>,
}

impl Policy {
    pub(crate) const DEFAULT: Self = Self {
        missed: Missed::Coalesce,
        overlap: Overlap::Skip,
        set_back: SetBack::Wait,
        grace: Duration::from_secs(1),
        jitter: Duration::ZERO,
        retry: None,
        timeout: None,
        abandons: false,
        most_runs: None,
        since: None,
        starting: None,
        ending: None,
        #[cfg(feature = "history")]
        cut_off: crate::history::CutOff::Fail,
        #[cfg(feature = "history")]
        has_passed_gate: false,
        replaces: false,
        shares_name: false,
        is_internal: false,
        tags: Vec::new(),
    };

    /// Returns the policy of a job that starts one run again, which was due long ago.
    #[cfg(feature = "history")]
    pub(crate) fn for_restart(&self) -> Self {
        Self {
            timeout: self.timeout,
            abandons: self.abandons,
            shares_name: true,
            is_internal: self.is_internal,
            tags: self.tags.clone(),
            ..Self::DEFAULT
        }
    }

    /// Whether an instant is neither before the first nor after the last at which an event may be.
    pub(crate) fn allows(&self, instant: Nanos) -> bool {
        self.starting.is_none_or(|first| first <= instant)
            && self.ending.is_none_or(|last| instant <= last)
    }
}
