//! `tokio`: jobs that are futures, and [`Ticks`], a stream of events.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use futures_core::Stream;
use millicron::{Moment as _, Recurrence};
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep, sleep};

use crate::clock::{Clock as _, SystemClock};
use crate::instant::Nanos;
use crate::job::{IntoOutcome, Job, RunContext};

impl Job {
    /// A job whose runs are futures, on a runtime of `tokio`. A worker only begins
    /// them.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use millicron::every;
    /// use millicron_scheduler::{Job, Scheduler};
    ///
    /// # let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    /// # runtime.block_on(async {
    /// let (told, mut asked) = tokio::sync::mpsc::unbounded_channel();
    /// let job = Job::future(&tokio::runtime::Handle::current(), move |run| {
    ///     let told = told.clone();
    ///     async move {
    ///         tokio::time::sleep(Duration::from_millis(1)).await;
    ///         told.send(run.number())
    ///     }
    /// });
    /// let scheduler = Scheduler::new()?;
    /// scheduler.add_job(every(20).milliseconds(), job)?;
    /// assert_eq!((asked.recv().await, asked.recv().await), (Some(1), Some(2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn future<F, R>(
        runtime: &Handle,
        run: impl Fn(RunContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoOutcome,
    {
        let runtime = runtime.clone();
        Self::deferred(move |fire, completion| {
            let future = completion.span().instrument(run(fire));
            // A task that panics, or a runtime that ends, drops the completion.
            drop(runtime.spawn(async move { completion.finish(future.await.into_outcome()) }));
        })
    }
}

/// The events of a timetable, each at its time: a `Stream` that has to be polled
/// within a runtime of `tokio` with timers.
///
/// No event comes before its time, by the clock of the system, and none comes
/// twice. Where several have passed since the last, since the clock was set or
/// nobody polled, the last of them comes and stands for the others. The clock is
/// looked at twice a second at the least.
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
#[must_use = "it does nothing unless it is polled"]
pub struct Ticks<R> {
    recurrence: R,
    /// The last event that came.
    last: SystemTime,
    /// Made when it is first needed, which is within a runtime.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl<R: Recurrence> Ticks<R> {
    /// Those after now.
    pub fn new(recurrence: R) -> Self {
        Self { recurrence, last: SystemClock.now(), sleep: None }
    }
}

// Nothing in it is pinned in place.
impl<T> Unpin for Ticks<T> {}

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
            let patience = SystemClock.patience(Some(next)).unwrap_or_default();
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(patience)));
            sleep.as_mut().reset(Instant::now() + patience);
            ready!(sleep.as_mut().poll(context));
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Ticks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { recurrence, last, sleep: _ } = self;
        f.debug_struct("Ticks")
            .field("recurrence", recurrence)
            .field("last", last)
            .finish_non_exhaustive()
    }
}
