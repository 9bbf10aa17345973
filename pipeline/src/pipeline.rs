//! [`Pipeline`]: jobs that need each other.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::check;
use crate::demand::{Job, Leaf, Node};
use crate::error::{AskError, PipelineError, Problem};
use crate::explain::Explanation;
use crate::history::History;
use crate::need::{Back, Need, Rule, What};
use crate::plan::Plan;
use crate::ready::{Question, Readiness, Run};
use crate::timeline::{Source, Timeline};
use crate::unlock;
use millicron::Instant;
use millicron::Neighbors;
use millicron::Recurrence;
use millicron::{MomentRange, Position};

/// Jobs that need each other, each with its schedule; see [the module](super).
///
/// ```
/// use millicron_pipeline::{History, MemoryHistory, Need, Pipeline};
/// use millicron::{CalendarDigits, schedule};
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
///
/// It is immutable, and cheap to clone.
#[derive(Clone)]
pub struct Pipeline {
    jobs: Arc<[Job]>,
    /// Where each is, by its name.
    places: Arc<BTreeMap<Arc<str>, usize>>,
}

/// What a [`Pipeline`] is made of.
#[must_use]
pub struct Builder {
    since: i64,
    jobs: Vec<Draft>,
    former: Vec<Former>,
}

/// A job whose needs are not found yet.
struct Draft {
    name: Arc<str>,
    schedule: Source,
    /// `None` where they are nested too deep.
    needs: Option<Vec<Node<Arc<str>>>>,
}

/// A schedule that a job had.
struct Former {
    job: String,
    schedule: Source,
    until: i64,
}

impl Pipeline {
    /// One without jobs, to be filled.
    pub const fn builder() -> Builder {
        Builder { since: i64::MIN, jobs: Vec::new(), former: Vec::new() }
    }

    /// The names of the jobs, in the order in which they were added.
    #[must_use]
    pub fn jobs(&self) -> impl ExactSizeIterator<Item = &str> {
        self.jobs.iter().map(|job| &*job.name)
    }

    /// Whether a run may start, or else which runs it waits for.
    ///
    /// # Errors
    ///
    /// There is no such job, it has no event at that instant, or the history can not be
    /// read.
    pub fn ready<H: History + ?Sized>(
        &self,
        job: &str,
        scheduled: impl Instant,
        history: &H,
    ) -> Result<Readiness<'_>, AskError<H::Error>> {
        let (place, scheduled) = self.find_run(job, scheduled)?;
        let job = &self.jobs[place];
        let question = Question { jobs: &self.jobs, job, scheduled, history };
        question.answer().map_err(AskError::History)
    }

    /// The runs up to an instant, mostly now, that may start since a run has succeeded, and
    /// could not before: those that have not succeeded themselves, in their order.
    /// The success need not be recorded yet.
    ///
    /// Each run that waits for it is looked at: these may be many where nothing has
    /// succeeded for long, or the pipeline has no [beginning](Builder::since).
    ///
    /// # Errors
    ///
    /// As [`ready`](Self::ready).
    ///
    /// ```
    /// use millicron_pipeline::{MemoryHistory, Need, Pipeline};
    /// use millicron::schedule;
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
    ) -> Result<Vec<Run<'_>>, AskError<H::Error>> {
        let (place, scheduled) = self.find_run(job, scheduled)?;
        let until = until.position().millis;
        let runs = unlock::runs(&self.jobs, place, scheduled, history, until);
        runs.map_err(AskError::History)
    }

    /// All runs whose events are in a range, in an order that holds every need: each
    /// run comes after those that it needs. Runs outside the range are taken to have
    /// succeeded.
    ///
    /// The order is that of events, but where a run needs a later one; runs of one job are
    /// always in order. Of [alternatives](Need::any_of) and of
    /// [some](Need::at_least), all are waited for. The runs are made one by one: it
    /// takes memory for each job, and none for the range. `..` does not tell the type:
    /// `plan::<i64>(..)`.
    ///
    /// ```
    /// use millicron_pipeline::{Need, Pipeline};
    /// use millicron::schedule;
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

    /// The runs of a job around an instant: the last one at or before it, the one before
    /// that, and the next one.
    ///
    /// # Errors
    ///
    /// There is no such job.
    pub fn neighbors(&self, job: &str, instant: impl Instant) -> Result<Neighbors<i64>, AskError> {
        let place = self.place(job).ok_or_else(|| AskError::NoJob { job: job.into() })?;
        Ok(self.jobs[place].timeline.neighbors(instant.position().millis))
    }

    /// What a job is and needs, in words.
    ///
    /// # Errors
    ///
    /// There is no such job.
    ///
    /// ```
    /// use millicron_pipeline::{Need, Pipeline};
    /// use millicron::schedule;
    ///
    /// let pipeline = Pipeline::builder()
    ///     .job("load", schedule!("*:01:04"), [])
    ///     .job("report", schedule!("3:01:03"), [Need::latest("load"), Need::self_previous()])
    ///     .build()?;
    ///
    /// assert_eq!(pipeline.explain("report")?.to_string(), "\
    /// `report` runs at `3:01:03`, 1 a day. A run needs
    /// - a success of `load` (1 an hour) at or after the check point: the first event of `load` \
    ///   at or after the start of the day;
    /// - the success of its own run before.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self, job: &str) -> Result<Explanation<'_>, AskError> {
        let place = self.place(job).ok_or_else(|| AskError::NoJob { job: job.into() })?;
        Ok(Explanation { jobs: &self.jobs, job: &self.jobs[place] })
    }

    /// Where a job is among [`jobs`](Self::jobs).
    pub(crate) fn place(&self, job: &str) -> Option<usize> {
        self.places.get(job).copied()
    }

    /// The events of the job at a place.
    #[cfg(feature = "scheduler")]
    pub(crate) fn events(&self, place: usize) -> &(dyn Recurrence + Send + Sync) {
        &self.jobs[place].timeline
    }

    /// The name of the job at a place.
    #[cfg(feature = "scheduler")]
    pub(crate) fn name(&self, place: usize) -> &str {
        &self.jobs[place].name
    }

    /// The place of a job, and a run of it that there is.
    pub(crate) fn find_run<E>(
        &self,
        job: &str,
        scheduled: impl Instant,
    ) -> Result<(usize, i64), AskError<E>> {
        let place = self.place(job).ok_or_else(|| AskError::NoJob { job: job.into() })?;
        let Position { millis, is_exact } = scheduled.position();
        let timeline = &self.jobs[place].timeline;
        if is_exact && timeline.matches(millis) {
            Ok((place, millis))
        } else {
            let Neighbors { current: before, next, .. } = timeline.neighbors(millis);
            Err(AskError::NoRun { job: job.into(), scheduled: millis, is_exact, before, next })
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pipeline").field(&self.places.keys()).finish()
    }
}

impl Builder {
    /// Where the pipeline begins: no event before this instant is a run, or is needed.
    /// Without it, the first run of a job is the first event of its schedule, from
    /// 2000 on.
    pub fn since(self, instant: impl Instant) -> Self {
        Self { since: from(&instant), ..self }
    }

    /// Adds a job: its name, which no other has, when it runs, and what each run needs.
    pub fn job<'n>(
        mut self,
        name: &str,
        schedule: impl Recurrence + Send + Sync + 'static,
        needs: impl IntoIterator<Item = Need<'n>>,
    ) -> Self {
        let draft = |need: Need<'_>| draft(name, &need, Back::default(), DEPTH);
        let needs = needs.into_iter().map(draft).collect();
        self.jobs.push(Draft { name: name.into(), schedule: Arc::new(schedule), needs });
        self
    }

    /// The schedule that a job had until it was changed at an instant. There may be
    /// several.
    ///
    /// The job's events before that instant are those of the former schedule. If the
    /// period became shorter, or stayed the same, its records stay valid. If it became
    /// longer, what is needed begins anew: of the job, only runs from the change on are
    /// needed and count; its own first run from then on needs no [run
    /// before](Need::self_previous), and its [check points](Need::latest) are not before
    /// the change.
    pub fn formerly(
        mut self,
        job: &str,
        schedule: impl Recurrence + Send + Sync + 'static,
        until: impl Instant,
    ) -> Self {
        let schedule = Arc::new(schedule);
        self.former.push(Former { job: job.to_owned(), schedule, until: from(&until) });
        self
    }

    /// The pipeline.
    ///
    /// # Errors
    ///
    /// All that is wrong, at once: a name that two jobs have, a need of a job that there
    /// is not, jobs that need each other in a circle, a need that can never be met.
    pub fn build(self) -> Result<Pipeline, PipelineError> {
        let Self { since, jobs: drafts, former } = self;
        let mut names = Names::of(&drafts);
        let mut formers: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        let mut jobs: Vec<Job> = Vec::new();
        for Former { job, schedule, until } in former {
            if let Some(place) = names.find(&job, &job) {
                formers.entry(place).or_default().push((schedule, until));
            }
        }
        for (place, Draft { name, schedule, needs }) in drafts.into_iter().enumerate() {
            let needs = needs.unwrap_or_else(|| {
                names.problems.push(Problem::TooDeep { job: (&*name).into(), most: DEPTH });
                Vec::new()
            });
            let mut find = |upstream: &Arc<str>| names.find(upstream, &name);
            let needs = needs.iter().filter_map(|need| need.find(&mut find)).collect();
            let former = formers.remove(&place).unwrap_or_default();
            jobs.push(Job::new(name, Timeline::new(since, former, schedule), needs));
        }
        for place in 0..jobs.len() {
            for Leaf { upstream, .. } in jobs[place].leaves.clone() {
                let downstream = &mut jobs[upstream].downstream;
                // Each adds itself once, in its turn.
                if downstream.last() != Some(&place) {
                    downstream.push(place);
                }
            }
        }
        let Names { places, mut problems, .. } = names;
        check::needs(&jobs, &mut problems);
        check::circles(&jobs, &mut problems);
        if problems.is_empty() {
            Ok(Pipeline { jobs: jobs.into(), places: Arc::new(places) })
        } else {
            Err(PipelineError { problems })
        }
    }
}

/// Where jobs are, by their names; and what is wrong with these.
struct Names {
    places: BTreeMap<Arc<str>, usize>,
    all: Arc<[Arc<str>]>,
    problems: Vec<Problem>,
}

impl Names {
    fn of(drafts: &[Draft]) -> Self {
        let mut places = BTreeMap::new();
        let mut problems = Vec::new();
        for (place, Draft { name, .. }) in drafts.iter().enumerate() {
            if places.insert(Arc::clone(name), place).is_some() {
                problems.push(Problem::Duplicate { job: (&**name).into() });
            }
        }
        let all = places.keys().cloned().collect();
        Self { places, all, problems }
    }

    /// Where a job is that another one names.
    fn find(&mut self, job: &str, of: &str) -> Option<usize> {
        let place = self.places.get(job).copied();
        if place.is_none() {
            let known = Arc::clone(&self.all);
            self.problems.push(Problem::NoJob { job: job.into(), of: of.into(), known });
        }
        place
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.jobs.iter().map(|job| &job.name)).finish()
    }
}

/// How deep needs may be nested.
const DEPTH: usize = 64;

/// A need with its names kept, unless it is nested deeper than that.
fn draft(job: &str, need: &Need<'_>, back: Back, depth: usize) -> Option<Node<Arc<str>>> {
    let depth = depth.checked_sub(1)?;
    let back = need.back.plus(back);
    let all = |needs: &[Need<'_>]| -> Option<Vec<_>> {
        needs.iter().map(|need| draft(job, need, back, depth)).collect()
    };
    Some(match need.what {
        What::Of(rule, upstream) => Node::Leaf(Leaf { upstream: upstream.into(), rule, back }),
        What::SelfPrevious => Node::Leaf(Leaf { upstream: job.into(), rule: Rule::Previous, back }),
        What::AnyOf(needs) => Node::AnyOf(all(needs)?),
        What::AllOf(needs) => Node::AllOf(all(needs)?),
    })
}

/// The first millisecond at or after an instant.
fn from(instant: &impl Instant) -> i64 {
    instant.position().ceil()
}
