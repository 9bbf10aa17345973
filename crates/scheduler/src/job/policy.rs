//! Policies for events that cannot simply run on time, and the limits of runs.

use std::sync::Arc;
use std::time::Duration;

use crate::job::Retry;
use crate::time::Nanos;

/// How to handle missed events.
///
/// An event is missed when the scheduler handles it together with a later event of the same job,
/// or later than the job's [grace](crate::Job::grace) allows: the machine slept, the clock was set
/// forward, or the program stalled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Missed {
    /// Missed events are skipped. If several events are due at once, the last one still runs if it
    /// is within the grace period.
    Skip,
    /// A single run, at the last event, covers all missed events; see
    /// [`RunContext::coalesced`](crate::RunContext::coalesced). This is the default.
    #[default]
    Coalesce,
    /// The last `max` events run, in order; earlier ones are skipped. Each waits for the one
    /// before it, unless [`Overlap::Allow`] permits several at once.
    All {
        /// The maximum number of events that run. Zero means one.
        max: usize,
    },
}

/// How a policy handles events that are due at once. Beginning with the earliest, they are skipped,
/// coalesced, and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MissedEvents {
    /// The number of events that are skipped.
    pub skipped: u64,
    /// The number of events that the run of the last one covers.
    pub coalesced: u64,
    /// The number of events that run, in order.
    pub run: u64,
}

impl Missed {
    /// Applies the policy to events that are due at once, given their number and whether the last one is
    /// missed, too. The earlier ones always are.
    ///
    /// A [`Scheduler`](crate::Scheduler) calls this. Use it to apply the same policy elsewhere.
    ///
    /// ```
    /// use millicron_scheduler::Missed;
    ///
    /// let handled = Missed::All { max: 3 }.handle(5, true);
    /// assert_eq!((handled.skipped, handled.coalesced, handled.run), (2, 0, 3));
    /// let handled = Missed::Coalesce.handle(5, true);
    /// assert_eq!((handled.skipped, handled.coalesced, handled.run), (0, 4, 1));
    /// let handled = Missed::Skip.handle(5, true);
    /// assert_eq!((handled.skipped, handled.coalesced, handled.run), (5, 0, 0));
    /// assert_eq!(Missed::Skip.handle(5, false).run, 1);
    /// ```
    #[must_use]
    pub fn handle(self, events: u64, is_last_missed: bool) -> MissedEvents {
        let run = match self {
            Self::Skip => u64::from(!is_last_missed),
            Self::Coalesce => 1,
            Self::All { max } => max.max(1) as u64,
        };
        let run = run.min(events);
        let others = events - run;
        let coalesced = if self == Self::Coalesce { others } else { 0 };
        MissedEvents { skipped: others - coalesced, coalesced, run }
    }
}

/// How to handle an event that falls due while a run of the same job is in progress or waits for a
/// worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overlap {
    /// The event runs concurrently. Events beyond `max` concurrent runs are skipped.
    Allow {
        /// The maximum number of concurrent runs. Zero means one.
        max: usize,
    },
    /// The event is skipped. This is the default.
    #[default]
    Skip,
    /// The event waits until the run has finished. Events beyond `max` waiting ones are skipped. Missed
    /// events that [all run](Missed::All) wait together, however many they are, or are skipped together.
    Queue {
        /// The maximum number of waiting events.
        max: usize,
    },
}

impl Overlap {
    /// Returns the maximum number of concurrent runs.
    pub(crate) fn most(self) -> usize {
        match self {
            Self::Allow { max } => max.max(1),
            Self::Skip | Self::Queue { .. } => 1,
        }
    }
}

/// How a job behaves after the clock is set back, when the instants of past events recur.
///
/// The policy affects only jobs that follow the clock. [Intervals](millicron::every) without a fixed
/// instant measure elapsed time, and are not affected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SetBack {
    /// The job waits until the clock has caught up, so that no event runs twice. This is the
    /// default. The wait is reported as [`Event::ClockSetBack`](crate::Event::ClockSetBack).
    #[default]
    Wait,
    /// The job repeats the events whose instants recur, if the clock is set back by more than a
    /// second.
    Repeat,
}

/// How to handle a run that was cut off because the process ended before the run did. Set with
/// [`Job::cut_off`](crate::Job::cut_off).
#[cfg(feature = "history")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CutOff {
    /// The run is recorded as failed. Each event starts at most once. This is the default.
    #[default]
    Fail,
    /// The run is restarted when the job is added, under the same scheduled instant, as its next
    /// [attempt](crate::RunContext::attempt). Each event runs at least once.
    Restart {
        /// A run is restarted only if it has had fewer attempts than this, in all processes. Its first attempt, its
        /// [retries](crate::Retry) and its restarts count, including the attempt that was cut off. Otherwise, it is
        /// recorded as failed, so that a run that crashes the process does not do so forever. With zero or one, no run is
        /// restarted. This does not limit retries; see [`Retry::most`](crate::Retry::most).
        most: u32,
    },
}

/// The threads that run jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Workers {
    /// A pool with this number of threads. Zero means one.
    Pool(usize),
    /// A thread for each run in progress. Threads are reused for later runs, and end after ten idle
    /// seconds.
    ///
    /// The maximum number of threads depends on the system, and is often some ten thousand.
    /// Starting more can abort the process, so limit how many jobs run at once.
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
    /// The maximum number of runs, not counting retries.
    pub(crate) most_runs: Option<u64>,
    /// Events up to this instant have run, perhaps in an earlier process.
    pub(crate) since: Option<Nanos>,
    /// The earliest and the latest instant at which events run, inclusive.
    pub(crate) starting: Option<Nanos>,
    pub(crate) ending: Option<Nanos>,
    /// How to handle a run that an earlier process left unfinished.
    #[cfg(feature = "history")]
    pub(crate) cut_off: CutOff,
    /// Whether the job continues a run that has already passed the gate.
    pub(crate) has_passed_gate: bool,
    /// Whether the job replaces another job with the same name.
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
        cut_off: CutOff::Fail,
        has_passed_gate: false,
        replaces: false,
        shares_name: false,
        is_internal: false,
        tags: Vec::new(),
    };

    /// Returns the policy of a job, given what it has set.
    pub(crate) fn or_default(given: Option<&Self>) -> &Self {
        static DEFAULT: Policy = Policy::DEFAULT;
        given.unwrap_or(&DEFAULT)
    }

    /// Returns the policy for a job that restarts one run, which was due long ago.
    #[cfg(feature = "history")]
    pub(crate) fn for_restart(&self) -> Self {
        Self {
            timeout: self.timeout,
            abandons: self.abandons,
            is_internal: self.is_internal,
            tags: self.tags.clone(),
            ..Self::DEFAULT
        }
    }

    /// Whether an instant is within `starting` and `ending`.
    pub(crate) fn allows(&self, instant: Nanos) -> bool {
        self.starting.is_none_or(|first| first <= instant)
            && self.ending.is_none_or(|last| instant <= last)
    }
}
