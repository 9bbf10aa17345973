//! [`RecordedPipeline`]: the jobs of a pipeline.

mod control;

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use millicron::{Period, Unit};
use millicron_history::Claims;
#[cfg(feature = "scheduler")]
use millicron_pipeline::RunningPipeline;
use millicron_pipeline::{Pipeline, PipelineJob, Readiness, Reason, Waiting};

use self::control::Control;
use crate::asked::now;
use crate::known::Known;
use crate::pace::Pace;
use crate::recorded::{HistoryFailed, ReadRuns, set_runs};
use crate::source::{
    Action, ActionKind, Changes, Job, JobState, Need, Pattern, Runs, Source, SourceError,
};
use crate::zone::zone_of;

/// The jobs of a pipeline, and their runs in a history.
///
/// A program that runs a pipeline, on threads or as tasks of apalis, mounts a page with what its runs need of each
/// other, and which runs are missing. Runs in progress are those that are claimed in the history.
///
/// ```
/// use millicron::schedule;
/// use millicron_board::{RecordedPipeline, Source};
/// use millicron_pipeline::{MemoryHistory, Need, Pipeline};
///
/// let pipeline = Pipeline::builder()
///     .job("load", schedule!("*:01:04"), [])
///     .job("report", schedule!("3:01:03"), [Need::all("load")])
///     .build()?;
/// // Usually another handle of the history that the runner has, such as `SqliteHistory::open_read_only`.
/// let source = RecordedPipeline::new(&pipeline, MemoryHistory::new());
/// assert_eq!(source.needs().unwrap()[0].label, "all");
/// # Ok::<(), millicron_pipeline::PipelineError>(())
/// ```
pub struct RecordedPipeline<H> {
    pipeline: Pipeline,
    history: Mutex<H>,
    known: Mutex<(Known, Pace)>,
    running: Option<Box<dyn Control>>,
}

impl<H: Claims + Send> RecordedPipeline<H> {
    /// Returns a source of the jobs of a pipeline, and of their runs in a history.
    #[must_use]
    pub fn new(pipeline: &Pipeline, history: H) -> Self {
        let (history, known) = (Mutex::new(history), Mutex::default());
        Self { pipeline: pipeline.clone(), history, known, running: None }
    }

    /// Lets visitors run, pause and resume the jobs of the pipeline, which runs in this program: see
    /// [`trigger_now`](RunningPipeline::trigger_now) and [`pause`](RunningPipeline::pause).
    #[cfg(feature = "scheduler")]
    #[must_use]
    pub fn running<R: Claims + Send + 'static>(self, running: &RunningPipeline<R>) -> Self {
        Self { running: Some(Box::new(running.clone())), ..self }
    }

    fn find(&self, name: &str) -> Option<PipelineJob<'_>> {
        self.pipeline.job(name).ok()
    }

    /// Whether the instants of a reason have no offset, because they are in UTC.
    fn is_in_utc(&self, reason: &Reason<'_>) -> bool {
        match reason {
            Reason::Latest { offset, .. } | Reason::Last { offset, .. } => offset.is_none(),
            Reason::Runs { job, .. } => {
                self.find(job).is_some_and(|job| !job.recurrence().is_zoned())
            }
            Reason::AnyOf(all) => {
                all.iter().flat_map(Waiting::reasons).any(|reason| self.is_in_utc(reason))
            }
            _ => false,
        }
    }

    fn is_paused(&self, job: &str) -> bool {
        self.running.as_ref().is_some_and(|running| running.is_paused(job))
    }

    /// Returns jobs with their runs.
    fn jobs_with_runs(&self, names: &[&str]) -> Result<Vec<Job>, SourceError> {
        let history: &dyn ReadRuns = &self.history;
        let (recorded, in_progress) =
            (history.last(names.iter().copied())?, history.in_progress()?);
        let now = now();
        let jobs = names.iter().filter_map(|name| self.find(name)).zip(recorded);
        let jobs = jobs.map(|(job, recorded)| {
            let in_progress = in_progress.get(job.name()).map_or(&[][..], Vec::as_slice);
            let mut job = described(job, now);
            if self.is_paused(&job.name) {
                job.state = JobState::Paused;
            }
            set_runs(&mut job, &recorded, in_progress);
            job
        });
        Ok(jobs.collect())
    }
}

impl<H: Claims + Send + 'static> Source for RecordedPipeline<H> {
    fn changes(&self, since: Option<u64>) -> Result<Changes, SourceError> {
        let (known, pace) = &mut *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !pace.is_due() {
            return Ok(known.same(since));
        }
        let began = Instant::now();
        let jobs = self.jobs_with_runs(&self.pipeline.jobs().collect::<Vec<_>>())?;
        pace.rest(began, 9);
        Ok(known.update(jobs, 0, since))
    }

    fn job(&self, name: &str) -> Result<Option<Job>, SourceError> {
        match self.find(name) {
            Some(_) => Ok(self.jobs_with_runs(&[name])?.pop()),
            None => Ok(None),
        }
    }

    fn pattern(&self, name: &str) -> Result<Option<Pattern>, SourceError> {
        Ok(self.find(name).map(|job| Pattern::Other(job.to_recurrence())))
    }

    fn runs(&self, job: &str, before: Option<i64>, limit: usize) -> Result<Runs, SourceError> {
        let history: &dyn ReadRuns = &self.history;
        history.page(job, before, limit)
    }

    fn needs(&self) -> Result<Vec<Need>, SourceError> {
        Ok(Need::of_pipeline(&self.pipeline))
    }

    /// Returns the runs that are missing for the run that is due.
    fn waits_for(&self, job: &str) -> Result<Vec<String>, SourceError> {
        let due = self.pipeline.neighbors(job, now()).ok().and_then(|runs| runs.current);
        let Some(due) = due else { return Ok(Vec::new()) };
        let history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        let state = history.state(job, due).map_err(HistoryFailed::new)?;
        if state.is_some() {
            return Ok(Vec::new());
        }
        let readiness = self.pipeline.ready(job, due, &*history);
        match readiness.map_err(HistoryFailed::new)? {
            Readiness::Ready if self.is_paused(job) => {
                Ok(vec!["It waits to be resumed".to_owned()])
            }
            Readiness::Ready => Ok(Vec::new()),
            Readiness::Waiting(waiting) => {
                // Only instants in local time have an offset.
                let zone = |reason| if self.is_in_utc(reason) { " (UTC)" } else { "" };
                let text = |reason| format!("It waits for {reason}{}", zone(reason));
                Ok(waiting.reasons().iter().map(text).collect())
            }
        }
    }

    fn actions(&self) -> &[ActionKind] {
        const ALL: &[ActionKind] = &[ActionKind::Run, ActionKind::Pause, ActionKind::Resume];
        if self.running.is_some() { ALL } else { &[] }
    }

    fn act(&self, job: &str, action: Action) -> Result<bool, SourceError> {
        match &self.running {
            Some(running) if self.find(job).is_some() => {
                let is_done = running.act(job, action);
                // The page shows what has changed without a rest.
                self.known.lock().unwrap_or_else(PoisonError::into_inner).1 = Pace::default();
                is_done
            }
            _ => Ok(false),
        }
    }
}

impl Need {
    /// Returns what the jobs of a pipeline need of each other.
    #[must_use]
    pub fn of_pipeline(pipeline: &Pipeline) -> Vec<Self> {
        let jobs = pipeline.jobs().filter_map(|name| pipeline.job(name).ok());
        let needs = jobs.flat_map(|job| {
            job.needs().map(move |need| Self {
                is_alternative: need.is_alternative,
                ..Self::new(need.upstream, job.name(), need.to_string())
            })
        });
        needs.collect()
    }
}

/// Returns a job without its runs.
fn described(job: PipelineJob<'_>, now: i64) -> Job {
    let (events, mut described) = (job.recurrence(), Job::new(job.name()));
    if let Some(schedule) = events.schedule() {
        schedule.expression().clone_into(&mut described.schedule);
        let local = if events.is_zoned() { ", in local time" } else { "" };
        described.description = format!("{}{local}", schedule.describe());
    } else {
        let Period { unit, count } = events.period();
        let article = if unit == Unit::Hour { "an" } else { "a" };
        described.description = match count {
            1 => format!("Once {article} {unit}"),
            _ => format!("{count} times {article} {unit}"),
        };
    }
    described.zone = zone_of(events, now).filter(|zone| zone != "UTC");
    described.next = events.next_event(now);
    described.state = match described.next {
        Some(_) => JobState::Waiting,
        None => JobState::Ended,
    };
    described
}

impl<H> fmt::Debug for RecordedPipeline<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RecordedPipeline").field(&self.pipeline).finish()
    }
}
