//! When runs started.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron_benches::lateness::{Lateness, percentiles};

/// The lateness of the runs of the events in a range.
pub(crate) struct Starts {
    /// Milliseconds since 1970.
    window: Range<i64>,
    late: Mutex<Vec<Duration>>,
}

impl Starts {
    /// Counts events from a full second after `lead`, for a number of seconds.
    pub(crate) fn after(lead: Duration, seconds: i64) -> Self {
        let start = millis(SystemTime::now() + lead).div_euclid(1000) * 1000 + 1000;
        Self { window: start..start + seconds * 1000, late: Mutex::default() }
    }

    /// Records that the run of an event starts now. Every handler calls this first.
    pub(crate) fn record(&self, scheduled: i64) {
        let now = since_1970(SystemTime::now());
        if self.window.contains(&scheduled) {
            let scheduled_after = Duration::from_millis(scheduled.unsigned_abs());
            let late = now.checked_sub(scheduled_after).expect("no run starts early");
            self.late.lock().unwrap_or_else(PoisonError::into_inner).push(late);
        }
    }

    /// Records a run of a job that fires at each full second and does not know its event.
    pub(crate) fn record_second(&self) {
        self.record(millis(SystemTime::now()).div_euclid(1000) * 1000);
    }

    /// Waits until the range has ended, and then `longer` for late runs.
    pub(crate) async fn wait(&self, longer: Duration) {
        let end = Duration::from_millis(self.window.end.unsigned_abs()) + longer;
        tokio::time::sleep(end.saturating_sub(since_1970(SystemTime::now()))).await;
    }

    /// Returns how many runs started, and how late.
    pub(crate) fn lateness(&self) -> (usize, Lateness) {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        (late.len(), percentiles(&mut late))
    }
}

/// Returns milliseconds since 1970.
pub(crate) fn millis(instant: SystemTime) -> i64 {
    i64::try_from(since_1970(instant).as_millis()).unwrap_or(i64::MAX)
}

fn since_1970(instant: SystemTime) -> Duration {
    instant.duration_since(UNIX_EPOCH).unwrap_or_default()
}
