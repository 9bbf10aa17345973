//! [`Pusher`]: pushes tasks into a storage, and keeps them until the storage has taken them.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_timer::Delay;

#[cfg(feature = "stored")]
use super::claimed::ClaimPusher;
use super::queue::{Batch, Now, Queue};
use super::shared::Shared;
use super::sink::{FLUSHES, Failure, LONGEST_STEP, poll_flush, poll_left_over, poll_send};
use crate::stats::Notice;
use crate::storage::Storage;

/// The number of batches to push before yielding to other tasks on the same thread.
const BATCHES_IN_A_ROW: usize = 16;

pub(crate) struct Pusher<P> {
    shared: Arc<Shared<P>>,
    id: u64,
    /// The batch being pushed, and how many of its tasks the storage has accepted.
    in_flight: Option<(Batch, usize)>,
    /// When to report that the push hangs, if that has not been reported.
    hangs_at: Option<Duration>,
    /// How often to flush the storage before it gets a batch. It may still have tasks of an earlier
    /// push that was dropped or failed, whose result must not count as the result of the batch.
    flushes: usize,
    sleep: Option<Delay>,
    #[cfg(feature = "stored")]
    claims: Option<ClaimPusher<P>>,
}

impl<P> Pusher<P> {
    pub(crate) fn new(shared: Arc<Shared<P>>) -> Self {
        let id = shared.with_queue(Queue::new_id);
        Self {
            #[cfg(feature = "stored")]
            claims: shared.claims.clone().map(|claims| {
                ClaimPusher::new(claims, shared.with_queue(|queue| queue.largest_batch))
            }),
            shared,
            id,
            in_flight: None,
            hangs_at: None,
            flushes: FLUSHES,
            sleep: None,
        }
    }

    pub(crate) const fn shared(&self) -> &Arc<Shared<P>> {
        &self.shared
    }

    pub(crate) fn is_pushing(&self) -> bool {
        self.in_flight.is_some() || self.has_claimed()
    }

    /// Whether some tasks that are due could not be read or pushed.
    pub(crate) fn has_failed(&self) -> bool {
        #[cfg(feature = "stored")]
        if self.claims.as_ref().is_some_and(ClaimPusher::has_failed) {
            return true;
        }
        self.shared.stats().waiting > 0
    }

    /// Whether rows of stored schedules are claimed, whose tasks may be in the storage's buffer.
    #[cfg_attr(
        not(feature = "stored"),
        expect(clippy::unused_self, reason = "without stored schedules")
    )]
    const fn has_claimed(&self) -> bool {
        #[cfg(feature = "stored")]
        if let Some(claims) = &self.claims {
            return claims.is_busy();
        }
        false
    }

    /// Wakes the task after a time on the source's clock, or earlier. Call it once in each poll.
    pub(crate) fn wake_after(&mut self, wait: Option<Duration>, cx: &mut Context<'_>) {
        let Some(wait) = self.shared.settings.clock.max_sleep(wait) else {
            self.sleep = None;
            return;
        };
        let sleep = self.sleep.get_or_insert_with(|| Delay::new(wait));
        sleep.reset(wait);
        if Pin::new(sleep).poll(cx).is_ready() {
            cx.waker().wake_by_ref();
        }
    }
}

impl<P: Clone + Send + 'static> Pusher<P> {
    /// Pushes all tasks that are due. Pass the returned time to [`wake_after`](Self::wake_after), so
    /// that the task is woken when there is more to do.
    pub(crate) fn poll<B: Storage<P>>(
        &mut self,
        storage: &mut B,
        cx: &mut Context<'_>,
    ) -> Option<Duration> {
        self.shared.with_queue(|queue| queue.register(self.id, cx.waker()));
        #[cfg(feature = "stored")]
        let claims = self.poll_claims(storage, cx);
        #[cfg(not(feature = "stored"))]
        let claims = None;
        let jobs = if self.has_claimed() { None } else { self.poll_jobs(storage, cx) };
        [claims, jobs].into_iter().flatten().min()
    }

    /// Pushes the tasks of stored schedules.
    #[cfg(feature = "stored")]
    fn poll_claims<B: Storage<P>>(
        &mut self,
        storage: &mut B,
        cx: &mut Context<'_>,
    ) -> Option<Duration> {
        // One push at a time, because the storage reports only whether it took everything.
        let claims = self.claims.as_mut().filter(|_| self.in_flight.is_none())?;
        claims.poll(storage, &self.shared, cx)
    }

    /// Waits until the storage has taken or refused what is being pushed, and the rows of stored schedules are given
    /// back. Otherwise, those of `SQLite` would be claimed until their lease ends.
    pub(crate) fn poll_close<B: Storage<P>>(
        &mut self,
        storage: &mut B,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        ready!(self.poll_in_flight(storage, cx));
        #[cfg(feature = "stored")]
        if let Some(claims) = &mut self.claims
            && let Some(wait) = claims.poll_end(storage, &self.shared, cx)
        {
            self.wake_after(Some(wait), cx);
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Pushes the tasks of the source's jobs.
    fn poll_jobs<B: Storage<P>>(
        &mut self,
        storage: &mut B,
        cx: &mut Context<'_>,
    ) -> Option<Duration> {
        for _ in 0..BATCHES_IN_A_ROW {
            if self.poll_in_flight(storage, cx).is_pending() {
                // Failures of other pushers must not wake this one before its push has ended.
                let now = self.shared.now();
                let due = self.shared.with_queue(|queue| {
                    queue.notice_due(now);
                    queue.wait_for_due(now)
                });
                return [due, self.check_time(now)].into_iter().flatten().min();
            }
            let now = self.shared.now();
            let batch = self.shared.with_queue(|queue| {
                queue.notice_due(now);
                queue.take(now)
            });
            let Some(batch) = batch else {
                return self.shared.with_queue(|queue| queue.wait(now));
            };
            self.in_flight = Some((batch, 0));
            self.hangs_at = Some(now.elapsed.saturating_add(LONGEST_STEP));
        }
        Some(Duration::ZERO)
    }

    /// Reports that the push hangs, once. Returns the time until then. A storage cannot take a push back,
    /// so it goes on.
    fn check_time(&mut self, now: Now) -> Option<Duration> {
        let (batch, _) = self.in_flight.as_ref()?;
        let wait = self.hangs_at?.saturating_sub(now.elapsed);
        if !wait.is_zero() {
            return Some(wait);
        }
        self.hangs_at = None;
        self.shared.report(&Notice::PushHangs { tasks: batch.tasks.len(), time: LONGEST_STEP });
        None
    }

    /// Waits until the storage has taken or refused the batch.
    fn poll_in_flight<B: Storage<P>>(&mut self, storage: &mut B, cx: &mut Context<'_>) -> Poll<()> {
        let result = ready!(self.poll_send(storage, cx));
        let Some((batch, _)) = self.in_flight.take() else { return Poll::Ready(()) };
        if result.is_err() {
            self.flushes = FLUSHES;
        }
        let now = self.shared.now();
        match result {
            Ok(()) => self.shared.with_queue(|queue| queue.confirm(&batch, false, now)),
            Err(error) => self.refused(batch, &*error),
        }
        Poll::Ready(())
    }

    /// Sends the tasks of the batch to the storage, and flushes them. Removes tasks whose payload
    /// cannot be encoded. The storage has already accepted the tasks before them, and must not get
    /// them twice.
    fn poll_send<B: Storage<P>>(
        &mut self,
        storage: &mut B,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Failure>> {
        let Some((batch, sent)) = &mut self.in_flight else { return Poll::Ready(Ok(())) };
        ready!(poll_left_over(storage, &mut self.flushes, cx));
        while let Some(&task) = batch.tasks.get(*sent) {
            match ready!(poll_send(storage, || self.shared.task(task), cx))? {
                None => *sent += 1,
                Some(error) => {
                    batch.tasks.remove(*sent);
                    let job = &*self.shared.plans[task.job].name;
                    self.shared.reject(job, task.scheduled, &*error);
                }
            }
        }
        if batch.tasks.is_empty() {
            return Poll::Ready(Ok(()));
        }
        poll_flush(storage, cx)
    }

    fn refused(&self, batch: Batch, error: &(dyn Error + 'static)) {
        let now = self.shared.now();
        if (self.shared.settings.is_duplicate)(error) {
            return self.shared.with_queue(|queue| match &batch.tasks[..] {
                [_] => queue.confirm(&batch, true, now),
                _ => queue.split(batch, now),
            });
        }
        let tasks = batch.tasks.len();
        let retry_in = self.shared.with_queue(|queue| queue.fail(batch, now));
        self.shared.report(&Notice::PushFailed { tasks, error, retry_in });
    }
}

/// If a backend is dropped while it pushes, the next one pushes its tasks.
impl<P> Drop for Pusher<P> {
    fn drop(&mut self) {
        let batch = self.in_flight.take();
        let now = self.shared.now();
        self.shared.with_queue(|queue| {
            queue.unregister(self.id);
            if let Some((batch, _)) = batch {
                queue.give_up(batch, now);
            }
            queue.wake_all();
        });
    }
}
