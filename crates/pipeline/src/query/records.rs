//! Writes to a history after checking that the run or job exists.

use core::time::Duration;

use millicron::{Moment, MomentRange};
use millicron_history::{ClaimOutcome, Claims, History, RunState};

use crate::error::QueryError;
use crate::model::pipeline::Pipeline;

impl Pipeline {
    /// Records in a history that a run has succeeded. Unlike [`History::record`], it accepts the
    /// same moments as the other queries, and refuses a run that does not exist.
    ///
    /// # Errors
    ///
    /// The same as for [`ready`](Self::ready). In these cases, nothing is recorded.
    ///
    /// ```
    /// use jiff::civil::date;
    /// use millicron::schedule;
    /// use millicron_pipeline::{MemoryHistory, Need, Pipeline};
    ///
    /// // No job has a time zone, so civil time is enough.
    /// let pipeline = Pipeline::builder()
    ///     .since(date(2026, 11, 21).at(0, 0, 0, 0))
    ///     .job("load", schedule!("2:00:00"), [])
    ///     .job("report", schedule!("3:00:00"), [Need::last("load")])
    ///     .build()?;
    ///
    /// let mut history = MemoryHistory::new();
    /// pipeline.record("load", date(2026, 11, 21).at(2, 0, 0, 0), &mut history)?;
    /// let report = date(2026, 11, 21).at(3, 0, 0, 0);
    /// assert!(pipeline.ready("report", report, &history)?.is_ready());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record<H: History + ?Sized>(
        &self,
        job: &str,
        scheduled: impl Moment,
        history: &mut H,
    ) -> Result<(), QueryError<H::Error>> {
        self.record_state(job, scheduled, RunState::Succeeded, history)
    }

    /// Records in a history how a run ended; see [`record`](Self::record).
    ///
    /// # Errors
    ///
    /// The same as for [`ready`](Self::ready). In these cases, nothing is recorded.
    pub fn record_state<H: History + ?Sized>(
        &self,
        job: &str,
        scheduled: impl Moment,
        state: RunState,
        history: &mut H,
    ) -> Result<(), QueryError<H::Error>> {
        let (_, scheduled) = self.find_run(job, scheduled)?;
        history.record_state(job, scheduled, state).map_err(QueryError::History)
    }

    /// Removes the records of a job's runs in a range, so that they can be run again. Unlike
    /// [`History::forget`], it accepts the same moments as the other queries, and refuses an unknown
    /// job.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, a civil time is passed to a pipeline with a time zone, or the
    /// history fails. In these cases, nothing is removed.
    pub fn forget<H: History + ?Sized>(
        &self,
        job: &str,
        runs: impl MomentRange,
        history: &mut H,
    ) -> Result<(), QueryError<H::Error>> {
        self.find_job(job)?;
        let range = self.millis(&runs)?;
        history.forget(job, range).map_err(QueryError::History)
    }

    /// Claims a run for a runner. Unlike [`Claims::claim`], it accepts the same moments as the other
    /// queries, and refuses a run that does not exist.
    ///
    /// # Errors
    ///
    /// The same as for [`ready`](Self::ready). In these cases, nothing is claimed.
    pub fn claim<H: Claims + ?Sized>(
        &self,
        job: &str,
        scheduled: impl Moment,
        owner: &str,
        lease: Duration,
        history: &mut H,
    ) -> Result<ClaimOutcome, QueryError<H::Error>> {
        let (_, scheduled) = self.find_run(job, scheduled)?;
        history.claim(job, scheduled, owner, lease).map_err(QueryError::History)
    }
}
