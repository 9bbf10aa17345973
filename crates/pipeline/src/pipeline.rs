//! [`Pipeline`] and [`PipelineBuilder`].

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Bound, RangeInclusive};

use millicron::{Moment, MomentRange, Neighbors, Position, Recurrence};
use millicron_history::{History, RunState};

use crate::check;
use crate::cycles;
use crate::error::{PipelineError, Problem, QueryError};
use crate::explain::Explanation;
use crate::need::Need;
use crate::plan::Plan;
use crate::ready::{Readiness, Run};
use crate::ready_query::{ReadyQuery, Recorded};
use crate::requirement::{Job, NeedTree};
use crate::resolve::{self, NeedReader, Resolver};
use crate::timeline::{SharedRecurrence, Timeline};
use crate::unlock;

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
    indices: Arc<BTreeMap<Arc<str>, usize>>,
    /// Whether [`PipelineBuilder::since`] was called.
    has_beginning: bool,
    /// The index of a job with a time zone, if any.
    zoned_job: Option<usize>,
}

/// Builds a [`Pipeline`]; returned by [`Pipeline::builder`].
#[must_use = "call `build` to get a pipeline"]
pub struct PipelineBuilder {
    since: Option<i64>,
    jobs: Vec<UnresolvedJob>,
    previous: Vec<PreviousSchedule>,
    /// Whether any instant was passed as a civil time.
    has_civil_time: bool,
}

/// A job whose needs still refer to other jobs by name.
struct UnresolvedJob {
    name: Arc<str>,
    recurrence: SharedRecurrence,
    needs: Vec<NeedTree<Arc<str>>>,
    problems: Vec<Problem>,
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

    /// Returns the names of the jobs, in the order in which they were added.
    #[must_use]
    pub fn jobs(&self) -> impl ExactSizeIterator<Item = &str> {
        self.jobs.iter().map(|job| &*job.name)
    }

    /// Returns whether a run may start, or which runs it waits for.
    ///
    /// The history is [read](History::read) once, however many needs the job has.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, the job has no event at `scheduled`, a civil time is passed to
    /// a pipeline with a time zone, or the history fails.
    pub fn ready<H: History + ?Sized>(
        &self,
        job: &str,
        scheduled: impl Moment,
        history: &H,
    ) -> Result<Readiness<'_>, QueryError<H::Error>> {
        let (index, scheduled) = self.find_run(job, scheduled)?;
        let query = ReadyQuery::new(&self.jobs, &self.jobs[index], scheduled);
        let queries: Vec<_> = query.queries().collect();
        let recorded = Recorded::read(history, &queries).map_err(QueryError::History)?;
        Ok(query.answer(&recorded, 0, None))
    }

    /// Returns the runs in a range that may start because a run has ended in `state`, in order of
    /// their instants. The range usually ends at the current time.
    ///
    /// These are the runs that have not succeeded yet, would be ready if the run had ended in
    /// `state`, and would not be ready if it had not ended. It makes no difference whether or how
    /// the history already records its end. A failed or skipped run unlocks only runs whose needs
    /// [accept](Need::ended) it.
    ///
    /// The query examines every run in the range that may be waiting for this run, of which there
    /// may be many if nothing has succeeded for a long time. It reads the history twice, or more
    /// often if there are more than a hundred such runs. A range without a start begins with the
    /// pipeline. If the pipeline has no [beginning](PipelineBuilder::since), that is an error,
    /// because the query would go back to the first event of a schedule, in 2000.
    ///
    /// # Errors
    ///
    /// The same as for [`ready`](Self::ready), and if neither the range nor the pipeline has a
    /// start.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{MemoryHistory, Need, Pipeline, RunState};
    ///
    /// let start = 1_795_219_200_000_i64; // 2026-11-21 00:00:00
    /// let pipeline = Pipeline::builder()
    ///     .since(start)
    ///     .job("daily", schedule!("00:30:00"), [])
    ///     .job("hourly", schedule!("*:00:00"), [Need::latest("daily")])
    ///     .build()?;
    ///
    /// let (daily, history) = (start + 1_800_000, MemoryHistory::new());
    /// let five = start + 5 * 3_600_000;
    /// let success = RunState::Succeeded;
    /// let runs = pipeline.runs_unlocked_by("daily", daily, success, &history, ..=five)?;
    /// assert_eq!(runs.len(), 6);
    /// let runs = pipeline.runs_unlocked_by("daily", daily, success, &history, ..)?;
    /// assert_eq!(runs.len(), 24); // all of that day
    /// let runs = pipeline.runs_unlocked_by("daily", daily, RunState::Failed, &history, ..)?;
    /// assert_eq!(runs.len(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn runs_unlocked_by<H: History + ?Sized>(
        &self,
        job: &str,
        scheduled: impl Moment,
        state: RunState,
        history: &H,
        runs: impl MomentRange,
    ) -> Result<Vec<Run<'_>>, QueryError<H::Error>> {
        let (index, scheduled) = self.find_run(job, scheduled)?;
        let range = self.millis(&runs)?;
        if !self.has_beginning && matches!(runs.start_moment(), Bound::Unbounded) {
            return Err(QueryError::NoStart);
        }
        let runs = unlock::runs(&self.jobs, (scheduled, index), state, history, &range);
        runs.map_err(QueryError::History)
    }

    /// Returns all runs in a range, each after the runs that it needs. Runs outside the range are
    /// assumed to have succeeded.
    ///
    /// Runs are in order of their instants, except where a run needs a later one. The runs of one
    /// job are always in order. A run that needs [any of](Need::any_of) several runs, or [at
    /// least](Need::at_least) some of them, comes after all of them.
    ///
    /// The iterator is lazy. Its memory depends on the number of jobs, not on the length of the
    /// range.
    ///
    /// # Errors
    ///
    /// A civil time is passed to a pipeline with a time zone.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{Need, Pipeline};
    ///
    /// let pipeline = Pipeline::builder()
    ///     .job("report", schedule!("00:00:00"), [Need::all("load")])
    ///     .job("load", schedule!("*/12:00:00"), [])
    ///     .build()?;
    ///
    /// let day = 86_400_000;
    /// let start = 1_795_219_200_000_i64; // 2026-11-21 00:00:00
    /// let runs: Vec<String> = pipeline.plan(start..start + day)?.map(|run| run.to_string()).collect();
    /// assert_eq!(runs, [
    ///     "`load` 2026-11-21 00:00:00",
    ///     "`report` 2026-11-21 00:00:00",
    ///     "`load` 2026-11-21 12:00:00",
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan(&self, range: impl MomentRange) -> Result<Plan<'_>, QueryError> {
        self.millis(&range).map(|range| self.plan_millis(range))
    }

    /// Returns the plan of a range in milliseconds.
    pub(crate) fn plan_millis(&self, range: RangeInclusive<i64>) -> Plan<'_> {
        Plan::new(&self.jobs, range)
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

    /// Describes a job and its needs in English. The result implements [`Display`](fmt::Display).
    ///
    /// # Errors
    ///
    /// The pipeline has no such job.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{Need, Pipeline};
    ///
    /// let pipeline = Pipeline::builder()
    ///     .job("load", schedule!("*:01:04"), [])
    ///     .job("report", schedule!("3:01:03"), [Need::latest("load"), Need::self_previous()])
    ///     .build()?;
    ///
    /// assert_eq!(pipeline.explain("report")?.to_string(), "\
    /// `report` runs at `3:01:03`, once a day. A run needs
    /// - a success of `load` (once an hour) at or after the check point: the first event of `load` \
    ///   at or after the start of the day;
    /// - a success of its own previous run.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self, job: &str) -> Result<Explanation<'_>, QueryError> {
        let index = self.find_job(job)?;
        Ok(Explanation { jobs: &self.jobs, job: &self.jobs[index] })
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
        let mut reader = NeedReader { job: name, problems: Vec::new() };
        let needs = needs.into_iter().filter_map(|need| reader.read(&need)).collect();
        let (recurrence, problems) = (Arc::new(schedule), reader.problems);
        self.jobs.push(UnresolvedJob { name: name.into(), recurrence, needs, problems });
        self
    }

    /// Sets the schedule that a job had until it was replaced at the instant `until`. Call it once
    /// for each replaced schedule of a job, in any order. Replacing two schedules of a job at the
    /// same instant is an [error](Problem::DuplicateChange).
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
    /// Returns every [`Problem`] at once, such as duplicate and unknown names, dependency cycles,
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
                resolver.problems.push(Problem::DuplicateChange { job, until, offset });
            }
        }
        let mut jobs: Vec<Job> = Vec::new();
        for (index, job) in unresolved.into_iter().enumerate() {
            let UnresolvedJob { name, recurrence, needs, problems } = job;
            resolver.problems.extend(problems);
            let mut resolve = |upstream: &Arc<str>| resolver.resolve(upstream, Some(&name));
            let needs = needs.iter().filter_map(|need| need.resolve(&mut resolve)).collect();
            let previous = previous_of.remove(&index).unwrap_or_default();
            let timeline = Timeline::new(since.unwrap_or(i64::MIN), previous, recurrence);
            jobs.push(Job::new(name, timeline, needs));
        }
        resolve::link(&mut jobs);
        let Resolver { indices, mut problems, .. } = resolver;
        check::needs(&jobs, &mut problems);
        check::zones(&jobs, has_civil_time, &mut problems);
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
