//! [`PipelineRunner`].

use alloc::boxed::Box;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use millicron::Instant;
use millicron_scheduler::{Job, JobOutput, Retry, RunContext, SchedulerHandle};

use super::RunningPipeline;
use super::report::{EndedRun, WaitingRun};
use super::runs::{RunClaims, Runs};
use super::state::{Inner, Observers, RunnerJob, State, Work};
use super::wait_policy::WaitPolicy;
use crate::{Claims, JobProblem, Pipeline, StartError};

/// How long a history on a server may retry a call before it fails.
const RETRY_LIMIT: Duration = Duration::from_secs(30);

/// A pipeline to start on a scheduler, with the work of its jobs; returned by [`Pipeline::run_on`].
#[must_use = "call `start` to run the pipeline"]
pub struct PipelineRunner<H> {
    scheduler: SchedulerHandle,
    pipeline: Pipeline,
    history: H,
    /// The jobs, in the order of the pipeline's jobs.
    jobs: Vec<RunnerJob>,
    problems: Vec<JobProblem>,
    wait_policy: WaitPolicy,
    retry: Option<Retry>,
    claims: Option<RunClaims>,
    observers: Observers,
    submit_since: Option<i64>,
}

impl<H: Claims + Send + 'static> PipelineRunner<H> {
    pub(super) fn new(scheduler: SchedulerHandle, pipeline: Pipeline, history: H) -> Self {
        Self {
            scheduler,
            jobs: pipeline.jobs().map(|_| RunnerJob::default()).collect(),
            pipeline,
            history,
            problems: Vec::new(),
            wait_policy: WaitPolicy::Forever,
            retry: None,
            claims: None,
            observers: Observers::default(),
            submit_since: None,
        }
    }

    /// Sets the work of a job to a closure. A run succeeds unless the closure returns an error or
    /// panics.
    pub fn run<Kind, R: JobOutput<Kind>>(
        self,
        job: &str,
        work: impl Fn(RunContext) -> R + Send + Sync + 'static,
    ) -> Self {
        self.run_job(job, Job::new(work))
    }

    /// Sets the work of a job to a [`Job`], such as a future or a job whose runs finish later. Its
    /// name and policies are ignored; see [`retry_job`](Self::retry_job) to retry it.
    pub fn run_job(self, job: &str, work: Job) -> Self {
        self.with_work(job, work.into_task().map_or(Work::Once, Work::Task))
    }

    /// Declares that a job runs outside the scheduler. Report its successes with
    /// [`RunningPipeline::record`], or call [`RunningPipeline::refresh`] if another program records
    /// them in the same history.
    pub fn external(self, job: &str) -> Self {
        self.with_work(job, Work::External)
    }

    fn with_work(mut self, job: &str, work: Work) -> Self {
        if let Some(index) = self.find(job)
            && !matches!(std::mem::replace(&mut self.jobs[index].work, work), Work::Unset)
        {
            self.problems.push(JobProblem::Duplicate { job: job.to_string() });
        }
        self
    }

    /// Changes the settings of a job.
    fn with(mut self, job: &str, change: impl FnOnce(&mut RunnerJob)) -> Self {
        if let Some(index) = self.find(job) {
            change(&mut self.jobs[index]);
        }
        self
    }

    /// Returns the index of a job; an unknown one is a problem.
    fn find(&mut self, job: &str) -> Option<usize> {
        let index = self.pipeline.index(job);
        if index.is_none() {
            self.problems.push(JobProblem::UnknownJob { job: job.to_string() });
        }
        index
    }

    /// Sets how long runs wait. The default is [`WaitPolicy::Forever`].
    pub fn wait_policy(self, wait_policy: WaitPolicy) -> Self {
        Self { wait_policy, ..self }
    }

    /// Sets how long runs of one job wait, overriding [`wait_policy`](Self::wait_policy).
    pub fn wait_policy_of(self, job: &str, wait_policy: WaitPolicy) -> Self {
        self.with(job, |job| {
            job.limits.insert(None, wait_policy);
        })
    }

    /// Limits how long runs of one job wait for the runs that they need from another job. If some
    /// of these are still missing when the limit is reached, the run is recorded as
    /// [skipped](crate::RunState::Skipped).
    ///
    /// The limit counts from the same instant as a [`WaitPolicy`].
    ///
    /// The job's wait policy applies as well: whichever limit is reached first counts. If the need
    /// is one of several [alternatives](crate::Need::any_of), the run is skipped only if each of
    /// them waits for that job.
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
    /// let (sender, ended) = channel();
    /// let running = Pipeline::builder()
    ///     .since(start)
    ///     .job("rates", schedule!("02:00:00"), [])
    ///     .job("report", schedule!("03:00:00"), [Need::last("rates")])
    ///     .build()?
    ///     .run_on(&scheduler, MemoryHistory::new())
    ///     .external("rates")
    ///     .run("report", |_| println!("report"))
    ///     .skip_after("report", "rates", Duration::from_secs(3600))
    ///     .on_end(move |run| drop(sender.send(run.to_string())))
    ///     .start()?;
    ///
    /// clock.advance(Duration::from_secs(4 * 3600));
    /// assert!(running.waiting().is_empty());
    /// assert_eq!(
    ///     ended.try_recv()?,
    ///     "`report` 2026-11-21 03:00:00 skipped: waited 3600s for `rates` 2026-11-21 02:00:00",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn skip_after(mut self, job: &str, upstream: &str, limit: Duration) -> Self {
        if let Some((index, of)) = self.find(job).zip(self.find(upstream)) {
            if self.pipeline.needs(index, of) {
                self.jobs[index].limits.insert(Some(of), WaitPolicy::SkipAfter(limit));
            } else {
                let (job, upstream) = (job.to_string(), upstream.to_string());
                self.problems.push(JobProblem::NotNeeded { job, upstream });
            }
        }
        self
    }

    /// Sets how to retry runs that did not succeed. By default, they are not retried.
    ///
    /// A run is recorded as failed only when its last attempt has failed. A run that is given up
    /// before it starts is not retried. [`Retry::until_next_event`] has no effect.
    pub fn retry(self, retry: Retry) -> Self {
        Self { retry: Some(retry), ..self }
    }

    /// Sets how to retry runs of one job, overriding [`retry`](Self::retry).
    pub fn retry_job(self, job: &str, retry: Retry) -> Self {
        self.with(job, |job| job.retry = Some(retry))
    }

    /// Sets a function that is called after a run of a job with work has ended and is recorded as
    /// succeeded, failed or skipped.
    ///
    /// The thread that recorded the end calls the function. The function may use the pipeline.
    pub fn on_end(mut self, on_end: impl Fn(&EndedRun) + Send + Sync + 'static) -> Self {
        self.observers.on_end = Some(Box::new(on_end));
        self
    }

    /// Sets a function that is called when a due run begins to wait, and again if a run that it waits for
    /// has [failed](WaitingRun::failed). If it waits for several needs, the first one that is not met counts; if that is
    /// met by any of many runs, as with [`Need::latest`](crate::Need::latest), a failure is noticed later or not at all.
    ///
    /// It is not called for a run that only waits for its job to be
    /// [resumed](RunningPipeline::resume). The function may use the pipeline. The run may already have
    /// started when it is called. The thread that renews [claims](Self::claim_runs) may call it, so it
    /// should not take long.
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
    /// let (sender, waits) = channel();
    /// let running = Pipeline::builder()
    ///     .since(start)
    ///     .job("rates", schedule!("02:00:00"), [])
    ///     .job("report", schedule!("02:00:00"), [Need::last("rates")])
    ///     .build()?
    ///     .run_on(&scheduler, MemoryHistory::new())
    ///     .run("rates", |_| Err::<(), _>("no rates today"))
    ///     .run("report", |_| println!("report"))
    ///     .on_wait(move |run| drop(sender.send(run.to_string())))
    ///     .start()?;
    ///
    /// clock.advance(Duration::from_secs(3 * 3600));
    /// assert_eq!(
    ///     waits.try_iter().last().as_deref(),
    ///     Some(
    ///         "`report` 2026-11-21 02:00:00 waits for `rates` 2026-11-21 02:00:00, \
    ///          although `rates` 2026-11-21 02:00:00 failed",
    ///     ),
    /// );
    /// assert_eq!(running.waiting().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_wait(mut self, on_wait: impl Fn(&WaitingRun) + Send + Sync + 'static) -> Self {
        self.observers.on_wait = Some(Box::new(on_wait));
        self
    }

    /// Claims each run in the history before it starts, so that each run starts only once, however
    /// many runners share the history. `owner` is the name of this runner in the history, and each
    /// claim is renewed when a third of the lease has passed.
    ///
    /// - While a run is claimed by another runner, it waits here. If that runner dies, its lease
    ///   expires, and another runner takes over the run.
    /// - A runner checks for expired leases and for the ends of other runners' runs whenever a third of
    ///   the lease has passed. So a run of a runner that has died starts here after at most four thirds
    ///   of the lease, and a run that needs the run of another runner at most a third of the lease after
    ///   the end of that run.
    /// - If a claim is lost anyway, for example because the computer slept, the
    ///   [token](RunContext::token) of the run is cancelled, and its end is not recorded. The token is
    ///   also cancelled when a claim may have expired because the history fails or hangs. If the run
    ///   succeeds anyway and nobody else has claimed it, its success is recorded.
    /// - A run whose claim is lost waits here, like one that another runner has claimed, instead of
    ///   being [retried](Self::retry).
    /// - A run that has ended does not start again, even if it is
    ///   [submitted](RunningPipeline::submit), until it is [forgotten](crate::History::forget).
    /// - If a run turns out to be claimed or ended when a worker takes it, the run's job on the
    ///   scheduler succeeds without doing any work.
    ///
    /// See [`Claims`] for clocks and fencing.
    ///
    #[cfg_attr(feature = "sqlite", doc = "```no_run")]
    #[cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
    /// use std::time::Duration;
    ///
    /// use millicron::schedule;
    /// use millicron_pipeline::{Pipeline, SqliteHistory};
    /// use millicron_scheduler::Scheduler;
    ///
    /// let scheduler = Scheduler::new()?;
    /// let owner = format!("process {}", std::process::id());
    /// let running = Pipeline::builder()
    ///     .since(1_795_219_200_000) // the same in all processes
    ///     .job("load", schedule!("*:01:04"), [])
    ///     .build()?
    ///     .run_on(&scheduler, SqliteHistory::open("history")?)
    ///     .run("load", |run| println!("load {:?}", run.scheduled()))
    ///     .claim_runs(&owner, Duration::from_secs(60))
    ///     .start()?;
    /// # drop(running);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn claim_runs(self, owner: &str, lease: Duration) -> Self {
        Self { claims: Some(RunClaims::new(owner, lease)), ..self }
    }

    /// When the pipeline starts, submits all unrecorded runs since an instant, such as runs that
    /// were missed while the program was not running.
    ///
    /// If the history is [pruned](RunningPipeline::prune), do not pass an instant before the one up to
    /// which it was pruned: runs whose records were removed would start again. To run an earlier one that
    /// had not ended before, [submit](RunningPipeline::submit) it.
    pub fn submit_since(self, since: impl Instant) -> Self {
        Self { submit_since: Some(since.position().ceil()), ..self }
    }

    /// Starts the pipeline.
    ///
    /// # Errors
    ///
    /// - The jobs and their work do not match, as each [`JobProblem`] describes.
    /// - The history cannot be read to [submit](Self::submit_since) earlier runs.
    /// - The scheduler is full or closed.
    /// - The threads that renew [claims](Self::claim_runs) and watch their leases cannot be started.
    ///
    /// In these cases, no part of the pipeline runs.
    pub fn start(mut self) -> Result<RunningPipeline<H>, StartError<H::Error>> {
        for (name, job) in self.pipeline.jobs().zip(&mut self.jobs) {
            let name = || name.to_string();
            self.problems.extend(match job.work {
                Work::Unset => Some(JobProblem::NoWork { job: name() }),
                Work::Once => Some(JobProblem::Once { job: name() }),
                Work::External | Work::Task(_) => None,
            });
            job.limits.entry(None).or_insert(self.wait_policy);
            job.retry = job.retry.or(self.retry);
        }
        if !self.problems.is_empty() {
            return Err(StartError::Jobs(self.problems));
        }
        let Self {
            scheduler, pipeline, mut history, jobs, observers, claims, submit_since, ..
        } = self;
        // Between two renewals, there is time for one call that fails.
        let of_lease = |claims: &RunClaims| RETRY_LIMIT.min(claims.lease() / 3);
        let retry_limit = claims.as_ref().map_or(RETRY_LIMIT, of_lease);
        history.retry_for(retry_limit);
        let runs = Runs::new(claims);
        let inner = Inner {
            history,
            runs,
            due_jobs: Vec::new(),
            submitted: BTreeMap::new(),
            paused: BTreeSet::new(),
            is_cancelled: false,
        };
        let state = State {
            scheduler,
            pipeline,
            jobs,
            observers,
            retry_limit,
            inner: Mutex::new(inner),
            renewals: OnceLock::new(),
            watch: OnceLock::new(),
        };
        let running = RunningPipeline { state: Arc::new(state) };
        match running.begin(submit_since) {
            Ok(()) => Ok(running),
            Err(error) => {
                running.cancel();
                Err(error)
            }
        }
    }
}

impl<H> fmt::Debug for PipelineRunner<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pipeline, wait_policy, submit_since, .. } = self;
        f.debug_struct("PipelineRunner")
            .field("pipeline", pipeline)
            .field("wait_policy", wait_policy)
            .field("submit_since", submit_since)
            .finish_non_exhaustive()
    }
}
