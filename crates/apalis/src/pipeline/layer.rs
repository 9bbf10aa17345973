//! [`ClaimLayer`]: claims a run before its handler is called, and records how it ended.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use apalis_core::error::{AbortError, BoxDynError};
use apalis_core::task::status::Status;
use apalis_core::task::{ExecutionContext, Task};
use futures_timer::Delay;
use millicron_history::RunState;
use tower_layer::Layer;
use tower_service::Service;

use super::claimed::ClaimedRun;
use super::thread::PipelineThread;
use crate::error::RunError;
use crate::run::Run;

/// How long a task waits before it fails because its run cannot be claimed. The storage may hand it
/// out again at once.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(800);

/// A layer that claims the run of each task, calls the handler, and records how the run ended.
/// [`PipelineSource::pipe_to`](crate::PipelineSource::pipe_to) puts it outside the worker's own layers.
///
/// The response is `None` if the run has already ended, or another worker is executing it.
#[derive(Clone, Debug)]
pub struct ClaimLayer {
    thread: PipelineThread,
}

impl ClaimLayer {
    pub(crate) const fn new(thread: PipelineThread) -> Self {
        Self { thread }
    }
}

impl<S> Layer<S> for ClaimLayer {
    type Service = ClaimService<S>;

    fn layer(&self, inner: S) -> ClaimService<S> {
        ClaimService { inner, thread: self.thread.clone() }
    }
}

/// The service of a [`ClaimLayer`].
#[derive(Clone, Debug)]
pub struct ClaimService<S> {
    inner: S,
    thread: PipelineThread,
}

impl<S, P> Service<Task<Run<P>>> for ClaimService<S>
where
    S: Service<Task<Run<P>>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Response: Send + 'static,
    S::Error: Into<BoxDynError>,
    P: Send + 'static,
{
    type Response = Option<S::Response>;
    type Error = BoxDynError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxDynError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxDynError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, task: Task<Run<P>>) -> Self::Future {
        let (thread, context) = (self.thread.clone(), Arc::clone(task.ctx()));
        let (job, scheduled) = (task.args.job.clone(), task.args.scheduled);
        // The ready service must be called only once the run is claimed: a handler may begin to
        // work before it is polled.
        let next = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, next);
        let handler = async move { inner.call(task).await.map_err(Into::into) };
        Box::pin(async move { execute(&thread, &context, job, scheduled, handler).await })
    }
}

/// Claims the run of a task, waits for its handler, and records how the run ended.
async fn execute<T>(
    thread: &PipelineThread,
    context: &ExecutionContext,
    job: String,
    scheduled: i64,
    handler: impl Future<Output = Result<T, BoxDynError>>,
) -> Result<Option<T>, BoxDynError> {
    let mut run = match ClaimedRun::claim(thread, job, scheduled).await {
        Ok(Some(run)) => run,
        Ok(None) => {
            context.raw_status().store(Status::Done);
            return Ok(None);
        }
        Err(RunError::Unknown(error)) => {
            // The storage would hand it out again forever, as only a handler that is polled
            // counts as an attempt.
            context.raw_status().store(Status::Killed);
            return Err(AbortError::new(error).into());
        }
        Err(error) => {
            Delay::new(PAUSE_AFTER_FAILURE).await;
            return fail(context, format!("cannot claim the run: {error}"));
        }
    };
    let Some(result) = run.unless_lost(handler).await else {
        return fail(context, "the claim of the run is lost".to_string());
    };
    let error = match result {
        Ok(response) => {
            return match run.record(RunState::Succeeded).await {
                Ok(()) => Ok(Some(response)),
                Err(error) => fail(context, format!("cannot record the success: {error}")),
            };
        }
        Err(error) => error,
    };
    let attempts = context.attempt();
    let is_last = context.max_attempts().is_none_or(|max| attempts >= max);
    let is_final = match context.status() {
        Status::Killed => true,
        // The handler has requested another attempt.
        Status::Pending => false,
        _ => is_last,
    };
    if is_final {
        // If this fails, the run becomes another task after a while.
        drop(run.record(RunState::Failed).await);
    }
    Err(error)
}

fn fail<T>(context: &ExecutionContext, message: String) -> Result<T, BoxDynError> {
    context.raw_status().store(Status::Failed);
    Err(message.into())
}
