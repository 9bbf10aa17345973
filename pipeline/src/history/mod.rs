//! [`History`]: which runs have succeeded.

mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;

use core::ops::{ControlFlow, RangeInclusive};

pub use memory::MemoryHistory;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteError, SqliteHistory};

use crate::missing::Missing;
use millicron::Recurrence;

/// Which runs have succeeded: a set of pairs of a job and its scheduled instant.
///
/// Instants are in milliseconds since 1970-01-01 00:00:00, as everywhere in
/// [pipelines](super#instants). A history knows nothing of schedules: whatever is
/// recorded is kept.
///
/// [`MemoryHistory`] and, with the feature `sqlite`, `SqliteHistory` are two; to write
/// another takes three functions.
pub trait History {
    /// Why it can not answer, or not record.
    type Error;

    /// Records that a run has succeeded. One that is recorded already stays one
    /// record.
    ///
    /// # Errors
    ///
    /// It can not be recorded, and is not.
    fn record(&mut self, job: &str, scheduled: i64) -> Result<(), Self::Error>;

    /// Visits the successes of a job in a range, from the first to the last, until it
    /// is told to [break](ControlFlow::Break).
    ///
    /// # Errors
    ///
    /// It can not be read.
    fn successes(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), Self::Error>;

    /// Drops all successes before an instant, of all jobs. A run that needs one of
    /// these will wait for it: keep as much as the longest
    /// [interval](super#data-intervals) that is asked about.
    ///
    /// # Errors
    ///
    /// Nothing is dropped.
    fn drop_before(&mut self, instant: i64) -> Result<(), Self::Error>;

    /// The first success of a job at or after an instant.
    ///
    /// # Errors
    ///
    /// It can not be read.
    ///
    /// ```
    /// use millicron_pipeline::{History, MemoryHistory};
    ///
    /// let mut history = MemoryHistory::new();
    /// history.record("hourly", 3_600_000)?;
    /// assert_eq!(history.first_at_or_after("hourly", 0)?, Some(3_600_000));
    /// assert_eq!(history.first_at_or_after("hourly", 3_600_001)?, None);
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    fn first_at_or_after(&self, job: &str, instant: i64) -> Result<Option<i64>, Self::Error> {
        let mut first = None;
        self.successes(job, instant..=i64::MAX, &mut |success| {
            first = Some(success);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    /// The events of a schedule in a range at which a job has not succeeded. They are
    /// not enumerated: it takes a few steps for each success in the range.
    ///
    /// # Errors
    ///
    /// It can not be read.
    ///
    /// ```
    /// use millicron_pipeline::{History, MemoryHistory};
    /// use millicron::{Schedule, schedule};
    ///
    /// static HOURLY: Schedule = schedule!("*:00:00");
    ///
    /// let start = 1_614_470_400_000; // 2021-02-28 00:00:00
    /// let mut history = MemoryHistory::new();
    /// history.record("hourly", start + 3_600_000)?;
    /// let missing = history.missing("hourly", &HOURLY, start..=start + 3 * 3_600_000)?;
    /// assert_eq!(missing.count(), 3);
    /// let hours: Vec<i64> = missing.instants().map(|at| (at - start) / 3_600_000).collect();
    /// assert_eq!(hours, [0, 2, 3]);
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    fn missing<'a>(
        &self,
        job: &str,
        schedule: &'a dyn Recurrence,
        range: RangeInclusive<i64>,
    ) -> Result<Missing<'a>, Self::Error> {
        let mut missing = Missing::before(schedule, range.clone());
        self.successes(job, range, &mut |success| {
            missing.succeed(success);
            ControlFlow::Continue(())
        })?;
        Ok(missing.close())
    }
}
