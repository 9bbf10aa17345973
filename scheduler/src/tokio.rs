//! Jobs that are futures, and [`Ticks`], a stream of events.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use futures_core::Stream;
use millicron::{Moment as _, Recurrence};
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep, sleep};

use crate::clock::{Clock as _, SystemClock};
use crate::instant::Nanos;
use crate::job::Job;
use crate::outcome::IntoOutcome;
use crate::run::RunContext;

impl Job {
    /// Creates a job whose runs are futures on a `tokio` runtime. A worker calls the closure and
    /// spawns the future.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use millicron::every;
    /// use millicron_scheduler::{Job, Scheduler};
    ///
    /// # let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    /// # runtime.block_on(async {
    /// let (sender, mut numbers) = tokio::sync::mpsc::unbounded_channel();
    /// let job = Job::future(&tokio::runtime::Handle::current(), move |run| {
    ///     let sender = sender.clone();
    ///     async move {
    ///         tokio::time::sleep(Duration::from_millis(1)).await;
    ///         sender.send(run.number())
    ///     }
    /// });
    /// let scheduler = Scheduler::new()?;
    /// scheduler.add_job(every(20).milliseconds(), job)?;
    /// assert_eq!((numbers.recv().await, numbers.recv().await), (Some(1), Some(2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn future<F, R>(
        runtime: &Handle,
        run: impl Fn(RunContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoOutcome,
    {
        let runtime = runtime.clone();
        Self::deferred(move |context, completion| {
            let future = completion.span().instrument(run(context));
            // A task that panics, and a runtime that shuts down, drop the completion.
            drop(runtime.spawn(async move { completion.finish(future.await.into_outcome()) }));
        })
    }
}

/// A `Stream` of events, each at its time. Poll it within a `tokio` runtime that has timers
/// enabled.
///
/// No event is early by the system clock, and none is repeated. If several events have passed since
/// the last poll, because the stream was not polled or the clock was set forward, the stream yields
/// only the last of them. While it waits, it reads the clock at least twice a second. Waiting for
/// the next event is cancel safe. The stream ends after the last event, or in April 2262, when the
/// instants of the scheduler end.
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
            let duration = SystemClock.max_sleep(Some(next)).unwrap_or_default();
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
