//! [`PipedSource`]: a source and a storage as one backend of apalis.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use apalis_core::backend::{Backend, BackendConfig, WireFormatBackend};
use apalis_core::task::Task;
use apalis_core::worker::context::WorkerContext;
use futures_timer::Delay;
use tower_layer::{Identity, Stack};

use super::polling::{LAST_ANSWER, Polling};
use crate::error::PipeError;
use crate::push::pusher::Pusher;
use crate::push::queue::until;
use crate::push::shared::scheduled_of;
use crate::storage::{Storage, forgets_keys};

/// The maximum number of tasks that a worker keeps before their instant. It leaves the rest to
/// other workers.
const MOST_EARLY: usize = 1000;

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
    /// Tasks that the storage has handed out before their instant, by this instant and their order.
    early: BTreeMap<(i64, u64), B::Task>,
    handed_out: u64,
    polling: Polling,
    /// Whether the storage has been ready once.
    was_ready: bool,
    /// Whether apalis has asked for a task since it asked whether the backend is ready. It does not while the worker
    /// is paused or all its slots are taken.
    is_asked: bool,
    /// How long a worker whose source is closed goes on with its last query.
    closing: Option<Delay>,
    /// How long it waits for the next part of the answer.
    last_answer: Option<Delay>,
}

impl<P, B: Storage<P>, L> PipedSource<P, B, L> {
    pub(crate) fn new(pusher: Pusher<P>, storage: B, layer: L) -> Self {
        Self {
            pusher,
            storage,
            layer,
            early: BTreeMap::new(),
            handed_out: 0,
            polling: Polling::default(),
            was_ready: false,
            is_asked: false,
            closing: None,
            last_answer: None,
        }
    }
}

impl<P, B: Backend, L> PipedSource<P, B, L> {
    /// Returns the storage.
    pub const fn storage(&self) -> &B {
        &self.storage
    }

    /// Polls the storage for a task, if it may have one. After the source was closed, it only
    /// waits for the answer to the last query.
    fn poll_storage(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Option<Result<B::Task, B::Error>>> {
        let polls = if self.is_closed() {
            let closing = self.closing.get_or_insert_with(|| Delay::new(LAST_ANSWER));
            let is_closing = Pin::new(closing).poll(cx).is_pending();
            let polls = is_closing && self.polling.may_have_answer();
            if polls {
                self.last_answer = None;
            }
            usize::from(polls)
        } else if self.early.len() >= MOST_EARLY {
            0
        } else {
            self.polling.count()
        };
        for _ in 0..polls {
            let waker = self.polling.waker(cx);
            let next = self.storage.poll_next(&mut Context::from_waker(&waker), worker);
            self.polling.answer(next.is_ready());
            if next.is_ready() {
                return next;
            }
        }
        if polls > 0 {
            // Apalis's storages record which tasks have ended when they are asked whether they are ready, but not while
            // a query is in progress. If its answer had no task, nothing else might wake the worker to ask.
            let waker = self.polling.other_waker(cx);
            let is_ready = self.storage.poll_ready(&mut Context::from_waker(&waker), worker);
            if let Poll::Ready(Err(error)) = is_ready {
                return Poll::Ready(Some(Err(error)));
            }
        }
        Poll::Pending
    }

    fn is_closed(&self) -> bool {
        self.pusher.shared().with_queue(|queue| queue.is_closed)
    }

    /// Stops the worker if the source is closed and nothing is left to do. Returns whether it did.
    fn stop_if_done(&mut self, cx: &mut Context<'_>, worker: &WorkerContext) -> bool {
        let is_busy = self.pusher.is_pushing() || worker.has_pending_tasks();
        if !self.is_closed() || is_busy || !self.early.is_empty() {
            return false;
        }
        if let Some(wait) = self.polling.wait_for_answer() {
            let limit = self.last_answer.get_or_insert_with(|| Delay::new(wait));
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
        let first = self.early.first_entry()?;
        let (scheduled, _) = *first.key();
        (scheduled <= self.pusher.shared().now().clock).then(|| first.remove())
    }

    /// Returns the time until the worker must be woken for reasons other than pushing.
    fn wait(&mut self) -> Duration {
        let shared = self.pusher.shared();
        let now = shared.now();
        let arrivals = shared.with_queue(|queue| queue.arrivals);
        let poll = self.polling.schedule(arrivals, now.elapsed, shared.settings.poll_every);
        // Tasks that are due already wait for a slot. A slot that becomes free wakes the worker.
        let future = (now.clock.saturating_add(1), 0)..;
        let early = self.early.range(future).next().map(|((first, _), _)| until(*first, now));
        early.map_or(poll, |early| early.min(poll))
    }

    /// Makes further workers wait before they use a storage that failed.
    fn failed(&self, error: B::Error) -> PipeError<B::Error> {
        let shared = self.pusher.shared();
        let now = shared.now();
        shared.with_queue(|queue| queue.fail_storage(now));
        PipeError::Storage(error)
    }
}

impl<P, B: Backend<Task = Task<T>>, L, T> PipedSource<P, B, L> {
    /// Goes on with a query that is in progress although no task is asked for. Its transaction may lock the storage
    /// for others. Keeps its first task; the storage keeps the others.
    fn go_on_with_query(
        &mut self,
        cx: &Context<'_>,
        worker: &WorkerContext,
    ) -> Result<(), B::Error> {
        if !self.polling.may_have_answer() {
            return Ok(());
        }
        let waker = self.polling.waker(cx);
        let next = self.storage.poll_next(&mut Context::from_waker(&waker), worker);
        self.polling.answer(next.is_ready());
        if let Poll::Ready(Some(task)) = next {
            self.keep(task?);
        }
        Ok(())
    }

    /// Keeps a task until its instant, if it has one, and a slot is free.
    fn keep(&mut self, task: B::Task) {
        self.handed_out += 1;
        let scheduled = scheduled_of(&task).unwrap_or(i64::MIN);
        self.early.insert((scheduled, self.handed_out), task);
    }
}

impl<P, B, L, T> Backend for PipedSource<P, B, L>
where
    P: Clone + Send + 'static,
    B: Backend<Task = Task<T>> + Storage<P>,
{
    type Task = B::Task;
    type Error = PipeError<B::Error>;

    fn poll_ready(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Result<(), Self::Error>> {
        if forgets_keys(self.storage.config()) {
            return Poll::Ready(Err(PipeError::ForgetsKeys));
        }
        // The worker polls this even while it is paused or all its slots are taken.
        let push = self.pusher.poll(&mut self.storage, cx);
        let wait = self.wait();
        let wait = push.map_or(wait, |push| push.min(wait));
        if self.stop_if_done(cx, worker) {
            return Poll::Pending;
        }
        let shared = self.pusher.shared();
        let now = shared.now();
        let pause = shared.with_queue(|queue| queue.storage_not_before.saturating_sub(now.elapsed));
        // A worker whose storage works ignores the failures of other workers.
        if !self.was_ready && !pause.is_zero() {
            self.pusher.wake_after(Some(wait.min(pause)), cx);
            return Poll::Pending;
        }
        self.pusher.wake_after(Some(wait), cx);
        let waker = self.polling.other_waker(cx);
        match ready!(self.storage.poll_ready(&mut Context::from_waker(&waker), worker)) {
            Ok(()) => {
                self.was_ready = true;
                if std::mem::take(&mut self.is_asked) {
                    if self.polling.take_ring() {
                        // Next time, it is known whether apalis has asked for a task meanwhile.
                        cx.waker().wake_by_ref();
                    }
                    return Poll::Ready(Ok(()));
                }
                Poll::Ready(self.go_on_with_query(cx, worker).map_err(|error| self.failed(error)))
            }
            Err(error) => Poll::Ready(Err(self.failed(error))),
        }
    }

    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Option<Result<Self::Task, Self::Error>>> {
        self.is_asked = true;
        loop {
            if let Some(task) = self.pop_due() {
                return Poll::Ready(Some(Ok(task)));
            }
            let task = match self.poll_storage(cx, worker) {
                Poll::Ready(Some(Ok(task))) => task,
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(self.failed(error)))),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending if self.stop_if_done(cx, worker) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            };
            if scheduled_of(&task).is_none() {
                return Poll::Ready(Some(Ok(task)));
            }
            self.keep(task);
        }
    }

    fn poll_close(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Result<(), Self::Error>> {
        // If this fails, another worker on the source or another machine pushes the tasks, or they
        // are pushed after a restart.
        ready!(self.pusher.poll_close(&mut self.storage, cx));
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
