//! [`Stats`]: figures of a scheduler.

use std::fmt;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::job::Outcome;

/// Figures of a scheduler, since it was made.
#[derive(Clone)]
#[non_exhaustive]
pub struct Stats {
    /// How many jobs wait for an event.
    pub waiting: usize,
    /// How many runs are going.
    pub running: usize,
    /// How many runs have ended, failed ones too.
    pub completed: u64,
    /// How many runs began later than a second after their instant.
    pub late: u64,
    /// How many events were missed; see [`Missed`](crate::Missed).
    pub missed: u64,
    /// How many events were skipped, for whatever reason.
    pub skipped: u64,
    /// How many runs have failed: returned an error, or panicked.
    pub failed: u64,
    lateness: Option<Histogram<u64>>,
}

impl Stats {
    /// The lateness that a share of all runs had at the most: of 0.5 it is the
    /// median, of 1.0 the largest. To the microsecond or one part in a hundred,
    /// whichever is more. Zero where nothing has run.
    #[must_use]
    pub fn lateness(&self, share: f64) -> Duration {
        let micros = self.lateness.as_ref().map_or(0, |it| it.value_at_quantile(share));
        Duration::from_micros(micros)
    }
}

impl fmt::Debug for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { waiting, running, completed, late, missed, skipped, failed, lateness: _ } = self;
        f.debug_struct("Stats")
            .field("waiting", waiting)
            .field("running", running)
            .field("completed", completed)
            .field("late", late)
            .field("missed", missed)
            .field("skipped", skipped)
            .field("failed", failed)
            .field("median lateness", &self.lateness(0.5))
            .finish()
    }
}

/// What is counted as it happens.
pub(crate) struct Record {
    pub(crate) missed: u64,
    pub(crate) skipped: u64,
    completed: u64,
    late: u64,
    failed: u64,
    /// In microseconds.
    lateness: Option<Histogram<u64>>,
}

impl Default for Record {
    fn default() -> Self {
        // Up to a day; what is later counts as a day.
        const LONGEST: u64 = 86_400_000_000;
        let lateness = Histogram::new_with_bounds(1, LONGEST, 2).ok();
        Self { missed: 0, skipped: 0, completed: 0, late: 0, failed: 0, lateness }
    }
}

impl Record {
    pub(crate) fn lateness(&mut self, lateness: Duration) {
        self.late += u64::from(lateness > Duration::from_secs(1));
        if let Some(histogram) = &mut self.lateness {
            histogram.saturating_record(u64::try_from(lateness.as_micros()).unwrap_or(u64::MAX));
        }
    }

    pub(crate) fn ended(&mut self, outcome: &Outcome) {
        self.completed += 1;
        self.failed += u64::from(!matches!(outcome, Outcome::Succeeded));
    }

    pub(crate) fn stats(&self, waiting: usize, running: usize) -> Stats {
        let Self { missed, skipped, completed, late, failed, lateness } = self;
        Stats {
            waiting,
            running,
            completed: *completed,
            late: *late,
            missed: *missed,
            skipped: *skipped,
            failed: *failed,
            lateness: lateness.clone(),
        }
    }
}
