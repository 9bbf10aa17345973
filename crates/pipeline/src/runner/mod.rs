//! Runs pipelines on a scheduler.

mod builder;
mod claims;
mod end;
mod leases;
mod pause;
mod report;
mod runs;
mod start;
mod state;
mod wait_policy;
mod waiting;

use std::fmt;
use std::sync::Arc;

use alloc::vec::Vec;

use millicron::{Instant, Moment};
use millicron_scheduler::{AddErrorKind, Job, Missed, Overlap, RunContext, SchedulerHandle};

pub use builder::PipelineRunner;
pub use report::{EndedRun, WaitingRun};
pub use wait_policy::WaitPolicy;

use self::runs::RunKey;
use self::start::Unless;
use self::state::{State, cancel_all};
use crate::model::timeline::Timeline;
use crate::{Claims, Pipeline, QueryError, StartError};

impl Pipeline {
    /// Prepares to run the jobs of the pipeline on a scheduler.
    ///
    /// A run that is due but not ready waits for the runs that it needs, and starts when the last
    /// of them has succeeded. The runner records in `history` how each run ended.
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
    /// - Let a new pipeline begin at the current time, with
    ///   [`since`](crate::PipelineBuilder::since). Otherwise, its first runs wait for runs that
    ///   were due before the pipeline existed. If its history outlives the program, pass the same
    ///   instant after each restart.
    /// - Every event is a run: none is skipped or coalesced. Runs of one job may overlap, unless the
    ///   job needs [its own previous run](crate::Need::self_previous).
    /// - A run that is ready is added to the scheduler as a separate job, with the name of the
    ///   pipeline's job, scheduled at the event. Its [lateness](RunContext::lateness) therefore
    ///   shows how long it has waited. The scheduler job that makes runs due is
    ///   [internal](Job::internal), with the same name.
    /// - A run that is recorded as succeeded, failed or skipped before it is due does not run when
    ///   it is due.
    /// - A run whose last [attempt](PipelineRunner::retry) fails is recorded as failed. Runs that
    ///   need its success keep waiting; runs that [accept](crate::Need::ended) its failure start.
    ///   Rerun it with [`RunningPipeline::submit`].
    /// - A run that did not start because the history failed, the pipeline was cancelled, or the scheduler dropped
    ///   it is not recorded, and can be submitted again. A [gate](millicron_scheduler::Gate) is also asked before
    ///   runs become due, and an event that it refuses is no run.
    /// - If the history cannot be read or panics, a run that becomes due and needs others fails, and
    ///   waiting runs keep waiting. If it cannot be written, a run that succeeded fails.
    /// - The history is used under a lock of the pipeline, so a slow history delays every run. While
    ///   a server is unreachable, each call is [retried](crate::History::retry_for) for 30 seconds, or
    ///   for a third of the lease of [claims](PipelineRunner::claim_runs) if that is shorter.
    /// - The scheduler's [capacity](millicron_scheduler::SchedulerBuilder::capacity) must have room
    ///   for one scheduler job per job of the pipeline. It does not limit runs.
    pub fn run_on<H: Claims + Send + 'static>(
        self,
        scheduler: impl AsRef<SchedulerHandle>,
        history: H,
    ) -> PipelineRunner<H> {
        PipelineRunner::new(scheduler.as_ref().clone(), self, history)
    }
}

impl Pipeline {
    /// Returns the events of the job at an index.
    fn timeline(&self, index: usize) -> &Timeline {
        &self.jobs[index].timeline
    }

    /// Returns the name of the job at an index.
    fn name(&self, index: usize) -> &str {
        &self.jobs[index].name
    }

    /// Returns whether the job at an index needs the job at another index.
    fn needs(&self, index: usize, upstream: usize) -> bool {
        self.jobs[upstream].downstream.contains(&index)
    }
}

/// A pipeline that runs on a scheduler; returned by [`PipelineRunner::start`].
///
/// This is a handle: it is cheap to clone, and the pipeline keeps running when the handle is
/// dropped. A job of the pipeline that owns such a handle keeps itself alive until the scheduler is
/// dropped.
pub struct RunningPipeline<H> {
    state: Arc<State<H>>,
}

impl<H: Claims + Send + 'static> RunningPipeline<H> {
    /// Starts to renew claims, adds the jobs that make runs due, and submits all unrecorded runs since
    /// an instant, if any.
    fn begin(&self, submit_since: Option<i64>) -> Result<(), StartError<H::Error>> {
        self.state.keep_claims().map_err(|error| StartError::Thread(error.kind()))?;
        self.add_due_jobs()?;
        if let Some(since) = submit_since {
            let now = self.state.scheduler.now().position().millis;
            for run in self.state.missing(since, now).map_err(StartError::History)? {
                self.state.submit(run, Unless::Ended);
            }
        }
        Ok(())
    }

    /// Adds the jobs that make runs due.
    fn add_due_jobs(&self) -> Result<(), StartError<H::Error>> {
        let jobs = self.state.jobs.iter().enumerate();
        for (index, _) in jobs.filter(|(_, job)| job.task().is_some()) {
            let events = self.state.pipeline.timeline(index).clone();
            let state = Arc::clone(&self.state);
            let submit = move |run: RunContext| {
                let scheduled = run.scheduled().position().millis;
                state.submit(RunKey { scheduled, index }, Unless::Ended);
                // A cancelled pipeline has removed it.
                if let Some(last) = state.lock().submitted.get_mut(&index) {
                    *last = scheduled;
                }
            };
            let job = Job::new(submit)
                .name(self.state.pipeline.name(index))
                .share_name()
                .internal()
                .missed(Missed::All { max: usize::MAX })
                .overlap(Overlap::Queue { max: usize::MAX });
            let now = self.state.scheduler.now().position().millis;
            self.state.lock().submitted.insert(index, now);
            match self.state.scheduler.add_job(events, job) {
                Ok(handle) => self.state.lock().due_jobs.push(handle),
                Err(error) => match error.kind() {
                    // If a job will not run again, its earlier runs may still be submitted.
                    AddErrorKind::NoEvent => drop(self.state.lock().submitted.remove(&index)),
                    AddErrorKind::Closed => return Err(StartError::SchedulerClosed),
                    kind => {
                        let is_full = matches!(kind, AddErrorKind::Full);
                        debug_assert!(is_full, "unexpected error: {error}");
                        return Err(StartError::SchedulerFull);
                    }
                },
            }
        }
        Ok(())
    }

    /// Submits a run, which starts as soon as it is due and ready. Use this for a run that failed
    /// or was missed, or to repeat a run that succeeded: the run's own record makes no difference.
    /// A run that is not due yet starts at its event, once, as it would anyway.
    ///
    /// Returns whether the run was accepted. An accepted run waits for other runs or for its job to be
    /// [resumed](Self::resume), or was handed to the scheduler, where it fails if the history failed. A run is not accepted if it is already
    /// waiting or running, if its job is [external](PipelineRunner::external), if the pipeline was
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

    /// Starts the run of a job's last event now, or repeats it if it has ended, whatever it needs and
    /// even if the job is [paused](Self::pause). This is for a person who decides that what is missing
    /// does not matter; otherwise, [submit](Self::submit) the run. How it ended before is
    /// [forgotten](crate::History::forget), so that runs that need it wait for its new end.
    ///
    /// Returns whether the run was accepted. It is not if the job has had no event yet or is
    /// [external](PipelineRunner::external), if the run was already handed to the scheduler, if the job
    /// needs its own previous run and an earlier one waits or is in progress, if the pipeline was
    /// [cancelled](Self::cancel), or if the scheduler is closed.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, or the history cannot be written.
    pub fn trigger_now(&self, job: &str) -> Result<bool, QueryError<H::Error>> {
        let index = self.state.pipeline.find_job(job)?;
        self.state.trigger_now(index).map_err(QueryError::History)
    }

    /// Pauses a job: its runs become due, but wait until it is [resumed](Self::resume), whatever their
    /// [wait policy](PipelineRunner::wait_policy) is. None is lost, because other jobs may need them.
    /// Runs that have started, wait for a worker, or are attempted again are not affected, nor are
    /// runs in other processes.
    ///
    /// Returns whether the job was not paused before. An [external](PipelineRunner::external) job
    /// cannot be.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job.
    ///
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// use millicron::schedule;
    /// use millicron_pipeline::{MemoryHistory, Pipeline};
    /// use millicron_scheduler::{ManualClock, Scheduler};
    ///
    /// let start = UNIX_EPOCH + Duration::from_secs(1_795_219_200); // 2026-11-21 00:00:00
    /// let clock = ManualClock::new(start);
    /// let scheduler = Scheduler::builder().clock(clock.clone()).start()?;
    /// let pipeline = Pipeline::builder().since(start).job("rates", schedule!("03:00:00"), []).build()?;
    /// let running =
    ///     pipeline.run_on(&scheduler, MemoryHistory::new()).run("rates", |_| ()).start()?;
    ///
    /// running.pause("rates")?;
    /// clock.advance(Duration::from_secs(4 * 3600));
    /// assert_eq!(
    ///     running.waiting()[0].to_string(),
    ///     "`rates` 2026-11-21 03:00:00 waits for its job to be resumed",
    /// );
    /// running.resume("rates")?;
    /// assert!(running.waiting().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pause(&self, job: &str) -> Result<bool, QueryError> {
        self.state.pipeline.find_job(job).map(|index| self.state.pause(index))
    }

    /// Resumes a paused job: all its waiting runs that are ready start, and the limits of the other
    /// waits are restarted. Returns whether the job was paused.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job.
    pub fn resume(&self, job: &str) -> Result<bool, QueryError> {
        self.state.pipeline.find_job(job).map(|index| self.state.resume(index))
    }

    /// Returns whether a job is paused.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job.
    pub fn is_paused(&self, job: &str) -> Result<bool, QueryError> {
        let index = self.state.pipeline.find_job(job)?;
        Ok(self.state.lock().paused.contains(&index))
    }

    /// Returns the pipeline.
    #[must_use]
    pub fn pipeline(&self) -> &Pipeline {
        &self.state.pipeline
    }

    /// Records the success of a run outside the scheduler, and starts the runs that waited for it. If
    /// the run itself is waiting, it no longer does, and does not start.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, the job has no event at `scheduled`, or the history cannot be
    /// written.
    pub fn record(&self, job: &str, scheduled: impl Moment) -> Result<(), QueryError<H::Error>> {
        let (index, scheduled) = self.state.pipeline.find_run(job, scheduled)?;
        let mut inner = self.state.lock();
        inner.history.record(job, scheduled).map_err(QueryError::History)?;
        let run = RunKey { scheduled, index };
        // Otherwise, it would start later, or the end of its wait would overwrite the success.
        let unused = inner.runs.drop_wait(run);
        let mut pending = self.state.recheck(&mut inner, run);
        pending.cancel.extend(unused);
        drop(inner);
        self.state.call_scheduler(pending);
        Ok(())
    }

    /// Reads the history again, and starts the waiting runs that are ready. Call it when others,
    /// such as other processes, record successes in the same history. If runs are
    /// [claimed](PipelineRunner::claim_runs), it also renews the claims, and takes over the runs
    /// whose claims have expired; the runner then calls it whenever a third of the lease has
    /// passed. Once the scheduler is closed, no run starts, and the claims of runs that wait for
    /// a worker or for their next attempt are released.
    ///
    /// If the history takes long to fail, its server is probably unreachable, and the other waiting runs
    /// are not checked until any run ends or the next refresh.
    pub fn refresh(&self) {
        self.state.refresh();
    }

    /// Returns the due runs that are waiting, the earliest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<WaitingRun> {
        let inner = self.state.lock();
        inner.runs.waiting().filter_map(|run| self.state.waiting_run(&inner, run)).collect()
    }

    /// Calls a function with the history.
    ///
    /// The function runs under the pipeline's lock, so it must not call methods of the running
    /// pipeline: that would deadlock.
    pub fn with_history<T>(&self, f: impl FnOnce(&mut H) -> T) -> T {
        f(&mut self.state.lock().history)
    }

    /// Removes the records that neither a waiting or unfinished run nor a run at or after `at` needs,
    /// as [`Pipeline::prune`] does. Runs before `at` that have not become due yet, or are due but still
    /// wait for a worker to submit them, keep what they need as well.
    ///
    /// This runner does not know which runs wait in others that share the history. There, let `at` be
    /// earlier than any run that still waits.
    ///
    /// A run whose record was removed counts as unrecorded. It starts again if
    /// [`submit_since`](PipelineRunner::submit_since) includes it, or if another runner that shares the
    /// history lags behind, for example because its computer slept, and the run becomes due there. If
    /// runners share a history, pass an instant so far in the past that none of them lags behind it.
    ///
    /// # Errors
    ///
    /// The history cannot be written.
    pub fn prune(&self, at: impl Instant) -> Result<(), QueryError<H::Error>> {
        let mut inner = self.state.lock();
        let at = at.position().ceil();
        let at = self.state.earliest(&inner).map_or(at, |earliest| earliest.min(at));
        self.state.pipeline.prune(at, &mut inner.history)
    }

    /// Cancels the pipeline: no further run becomes due or starts. Runs that wait for other runs or
    /// for their next attempt are dropped. Runs that wait for a worker fail. Runs in progress
    /// finish and are recorded.
    pub fn cancel(&self) {
        let mut inner = self.state.lock();
        inner.is_cancelled = true;
        let mut handles = std::mem::take(&mut inner.due_jobs);
        inner.submitted.clear();
        handles.extend(inner.runs.drop_waiting());
        State::release_idle(&mut inner);
        handles.extend(inner.runs.drop_retries());
        drop(inner);
        cancel_all(handles);
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
