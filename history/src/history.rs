//! [`History`]: how runs ended.

use core::error::Error;
use core::ops::{ControlFlow, RangeInclusive};

use crate::RunState;

/// Returns the range of all instants before another one; `None` if there are none.
pub(crate) fn range_before(instant: i64) -> Option<RangeInclusive<i64>> {
    Some(i64::MIN..=instant.checked_sub(1)?)
}

/// A record of how runs ended: a [`RunState`] for each pair of a job's name and a scheduled instant.
///
/// Instants are in milliseconds since 1970-01-01 00:00:00. A history knows nothing of schedules: it
/// keeps whatever is recorded.
///
/// The crate's documentation [lists the histories](crate#choosing-a-history) that there are. To keep
/// records anywhere else, implement four methods.
///
/// # Runs that are run again
///
/// The last record of a run counts, whatever it replaces. A success replaces the failure of an
/// earlier attempt. If a run that has succeeded is run again and fails, it has failed, and runs that
/// need it wait again. To run a run again, [`forget`](Self::forget) it first, so that the runs which
/// need it wait until it has ended.
pub trait History {
    /// The error of a failed read or write.
    type Error: Error + Send + Sync + 'static;

    /// Records how a run ended, in place of an earlier record of the same run.
    ///
    /// # Errors
    ///
    /// The state could not be written, and is not recorded.
    fn record_state(
        &mut self,
        job: &str,
        scheduled: i64,
        state: RunState,
    ) -> Result<(), Self::Error>;

    /// Passes the recorded runs of a job in a range to `visit`, with their states, in ascending
    /// order of their instants, until it returns [`ControlFlow::Break`].
    ///
    /// # Errors
    ///
    /// The history could not be read.
    fn states(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64, RunState) -> ControlFlow<()>,
    ) -> Result<(), Self::Error>;

    /// Removes the records of runs, given as ranges of jobs, as if they had never run. All of them are
    /// removed, or none.
    ///
    /// Their [claims](crate::Claims) are removed as well, so that a runner that is still at work on one of
    /// them cannot record its end.
    ///
    /// # Errors
    ///
    /// The history could not be written, and is unchanged.
    ///
    /// ```
    /// use millicron_history::{History, MemoryHistory};
    ///
    /// let mut history = MemoryHistory::new();
    /// history.record("hourly", 3_600_000)?;
    /// history.record("daily", 0)?;
    /// history.forget_all(&[("hourly", 0..=i64::MAX), ("daily", 0..=0)])?;
    /// assert!(history.is_empty());
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    fn forget_all(&mut self, runs: &[(&str, RangeInclusive<i64>)]) -> Result<(), Self::Error>;

    /// Removes the records of runs before an instant of each of these jobs. All of them are removed, or
    /// none.
    ///
    /// Their [claims](crate::Claims) are removed if they have expired. A runner that is still at work on one of
    /// the runs can record its end.
    ///
    /// In a pipeline, a run that needs a removed record waits for it, or uses an older one.
    /// `Pipeline::prune` removes only what no later run needs.
    ///
    /// # Errors
    ///
    /// The history could not be written, and is unchanged.
    ///
    /// ```
    /// use millicron_history::{History, MemoryHistory};
    ///
    /// let mut history = MemoryHistory::new();
    /// history.record("hourly", 3_600_000)?;
    /// history.record("hourly", 7_200_000)?;
    /// history.drop_before(&[("hourly", 7_200_000)])?;
    /// assert_eq!(history.first_at_or_after("hourly", 0)?, Some(7_200_000));
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    fn drop_before(&mut self, jobs: &[(&str, i64)]) -> Result<(), Self::Error>;

    /// Removes the records of a job's runs in a range, as [`forget_all`](Self::forget_all) does.
    ///
    /// # Errors
    ///
    /// The history could not be written, and is unchanged.
    ///
    /// ```
    /// use millicron_history::{History, MemoryHistory};
    ///
    /// let mut history = MemoryHistory::new();
    /// history.record("hourly", 3_600_000)?;
    /// history.forget("hourly", 3_600_000..=3_600_000)?;
    /// assert_eq!(history.state("hourly", 3_600_000)?, None);
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    fn forget(&mut self, job: &str, range: RangeInclusive<i64>) -> Result<(), Self::Error> {
        self.forget_all(&[(job, range)])
    }

    /// Records that a run has succeeded.
    ///
    /// # Errors
    ///
    /// The success could not be written, and is not recorded.
    fn record(&mut self, job: &str, scheduled: i64) -> Result<(), Self::Error> {
        self.record_state(job, scheduled, RunState::Succeeded)
    }

    /// Returns how a run ended; `None` if it is not recorded.
    ///
    /// # Errors
    ///
    /// The history could not be read.
    fn state(&self, job: &str, scheduled: i64) -> Result<Option<RunState>, Self::Error> {
        let mut recorded = None;
        self.states(job, scheduled..=scheduled, &mut |_, state| {
            recorded = Some(state);
            ControlFlow::Break(())
        })?;
        Ok(recorded)
    }

    /// Passes the successes of a job in a range to `visit`, in ascending order, until it returns
    /// [`ControlFlow::Break`].
    ///
    /// # Errors
    ///
    /// The history could not be read.
    fn successes(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), Self::Error> {
        self.states(job, range, &mut |scheduled, state| match state {
            RunState::Succeeded => visit(scheduled),
            RunState::Failed | RunState::Skipped => ControlFlow::Continue(()),
        })
    }

    /// Returns the first success of a job at or after an instant.
    ///
    /// # Errors
    ///
    /// The history could not be read.
    ///
    /// ```
    /// use millicron_history::{History, MemoryHistory};
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
}
