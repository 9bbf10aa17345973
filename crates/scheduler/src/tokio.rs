//! Async jobs and gates, waiting for the shutdown, and [`Ticks`], a stream of events.

use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime};

use futures_core::Stream;
use millicron::{Moment as _, Recurrence};
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep, sleep};

use crate::clock::{Clock as _, SystemClock};
use crate::completion::Completion;
use crate::instant::Nanos;
use crate::job::Job;
use crate::outcome::{IntoOutcome, Outcome};
use crate::output::JobOutput;
use crate::run::RunContext;
use crate::scheduler::Scheduler;
use crate::shared::Shared;

/// The kind of a [`JobOutput`] that is a future.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Awaited<Error>(PhantomData<Error>);

impl<Error, F> JobOutput<Awaited<Error>> for F
where
    F: Future<Output: IntoOutcome<Error>> + Send + 'static,
{
    type Runtime = Handle;

    fn runtime() -> Option<Handle> {
        Handle::try_current().ok()
    }

    fn end(self, runtime: &Handle, completion: &dyn Fn() -> Completion) -> Option<Outcome> {
        spawn(runtime, self, completion());
        None
    }
}

/// Spawns the future of a run on a runtime.
fn spawn<Error, F>(runtime: &Handle, future: F, completion: Completion)
where
    F: Future<Output: IntoOutcome<Error>> + Send + 'static,
{
    let future = completion.span().instrument(future);
    // The completion is dropped if the task panics or the runtime shuts down.
    drop(runtime.spawn(async move { completion.finish(future.await.into_outcome()) }));
}

impl Job {
    /// Creates a job whose runs are futures on a given runtime. Within a runtime, use [`Job::new`]
    /// instead, which takes async closures. A worker calls the closure and spawns the future.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use millicron::every;
    /// use millicron_scheduler::{Job, Scheduler};
    ///
    /// # let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    /// let (sender, mut numbers) = tokio::sync::mpsc::unbounded_channel();
    /// let job = Job::future(runtime.handle(), move |run| {
    ///     let sender = sender.clone();
    ///     async move {
    ///         tokio::time::sleep(Duration::from_millis(1)).await;
    ///         sender.send(run.number())
    ///     }
    /// });
    /// let scheduler = Scheduler::new()?;
    /// scheduler.add_job(every(20).milliseconds(), job)?;
    /// assert_eq!((numbers.blocking_recv(), numbers.blocking_recv()), (Some(1), Some(2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn future<F, R, Error>(
        runtime: &Handle,
        run: impl Fn(RunContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoOutcome<Error>,
    {
        let runtime = runtime.clone();
        Self::deferred(move |context, completion| spawn(&runtime, run(context), completion))
    }
}

impl Scheduler {
    /// Runs until a future completes, or until the process receives Ctrl-C or, on Unix, `SIGTERM`. Then
    /// [closes](Self::close) the scheduler, and waits up to `timeout` for runs to end. Returns the runs
    /// that have not ended by then.
    ///
    /// A service awaits this in its `main`:
    ///
    /// ```no_run
    /// use std::future::pending;
    /// use std::time::Duration;
    ///
    /// use millicron::schedule;
    /// use millicron_scheduler::Scheduler;
    ///
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    /// # runtime.block_on(async {
    /// let scheduler = Scheduler::new()?;
    /// scheduler.add(schedule!("*:00:00"), async |run| println!("run {}", run.number()))?;
    /// let unfinished = scheduler.run_until(pending::<()>(), Duration::from_secs(30)).await?;
    /// # drop(unfinished);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system's signals cannot be received. The scheduler is then
    /// closed without waiting.
    pub async fn run_until(
        self,
        end: impl Future,
        timeout: Duration,
    ) -> std::io::Result<Vec<RunContext>> {
        let (mut end, mut interrupt) = (pin!(end), pin!(tokio::signal::ctrl_c()));
        #[cfg(unix)]
        let mut terminate =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        poll_fn(|context| {
            if end.as_mut().poll(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            #[cfg(unix)]
            if terminate.poll_recv(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            interrupt.as_mut().poll(context)
        })
        .await?;
        Ok(self.close().within(timeout).await)
    }
}

type GateFuture = Pin<Box<dyn Future<Output = bool> + Send>>;

/// An async gate, which answers later.
pub(crate) struct AsyncGate {
    runtime: Handle,
    ask: Box<dyn Fn(RunContext) -> GateFuture + Send + Sync>,
}

impl AsyncGate {
    pub(crate) fn new<F>(
        runtime: &Handle,
        ask: impl Fn(RunContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        Self { runtime: runtime.clone(), ask: Box::new(move |run| Box::pin(ask(run))) }
    }

    /// Asks whether a run may start. If the gate panics or the runtime shuts down, the run is refused.
    pub(crate) fn ask(&self, shared: &Arc<Shared>, id: u64, run: RunContext) {
        let mut answer = Answer { shared: Arc::clone(shared), id, may_start: false };
        if let Some(future) = shared.guarded("a gate", || (self.ask)(run)) {
            drop(self.runtime.spawn(async move {
                answer.may_start = future.await;
                drop(answer);
            }));
        }
    }
}

/// Passes on the answer of a gate when dropped, even by a panic.
struct Answer {
    shared: Arc<Shared>,
    id: u64,
    may_start: bool,
}

impl Drop for Answer {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The panic hook has reported the message.
            self.shared.report_panic("a gate", String::new());
        }
        self.shared.answer_gate(self.id, self.may_start);
    }
}

/// A `Stream` of the events of a recurrence, which yields each event at its time. Poll it within a
/// `tokio` runtime that has timers enabled.
///
/// Events are never early by the system clock, and never repeated. If several events have passed
/// since the last poll, because the stream was not polled or the clock was set forward, the stream
/// yields only the last of them. While it waits, it reads the clock at least twice a second.
/// Waiting for the next event is cancel safe. The stream ends after the last event, or in April
/// 2262, where the scheduler's range of instants ends.
///
/// ```
/// use millicron::schedule;
/// use millicron_scheduler::Ticks;
/// use tokio_stream::StreamExt as _;
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// # runtime.block_on(async {
/// let mut ticks = Ticks::new(schedule!("*:*:*.*/100"));
/// let (first, second) = (ticks.next().await, ticks.next().await);
/// assert!(first < second);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "streams do nothing unless polled"]
pub struct Ticks<R> {
    recurrence: R,
    /// The last event that was returned.
    last: SystemTime,
    /// Created on the first poll, which is within a runtime.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl<R: Recurrence> Ticks<R> {
    /// Creates a stream of the events after now. Convert an interval from
    /// [`every`](millicron::every) with
    /// [`into_recurrence`](millicron::IntoRecurrence::into_recurrence) first.
    pub fn new(recurrence: R) -> Self {
        Self { recurrence, last: SystemClock.now(), sleep: None }
    }
}

// No field is structurally pinned.
impl<R> Unpin for Ticks<R> {}

impl<R: Recurrence> Stream for Ticks<R> {
    type Item = SystemTime;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<SystemTime>> {
        loop {
            let next = self.recurrence.next_event(self.last.position().millis);
            let Some(next) = next.and_then(Nanos::from_millis).map(Nanos::time) else {
                return Poll::Ready(None);
            };
            let now = SystemClock.now();
            if next <= now {
                let last = self.recurrence.nearest_prev_event(now.position().millis);
                let last = last.and_then(Nanos::from_millis).map(Nanos::time);
                self.last = last.map_or(next, |last| last.max(next));
                return Poll::Ready(Some(self.last));
            }
            let wait = next.duration_since(now).unwrap_or_default();
            let duration = SystemClock.max_sleep(Some(wait)).unwrap_or_default();
            let timer = self.sleep.get_or_insert_with(|| Box::pin(sleep(duration)));
            timer.as_mut().reset(Instant::now() + duration);
            ready!(timer.as_mut().poll(context));
        }
    }
}

impl<R: fmt::Debug> fmt::Debug for Ticks<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { recurrence, last, sleep: _ } = self;
        f.debug_struct("Ticks")
            .field("recurrence", recurrence)
            .field("last", last)
            .finish_non_exhaustive()
    }
}
