//! Runs pipelines on a scheduler.

mod error;
mod runs;
mod state;
mod waiting;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use millicron::{Instant, Moment};
use millicron_scheduler::{AddError, Job, JobOutput, Missed, Overlap, RunContext, SchedulerHandle};

pub use error::{JobProblem, StartError};
pub use waiting::{WaitPolicy, WaitingRun};

use self::runs::RunKey;
use self::state::{DueEvents, State, Unless};
use crate::{History, Pipeline, QueryError};

impl Pipeline {
    /// Prepares to run the jobs of the pipeline on a scheduler.
    ///
    /// A run that is due but not ready waits for the runs that it needs, and starts when the last of
    /// them has succeeded. When a run succeeds, it is recorded in `history`.
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// use millicron::schedule;
    /// use millicron_pipeline::{MemoryHistory, Need, Pipeline};
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
    /// let (sender, runs) = channel();
    /// let [rates, report] = ["rates", "report"].map(|job| {
    ///     let sender = sender.clone();
    ///     move |_| sender.send(job)
    /// });
    /// let running = pipeline
    ///     .run_on(&scheduler, MemoryHistory::new())
    ///     .run("rates", rates)
    ///     .run("report", report)
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
    /// # Details
    ///
    /// - Let a new pipeline begin now, with [`since`](crate::PipelineBuilder::since). Otherwise its
    ///   first runs wait for runs that were due before the pipeline existed. If its history outlives
    ///   the program, pass the same instant after a restart.
    /// - Every event is a run: none is skipped or coalesced. Runs of one job may overlap, unless the
    ///   job needs [its own previous run](crate::Need::self_previous).
    /// - A run that is ready is added to the scheduler as a separate job, with the name of the
    ///   pipeline's job, scheduled at the event. Its [lateness](RunContext::lateness) therefore
    ///   shows how long it has waited. The job that makes runs due is named `due: ` followed by the
    ///   name.
    /// - A run that is recorded before it is due, as succeeded, failed or skipped, does not run when
    ///   it is due.
    /// - A failed run is not recorded, so runs that need it keep waiting. Run it again with
    ///   [`RunningPipeline::submit`].
    /// - If the history cannot be read, or panics, a run that becomes due fails, and runs that wait
    ///   keep waiting. If it cannot be written, the run that succeeded fails.
    /// - The history is used under a lock of the pipeline, so a slow history delays every run.
    /// - The [capacity](millicron_scheduler::SchedulerBuilder::capacity) of the scheduler must have
    ///   room for one job for each of the pipeline's. It does not limit runs.
    pub fn run_on<H: History + Send + 'static>(
        self,
        scheduler: impl AsRef<SchedulerHandle>,
        history: H,
    ) -> PipelineRunner<H> {
        PipelineRunner {
            scheduler: scheduler.as_ref().clone(),
            pipeline: self,
            history,
            work: BTreeMap::new(),
            problems: Vec::new(),
            wait_policy: WaitPolicy::Forever,
            catch_up: None,
        }
    }
}

/// A pipeline to be started on a scheduler, and the work of its jobs; made by
/// [`Pipeline::run_on`].
#[must_use = "call `start` to run the pipeline"]
pub struct PipelineRunner<H> {
    scheduler: SchedulerHandle,
    pipeline: Pipeline,
    history: H,
    /// `None` for external jobs.
    work: BTreeMap<String, Option<Job>>,
    problems: Vec<JobProblem>,
    wait_policy: WaitPolicy,
    catch_up: Option<i64>,
}

impl<H: History + Send + 'static> PipelineRunner<H> {
    /// Sets the work of a job to a closure. A run succeeds unless the closure returns an error or
    /// panics.
    pub fn run<Kind, R: JobOutput<Kind>>(
        self,
        job: &str,
        work: impl Fn(RunContext) -> R + Send + Sync + 'static,
    ) -> Self {
        self.run_job(job, Job::new(work))
    }

    /// Sets the work of a job to a [`Job`], such as a future or one whose runs finish later. Its
    /// name and its policies for missed and overlapping events are ignored.
    pub fn run_job(self, job: &str, work: Job) -> Self {
        self.with_work(job, Some(work))
    }

    /// Declares that a job runs outside of the scheduler. Report its successes with
    /// [`RunningPipeline::record`], or call [`RunningPipeline::refresh`] if another program records
    /// them in the same history.
    pub fn external(self, job: &str) -> Self {
        self.with_work(job, None)
    }

    fn with_work(mut self, job: &str, work: Option<Job>) -> Self {
        let job = job.to_string();
        if self.pipeline.index(&job).is_none() {
            self.problems.push(JobProblem::UnknownJob { job });
        } else if self.work.insert(job.clone(), work).is_some() {
            self.problems.push(JobProblem::Duplicate { job });
        }
        self
    }

    /// Sets how long runs wait. The default is [`WaitPolicy::Forever`].
    pub fn wait_policy(self, wait_policy: WaitPolicy) -> Self {
        Self { wait_policy, ..self }
    }

    /// When the pipeline starts, submits all runs from an instant until now that have not succeeded,
    /// such as those that were missed while the program did not run.
    pub fn catch_up(self, since: impl Instant) -> Self {
        Self { catch_up: Some(since.position().ceil()), ..self }
    }

    /// Starts the pipeline.
    ///
    /// # Errors
    ///
    /// - The jobs and their work do not match, as each [`JobProblem`] describes.
    /// - The history cannot be read to [catch up](Self::catch_up).
    /// - The scheduler is full or closed.
    ///
    /// Then nothing of the pipeline runs.
    pub fn start(self) -> Result<RunningPipeline<H>, StartError<H::Error>> {
        let Self { scheduler, pipeline, history, mut work, mut problems, wait_policy, catch_up } =
            self;
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
            return Err(StartError::Jobs(problems));
        }
        let state = State::new(scheduler, pipeline, history, tasks, wait_policy);
        let running = RunningPipeline { state: Arc::new(state) };
        let started = running.add_due_jobs().and_then(|()| match catch_up {
            Some(since) => running.catch_up(since).map_err(StartError::History),
            None => Ok(()),
        });
        if started.is_err() {
            running.cancel();
        }
        started.map(|()| running)
    }
}

impl<H> fmt::Debug for PipelineRunner<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pipeline, wait_policy, catch_up, .. } = self;
        f.debug_struct("PipelineRunner")
            .field("pipeline", pipeline)
            .field("wait_policy", wait_policy)
            .field("catch_up", catch_up)
            .finish_non_exhaustive()
    }
}

/// A pipeline that runs on a scheduler; made by [`PipelineRunner::start`].
///
/// It is a handle: it is cheap to clone, and the pipeline keeps running when it is dropped. A job of
/// the pipeline that owns such a handle keeps itself alive until the scheduler is dropped.
pub struct RunningPipeline<H> {
    state: Arc<State<H>>,
}

impl<H: History + Send + 'static> RunningPipeline<H> {
    /// Adds the jobs that make runs due.
    fn add_due_jobs(&self) -> Result<(), StartError<H::Error>> {
        for index in self.state.jobs_with_work() {
            let events = DueEvents { state: Arc::clone(&self.state), index };
            let state = Arc::clone(&self.state);
            let submit = move |run: RunContext| {
                let scheduled = run.scheduled().position().millis;
                state.submit(RunKey { scheduled, index }, Unless::Ended);
            };
            let job = Job::new(submit)
                .name(format!("due: {}", self.state.pipeline.name(index)))
                .share_name()
                .missed(Missed::All { max: usize::MAX })
                .overlap(Overlap::Queue { max: usize::MAX });
            match self.state.scheduler.add_job(events, job) {
                Ok(handle) => self.state.add_due_job(handle),
                // Earlier runs of a job that will not run again may still be submitted.
                Err(AddError::NoEvent(_)) => {}
                Err(AddError::Closed(_)) => return Err(StartError::SchedulerClosed),
                Err(error) => {
                    let is_full = matches!(error, AddError::Full(_));
                    debug_assert!(is_full, "unexpected error: {error}");
                    return Err(StartError::SchedulerFull);
                }
            }
        }
        Ok(())
    }

    fn catch_up(&self, since: i64) -> Result<(), H::Error> {
        let now = self.state.scheduler.now();
        for run in self.state.missing(since, now.position().millis)? {
            self.state.submit(run, Unless::Succeeded);
        }
        Ok(())
    }

    /// Submits a run: it starts as soon as it is due and ready. Use it for a run that failed or was
    /// missed, or to repeat one that succeeded: what the history has of the run makes no difference. A
    /// run that is not due yet starts at its event, once, as it would without this.
    ///
    /// Returns whether the run was accepted: it waits for other runs, or was handed to the
    /// scheduler, where a failure of the history makes it fail. It is not accepted if it waits or
    /// runs already, if its job is [external](PipelineRunner::external), if the pipeline was
    /// [cancelled](Self::cancel), or if the scheduler is closed.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, the job has no event at `scheduled`, or a civil time is passed
    /// to a pipeline with a time zone.
    pub fn submit(&self, job: &str, scheduled: impl Moment) -> Result<bool, QueryError> {
        let (index, scheduled) = self.state.pipeline.find_run(job, scheduled)?;
        Ok(self.state.submit(RunKey { scheduled, index }, Unless::Never))
    }

    /// Returns the pipeline.
    #[must_use]
    pub fn pipeline(&self) -> &Pipeline {
        &self.state.pipeline
    }

    /// Records the success of a run outside of the scheduler, and starts the runs that waited for
    /// it.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, the job has no event at `scheduled`, or the history cannot be
    /// written.
    pub fn record(&self, job: &str, scheduled: impl Moment) -> Result<(), QueryError<H::Error>> {
        let (index, scheduled) = self.state.pipeline.find_run(job, scheduled)?;
        self.state.record(RunKey { scheduled, index }).map_err(QueryError::History)
    }

    /// Reads the history again, and starts the waiting runs that are ready. Use it if others, such
    /// as other processes, record successes in the same history.
    pub fn refresh(&self) {
        self.state.refresh();
    }

    /// Returns the runs that are due and wait, the earliest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<WaitingRun> {
        self.state.waiting()
    }

    /// Calls a function with the history.
    ///
    /// It runs under the lock of the pipeline, so it must not call methods of the pipeline: that
    /// would deadlock.
    pub fn with_history<T>(&self, f: impl FnOnce(&mut H) -> T) -> T {
        self.state.with_history(f)
    }

    /// Cancels the pipeline: no further run becomes due or starts. Runs that wait for others are
    /// dropped, and runs that wait for a worker fail. Runs in progress finish, and are recorded.
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
