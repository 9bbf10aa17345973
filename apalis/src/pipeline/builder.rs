//! [`PipelineSourceBuilder`].

use std::fmt;
use std::io;
use std::sync::{Arc, mpsc};
use std::task::Waker;
use std::thread;
use std::time::Duration;

use millicron::Recurrence;
use millicron_pipeline::{Claims, Pipeline};
use millicron_scheduler::Clock;

use super::PipelineSource;
use super::keeper::{Keeper, Settings};
use super::link::{Alarm, Link};
use crate::error::BuildError;
use crate::job::{Job, millis};
use crate::source::{Source, SourceBuilder};
use crate::stats::Notice;

/// A payload for the runs of each job.
type Payload<P> = Box<dyn Fn(&str) -> P>;

/// An instant so far away can be represented on all platforms.
const LONGEST_LEASE: Duration = Duration::from_hours(365 * 24);

/// The settings of a [`PipelineSource`].
#[must_use = "a builder does nothing until `start` is called"]
pub struct PipelineSourceBuilder<P, H> {
    pipeline: Pipeline,
    history: H,
    payload: Payload<P>,
    source: SourceBuilder<P>,
    external: Vec<String>,
    max_attempts: Option<usize>,
    settings: Settings,
}

impl PipelineSource<()> {
    /// Prepares to run a pipeline. All machines pass the same pipeline, and histories that share their
    /// records, such as two connections to the same server.
    pub fn builder<H: Claims + Send + 'static>(
        pipeline: Pipeline,
        history: H,
    ) -> PipelineSourceBuilder<(), H> {
        PipelineSourceBuilder {
            pipeline,
            history,
            payload: Box::new(|_| ()),
            source: Source::builder(),
            external: Vec::new(),
            max_attempts: None,
            settings: Settings::default(),
        }
    }
}

impl<P, H: Claims + Send + 'static> PipelineSourceBuilder<P, H> {
    /// Sets the payload of the tasks of each job, by the job's name. By default it is `()`.
    pub fn payload<Q>(self, payload: impl Fn(&str) -> Q + 'static) -> PipelineSourceBuilder<Q, H> {
        PipelineSourceBuilder {
            pipeline: self.pipeline,
            history: self.history,
            payload: Box::new(payload),
            source: self.source.without_jobs(),
            external: self.external,
            max_attempts: self.max_attempts,
            settings: self.settings,
        }
    }

    /// Declares that the runs of a job do not become tasks: something else runs them, and records them
    /// in the history.
    pub fn external(mut self, job: impl Into<String>) -> Self {
        self.external.push(job.into());
        self
    }

    /// Sets how often the storage lets a run be attempted. By default the storage decides; those of
    /// apalis allow 25 attempts. `apalis-redis` always does.
    pub fn max_attempts(mut self, max: usize) -> Self {
        self.max_attempts = Some(max);
        self
    }

    /// Sets the name of this machine, as the owner of its claims. The default is the number of the
    /// process.
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.settings.owner = owner.into();
        self
    }

    /// Sets the lease of claims: how long after the death of a worker another one can claim its run.
    /// The default is one minute, and the most is a year. It is renewed after a third of it.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.settings.lease = lease.clamp(Duration::from_millis(1), LONGEST_LEASE);
        self
    }

    /// Sets how often the history is examined for runs that others have recorded. The default is five
    /// seconds.
    ///
    /// At most 256 runs are examined at a time, so that a run which others have unlocked may wait for
    /// several scans if many runs are waiting. A scan also reads the records since the oldest run of each
    /// job that has not ended, and claims are not renewed meanwhile: let the lease be longer than that
    /// takes.
    pub fn scan_every(mut self, interval: Duration) -> Self {
        self.settings.scan_every = interval.max(Duration::from_millis(1));
        self
    }

    /// Sets after which time a run becomes another task that is ready, and that neither ends nor is
    /// claimed. The default is five minutes. The time doubles with each further task.
    ///
    /// It should be longer than tasks usually wait for a worker. A task too many does no harm: it does
    /// nothing if the run has ended, or is claimed.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.settings.patience = patience.max(Duration::from_millis(1));
        self
    }

    /// Sets how long after its instant a run may still become a task for the first time. The default is
    /// a week.
    ///
    /// Records in this window are read when the source starts, and again every hour, to find runs that
    /// other programs have forgotten. A run that was seen within the window is kept in memory until it
    /// ends, or the source does.
    pub fn catch_up(mut self, window: Duration) -> Self {
        self.settings.catch_up = millis(window);
        self
    }

    /// Sets how often a worker on the source asks its storage for tasks that the source has not
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

    /// Sets a function that receives what happens. It must not block.
    pub fn observe(mut self, observer: impl Fn(&Notice<'_>) + Send + Sync + 'static) -> Self {
        self.source = self.source.observe(observer);
        self
    }

    /// Starts the thread that has the history. Runs become tasks when the source is
    /// [piped](PipelineSource::pipe_to) or [pushed](PipelineSource::push_to) to a storage.
    ///
    /// # Errors
    ///
    /// An external job is unknown, a job's name cannot be a part of a key, or the thread cannot be
    /// started. A history that fails is [reported](Notice::HistoryFailed), and used again later.
    pub fn start(self) -> Result<PipelineSource<P>, StartError>
    where
        P: Send + Sync + 'static,
    {
        let Self { pipeline, history, payload, mut source, external, max_attempts, settings } =
            self;
        if let Some(job) = external.iter().find(|job| pipeline.job(job).is_err()) {
            return Err(StartError::UnknownJob(job.clone()));
        }
        for name in pipeline.jobs().filter(|name| !external.iter().any(|job| job == name)) {
            let job = Job::new(name, Never, payload(name)).catch_up(Duration::MAX);
            source = source.add_job(match max_attempts {
                Some(max) => job.max_attempts(max),
                None => job,
            });
        }
        let source = source.build().map_err(StartError::Jobs)?;
        let (sender, commands) = mpsc::channel();
        let link = Arc::new(Link::new(sender));
        let alarm = Waker::from(Arc::new(Alarm::new(&link)));
        let keeper = Keeper::new(source.shared(), pipeline, history, settings, &alarm);
        thread::Builder::new()
            .name("history of a pipeline".to_string())
            .spawn(move || keeper.run(&commands))
            .map_err(StartError::Thread)?;
        Ok(PipelineSource { source, link })
    }
}

/// The schedule of jobs whose runs the pipeline decides about.
struct Never;

impl Recurrence for Never {
    fn next_event(&self, _: i64) -> Option<i64> {
        None
    }

    fn nearest_prev_event(&self, _: i64) -> Option<i64> {
        None
    }
}

/// An error of [`PipelineSourceBuilder::start`].
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The pipeline has no job of the name that was passed to
    /// [`external`](PipelineSourceBuilder::external).
    UnknownJob(String),
    /// A job's name cannot be a part of a key.
    Jobs(BuildError),
    /// The thread for the history cannot be started.
    Thread(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownJob(job) => write!(f, "the pipeline has no job `{job}`"),
            Self::Jobs(error) => write!(f, "{error}"),
            Self::Thread(error) => write!(f, "cannot start a thread: {error}"),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::UnknownJob(_) => None,
            Self::Jobs(error) => Some(error),
            Self::Thread(error) => Some(error),
        }
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
