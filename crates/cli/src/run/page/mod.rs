//! [`Page`]: the page of `--page`.

mod options;
mod outputs;
mod source;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use axum::Router;
use jiff::tz::TimeZone;
use millicron::ZonedSchedule;
use millicron_board::{Board, RunLog};
use millicron_pipeline::{MemoryHistory, RunningPipeline};
use millicron_scheduler::{Event, JobName, Observer as _, RunContext, SchedulerHandle};

pub(crate) use self::options::{PageOptions, PageSettings};
use self::outputs::Outputs;
use self::source::RunSource;
use super::history;
use super::log::{OutputCopy, RunLabel, timestamp};
use crate::error::Error;
use crate::file::JobEntry;

/// How many runs of a job are kept without a history: those of a day, if there is one a minute.
const MOST_RUNS: usize = 2000;

/// What the page shows.
#[derive(Clone)]
pub(super) struct Page(Arc<Shared>);

struct Shared {
    settings: PageSettings,
    log: RunLog,
    outputs: Outputs,
    jobs: Mutex<PageJobs>,
    /// Set once it has started, before the page is served.
    scheduler: OnceLock<SchedulerHandle>,
    /// Ends the command of a run.
    cancel: Box<dyn Fn(RunContext) + Send + Sync>,
}

/// The jobs of the file.
#[derive(Default)]
struct PageJobs {
    by_name: BTreeMap<String, Arc<PageJob>>,
    pipeline: Option<RunningPipeline<MemoryHistory>>,
    /// When jobs that were shown must be looked at again, since their event has passed.
    due: HashMap<String, i64>,
}

/// What is shown of a job: neither its command nor its environment.
struct PageJob {
    text: String,
    tags: Vec<String>,
    description: String,
    schedule: ZonedSchedule<TimeZone>,
    is_in_pipeline: bool,
}

impl Page {
    /// Returns a page without jobs. `cancel` ends the command of a run.
    pub(super) fn new(
        settings: PageSettings,
        history: Option<&Path>,
        cancel: impl Fn(RunContext) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let log =
            history.map_or_else(|| Ok(RunLog::with_limits(MOST_RUNS, 100_000)), history::log)?;
        Ok(Self(Arc::new(Shared {
            settings,
            log,
            outputs: Outputs::default(),
            jobs: Mutex::default(),
            scheduler: OnceLock::new(),
            cancel: Box::new(cancel),
        })))
    }

    /// Sets the scheduler, which may already report events.
    pub(super) fn set_scheduler(&self, scheduler: SchedulerHandle) {
        let _ = self.0.scheduler.set(scheduler);
    }

    /// Records an event of the scheduler.
    pub(super) fn record(&self, event: &Event) {
        match event {
            // The file says which jobs there are, and a run of a pipeline is a job of the scheduler.
            Event::Added { job, .. } | Event::Exhausted { job } | Event::Cancelled { job, .. } => {
                // Others are internal.
                if !matches!(job, JobName::Internal(None)) {
                    self.0.log.touch(&job.to_string());
                }
            }
            event => {
                if let Event::Started { run, .. } = event
                    && run.attempt() == 1
                {
                    let scheduled = timestamp(run.scheduled()).as_microsecond();
                    let started = timestamp(run.started()).as_millisecond();
                    self.0.outputs.begin(&run.job_name().to_string(), scheduled, started);
                }
                self.0.log.on(event);
            }
        }
    }

    /// Notes that something about a job has changed.
    pub(super) fn touch(&self, job: &str) {
        self.0.log.touch(job);
    }

    /// Records that a run of the pipeline was skipped.
    pub(super) fn record_skip(&self, job: &str, scheduled: SystemTime, reason: &str) {
        self.0.log.skip(job, scheduled, reason);
    }

    /// Sets the jobs of a file that was read, and whether each is in the pipeline.
    pub(super) fn set_jobs<'j>(
        &self,
        jobs: impl Iterator<Item = (&'j JobEntry, bool)>,
        pipeline: Option<RunningPipeline<MemoryHistory>>,
    ) {
        let by_name = jobs.map(|(entry, is_in_pipeline)| {
            let job = PageJob {
                text: entry.text.clone(),
                tags: entry.tags.clone(),
                description: entry.language.describe(entry.schedule.schedule()).to_string(),
                schedule: entry.schedule.clone(),
                is_in_pipeline,
            };
            (entry.name.clone(), Arc::new(job))
        });
        let by_name = by_name.collect();
        let mut jobs = self.0.jobs();
        let before = std::mem::replace(&mut jobs.by_name, by_name);
        jobs.pipeline = pipeline;
        for name in before.keys().chain(jobs.by_name.keys()) {
            self.0.log.touch(name);
        }
    }

    /// Returns what serves the page.
    pub(super) fn router(&self) -> Router {
        let settings = &self.0.settings;
        let mut board = Board::new(RunSource(Arc::clone(&self.0)));
        if let Some(token) = &settings.token {
            board = board.token(token);
        }
        if settings.is_public {
            board = board.public();
        }
        if settings.has_actions {
            board = board.actions();
        }
        settings.hosts.iter().fold(board, Board::host).router()
    }
}

/// Keeps the output of runs.
impl OutputCopy for Page {
    fn add(&self, run: &RunLabel, bytes: &[u8]) {
        let (scheduled, started) = instants(run);
        self.0.outputs.add(&run.job, scheduled, started, bytes);
    }

    fn end(&self, run: &RunLabel) {
        let (scheduled, started) = instants(run);
        self.0.outputs.end(&run.job, scheduled, started);
    }

    fn set_read(&self, run: &RunLabel) {
        let (scheduled, started) = instants(run);
        self.0.outputs.set_read(&run.job, scheduled, started);
    }
}

/// Returns for when an attempt of a run was scheduled, in microseconds, and when the run has started, in milliseconds,
/// if it is the first one.
fn instants(run: &RunLabel) -> (i64, Option<i64>) {
    // The event of its start may arrive later.
    let started = (run.attempt == 1).then(|| run.started.as_millisecond());
    (run.scheduled.as_microsecond(), started)
}

impl Shared {
    fn jobs(&self) -> MutexGuard<'_, PageJobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
