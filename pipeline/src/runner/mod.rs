//! Pipelines in a scheduler: a run that is due waits for the runs that it needs.

mod error;
mod state;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub use error::{JobProblem, LaunchError};

use self::state::{Due, State};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use millicron::{Instant, Moment as _};
use millicron_scheduler::{
    AddError, IntoOutcome, Job, Missed, Overlap, RunContext, SchedulerHandle,
};

use crate::{AskError, History, Pipeline};

/// How long a run that is due waits for those that it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Patience {
    /// Until they have succeeded. This is the default.
    #[default]
    Forever,
    /// For so long; then it fails, and does not start.
    GiveUp(Duration),
    /// For so long; then it starts all the same.
    StartAnyway(Duration),
}

impl Pipeline {
    /// Runs the jobs of a [`Pipeline`]: a run that is due but not ready waits for its
    /// missing runs, and starts when the last of them has succeeded. A run that
    /// succeeds is recorded in the history.
    ///
    /// Every event is a run: none is skipped or stands for others, and runs of one job go
    /// beside each other, but where it needs [its own last
    /// run](crate::Need::self_previous).
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// use millicron_pipeline::{MemoryHistory, Need, Pipeline};
    /// use millicron::schedule;
    /// use millicron_scheduler::{ManualClock, Scheduler};
    ///
    /// let start = UNIX_EPOCH + Duration::from_secs(1_795_219_200); // 2026-11-21 00:00:00
    /// let clock = ManualClock::new(start);
    /// let scheduler = Scheduler::builder().clock(clock.clone()).start()?;
    ///
    /// let pipeline = Pipeline::builder()
    ///     .since(start)
    ///     .job("rates", schedule!("03:00:00"), [])
    ///     .job("report", schedule!("01:00:00"), [Need::latest("rates")])
    ///     .build()?;
    /// let (told, runs) = channel();
    /// let tell = |told: &std::sync::mpsc::Sender<String>| {
    ///     let told = told.clone();
    ///     move |fire: &millicron_scheduler::RunContext| told.send(fire.job_name().to_string())
    /// };
    /// let running = pipeline
    ///     .run_on(&scheduler, MemoryHistory::new())
    ///     .run("rates", tell(&told))
    ///     .run("report", tell(&told))
    ///     .start()?;
    ///
    /// clock.advance(Duration::from_secs(2 * 3600));
    /// assert_eq!(
    ///     running.waiting()[0].to_string(),
    ///     "`report` 2026-11-21 01:00:00 waits for `rates` 2026-11-21 03:00:00 or later",
    /// );
    /// clock.advance(Duration::from_secs(2 * 3600));
    /// assert!(running.waiting().is_empty());
    /// assert_eq!(runs.try_iter().collect::<Vec<_>>(), ["rates", "report"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # How it runs
    ///
    /// - **A new pipeline is to begin [`since`](crate::Builder::since) now**, or
    ///   its first runs wait for others that were before there was any pipeline.
    /// - Each run is a job of its own, which is added when it is ready: by the
    ///   name of the job, and scheduled at the event. So its
    ///   [lateness](RunContext::lateness) tells how long it has waited. What makes it due
    ///   is a job, too, named `due: ` and its name.
    /// - A run that fails is not recorded, and what needs it waits on.
    ///   [`RunningPipeline::submit`] runs it again.
    /// - A history that can not be read, or panics, fails the run that was due; those that
    ///   wait go on to. One that can not be written fails the run that should be recorded.
    /// - The history is asked and told under a lock of the pipeline.
    /// - The [capacity](millicron_scheduler::SchedulerBuilder::capacity) of the scheduler has to have room for what
    ///   makes jobs due; runs are not refused for want of room.
    pub fn run_on<H>(self, scheduler: impl AsRef<SchedulerHandle>, history: H) -> Launch<H>
    where
        H: History<Error: fmt::Display> + Send + 'static,
    {
        Launch {
            remote: scheduler.as_ref().clone(),
            pipeline: self,
            history,
            work: BTreeMap::new(),
            problems: Vec::new(),
            patience: Patience::Forever,
            catch_up: None,
        }
    }
}

/// A pipeline that is to run, and what its jobs do; made by
/// [`SchedulerHandle::add_pipeline`].
#[must_use = "nothing runs until it is started"]
pub struct Launch<H> {
    remote: SchedulerHandle,
    pipeline: Pipeline,
    history: H,
    /// `None` of those that run elsewhere.
    work: BTreeMap<String, Option<Job>>,
    problems: Vec<JobProblem>,
    patience: Patience,
    catch_up: Option<i64>,
}

impl<H: History<Error: fmt::Display> + Send + 'static> Launch<H> {
    /// What a job of the pipeline does. It succeeds unless it returns an error, or
    /// panics.
    pub fn run<R: IntoOutcome>(
        self,
        job: &str,
        run: impl Fn(&RunContext) -> R + Send + Sync + 'static,
    ) -> Self {
        self.run_job(job, Job::new(run))
    }

    /// The same, of a [`Job`]: one that ends elsewhere, or a future. Its name is that of
    /// the job of the pipeline, and what it chooses for events, as of those that are
    /// missed or overlap, does not matter.
    pub fn run_job(self, job: &str, what: Job) -> Self {
        self.with_work(job, Some(what))
    }

    /// A job of the pipeline runs elsewhere: its successes are told by
    /// [`RunningPipeline::record`].
    pub fn elsewhere(self, job: &str) -> Self {
        self.with_work(job, None)
    }

    fn with_work(mut self, job: &str, work: Option<Job>) -> Self {
        let job = job.to_string();
        if self.pipeline.place(&job).is_none() {
            self.problems.push(JobProblem::NoJob { job });
        } else if self.work.insert(job.clone(), work).is_some() {
            self.problems.push(JobProblem::Twice { job });
        }
        self
    }

    /// How long runs wait; for ever if nothing is chosen.
    pub fn patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// First [submits](RunningPipeline::submit) all runs since an instant that have not
    /// succeeded: those that were missed, or waited, when the program ended.
    pub fn catch_up(self, since: impl Instant) -> Self {
        let since = since.position();
        Self { catch_up: Some(since.millis.saturating_add((!since.is_exact).into())), ..self }
    }

    /// Starts it.
    ///
    /// # Errors
    ///
    /// A job has nothing to do, or is none of the pipeline; the history can not be read
    /// to [catch up](Self::catch_up), or the scheduler has no room or is closed.
    /// Then nothing of it runs.
    pub fn start(self) -> Result<RunningPipeline<H>, LaunchError<H::Error>> {
        let Self { remote, pipeline, history, mut work, mut problems, patience, catch_up } = self;
        let mut tasks = Vec::new();
        for job in pipeline.jobs() {
            tasks.push(match work.remove(job) {
                Some(Some(work)) => {
                    let task = work.into_task();
                    if task.is_none() {
                        problems.push(JobProblem::Once { job: job.into() });
                    }
                    task
                }
                Some(None) => None,
                None => {
                    problems.push(JobProblem::NoWork { job: job.into() });
                    None
                }
            });
        }
        if !problems.is_empty() {
            return Err(LaunchError::Jobs(problems));
        }
        let state = State::new(remote, pipeline, history, tasks, patience);
        let running = RunningPipeline { state: Arc::new(state) };
        let started = running.add_due().and_then(|()| match catch_up {
            Some(since) => running.catch_up(since).map_err(LaunchError::History),
            None => Ok(()),
        });
        if started.is_err() {
            running.cancel();
        }
        started.map(|()| running)
    }
}

impl<H> fmt::Debug for Launch<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pipeline, patience, catch_up, .. } = self;
        f.debug_struct("Launch")
            .field("pipeline", pipeline)
            .field("patience", patience)
            .field("catch_up", catch_up)
            .finish_non_exhaustive()
    }
}

/// A pipeline that a scheduler runs. To drop it does nothing to the pipeline.
///
/// A job of the pipeline that keeps one keeps itself, until the scheduler is dropped.
pub struct RunningPipeline<H> {
    state: Arc<State<H>>,
}

impl<H: History<Error: fmt::Display> + Send + 'static> RunningPipeline<H> {
    /// Adds what makes runs due.
    fn add_due(&self) -> Result<(), LaunchError<H::Error>> {
        for place in self.state.places_with_work() {
            let due = Due { state: Arc::clone(&self.state), place };
            let state = Arc::clone(&self.state);
            let make_due = move |fire: &RunContext| {
                state.submit((fire.scheduled().position().millis, place), false);
            };
            let job = Job::new(make_due)
                .name(format!("due: {}", self.state.pipeline.name(place)))
                .missed(Missed::All { max: usize::MAX })
                .overlap(Overlap::Queue { max: usize::MAX });
            match self.state.remote.add_job(due, job) {
                Ok(handle) => self.state.keep(handle),
                // Of what will not run again, earlier runs may still be submitted.
                Err(AddError::NoEvent(_)) => {}
                Err(error) => return Err(LaunchError::Scheduler(error)),
            }
        }
        Ok(())
    }

    fn catch_up(&self, since: i64) -> Result<(), H::Error> {
        let now = self.state.remote.now();
        for run in self.state.missing(since, now.position().millis)? {
            self.state.submit(run, true);
        }
        Ok(())
    }

    /// Lets a run start as soon as it is ready, as if it were due now: one that failed,
    /// or one that was missed. Also one that has succeeded runs again. Returns
    /// whether it will: a run that waits or is going does not start twice, and one
    /// that runs elsewhere does not start here.
    ///
    /// # Errors
    ///
    /// There is no such job, or it has no event at that instant.
    pub fn submit(&self, job: &str, scheduled: impl Instant) -> Result<bool, AskError> {
        let (place, scheduled) = self.state.pipeline.find_run(job, scheduled)?;
        Ok(self.state.submit((scheduled, place), false))
    }

    /// The pipeline.
    #[must_use]
    pub fn pipeline(&self) -> &Pipeline {
        &self.state.pipeline
    }

    /// Records the success of a run that ran elsewhere, and starts what was
    /// waiting for it.
    ///
    /// # Errors
    ///
    /// There is no such job, it has no event at that instant, or the history can not be
    /// written.
    pub fn record(&self, job: &str, scheduled: impl Instant) -> Result<(), AskError<H::Error>> {
        let (place, scheduled) = self.state.pipeline.find_run(job, scheduled)?;
        self.state.succeed(place, scheduled).map_err(AskError::History)
    }

    /// Looks at the history again, and starts what waits and is ready: for a history in
    /// which others record, too, as other processes.
    pub fn look_again(&self) {
        self.state.look_again();
    }

    /// The runs that are due and wait, the earliest first, and for what.
    #[must_use]
    pub fn waiting(&self) -> Vec<WaitingRun> {
        self.state.waiting()
    }

    /// Does something with the history, under the lock of the pipeline: it must not ask
    /// the pipeline.
    pub fn with_history<T>(&self, ask: impl FnOnce(&mut H) -> T) -> T {
        self.state.with_history(ask)
    }

    /// Nothing of the pipeline becomes due any more, and what is due fails. What runs
    /// already goes on, and is recorded.
    pub fn cancel(&self) {
        self.state.cancel();
    }
}

impl<H> Clone for RunningPipeline<H> {
    fn clone(&self) -> Self {
        Self { state: Arc::clone(&self.state) }
    }
}

impl<H> fmt::Debug for RunningPipeline<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RunningPipeline").field(&self.state.pipeline).finish()
    }
}

/// A run that is due and waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingRun {
    /// The name of the job.
    pub job: String,
    /// The event.
    pub scheduled: SystemTime,
    /// For what it waits, in words.
    pub reason: String,
    /// The run, in words.
    run: String,
}

impl fmt::Display for WaitingRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for {}", self.run, self.reason)
    }
}
