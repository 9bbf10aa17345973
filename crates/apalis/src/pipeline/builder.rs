//! [`PipelineSourceBuilder`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use millicron::Recurrence;
use millicron_history::Claims;
use millicron_pipeline::Pipeline;
use millicron_scheduler::Clock;

use super::PipelineSource;
use super::runs::PipelineRuns;
use super::settings::PipelineSettings;
use super::thread::PipelineThread;
use crate::error::StartError;
use crate::job::{Job, millis};
use crate::source::{Source, SourceBuilder};
use crate::stats::Notice;

/// Returns the payload for the runs of a job.
type Payload<P> = Box<dyn Fn(&str) -> P>;

/// All platforms can represent an instant this far in the future.
const LONGEST_LEASE: Duration = Duration::from_hours(365 * 24);

/// How long a history on a server may try again after a connection was lost.
const RETRY_HISTORY_FOR: Duration = Duration::from_secs(30);

/// The settings of a [`PipelineSource`].
#[must_use = "a builder does nothing until `start` is called"]
pub struct PipelineSourceBuilder<P, H> {
    pipeline: Pipeline,
    history: H,
    payload: Payload<P>,
    source: SourceBuilder<P>,
    external: Vec<String>,
    max_attempts: Option<usize>,
    settings: PipelineSettings,
}

impl<P> PipelineSource<P> {
    /// Creates a builder for a source that runs a pipeline. Pass the same pipeline on all machines, and
    /// histories that share their records, such as connections to the same server.
    ///
    /// `payload` returns the payload of a job's tasks, given the job's name.
    pub fn builder<H: Claims + Send + 'static>(
        pipeline: Pipeline,
        history: H,
        payload: impl Fn(&str) -> P + 'static,
    ) -> PipelineSourceBuilder<P, H> {
        PipelineSourceBuilder {
            pipeline,
            history,
            payload: Box::new(payload),
            source: Source::builder(),
            external: Vec::new(),
            max_attempts: None,
            settings: PipelineSettings::default(),
        }
    }
}

impl<P, H: Claims + Send + 'static> PipelineSourceBuilder<P, H> {
    /// Declares that the runs of a job do not become tasks, because something else runs them and records
    /// them in the history.
    pub fn external(mut self, job: impl Into<String>) -> Self {
        self.external.push(job.into());
        self
    }

    /// Sets the maximum number of attempts for a run. By default, the storage decides; apalis's storages
    /// allow 25. `apalis-redis` always allows 25.
    pub fn max_attempts(mut self, max: usize) -> Self {
        self.max_attempts = Some(max);
        self
    }

    /// Sets the name of this machine as the owner of its claims. The default contains the process ID.
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.settings.owner = owner.into();
        self
    }

    /// Sets the lease of claims: how long a claim lasts if its worker dies. The default is one minute, and
    /// the maximum is a year. Claims are renewed after a third of the lease.
    ///
    /// If a worker is killed, its runs start on another machine after at most the lease and a
    /// [refresh](Self::refresh_every), whatever the storage's own time limit for dead workers. A short
    /// lease means more renewals, and a worker that does not reach the history for as long loses its runs.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.settings.lease = lease.clamp(Duration::from_millis(1), LONGEST_LEASE);
        self
    }

    /// Sets how often to read the history for runs that others have recorded. The default is five
    /// seconds.
    ///
    /// A refresh reads each job's records since its oldest run that has not ended, and checks whether the
    /// waiting runs are ready. However long that takes, claims are renewed and tasks are answered in the
    /// meantime. If it takes longer than this interval, the next refresh follows after as long a pause.
    ///
    /// A run that a refresh finds ready is left to other machines for a second, because the one that has made
    /// it ready usually pushes it. Then there is another refresh.
    pub fn refresh_every(mut self, interval: Duration) -> Self {
        self.settings.refresh_every = interval.max(Duration::from_millis(1));
        self
    }

    /// Sets how long after its last task a ready run that has neither ended nor been claimed becomes
    /// another task. The default is the [lease](Self::lease). The time doubles with each further task. A run
    /// whose claim has expired does not wait.
    ///
    /// It should be longer than tasks usually wait for a worker. A superfluous task does no harm: it does
    /// nothing if the run has ended or is claimed.
    pub fn push_again_after(mut self, wait: Duration) -> Self {
        self.settings.push_again_after = Some(wait.max(Duration::from_millis(1)));
        self
    }

    /// Sets how long after its instant a run may first become a task. The default is a week.
    ///
    /// The source reads the records in this window when it starts and every hour, to find runs whose
    /// records other programs have forgotten. A run that was seen within the window stays in memory until
    /// the run or the source ends.
    pub fn catch_up(mut self, window: Duration) -> Self {
        self.settings.catch_up = millis(window);
        self
    }

    /// Sets how often a worker on the source polls its storage for tasks that the source has not
    /// announced; see [`SourceBuilder::poll_every`].
    pub fn poll_every(mut self, interval: Duration) -> Self {
        self.source = self.source.poll_every(interval);
        self
    }

    /// Sets the clock, for tests. The default is the [`SystemClock`](crate::SystemClock).
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.source = self.source.clock(clock);
        self
    }

    /// Sets a function that receives each [`Notice`]. It must not block.
    pub fn observer(mut self, observer: impl Fn(&Notice<'_>) + Send + Sync + 'static) -> Self {
        self.source = self.source.observer(observer);
        self
    }

    /// Starts the thread that owns the history. Runs become tasks once the source is
    /// [piped](PipelineSource::pipe_to) or [pushed](PipelineSource::push_to) to a storage.
    ///
    /// # Errors
    ///
    /// An external job is unknown, a job's name cannot be part of a key, or the thread cannot be started.
    /// A history that fails is [reported](Notice::HistoryFailed) and used again later.
    pub fn start(self) -> Result<PipelineSource<P>, StartError>
    where
        P: Send + Sync + 'static,
    {
        let Self { pipeline, mut history, payload, source, external, max_attempts, settings } =
            self;
        if let Some(job) = external.iter().find(|job| pipeline.job(job).is_err()) {
            return Err(StartError::UnknownJob(job.clone()));
        }
        let jobs = pipeline.jobs().filter(|name| !external.iter().any(|job| job == name));
        let source = jobs.fold(source, |source, name| {
            let job = Job::new(name, Never, payload(name)).catch_up(Duration::MAX);
            source.add_job(max_attempts.into_iter().fold(job, Job::max_attempts))
        });
        let source = source.build().map_err(StartError::Jobs)?;
        history.retry_for(RETRY_HISTORY_FOR);
        let shared = Arc::clone(source.shared());
        let thread = PipelineThread::start(PipelineRuns::new(shared, pipeline, history, settings));
        let thread = thread.map_err(StartError::Thread)?;
        // The clock may be set, and the source may be closed.
        source.shared().wake_on_changes(&thread.waker());
        Ok(PipelineSource { source, thread })
    }
}

/// The schedule of jobs whose tasks come from the pipeline: it has no events.
struct Never;

impl Recurrence for Never {
    fn next_event(&self, _: i64) -> Option<i64> {
        None
    }

    fn nearest_prev_event(&self, _: i64) -> Option<i64> {
        None
    }
}

impl<P, H> fmt::Debug for PipelineSourceBuilder<P, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipelineSourceBuilder")
            .field("pipeline", &self.pipeline)
            .field("external", &self.external)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
