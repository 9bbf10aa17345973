//! [`PipelineBuilder`]: builds and validates a pipeline.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use millicron::{Moment, Recurrence};

use crate::error::{PipelineError, PipelineProblem};
use crate::model::job::Job;
use crate::model::need::Need;
use crate::model::pipeline::Pipeline;
use crate::model::timeline::{SharedRecurrence, Timeline};
use crate::validation::names::{self, Resolver, UnresolvedJob};
use crate::validation::{cycles, needs, zones};

/// Builds a [`Pipeline`]; returned by [`Pipeline::builder`].
#[must_use = "call `build` to get a pipeline"]
pub struct PipelineBuilder {
    since: Option<i64>,
    jobs: Vec<UnresolvedJob>,
    previous: Vec<PreviousSchedule>,
    /// Whether any instant was passed as a civil time.
    has_civil_time: bool,
}

/// A schedule that a job had until it was replaced.
struct PreviousSchedule {
    job: String,
    recurrence: SharedRecurrence,
    until: i64,
}
impl Pipeline {
    /// Creates a builder for a pipeline.
    pub const fn builder() -> PipelineBuilder {
        PipelineBuilder {
            since: None,
            jobs: Vec::new(),
            previous: Vec::new(),
            has_civil_time: false,
        }
    }
}

impl PipelineBuilder {
    /// Sets the instant at which the pipeline begins. Earlier events are neither runs nor needed by
    /// runs.
    ///
    /// By default, a job's first run is the first event of its schedule, which for most schedules
    /// is in 2000.
    ///
    /// With a history that outlives the program, pass the same instant after each restart. A later
    /// instant would drop needs for earlier runs.
    pub fn since<M: Moment>(self, instant: M) -> Self {
        let has_civil_time = self.has_civil_time || !M::IS_INSTANT;
        Self { since: Some(instant.position().ceil()), has_civil_time, ..self }
    }

    /// Adds a job with a unique name, a schedule, and the needs of each run.
    ///
    /// `schedule` is any [`Recurrence`]: a [`Schedule`](millicron::Schedule), a
    /// [`ZonedSchedule`](millicron::ZonedSchedule), an [`Interval`](millicron::Interval) or your
    /// own type. If your type follows a time zone, for example because it combines zoned schedules,
    /// implement [`is_zoned`](Recurrence::is_zoned), [`offset_at`](Recurrence::offset_at),
    /// [`unit_start`](Recurrence::unit_start) and [`unit_end`](Recurrence::unit_end) as well. By
    /// default, its days are in UTC.
    pub fn job<'n>(
        mut self,
        name: &str,
        schedule: impl Recurrence + Send + Sync + 'static,
        needs: impl IntoIterator<Item = Need<'n>>,
    ) -> Self {
        let mut job = UnresolvedJob::new(name, Arc::new(schedule));
        for need in needs {
            job.add(&need);
        }
        self.jobs.push(job);
        self
    }

    /// Sets the schedule that a job had until it was replaced at the instant `until`. Call it once
    /// for each replaced schedule of a job, in any order. Replacing two schedules of a job at the
    /// same instant is an [error](PipelineProblem::DuplicateChange).
    ///
    /// Before that instant, the job's events come from the previous schedule. If its period stayed
    /// the same or became shorter, the records in the history stay valid. If it became longer, the
    /// change resets needs:
    ///
    /// - only the job's runs at or after the change are needed and count;
    /// - the first of these runs needs no [previous run](Need::self_previous);
    /// - the job's [check points](Need::latest) are not before the change;
    /// - until the first of these runs, a need for the job's [last run](Need::last) needs nothing.
    ///   If the need has a maximum age that does not reach back to the change, it waits for that
    ///   run.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::Pipeline;
    ///
    /// let hour = 3_600_000;
    /// let change = 1_795_219_200_000_i64; // 2026-11-21 00:00:00
    /// let pipeline = Pipeline::builder()
    ///     .job("load", schedule!("*:00:00"), [])
    ///     .previous_schedule("load", schedule!("*/2:00:00"), change)
    ///     .build()?;
    ///
    /// let runs = pipeline.neighbors("load", change)?;
    /// assert_eq!(runs.previous, Some(change - 2 * hour));
    /// assert_eq!(runs.next, Some(change + hour));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn previous_schedule<M: Moment>(
        mut self,
        job: &str,
        schedule: impl Recurrence + Send + Sync + 'static,
        until: M,
    ) -> Self {
        self.has_civil_time |= !M::IS_INSTANT;
        let recurrence = Arc::new(schedule);
        let until = until.position().ceil();
        self.previous.push(PreviousSchedule { job: job.to_owned(), recurrence, until });
        self
    }

    /// Builds the pipeline.
    ///
    /// # Errors
    ///
    /// Returns every [`PipelineProblem`] at once, such as duplicate and unknown names, dependency cycles,
    /// and needs that can never be met.
    pub fn build(self) -> Result<Pipeline, PipelineError> {
        let Self { since, jobs: unresolved, previous, has_civil_time } = self;
        let mut resolver = Resolver::new(unresolved.iter().map(|job| &job.name));
        let mut previous_of: BTreeMap<usize, BTreeMap<i64, SharedRecurrence>> = BTreeMap::new();
        for PreviousSchedule { job, recurrence, until } in previous {
            let Some(index) = resolver.resolve(&job, None) else { continue };
            let of_job = previous_of.entry(index).or_default();
            let offset = recurrence.offset_at(until);
            if of_job.insert(until, recurrence).is_some() {
                let job = job.into();
                resolver.problems.push(PipelineProblem::DuplicateChange { job, until, offset });
            }
        }
        let mut jobs: Vec<Job> = Vec::new();
        for (index, job) in unresolved.into_iter().enumerate() {
            let UnresolvedJob { name, recurrence, needs, requirements, problems } = job;
            resolver.problems.extend(problems);
            let requirements = resolver.requirements(&name, requirements);
            let previous = previous_of.remove(&index).unwrap_or_default();
            let timeline = Timeline::new(since.unwrap_or(i64::MIN), previous, recurrence);
            jobs.push(Job { name, timeline, needs, requirements, downstream: Vec::new() });
        }
        names::link(&mut jobs);
        let Resolver { indices, mut problems, .. } = resolver;
        needs::check(&jobs, &mut problems);
        zones::check(&jobs, has_civil_time, &mut problems);
        cycles::check(&jobs, &mut problems);
        if problems.is_empty() {
            let zoned_job = jobs.iter().position(|job| job.timeline.is_zoned());
            let (jobs, indices) = (jobs.into(), Arc::new(indices));
            Ok(Pipeline { jobs, indices, has_beginning: since.is_some(), zoned_job })
        } else {
            Err(PipelineError { problems })
        }
    }
}

impl fmt::Debug for PipelineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.jobs.iter().map(|job| &*job.name).collect::<Vec<_>>();
        f.debug_struct("PipelineBuilder").field("jobs", &names).finish_non_exhaustive()
    }
}
