//! [`Pipeline`]: the jobs, and how they are found.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::fmt;
use core::ops::RangeInclusive;

use millicron::{Moment, MomentRange, Neighbors, Position, Recurrence as _};

use super::job::Job;
use crate::error::QueryError;

/// Jobs that depend on each other, each with its own schedule.
///
/// A pipeline answers questions about runs: whether a run may [start](Self::ready), which runs it
/// [unlocks](Self::runs_unlocked_by), and in which [order](Self::plan) to run all of them. It does
/// not run anything; see the [crate documentation](crate).
///
/// A pipeline is immutable and cheap to clone.
///
/// ```
/// use millicron::{CalendarDigits, schedule};
/// use millicron_pipeline::{History, MemoryHistory, Need, Pipeline};
///
/// let pipeline = Pipeline::builder()
///     .job("load", schedule!("*:01:04"), [])
///     .job("report", schedule!("3:01:03"), [Need::all("load")])
///     .build()?;
///
/// let at = |text: &str| text.parse().map(CalendarDigits::to_millis);
/// let (run, start) = (at("2026-11-21 03:01:03.000")?, at("2026-11-20 03:01:04.000")?);
/// let mut history = MemoryHistory::new();
/// for hour in 0..23 {
///     history.record("load", start + hour * 3_600_000)?;
/// }
/// assert_eq!(
///     pipeline.ready("report", run, &history)?.to_string(),
///     "waiting for `load` 2026-11-21 02:01:04",
/// );
/// history.record("load", start + 23 * 3_600_000)?;
/// assert!(pipeline.ready("report", run, &history)?.is_ready());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Pipeline {
    pub(crate) jobs: Arc<[Job]>,
    /// Each job's index in `jobs`.
    pub(crate) indices: Arc<BTreeMap<Arc<str>, usize>>,
    /// Whether [`PipelineBuilder::since`] was called.
    pub(crate) has_beginning: bool,
    /// The index of a job with a time zone, if any.
    pub(crate) zoned_job: Option<usize>,
}

impl Pipeline {
    /// Returns the names of the jobs, in the order in which they were added.
    #[must_use]
    pub fn jobs(&self) -> impl ExactSizeIterator<Item = &str> {
        self.jobs.iter().map(|job| &*job.name)
    }

    /// Returns a job's previous, current and next run at an instant, in milliseconds since
    /// 1970-01-01 00:00:00. The current run is the last one at or before the instant.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, or a civil time is passed to a pipeline with a time zone.
    pub fn neighbors(&self, job: &str, instant: impl Moment) -> Result<Neighbors<i64>, QueryError> {
        let index = self.find_job(job)?;
        let Position { millis, .. } = self.position(&instant)?;
        Ok(self.jobs[index].timeline.neighbors(millis))
    }

    /// Returns a job's index among [`jobs`](Self::jobs).
    pub(crate) fn index(&self, job: &str) -> Option<usize> {
        self.indices.get(job).copied()
    }

    /// Returns the position of a moment. It may be a civil time if no job has a time zone.
    pub(crate) fn position<M: Moment, E>(&self, moment: &M) -> Result<Position, QueryError<E>> {
        self.check_timescale::<M, E>().map(|()| moment.position())
    }

    /// Converts a range to milliseconds. Its ends may be civil times if no job has a time zone.
    pub(crate) fn millis<R: MomentRange, E>(
        &self,
        range: &R,
    ) -> Result<RangeInclusive<i64>, QueryError<E>> {
        self.check_timescale::<R::Moment, E>().map(|()| range.millis())
    }

    fn check_timescale<M: Moment, E>(&self) -> Result<(), QueryError<E>> {
        match self.zoned_job {
            Some(index) if !M::IS_INSTANT => {
                Err(QueryError::CivilTime { job: (&*self.jobs[index].name).into() })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn find_job<E>(&self, job: &str) -> Result<usize, QueryError<E>> {
        self.index(job).ok_or_else(|| QueryError::UnknownJob { job: job.into() })
    }

    /// Returns a job's index and the instant of its run, if it has a run at `scheduled`.
    pub(crate) fn find_run<E>(
        &self,
        job: &str,
        scheduled: impl Moment,
    ) -> Result<(usize, i64), QueryError<E>> {
        let index = self.find_job(job)?;
        let Position { millis, is_exact } = self.position(&scheduled)?;
        let timeline = &self.jobs[index].timeline;
        if is_exact && timeline.matches(millis) {
            Ok((index, millis))
        } else {
            let Neighbors { current: previous, next, .. } = timeline.neighbors(millis);
            let job = job.into();
            let (scheduled, offset) = (millis, timeline.offset_at(millis));
            Err(QueryError::NoRun { job, scheduled, offset, is_exact, previous, next })
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pipeline").field(&self.indices.keys()).finish()
    }
}
