//! [`PipelineSource`]: the runs of a pipeline as tasks.

mod backend;
mod builder;
mod claims;
mod guard;
mod keeper;
mod layer;
mod link;
mod open;

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use apalis_core::backend::{Backend, BackendConfig, TaskSink};

pub use backend::PipedPipeline;
pub use builder::{PipelineSourceBuilder, StartError};
pub use layer::{ClaimLayer, ClaimService};

use self::link::{Command, Link};
use crate::error::PipeError;
use crate::run::Run;
use crate::source::Source;
use crate::stats::Stats;

/// The runs of a [`Pipeline`](millicron_pipeline::Pipeline) as tasks of apalis; made by
/// [`PipelineSource::builder`].
///
/// A run becomes a task when it is due and the runs that it needs have ended. The worker that gets the
/// task claims the run in the history, calls the handler, and records how it ended under the claim.
/// The runs which that unlocks become tasks at once. All machines look at the history now and then, so
/// that nothing is lost if a machine dies in between.
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
///     .job("load", schedule!("*:01:04"), [])
///     .job("report", schedule!("3:01:03"), [Need::all("load")])
///     .build()?;
/// let history = SqliteHistory::open("history.db")?;
/// let source = PipelineSource::builder(pipeline, history).payload(|_| ()).start()?;
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
/// - A run is claimed before it starts, and the claim is renewed while it runs. A task whose run has
///   ended, or is claimed by another worker, does nothing. So a run is never executed after it has
///   ended, and not by two workers at once, unless one of them was suspended for longer than its
///   lease; then its handler is dropped when it continues, and what it did is not recorded. The same
///   goes for a handler that blocks its thread for so long.
/// - If a claim cannot be renewed, its handler is dropped at the end of the lease, at an `.await`.
/// - A run that fails is attempted again by the storage. Its last attempt is recorded as failed, which
///   starts the runs that [accept](millicron_pipeline::Need::ended) that. If the handler defers it, or
///   asks for another attempt, nothing is recorded.
/// - A task of a run that the pipeline does not have is not attempted again, which is
///   [reported](crate::Notice::UnknownRun). While old and new programs are running, a new job's runs may
///   thus wait for their [next task](PipelineSourceBuilder::patience).
/// - If the success cannot be recorded, the task fails, and the run is executed again.
/// - A run that is ready, but neither ends nor is claimed for a while, becomes
///   [another task](PipelineSourceBuilder::patience): its first task may be gone, because the storage
///   has given it up, or because the run was forgotten to be run again.
/// - The history is used on a thread of its own, so it may block. On several machines, use one on a
///   server, such as `PostgresHistory`.
/// - Two pipelines that have jobs of the same name need two queues.
pub struct PipelineSource<P> {
    source: Source<P>,
    link: Arc<Link>,
}

impl<P: Clone + Send + Sync + 'static> PipelineSource<P> {
    /// Returns a backend for a worker, which pushes the tasks of the pipeline into a storage, handles
    /// the tasks of the storage, and records how they ended.
    pub fn pipe_to<B>(&self, storage: B) -> PipedPipeline<P, B>
    where
        B: Backend + BackendConfig + TaskSink<Run<P>, <B as BackendConfig>::Kind> + Unpin,
        B::Config: fmt::Debug,
    {
        PipedPipeline::new(self.source.pipe_to(storage), ClaimLayer::new(Arc::clone(&self.link)))
    }

    /// Pushes the tasks of the pipeline, as [`Source::push_to`] does.
    ///
    /// # Errors
    ///
    /// The storage [forgets idempotency keys](PipeError::ForgetsKeys).
    pub async fn push_to<B>(&self, storage: B) -> Result<(), PipeError<B::Error>>
    where
        B: Backend + BackendConfig + TaskSink<Run<P>, <B as BackendConfig>::Kind> + Unpin,
        B::Config: fmt::Debug,
    {
        self.source.push_to(storage).await
    }

    /// Pushes the tasks that are due now, as [`Source::push_due`] does.
    ///
    /// # Errors
    ///
    /// The storage [forgets idempotency keys](PipeError::ForgetsKeys).
    pub async fn push_due<B>(&self, storage: &mut B) -> Result<bool, PipeError<B::Error>>
    where
        B: Backend + BackendConfig + TaskSink<Run<P>, <B as BackendConfig>::Kind> + Unpin,
        B::Config: fmt::Debug,
    {
        self.source.push_due(storage).await
    }
}

impl<P> PipelineSource<P> {
    /// Looks at the history now, and not only at the next [scan](PipelineSourceBuilder::scan_every).
    /// Call it after you have recorded a run yourself.
    pub async fn scan(&self) {
        // Without an answer, the source has ended.
        drop(self.link.ask(Command::Scan).await);
    }

    /// Forgets the runs of a job in a range, and runs those that are due again, on any machine. A
    /// handler that is at work on one of them is dropped: at once in this process, at the next renewal
    /// of its claim in others.
    ///
    /// # Errors
    ///
    /// The message of the history, which is unchanged.
    pub async fn run_again(&self, job: &str, runs: RangeInclusive<i64>) -> Result<(), String> {
        let job = job.to_string();
        self.link.ask(|reply| Command::RunAgain { job, runs, reply }).await?
    }

    /// Returns counts of what the source has done.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.source.stats()
    }

    /// Stops the source and its workers, as [`Source::shutdown`] does.
    pub fn shutdown(&self) {
        self.source.shutdown();
    }
}

impl<P> Clone for PipelineSource<P> {
    fn clone(&self) -> Self {
        Self { source: self.source.clone(), link: Arc::clone(&self.link) }
    }
}

impl<P> fmt::Debug for PipelineSource<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PipelineSource").field(&self.source).finish()
    }
}
