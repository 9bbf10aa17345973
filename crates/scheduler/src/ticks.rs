//! [`Ticks`]: a stream of events.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use futures_core::Stream;
use millicron::{Moment as _, Recurrence};
use tokio::time::{Instant, Sleep, sleep};

use crate::time::{Clock as _, Nanos, SystemClock};

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
#[derive(Debug)]
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
