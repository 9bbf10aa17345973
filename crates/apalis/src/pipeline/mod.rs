//! [`PipelineSource`]: the runs of a pipeline as tasks.

mod builder;
mod claimed;
mod layer;
mod open;
mod runs;
mod scan;
mod settings;
mod thread;

use std::fmt;
use std::ops::RangeInclusive;

pub use builder::PipelineSourceBuilder;
use futures_channel::oneshot;
pub use layer::{ClaimLayer, ClaimService};

use self::thread::PipelineThread;
use crate::error::{PipeError, RunError};
use crate::source::Source;
use crate::stats::Stats;
use crate::storage::Storage;
use crate::worker::backend::PipedSource;

/// Turns the runs of a [`Pipeline`](millicron_pipeline::Pipeline) into apalis tasks; created with
/// [`PipelineSource::builder`].
///
/// A run becomes a task when it is due and the runs that it needs have ended. The worker that gets
/// the task claims the run in the history, calls the handler, and records under the claim how the
/// run ended. The runs that this unlocks become tasks at once. All machines read the history
/// periodically, so nothing is lost if a machine dies in between. [Usually](crate#pipelines), only one of
/// them pushes a run.
///
/// ```no_run
/// use apalis_core::worker::builder::WorkerBuilder;
/// use apalis_sqlite::{SqlitePool, SqliteStorage};
/// use millicron::schedule;
/// use millicron_apalis::{PipelineSource, Run};
/// use millicron_pipeline::{Need, Pipeline, SqliteHistory};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pipeline = Pipeline::builder()
///     // 2026-11-21 00:00:00 UTC, the same on all machines.
///     .since(1_795_219_200_000)
///     .job("load", schedule!("*:01:04"), [])
///     .job("report", schedule!("3:01:03"), [Need::all("load")])
///     .build()?;
/// let history = SqliteHistory::open("history.db")?;
/// let source = PipelineSource::builder(pipeline, history, |_| ()).start()?;
///
/// let pool = SqlitePool::connect("sqlite:tasks.db").await?;
/// let worker = WorkerBuilder::new("worker")
///     .backend(source.pipe_to(SqliteStorage::new(&pool)))
///     .build(async |run: Run<()>| println!("{}", run.key()));
/// worker.run().await?;
/// # Ok(())
/// # }
/// ```
///
/// # Details
///
/// - Let a new pipeline [begin](millicron_pipeline::PipelineBuilder::since) at some instant. Otherwise, its first runs
///   need earlier ones, which never become tasks.
/// - A worker claims a run before it starts, and the claim is renewed while it runs. A task whose
///   run has ended, or is claimed by another worker, does nothing. So a run is never executed after
///   it has ended, and never by two workers at once, unless a worker was suspended, or its handler
///   blocked its thread, for longer than the lease. In that case, its result is not recorded. The
///   handler is dropped when the worker continues, or, if the whole machine slept, when the worker
///   finds that its claim is lost: on Linux and macOS, its clock stands still meanwhile.
/// - If a claim cannot be renewed, its handler is dropped at an `.await` when the lease ends.
/// - The storage retries a run that fails. If the last attempt fails, the run is recorded as
///   failed, which starts the runs that [accept](millicron_pipeline::Need::ended) a failure. If the
///   handler defers the run, or requests another attempt, nothing is recorded.
/// - A task for a run that the pipeline does not have is [reported](crate::Notice::UnknownRun) and
///   not retried. While old and new programs are running, a new job's runs may therefore have to
///   wait for their [next task](PipelineSourceBuilder::push_again_after).
/// - If a success cannot be recorded, the task fails, and the run is executed again.
/// - If a worker is killed, the claims of its runs expire after the
///   [lease](PipelineSourceBuilder::lease), a minute by default. The runs then become further tasks at
///   once, so they do not wait until the storage notices that the worker is dead.
/// - A run that is ready, but neither ends nor is claimed for a while, becomes [another
///   task](PipelineSourceBuilder::push_again_after): its first task may be gone, because a worker was
///   killed before it claimed the run, because the storage has given up on it, or because the run's
///   record was forgotten for a rerun.
/// - The history is used on a dedicated thread, so it may block. For several machines, use a
///   history on a server, such as `PostgresHistory`. If its connection is lost, it may [try
///   again](millicron_pipeline::History::retry_for) for 30 s.
/// - Two pipelines with jobs of the same name need separate queues.
pub struct PipelineSource<P> {
    source: Source<P>,
    thread: PipelineThread,
}

impl<P: Clone + Send + Sync + 'static> PipelineSource<P> {
    /// Returns a backend for a worker. It pushes the tasks of the pipeline into a storage, hands
    /// out the tasks in the storage, and records how their runs ended.
    pub fn pipe_to<B: Storage<P>>(&self, storage: B) -> PipedSource<P, B, ClaimLayer> {
        self.source.pipe_with(storage, ClaimLayer::new(self.thread.clone()))
    }

    /// Pushes the tasks of the pipeline, as [`Source::push_to`] does.
    ///
    /// # Errors
    ///
    /// The storage [forgets idempotency keys](PipeError::ForgetsKeys).
    pub async fn push_to<B: Storage<P>>(&self, storage: B) -> Result<(), PipeError<B::Error>> {
        self.source.push_to(storage).await
    }

    /// Pushes the tasks that are due now, as [`Source::push_due`] does. To include runs that others have
    /// made ready, call [`refresh`](Self::refresh) first.
    ///
    /// # Errors
    ///
    /// The storage [forgets idempotency keys](PipeError::ForgetsKeys).
    pub async fn push_due<B: Storage<P>>(
        &self,
        storage: &mut B,
    ) -> Result<bool, PipeError<B::Error>> {
        self.source.push_due(storage).await
    }
}

impl<P> PipelineSource<P> {
    /// Reads the history now instead of at the next [refresh](PipelineSourceBuilder::refresh_every), and
    /// pushes what is ready at once. Call it after you have recorded a run yourself, on one machine.
    pub async fn refresh(&self) {
        let (done, scanned) = oneshot::channel();
        self.thread.send(move |runs| runs.refresh(done));
        // Nothing is ever sent; the end of the scan, or of the source, drops the sender.
        let _ = scanned.await;
    }

    /// Forgets the records of a job's runs in a range, and reruns those that are due, on any
    /// machine. Handlers that are executing these runs are dropped: at once in this process, and at
    /// the next renewal of their claims in others.
    ///
    /// # Errors
    ///
    /// The pipeline does not run the job, or the history fails. If the records cannot be forgotten,
    /// the history is unchanged.
    pub async fn run_again(&self, job: &str, runs: RangeInclusive<i64>) -> Result<(), RunError> {
        let job = job.to_string();
        self.thread.call(move |this| this.run_again(&job, &runs)).await
    }

    /// Returns the source's statistics.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.source.stats()
    }

    /// Stops the source and its workers, as [`Source::close`] does.
    pub fn close(&self) {
        self.source.close();
    }
}

impl<P> Clone for PipelineSource<P> {
    fn clone(&self) -> Self {
        Self { source: self.source.clone(), thread: self.thread.clone() }
    }
}

impl<P> fmt::Debug for PipelineSource<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PipelineSource").field(&self.source).finish()
    }
}
