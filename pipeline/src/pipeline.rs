//! [`Pipeline`] and [`PipelineBuilder`].

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use millicron::{Instant, MomentRange, Neighbors, Position, Recurrence};

use crate::check;
use crate::cycles;
use crate::error::{PipelineError, Problem, QueryError};
use crate::explain::Explanation;
use crate::history::History;
use crate::need::{Kind, LookBack, Need, Rule};
use crate::plan::Plan;
use crate::ready::{Readiness, ReadinessQuery, Run};
use crate::requirement::{Job, NeedTree, Requirement};
use crate::timeline::{SharedRecurrence, Timeline};
use crate::unlock;

/// Jobs that depend on each other, each with its own schedule.
///
/// A pipeline answers questions about runs: whether one may [start](Self::ready), which ones a
/// success [unlocks](Self::runs_unlocked_by), and in which [order](Self::plan) to run all of them.
/// It does not run anything itself; see the [crate documentation](crate).
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
    jobs: Arc<[Job]>,
    /// Each job's index in `jobs`.
    indices: Arc<BTreeMap<Arc<str>, usize>>,
}

/// A builder of a [`Pipeline`]; made by [`Pipeline::builder`].
#[must_use = "call `build` to get a pipeline"]
pub struct PipelineBuilder {
    since: i64,
    jobs: Vec<UnresolvedJob>,
    previous: Vec<PreviousSchedule>,
}

/// A job whose needs still name other jobs.
struct UnresolvedJob {
    name: Arc<str>,
    recurrence: SharedRecurrence,
    /// `None` if they are nested too deep.
    needs: Option<Vec<NeedTree<Arc<str>>>>,
}

/// A schedule that a job had until an instant.
struct PreviousSchedule {
    job: String,
    recurrence: SharedRecurrence,
    until: i64,
}

impl Pipeline {
    /// Returns a builder of a pipeline.
    pub const fn builder() -> PipelineBuilder {
        PipelineBuilder { since: i64::MIN, jobs: Vec::new(), previous: Vec::new() }
    }

    /// Returns the names of the jobs, in the order in which they were added.
    #[must_use]
    pub fn jobs(&self) -> impl ExactSizeIterator<Item = &str> {
        self.jobs.iter().map(|job| &*job.name)
    }

    /// Returns whether a run may start, or which runs it waits for.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, the job has no event at `scheduled`, or the history fails.
    pub fn ready<H: History + ?Sized>(
        &self,
        job: &str,
        scheduled: impl Instant,
        history: &H,
    ) -> Result<Readiness<'_>, QueryError<H::Error>> {
        let (index, scheduled) = self.find_run(job, scheduled)?;
        let job = &self.jobs[index];
        let query = ReadinessQuery { jobs: &self.jobs, job, scheduled, history };
        query.answer().map_err(QueryError::History)
    }

    /// Returns the runs that may start because a run has succeeded, in order of their instants. It
    /// considers runs scheduled up to and including `until`, which is usually now.
    ///
    /// These are the runs that have not succeeded yet, are ready with that success and are not
    /// ready without it. It makes no difference whether the success is recorded already.
    ///
    /// Every run that may be waiting for the success is examined. There may be many if nothing has
    /// succeeded for a long time and the pipeline has no [beginning](PipelineBuilder::since).
    ///
    /// # Errors
    ///
    /// The same as for [`ready`](Self::ready).
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{MemoryHistory, Need, Pipeline};
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
    /// let runs = pipeline.runs_unlocked_by("daily", daily, &history, five)?;
    /// assert_eq!(runs.len(), 6);
    /// let runs = pipeline.runs_unlocked_by("daily", daily, &history, i64::MAX)?;
    /// assert_eq!(runs.len(), 24); // all of that day
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn runs_unlocked_by<H: History + ?Sized>(
        &self,
        job: &str,
        scheduled: impl Instant,
        history: &H,
        until: impl Instant,
    ) -> Result<Vec<Run<'_>>, QueryError<H::Error>> {
        let (index, scheduled) = self.find_run(job, scheduled)?;
        let until = until.position().millis;
        let runs = unlock::runs(&self.jobs, index, scheduled, history, until);
        runs.map_err(QueryError::History)
    }

    /// Returns all runs in a range, each after the runs that it needs. Runs outside the range are
    /// taken to have succeeded.
    ///
    /// Runs are in order of their instants, except where one needs a later one. The runs of one job
    /// are always in order. A run that needs [any of](Need::any_of) several runs, or [at
    /// least](Need::at_least) some of them, comes after all of them.
    ///
    /// The iterator is lazy. Its memory depends on the number of jobs, not on the length of the
    /// range.
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
    /// let runs: Vec<String> = pipeline.plan(start..start + day).map(|run| run.to_string()).collect();
    /// assert_eq!(runs, [
    ///     "`load` 2026-11-21 00:00:00",
    ///     "`report` 2026-11-21 00:00:00",
    ///     "`load` 2026-11-21 12:00:00",
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan(&self, range: impl MomentRange<Moment: Instant>) -> Plan<'_> {
        let (start, end) = range.millis().into_inner();
        Plan::new(&self.jobs, start, end)
    }

    /// Returns a job's previous, current and next run at an instant, in milliseconds since
    /// 1970-01-01 00:00:00. The current run is the last one at or before the instant.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job.
    pub fn neighbors(
        &self,
        job: &str,
        instant: impl Instant,
    ) -> Result<Neighbors<i64>, QueryError> {
        let index = self.find_job(job)?;
        Ok(self.jobs[index].timeline.neighbors(instant.position().millis))
    }

    /// Returns a description of a job and its needs, which can be displayed.
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

    /// Returns the events of the job at an index.
    #[cfg(feature = "scheduler")]
    pub(crate) fn events(&self, index: usize) -> &(dyn Recurrence + Send + Sync) {
        &self.jobs[index].timeline
    }

    /// Returns the name of the job at an index.
    #[cfg(feature = "scheduler")]
    pub(crate) fn name(&self, index: usize) -> &str {
        &self.jobs[index].name
    }

    fn find_job<E>(&self, job: &str) -> Result<usize, QueryError<E>> {
        self.index(job).ok_or_else(|| QueryError::UnknownJob { job: job.into() })
    }

    /// Returns a job's index and the instant of its run, if it has a run at `scheduled`.
    pub(crate) fn find_run<E>(
        &self,
        job: &str,
        scheduled: impl Instant,
    ) -> Result<(usize, i64), QueryError<E>> {
        let index = self.find_job(job)?;
        let Position { millis, is_exact } = scheduled.position();
        let timeline = &self.jobs[index].timeline;
        if is_exact && timeline.matches(millis) {
            Ok((index, millis))
        } else {
            let Neighbors { current: previous, next, .. } = timeline.neighbors(millis);
            let job = job.into();
            Err(QueryError::NoRun { job, scheduled: millis, is_exact, previous, next })
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pipeline").field(&self.indices.keys()).finish()
    }
}

impl PipelineBuilder {
    /// Sets the instant at which the pipeline begins: an earlier event is neither a run nor needed
    /// by one.
    ///
    /// By default, a job's first run is the first event of its schedule, which for most schedules
    /// is in 2000.
    ///
    /// With a history that outlives the program, pass the same instant after each restart. A later
    /// one would drop needs of earlier runs.
    pub fn since(self, instant: impl Instant) -> Self {
        Self { since: instant.position().ceil(), ..self }
    }

    /// Adds a job: its name, which must be unique, when it runs, and what each run needs.
    ///
    /// `schedule` is any [`Recurrence`]: a [`Schedule`](millicron::Schedule), a
    /// [`ZonedSchedule`](millicron::ZonedSchedule), an [`Interval`](millicron::Interval) or your
    /// own type.
    pub fn job<'n>(
        mut self,
        name: &str,
        schedule: impl Recurrence + Send + Sync + 'static,
        needs: impl IntoIterator<Item = Need<'n>>,
    ) -> Self {
        let tree = |need: Need<'_>| need_tree(name, &need, LookBack::default(), MAX_DEPTH);
        let needs = needs.into_iter().map(tree).collect();
        let recurrence = Arc::new(schedule);
        self.jobs.push(UnresolvedJob { name: name.into(), recurrence, needs });
        self
    }

    /// Sets a schedule that a job had until an instant, at which it was replaced. Call it once for
    /// each replaced schedule of a job.
    ///
    /// The job's events before that instant are those of the previous schedule. If its period
    /// stayed the same or became shorter, the records in the history stay valid. If it became
    /// longer, needs are reset by the change:
    ///
    /// - only the job's runs from the change on are needed, and count;
    /// - its first run from then on needs no [previous run](Need::self_previous);
    /// - its [check points](Need::latest) are not before the change.
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
    pub fn previous_schedule(
        mut self,
        job: &str,
        schedule: impl Recurrence + Send + Sync + 'static,
        until: impl Instant,
    ) -> Self {
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
        let Self { since, jobs: unresolved, previous } = self;
        let mut resolver = Resolver::new(&unresolved);
        let mut previous_of: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for PreviousSchedule { job, recurrence, until } in previous {
            if let Some(index) = resolver.resolve(&job, None) {
                previous_of.entry(index).or_default().push((recurrence, until));
            }
        }
        let mut jobs: Vec<Job> = Vec::new();
        for (index, UnresolvedJob { name, recurrence, needs }) in unresolved.into_iter().enumerate()
        {
            let needs = needs.unwrap_or_else(|| {
                resolver.problems.push(Problem::TooDeep { job: (&*name).into(), max: MAX_DEPTH });
                Vec::new()
            });
            let mut resolve = |upstream: &Arc<str>| resolver.resolve(upstream, Some(&name));
            let needs = needs.iter().filter_map(|need| need.resolve(&mut resolve)).collect();
            let previous = previous_of.remove(&index).unwrap_or_default();
            jobs.push(Job::new(name, Timeline::new(since, previous, recurrence), needs));
        }
        link_downstream(&mut jobs);
        let Resolver { indices, mut problems, .. } = resolver;
        check::needs(&jobs, &mut problems);
        cycles::check(&jobs, &mut problems);
        if problems.is_empty() {
            Ok(Pipeline { jobs: jobs.into(), indices: Arc::new(indices) })
        } else {
            Err(PipelineError { problems })
        }
    }
}

/// Tells each job which others need it.
fn link_downstream(jobs: &mut [Job]) {
    for index in 0..jobs.len() {
        for Requirement { upstream, .. } in jobs[index].requirements.clone() {
            let downstream = &mut jobs[upstream].downstream;
            // Indices ascend, so a duplicate can only be the last one.
            if downstream.last() != Some(&index) {
                downstream.push(index);
            }
        }
    }
}

/// Finds jobs by name, and collects problems with names.
struct Resolver {
    indices: BTreeMap<Arc<str>, usize>,
    all: Arc<[Arc<str>]>,
    problems: Vec<Problem>,
}

impl Resolver {
    fn new(jobs: &[UnresolvedJob]) -> Self {
        let mut indices = BTreeMap::new();
        let mut problems = Vec::new();
        for (index, UnresolvedJob { name, .. }) in jobs.iter().enumerate() {
            if indices.insert(Arc::clone(name), index).is_some() {
                problems.push(Problem::DuplicateJob { job: (&**name).into() });
            }
        }
        let all = indices.keys().cloned().collect();
        Self { indices, all, problems }
    }

    /// Returns the index of a job that another one needs.
    fn resolve(&mut self, job: &str, needed_by: Option<&str>) -> Option<usize> {
        let index = self.indices.get(job).copied();
        if index.is_none() {
            let (job, needed_by) = (job.into(), needed_by.map(Into::into));
            let known = Arc::clone(&self.all);
            self.problems.push(Problem::UnknownJob { job, needed_by, known });
        }
        index
    }
}

impl fmt::Debug for PipelineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.jobs.iter().map(|job| &*job.name).collect::<Vec<_>>();
        f.debug_struct("PipelineBuilder").field("jobs", &names).finish_non_exhaustive()
    }
}

/// The maximum depth of nested needs.
const MAX_DEPTH: usize = 64;

/// Copies a need, or returns `None` if it is nested more than `depth` levels deep.
fn need_tree(
    job: &str,
    need: &Need<'_>,
    outer: LookBack,
    depth: usize,
) -> Option<NeedTree<Arc<str>>> {
    let depth = depth.checked_sub(1)?;
    let look_back = need.look_back.within(outer);
    let all = |needs: &[Need<'_>]| -> Option<Vec<_>> {
        needs.iter().map(|need| need_tree(job, need, look_back, depth)).collect()
    };
    let leaf = |upstream: &str, rule| {
        NeedTree::Leaf(Requirement { upstream: upstream.into(), rule, look_back })
    };
    Some(match need.kind {
        Kind::Upstream(rule, upstream) => leaf(upstream, rule),
        Kind::SelfPrevious => leaf(job, Rule::Previous),
        Kind::AnyOf(needs) => NeedTree::AnyOf(all(needs)?),
        Kind::AllOf(needs) => NeedTree::AllOf(all(needs)?),
    })
}
