//! [`ClaimLayer`]: claims a run before its handler is called, and records how it ended.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use apalis_core::error::{AbortError, BoxDynError};
use apalis_core::task::status::Status;
use apalis_core::task::{ExecutionContext, Task};
use futures_timer::Delay;
use millicron_pipeline::RunState;
use tower_layer::Layer;
use tower_service::Service;

use super::guard::Guard;
use super::link::{ClaimStep, Command, Link, RecordError};
use crate::push::queue::backoff;
use crate::run::Run;

/// The number of attempts to record how a run ended before the task fails.
const ATTEMPTS_TO_RECORD: u32 = 6;

/// A layer that claims the run of each task, calls the handler, and records how the run ended.
/// [`PipedPipeline`](crate::PipedPipeline) applies it outside the worker's own layers.
///
/// The response is `None` if the run has already ended, or another worker is executing it.
#[derive(Clone)]
pub struct ClaimLayer {
    link: Arc<Link>,
}

impl ClaimLayer {
    pub(crate) const fn new(link: Arc<Link>) -> Self {
        Self { link }
    }
}

impl<S> Layer<S> for ClaimLayer {
    type Service = ClaimService<S>;

    fn layer(&self, inner: S) -> ClaimService<S> {
        ClaimService { inner, link: Arc::clone(&self.link) }
    }
}

/// The service of a [`ClaimLayer`].
#[derive(Clone)]
pub struct ClaimService<S> {
    inner: S,
    link: Arc<Link>,
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
        let run = RunTask {
            link: Arc::clone(&self.link),
            context: Arc::clone(task.ctx()),
            job: task.args.job.clone(),
            scheduled: task.args.scheduled,
        };
        // The ready service must be called only once the run is claimed: a handler may begin to
        // work before it is polled.
        let next = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, next);
        Box::pin(run.execute(async move { inner.call(task).await.map_err(Into::into) }))
    }
}

/// The task of a run.
struct RunTask {
    link: Arc<Link>,
    context: Arc<ExecutionContext>,
    job: String,
    scheduled: i64,
}

impl RunTask {
    async fn execute<T>(
        self,
        handler: impl Future<Output = Result<T, BoxDynError>>,
    ) -> Result<Option<T>, BoxDynError> {
        let Self { link, context, job, scheduled } = self;
        let claim = Arc::clone(&link);
        let claim = |reply| Command::Claim { job, scheduled, link: claim, reply };
        let mut guard = match link.ask(claim).await.flatten() {
            Ok(ClaimStep::Granted(guard)) => guard,
            Ok(ClaimStep::NothingToDo) => {
                context.raw_status().store(Status::Done);
                return Ok(None);
            }
            Ok(ClaimStep::Unknown(error)) => {
                // The storage would hand it out again forever, as only a handler that is polled
                // counts as an attempt.
                context.raw_status().store(Status::Killed);
                return Err(AbortError::new(error).into());
            }
            Err(error) => {
                // The storage may hand the task out again at once.
                Delay::new(backoff(3)).await;
                return fail(&context, format!("cannot claim the run: {error}"));
            }
        };
        let Some(result) = guard.unless_lost(handler).await else {
            return fail(&context, "the claim of the run is lost".to_string());
        };
        let error = match result {
            Ok(response) => {
                return match record(&link, guard, RunState::Succeeded).await {
                    Ok(()) => Ok(Some(response)),
                    Err(error) => fail(&context, format!("cannot record the success: {error}")),
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
            drop(record(&link, guard, RunState::Failed).await);
        }
        Err(error)
    }
}

fn fail<T>(context: &ExecutionContext, message: String) -> Result<T, BoxDynError> {
    context.raw_status().store(Status::Failed);
    Err(message.into())
}

/// Records how a run ended.
async fn record(link: &Link, guard: Guard, state: RunState) -> Result<(), String> {
    let mut failures = 0;
    loop {
        let Some(claim) = guard.claim() else { return Ok(()) };
        match link.ask(|reply| Command::Record { claim, state, reply }).await? {
            Ok(()) => {
                guard.disarm();
                return Ok(());
            }
            Err(RecordError::Lost) => {
                guard.disarm();
                return Err("another worker has taken the run over".to_string());
            }
            Err(RecordError::History(error)) if failures + 1 == ATTEMPTS_TO_RECORD => {
                return Err(error);
            }
            Err(RecordError::History(_)) => {
                Delay::new(backoff(failures).min(Duration::from_secs(2))).await;
                failures += 1;
            }
        }
    }
}

impl fmt::Debug for ClaimLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClaimLayer").finish_non_exhaustive()
    }
}

impl<S: fmt::Debug> fmt::Debug for ClaimService<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClaimService").field("inner", &self.inner).finish_non_exhaustive()
    }
}
