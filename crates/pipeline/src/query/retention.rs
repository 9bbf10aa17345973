//! How much of a history a pipeline needs.

use alloc::vec::Vec;

use millicron::{Moment, Position, Recurrence as _};
use millicron_history::History;

use crate::error::QueryError;
use crate::model::job::Job;
use crate::model::pipeline::Pipeline;
use crate::model::relation::Relation;

impl Pipeline {
    /// Returns the instant of a job's earliest run that a run at or after `at` may need, in
    /// milliseconds since 1970-01-01 00:00:00; `None` if no such run needs the job.
    ///
    /// The instant may be after `at`. [`prune`](Self::prune) removes older records from a history.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, or a civil time is passed to a pipeline with a time zone.
    ///
    /// ```
    /// use millicron::{CalendarDigits, Unit, schedule};
    /// use millicron_pipeline::{Need, Pipeline};
    ///
    /// let at = |text: &str| text.parse().map(CalendarDigits::to_millis);
    /// let month_before = Need::all("load").period(Unit::Month).periods_back(1);
    /// let pipeline = Pipeline::builder()
    ///     .job("load", schedule!("02:00:00"), [])
    ///     .job("bill", schedule!("*.*.3 04:00:00"), [month_before])
    ///     .build()?;
    ///
    /// let now = at("2026-11-21 00:00:00")?;
    /// assert_eq!(pipeline.oldest_needed("load", now)?, Some(at("2026-11-01 02:00:00")?));
    /// assert_eq!(pipeline.oldest_needed("bill", now)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn oldest_needed(&self, job: &str, at: impl Moment) -> Result<Option<i64>, QueryError> {
        let index = self.find_job(job)?;
        let Position { millis, .. } = self.position(&at)?;
        Ok(oldest_needed(&self.jobs, index, millis))
    }

    /// Removes the records of runs before `at` that no run at or after `at` needs, and the expired
    /// [claims](crate::Claims) of the removed runs. No answer about runs at or after `at` changes.
    ///
    /// Runs before `at` that are still waiting, or must be rerun, may need the records: pass the
    /// instant of the earliest such run instead.
    ///
    /// A run whose record was removed counts as unrecorded. If you execute the runs that
    /// [`Missing::find`](crate::Missing::find) returns, pass it a range from `at` on. If several programs
    /// share the history, prune up to an instant so far in the past that none of them lags behind it.
    ///
    /// Records of jobs that are not in the pipeline remain; [forget](History::forget) them.
    ///
    /// # Errors
    ///
    /// A civil time is passed to a pipeline with a time zone, or the history cannot be written. The
    /// history is then unchanged.
    ///
    /// ```
    /// use millicron::{CalendarDigits, schedule};
    /// use millicron_pipeline::{History, MemoryHistory, Need, Pipeline};
    ///
    /// let at = |text: &str| text.parse().map(CalendarDigits::to_millis);
    /// let pipeline = Pipeline::builder()
    ///     .since(at("2026-11-01 00:00:00")?)
    ///     .job("load", schedule!("*:00:00"), [])
    ///     .job("report", schedule!("00:00:00"), [Need::all("load")])
    ///     .build()?;
    /// let now = at("2026-11-21 12:00:00")?;
    /// let mut history = MemoryHistory::new();
    /// for run in pipeline.plan(..now)? {
    ///     history.record(run.job, run.scheduled)?;
    /// }
    ///
    /// pipeline.prune(now, &mut history)?;
    /// assert_eq!(history.len(), 11); // the loads of today, from 01:00 to 11:00
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prune<H: History + ?Sized>(
        &self,
        at: impl Moment,
        history: &mut H,
    ) -> Result<(), QueryError<H::Error>> {
        let Position { millis, .. } = self.position(&at)?;
        let kept = self.jobs.iter().enumerate().map(|(index, job)| {
            let oldest = oldest_needed(&self.jobs, index, millis);
            (&*job.name, oldest.map_or(millis, |oldest| oldest.min(millis)))
        });
        history.drop_before(&kept.collect::<Vec<_>>()).map_err(QueryError::History)
    }
}

/// Returns the earliest event of the job at `upstream` that any run at or after an instant selects.
fn oldest_needed(jobs: &[Job], upstream: usize, instant: i64) -> Option<i64> {
    let oldest = |relation: Relation<'_>| {
        let oldest =
            relation.between_changes(&(instant..=i64::MAX)).into_iter().filter_map(|part| {
                // Later runs have later ranges.
                let first = relation.first_not_past(&part, i64::MIN)?;
                let start = relation.selected_range(first)?.first;
                relation.upstream.timeline.nearest_event(start)
            });
        oldest.min()
    };
    let users = jobs[upstream].downstream.iter();
    users.flat_map(|user| Relation::between(jobs, *user, upstream)).filter_map(oldest).min()
}
