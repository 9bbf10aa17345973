//! [`PipedSource`]: a source and a storage as one backend of apalis.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use apalis_core::backend::{Backend, BackendConfig, TaskSink, WireFormatBackend};
use apalis_core::task::Task;
use apalis_core::worker::context::WorkerContext;
use futures_timer::Delay;
use tower_layer::{Identity, Stack};

use super::polling::Polling;
use crate::error::PipeError;
use crate::push::pusher::Pusher;
use crate::push::queue::until;
use crate::push::shared::scheduled_of;
use crate::run::Run;

/// The delays after which a worker asks the storage again for tasks that have fallen due: the
/// storage's clock may be slightly behind.
const LOOKS: [Duration; 3] =
    [Duration::from_millis(10), Duration::from_millis(100), Duration::from_secs(1)];

/// The maximum number of tasks that a worker keeps before their instant. It leaves the rest to
/// other workers.
const MOST_EARLY: usize = 1000;

/// How long a stopping worker waits for the answer to its last query. The tasks in that answer
/// would otherwise belong to the worker until the storage misses its heartbeats.
const LAST_ANSWER: Duration = Duration::from_secs(1);

/// A backend that pushes the tasks of a [`Source`](crate::Source) into a storage, and hands out the
/// storage's tasks; returned by [`Source::pipe_to`](crate::Source::pipe_to).
///
/// Pass it to `WorkerBuilder::backend`. The worker pushes the source's tasks while it runs, even
/// while it is paused or all its slots are taken, and handles all tasks in the storage.
///
/// `L` is a layer around the layers of the worker: nothing for a [`Source`](crate::Source).
pub struct PipedSource<P, B: Backend, L = Identity> {
    pusher: Pusher<P>,
    storage: B,
    layer: L,
    /// Tasks that the storage has handed out before their instant.
    early: BinaryHeap<Reverse<Early<B::Task>>>,
    /// The arrivals that were last seen, when that was, and the number of [`LOOKS`] since then.
    arrivals: u64,
    arrived: Duration,
    looks: usize,
    polling: Polling,
    /// When to ask the storage again in any case.
    next_poll: Option<Duration>,
    /// Whether the storage has been ready once.
    was_ready: bool,
    last_answer: Option<Delay>,
    forgets_keys: bool,
}

struct Early<T> {
    scheduled: i64,
    task: T,
}

impl<P, B: Backend + BackendConfig, L> PipedSource<P, B, L>
where
    B::Config: fmt::Debug,
{
    pub(crate) fn new(pusher: Pusher<P>, storage: B, layer: L) -> Self {
        let forgets_keys = forgets_keys(storage.config());
        Self {
            pusher,
            storage,
            layer,
            early: BinaryHeap::new(),
            arrivals: 0,
            arrived: Duration::ZERO,
            looks: LOOKS.len(),
            polling: Polling::default(),
            next_poll: None,
            was_ready: false,
            last_answer: None,
            forgets_keys,
        }
    }
}

/// Returns whether a storage lets its idempotency keys expire at once. Without a configured time to
/// live, `apalis-redis` uses zero.
pub(crate) fn forgets_keys<C: fmt::Debug>(config: &C) -> bool {
    std::any::type_name::<C>().starts_with("apalis_redis::")
        && format!("{config:?}").contains("idempotency_ttl: None")
}

impl<P, B: Backend, L> PipedSource<P, B, L> {
    /// Returns the storage.
    pub const fn storage(&self) -> &B {
        &self.storage
    }

    /// Polls the storage for a task, if it may have one.
    fn poll_storage(
        &mut self,
        cx: &Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Option<Result<B::Task, B::Error>>> {
        for _ in 0..self.polling.count() {
            let next = self.poll_once(cx, worker);
            if next.is_ready() {
                return next;
            }
        }
        Poll::Pending
    }

    fn poll_once(
        &mut self,
        cx: &Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Option<Result<B::Task, B::Error>>> {
        let waker = self.polling.waker(cx);
        let next = self.storage.poll_next(&mut Context::from_waker(&waker), worker);
        self.polling.answer(next.is_ready());
        next
    }

    /// Stops the worker if the source is closed and nothing is left to do. Returns whether it did.
    fn stop_if_done(&mut self, cx: &mut Context<'_>, worker: &WorkerContext) -> bool {
        let is_closed = self.pusher.shared().with_queue(|queue| queue.is_closed);
        let is_busy = self.pusher.is_pushing() || worker.has_pending_tasks();
        if !is_closed || is_busy || !self.early.is_empty() {
            return false;
        }
        if self.polling.is_under_way() {
            let limit = self.last_answer.get_or_insert_with(|| Delay::new(LAST_ANSWER));
            if Pin::new(limit).poll(cx).is_pending() {
                return false;
            }
        }
        // An error means that the worker has stopped already.
        drop(worker.stop());
        true
    }

    /// Returns an early task whose instant has come.
    fn pop_due(&mut self) -> Option<B::Task> {
        let now = self.pusher.shared().now().clock;
        let is_due = self.early.peek().is_some_and(|first| first.0.scheduled <= now);
        is_due.then(|| self.early.pop()).flatten().map(|Reverse(early)| early.task)
    }

    /// Returns the time until the worker must be woken for reasons other than pushing.
    fn wait(&mut self) -> Option<Duration> {
        let shared = self.pusher.shared();
        let now = shared.now();
        let arrivals = shared.with_queue(|queue| queue.arrivals);
        if arrivals != self.arrivals {
            (self.arrivals, self.arrived, self.looks) = (arrivals, now.elapsed, 0);
            self.polling.arrive();
        }
        let since = now.elapsed.saturating_sub(self.arrived);
        while LOOKS.get(self.looks).is_some_and(|look| *look <= since) {
            self.looks += 1;
            self.polling.look_again();
        }
        let next_poll = *self.next_poll.get_or_insert(now.elapsed);
        let next_poll = if next_poll <= now.elapsed {
            self.polling.look_again();
            now.elapsed.saturating_add(shared.poll_every)
        } else {
            next_poll
        };
        self.next_poll = Some(next_poll);
        let look = LOOKS.get(self.looks).map(|look| look.saturating_sub(since));
        let early = self.early.peek().map(|first| until(first.0.scheduled, now));
        let poll = next_poll.saturating_sub(now.elapsed);
        [look, early, Some(poll)].into_iter().flatten().min()
    }

    /// Makes further workers wait before they use a storage that failed.
    fn failed(&self, error: B::Error) -> PipeError<B::Error> {
        let shared = self.pusher.shared();
        let now = shared.now();
        shared.with_queue(|queue| queue.fail_storage(now));
        PipeError::Storage(error)
    }
}

impl<P, B, L, K, T> Backend for PipedSource<P, B, L>
where
    P: Clone + Send + 'static,
    B: Backend<Task = Task<T>> + BackendConfig<Kind = K> + TaskSink<Run<P>, K> + Unpin,
{
    type Task = B::Task;
    type Error = PipeError<B::Error>;

    fn poll_ready(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Result<(), Self::Error>> {
        if self.forgets_keys {
            return Poll::Ready(Err(PipeError::ForgetsKeys));
        }
        // The worker polls this even while it is paused or all its slots are taken.
        let push = self.pusher.poll(&mut self.storage, cx);
        let wait = [push, self.wait()].into_iter().flatten().min();
        if self.stop_if_done(cx, worker) {
            return Poll::Pending;
        }
        let shared = self.pusher.shared();
        let now = shared.now();
        let pause = shared.with_queue(|queue| queue.storage_not_before.saturating_sub(now.elapsed));
        // A worker whose storage works ignores the failures of other workers.
        if !self.was_ready && !pause.is_zero() {
            self.pusher.wake_after(Some(wait.unwrap_or(pause).min(pause)), cx);
            return Poll::Pending;
        }
        self.pusher.wake_after(wait, cx);
        let waker = self.polling.waker(cx);
        let cx = &mut Context::from_waker(&waker);
        match ready!(Backend::poll_ready(&mut self.storage, cx, worker)) {
            Ok(()) => {
                self.was_ready = true;
                Poll::Ready(Ok(()))
            }
            Err(error) => Poll::Ready(Err(self.failed(error))),
        }
    }

    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Option<Result<Self::Task, Self::Error>>> {
        loop {
            if let Some(task) = self.pop_due() {
                return Poll::Ready(Some(Ok(task)));
            }
            if self.stop_if_done(cx, worker) {
                return Poll::Ready(None);
            }
            let shared = self.pusher.shared();
            let (is_closed, now) = (shared.with_queue(|queue| queue.is_closed), shared.now());
            let next = if is_closed {
                if !self.polling.may_have_answer() {
                    return Poll::Pending;
                }
                let next = self.poll_once(cx, worker);
                if next.is_pending() {
                    // This may have been the last thing to wait for.
                    continue;
                }
                next
            } else if self.early.len() >= MOST_EARLY {
                return Poll::Pending;
            } else {
                self.poll_storage(cx, worker)
            };
            let task = match ready!(next) {
                Some(Ok(task)) => task,
                Some(Err(error)) => return Poll::Ready(Some(Err(self.failed(error)))),
                None => return Poll::Ready(None),
            };
            match scheduled_of(&task).filter(|scheduled| *scheduled > now.clock) {
                Some(scheduled) => self.early.push(Reverse(Early { scheduled, task })),
                None => return Poll::Ready(Some(Ok(task))),
            }
        }
    }

    fn poll_close(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Result<(), Self::Error>> {
        // If this fails, another worker on the source or another machine pushes the tasks, or they
        // are pushed after a restart.
        ready!(self.pusher.poll_in_flight(&mut self.storage, cx));
        self.storage.poll_close(cx, worker).map_err(PipeError::Storage)
    }
}

impl<P, B: Backend + BackendConfig, L: Clone> BackendConfig for PipedSource<P, B, L> {
    type Args = B::Args;
    type Id = B::Id;
    type Kind = B::Kind;
    type Config = B::Config;
    type Layer = Stack<L, B::Layer>;

    fn config(&self) -> &Self::Config {
        self.storage.config()
    }

    fn middleware(&mut self, worker: &mut WorkerContext) -> Self::Layer {
        Stack::new(self.layer.clone(), self.storage.middleware(worker))
    }
}

impl<P, B: Backend + WireFormatBackend, L> WireFormatBackend for PipedSource<P, B, L> {
    type Codec = B::Codec;
    type Compact = B::Compact;

    fn codec(&self) -> &Self::Codec {
        self.storage.codec()
    }
}

impl<P, B: Backend + fmt::Debug, L> fmt::Debug for PipedSource<P, B, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipedSource")
            .field("storage", &self.storage)
            .field("early", &self.early.len())
            .finish_non_exhaustive()
    }
}

impl<T> PartialEq for Early<T> {
    fn eq(&self, other: &Self) -> bool {
        self.scheduled == other.scheduled
    }
}

impl<T> Eq for Early<T> {}

impl<T> PartialOrd for Early<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Early<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.scheduled.cmp(&other.scheduled)
    }
}
