//! [`Stats`]: what a scheduler counts and measures.

use std::fmt;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::run::outcome::Outcome;

/// Counts and measurements of a scheduler since it started.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// The number of jobs that wait for an event.
    pub waiting: usize,
    /// The number of runs in progress.
    pub running: usize,
    /// The number of runs that wait for a worker.
    pub ready: usize,
    /// The number of attempts that have finished, including failed ones.
    pub completed: u64,
    /// The number of attempts with a [lateness](crate::RunContext::lateness) of more than one
    /// second.
    pub late: u64,
    /// The number of missed events; see [`Missed`](crate::Missed).
    pub missed: u64,
    /// The number of skipped events, for any [reason](crate::SkipReason).
    pub skipped: u64,
    /// The number of attempts that did not [succeed](Outcome::Succeeded).
    pub failed: u64,
    /// The number of attempts that took longer than their job [allows](crate::Job::timeout).
    pub timed_out: u64,
    /// The number of events that were dropped because the [observer](crate::Observer) was too slow.
    pub lost_events: u64,
    lateness: Option<Histogram<u64>>,
}

impl Stats {
    /// Returns a quantile of the [lateness](crate::RunContext::lateness) of all attempts: 0.5 is
    /// the median, 0.99 the 99th percentile, 1.0 the maximum.
    ///
    /// The result is accurate to one microsecond or one percent, whichever is larger, and at most
    /// one day. It is zero if nothing has run.
    #[must_use]
    pub fn lateness(&self, quantile: f64) -> Duration {
        let micros = self.lateness.as_ref().map_or(0, |it| it.value_at_quantile(quantile));
        Duration::from_micros(micros)
    }
}

impl fmt::Debug for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            waiting,
            running,
            ready,
            completed,
            late,
            missed,
            skipped,
            failed,
            timed_out,
            lost_events,
            lateness: _,
        } = self;
        f.debug_struct("Stats")
            .field("waiting", waiting)
            .field("running", running)
            .field("ready", ready)
            .field("completed", completed)
            .field("late", late)
            .field("missed", missed)
            .field("skipped", skipped)
            .field("failed", failed)
            .field("timed_out", timed_out)
            .field("lost_events", lost_events)
            .field("median_lateness", &self.lateness(0.5))
            .finish()
    }
}

/// The counters behind [`Stats`].
pub(crate) struct Counters {
    pub(crate) missed: u64,
    pub(crate) skipped: u64,
    pub(crate) timed_out: u64,
    pub(crate) lost_events: u64,
    completed: u64,
    late: u64,
    failed: u64,
    /// In microseconds.
    lateness: Option<Histogram<u64>>,
}

impl Default for Counters {
    fn default() -> Self {
        // One day. Longer times count as one day.
        const LONGEST: u64 = 86_400_000_000;
        let lateness = Histogram::new_with_bounds(1, LONGEST, 2).ok();
        debug_assert!(lateness.is_some(), "the bounds are valid");
        Self {
            missed: 0,
            skipped: 0,
            timed_out: 0,
            lost_events: 0,
            completed: 0,
            late: 0,
            failed: 0,
            lateness,
        }
    }
}

impl Counters {
    /// Counts an attempt that starts.
    pub(crate) fn started(&mut self, lateness: Duration) {
        self.late += u64::from(lateness > Duration::from_secs(1));
        if let Some(histogram) = &mut self.lateness {
            histogram.saturating_record(u64::try_from(lateness.as_micros()).unwrap_or(u64::MAX));
        }
    }

    /// Counts an attempt that has finished.
    pub(crate) fn finished(&mut self, outcome: &Outcome) {
        self.completed += 1;
        self.failed += u64::from(!outcome.is_success());
    }

    pub(crate) fn stats(&self, waiting: usize, running: usize, ready: usize) -> Stats {
        let Self { missed, skipped, timed_out, lost_events, completed, late, failed, lateness } =
            self;
        Stats {
            waiting,
            running,
            ready,
            completed: *completed,
            late: *late,
            missed: *missed,
            skipped: *skipped,
            failed: *failed,
            timed_out: *timed_out,
            lost_events: *lost_events,
            lateness: lateness.clone(),
        }
    }
}
