//! [`Stats`]: what a scheduler counts and measures.

use std::fmt;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::run::Outcome;

/// Counts and measurements of a scheduler since it started.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// The number of jobs.
    pub jobs: usize,
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
    pub(crate) lateness: Lateness,
}

/// The distribution of lateness, in microseconds.
#[derive(Clone, PartialEq)]
pub(crate) struct Lateness(Option<Histogram<u64>>);

impl Stats {
    /// Returns a quantile of the [lateness](crate::RunContext::lateness) of all attempts: 0.5 is
    /// the median, 0.99 the 99th percentile, 1.0 the maximum.
    ///
    /// The result is accurate to one microsecond or one percent, whichever is larger, and at most
    /// one day. It is zero if nothing has run.
    #[must_use]
    pub fn lateness(&self, quantile: f64) -> Duration {
        self.lateness.quantile(quantile)
    }

    /// Counts an attempt that starts.
    pub(crate) fn count_start(&mut self, lateness: Duration) {
        self.late += u64::from(lateness > Duration::from_secs(1));
        if let Some(histogram) = &mut self.lateness.0 {
            histogram.saturating_record(u64::try_from(lateness.as_micros()).unwrap_or(u64::MAX));
        }
    }

    /// Counts an attempt that has finished.
    pub(crate) fn count_end(&mut self, outcome: &Outcome) {
        self.completed += 1;
        self.failed += u64::from(!outcome.is_success());
    }
}

impl Lateness {
    fn quantile(&self, quantile: f64) -> Duration {
        Duration::from_micros(self.0.as_ref().map_or(0, |it| it.value_at_quantile(quantile)))
    }
}

impl Default for Lateness {
    fn default() -> Self {
        // One day. Longer times count as one day.
        const LONGEST: u64 = 86_400_000_000;
        let histogram = Histogram::new_with_bounds(1, LONGEST, 2).ok();
        debug_assert!(histogram.is_some(), "the bounds are valid");
        Self(histogram)
    }
}

impl fmt::Debug for Lateness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lateness").field("median", &self.quantile(0.5)).finish_non_exhaustive()
    }
}
