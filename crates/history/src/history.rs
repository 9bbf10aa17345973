//! [`History`]: how runs ended.

use alloc::vec::Vec;
use core::error::Error;
use core::ops::{ControlFlow, RangeInclusive};
use core::slice;
use core::time::Duration;

use crate::{RunQuery, RunRecord, RunState};

/// Returns the range of all instants before `instant`, or `None` if it is empty.
pub(crate) fn range_before(instant: i64) -> Option<RangeInclusive<i64>> {
    Some(i64::MIN..=instant.checked_sub(1)?)
}

/// A record of how runs ended: a [`RunRecord`] for each pair of a job's name and a scheduled instant.
///
/// Instants are in milliseconds since 1970-01-01 00:00:00. A history knows nothing about schedules:
/// it stores whatever is recorded.
///
/// The crate docs [list the available histories](crate#choosing-a-history). To store records
/// elsewhere, implement four methods.
///
/// # Repeated runs
///
/// Only the latest record of a run counts. A success replaces the failure of an earlier attempt. If
/// a run that has succeeded is repeated and fails, it counts as failed, and runs that need it wait
/// again. To repeat a run, [`forget`](Self::forget) it first, so that the runs that need it wait
/// until it has ended.
pub trait History {
    /// The error of a failed read or write.
    type Error: Error + Send + Sync + 'static;

    /// Records how runs ended, replacing earlier records of the same runs. Either all are recorded or
    /// none. If a run is listed twice, the second record counts.
    ///
    /// # Errors
    ///
    /// Returns an error if the records cannot be written. None is then recorded.
    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), Self::Error>;

    /// Passes the recorded runs that queries select to `visit`, until `visit` returns
    /// [`ControlFlow::Break`]. The runs come in the order of the queries, each with the index of
    /// its query, its scheduled instant and its record.
    ///
    /// A history on a server reads many runs in one round trip before it visits the first: set a
    /// [limit](RunQuery::limit) if you need only the first runs of a query.
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be read.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use millicron_history::{History, MemoryHistory, RunQuery};
    ///
    /// let mut history = MemoryHistory::new();
    /// for at in 1..=9 {
    ///     history.record("load", at)?;
    /// }
    /// let queries = [
    ///     RunQuery::new("load", ..3),
    ///     RunQuery::new("load", ..).newest_first().limit(1),
    /// ];
    /// let mut found = Vec::new();
    /// history.read(&queries, &mut |query, scheduled, _| {
    ///     found.push((query, scheduled));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(found, [(0, 1), (0, 2), (1, 9)]);
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), Self::Error>;

    /// Removes the records of runs, given as pairs of a job and a range, as if these had never run.
    /// Either all are removed or none.
    ///
    /// Their [claims](crate::Claims) are removed as well, so a runner that is still executing one of
    /// the runs cannot record its end.
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be written. It is then unchanged.
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

    /// Removes the records of each job's runs before an instant. Either all are removed or none.
    ///
    /// Their [claims](crate::Claims) are removed only if they have expired, so a runner that is still
    /// executing one of the runs can record its end.
    ///
    /// In a pipeline, a run that needs a removed record waits for it, or uses an older one.
    /// `Pipeline::prune` removes only what no later run needs.
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be written. It is then unchanged.
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

    /// Sets how long a method may try again after a connection was lost, before it fails. A history
    /// does not try again unless its owner allows it here.
    ///
    /// Only a history on a server has a use for this. [`Duration::MAX`] means no limit. The time counts
    /// from when the history begins a method: if N threads share its connection, the last of them may
    /// wait N times as long.
    ///
    /// Such a history repeats a statement under a number by which
    /// the server recognizes what it has already executed, which a caller that repeats a method cannot
    /// do: so a claim that was granted before the connection was lost counts once.
    fn retry_for(&mut self, _limit: Duration) {}

    /// Removes the records of a job's runs in a range, like [`forget_all`](Self::forget_all).
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be written. It is then unchanged.
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

    /// Removes all but the last records of each job, like [`drop_before`](Self::drop_before). Each
    /// job's name comes with the number of records to keep; the last record is kept even if that is
    /// 0.
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be read or written. It is then unchanged.
    ///
    /// ```
    /// use millicron_history::{History, MemoryHistory};
    ///
    /// let mut history = MemoryHistory::new();
    /// for at in 1..=9 {
    ///     history.record("load", at)?;
    /// }
    /// history.keep_last(&[("load", 2)])?;
    /// assert_eq!(history.len(), 2);
    /// assert_eq!(history.first_at_or_after("load", 0)?, Some(8));
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    fn keep_last(&mut self, jobs: &[(&str, u64)]) -> Result<(), Self::Error> {
        let oldest_kept = jobs.iter().map(|(job, count)| {
            let before = RunQuery::new(job, ..).newest_first().skip(count.saturating_sub(1));
            before.limit(1)
        });
        let mut kept = Vec::new();
        self.read(&oldest_kept.collect::<Vec<_>>(), &mut |query, scheduled, _| {
            kept.extend(jobs.get(query).map(|(job, _)| (*job, scheduled)));
            ControlFlow::Continue(())
        })?;
        self.drop_before(&kept)
    }

    /// Records how a run ended and what is known about it, replacing an earlier record.
    ///
    /// # Errors
    ///
    /// Returns an error if the record cannot be written.
    fn record_run(
        &mut self,
        job: &str,
        scheduled: i64,
        record: RunRecord,
    ) -> Result<(), Self::Error> {
        self.record_runs(&[(job, scheduled, record)])
    }

    /// Records how a run ended, replacing an earlier record.
    ///
    /// # Errors
    ///
    /// Returns an error if the state cannot be written. It is then not recorded.
    fn record_state(
        &mut self,
        job: &str,
        scheduled: i64,
        state: RunState,
    ) -> Result<(), Self::Error> {
        self.record_run(job, scheduled, state.into())
    }

    /// Records that a run has succeeded.
    ///
    /// # Errors
    ///
    /// Returns an error if the success cannot be written. It is then not recorded.
    fn record(&mut self, job: &str, scheduled: i64) -> Result<(), Self::Error> {
        self.record_state(job, scheduled, RunState::Succeeded)
    }

    /// Returns the record of a run, or `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be read.
    fn run(&self, job: &str, scheduled: i64) -> Result<Option<RunRecord>, Self::Error> {
        let query = RunQuery::new(job, scheduled..=scheduled);
        Ok(first(self, &query)?.map(|(_, record)| record))
    }

    /// Returns the scheduled instant and the record of a job's last recorded run, or `None` if there
    /// is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be read.
    fn last_run(&self, job: &str) -> Result<Option<(i64, RunRecord)>, Self::Error> {
        first(self, &RunQuery::new(job, ..).newest_first().limit(1))
    }

    /// Returns how a run ended, or `None` if it is not recorded.
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be read.
    fn state(&self, job: &str, scheduled: i64) -> Result<Option<RunState>, Self::Error> {
        Ok(self.run(job, scheduled)?.map(|record| record.state))
    }

    /// Passes the successes of a job in a range to `visit`, in ascending order, until `visit`
    /// returns [`ControlFlow::Break`].
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be read.
    fn successes(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), Self::Error> {
        let query = RunQuery::new(job, range).successes();
        self.read(&[query], &mut |_, scheduled, _| visit(scheduled))
    }

    /// Returns the first success of a job at or after an instant.
    ///
    /// # Errors
    ///
    /// Returns an error if the history cannot be read.
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
        let query = RunQuery::new(job, instant..).successes().limit(1);
        Ok(first(self, &query)?.map(|(scheduled, _)| scheduled))
    }
}

/// Returns the first run that a query selects.
fn first<H: History + ?Sized>(
    history: &H,
    query: &RunQuery<'_>,
) -> Result<Option<(i64, RunRecord)>, H::Error> {
    let mut first = None;
    history.read(slice::from_ref(query), &mut |_, scheduled, record| {
        first = Some((scheduled, record));
        ControlFlow::Break(())
    })?;
    Ok(first)
}
