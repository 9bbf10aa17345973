//! [`Polling`]: decides when to poll a storage for tasks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use crate::push::queue::Arrivals;

/// How long after the arrival of tasks a worker asks the storage for them again: the storage's clock
/// may be slightly behind.
const LOOKS: [Duration; 3] =
    [Duration::from_millis(10), Duration::from_millis(100), Duration::from_secs(1)];

/// How long a stopping worker waits for the answer to its last query. The tasks in that answer
/// would otherwise belong to the worker until the storage misses its heartbeats.
pub(crate) const LAST_ANSWER: Duration = Duration::from_secs(1);

/// How long it waits for the next part of that query, which apalis's storages send in a transaction.
const NEXT_PART: Duration = Duration::from_millis(100);

/// Decides when to poll a storage.
///
/// A worker also wakes for other reasons: to push, or to read the clock. Apalis's storages send a
/// query whenever they are polled for a task, so poll them only if there may be one.
#[derive(Debug)]
pub(crate) struct Polling {
    bell: Arc<Bell>,
    /// Rings for heartbeats and the results of tasks, which must not look like the answer to a query. Tasks may have
    /// arrived by then, too.
    other_bell: Arc<Bell>,
    /// Whether the storage has handed out a task, and may have more.
    may_have_more: bool,
    /// Whether tasks have arrived since the last poll.
    have_arrived: bool,
    /// Whether the query in progress may have been sent before they arrived.
    may_be_too_early: bool,
    query: Query,
    /// What the source has announced so far.
    arrivals: Arrivals,
    /// The number of announced tasks that the storage has not handed out.
    awaited: u64,
    /// When to ask for them again, by the time that has elapsed.
    looks: Vec<Duration>,
    /// When to ask in any case.
    next_poll: Duration,
}

/// The known state of a storage's query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Query {
    None,
    UnderWay,
    /// The storage has used its waker, so the next poll gets the answer, or begins the next part of the query.
    Answered,
    /// That poll got no task. Either that was the answer, or the query has further parts.
    MayBeOver,
}

impl Default for Polling {
    fn default() -> Self {
        Self {
            bell: Arc::default(),
            other_bell: Arc::default(),
            may_have_more: true,
            have_arrived: false,
            may_be_too_early: false,
            query: Query::None,
            arrivals: Arrivals::default(),
            awaited: 0,
            looks: Vec::new(),
            next_poll: Duration::ZERO,
        }
    }
}

impl Polling {
    /// Decides whether to poll the storage because of announced arrivals or the time. Returns the time
    /// until it must be polled again.
    pub(crate) fn schedule(
        &mut self,
        arrivals: Arrivals,
        elapsed: Duration,
        poll_every: Duration,
    ) -> Duration {
        let tasks = arrivals.tasks - self.arrivals.tasks;
        self.have_arrived |= arrivals != self.arrivals;
        self.arrivals = arrivals;
        if tasks > 0 {
            self.awaited += tasks;
            self.looks = LOOKS.map(|delay| elapsed.saturating_add(delay)).to_vec();
        }
        let looks = self.looks.len();
        self.looks.retain(|look| *look > elapsed);
        self.may_have_more |= self.looks.len() < looks;
        if self.looks.is_empty() {
            // Another worker has them.
            self.awaited = 0;
        }
        if self.next_poll <= elapsed {
            self.may_have_more = true;
            self.next_poll = elapsed.saturating_add(poll_every);
        }
        let next = self.looks.first().map_or(self.next_poll, |look| self.next_poll.min(*look));
        next.saturating_sub(elapsed)
    }

    /// Returns the number of times to poll the storage now.
    ///
    /// When polled, a storage either sends a query or gets the answer to an earlier one, and does
    /// not report which. If tasks have arrived since the earlier query was sent, the storage must
    /// be polled again.
    pub(crate) fn count(&mut self) -> usize {
        let has_rung = self.take_ring() || self.query == Query::Answered;
        let has_rung = self.other_bell.take_ring() || has_rung;
        if std::mem::take(&mut self.have_arrived) {
            self.may_be_too_early = true;
            2
        } else if has_rung && std::mem::take(&mut self.may_be_too_early) {
            2
        } else {
            usize::from(has_rung || self.may_have_more)
        }
    }

    /// Records whether the storage has answered with a task.
    pub(crate) fn answer(&mut self, has_task: bool) {
        self.may_have_more = has_task;
        if has_task {
            // The storage is polled until it has no more, so it sends another query.
            self.may_be_too_early = false;
            self.awaited = self.awaited.saturating_sub(1);
            if self.awaited == 0 {
                self.looks.clear();
            }
        }
        // After an answer without a task, the storage sends no query before the next poll.
        self.query = match self.query {
            _ if has_task => Query::None,
            Query::Answered => Query::MayBeOver,
            _ => Query::UnderWay,
        };
    }

    /// Returns how long to wait for the answer to a query, if one may be in progress. For a storage that
    /// never rings, such as `MemoryStorage`, that is always possible.
    pub(crate) const fn wait_for_answer(&self) -> Option<Duration> {
        match self.query {
            Query::None => None,
            Query::UnderWay | Query::Answered => Some(LAST_ANSWER),
            Query::MayBeOver => Some(NEXT_PART),
        }
    }

    /// Returns whether the answer to the query in progress may have arrived. If so, poll the
    /// storage once.
    pub(crate) fn may_have_answer(&mut self) -> bool {
        self.take_ring();
        self.query == Query::Answered
    }

    /// Returns whether the storage has used its waker since the last call.
    pub(crate) fn take_ring(&mut self) -> bool {
        let has_rung = self.bell.take_ring();
        if has_rung && matches!(self.query, Query::UnderWay | Query::MayBeOver) {
            self.query = Query::Answered;
        }
        has_rung
    }

    /// Returns the waker for a query of the storage, which wakes the worker.
    pub(crate) fn waker(&self, worker: &Context<'_>) -> Waker {
        self.bell.set_worker(worker.waker());
        Waker::from(Arc::clone(&self.bell))
    }

    /// Returns the waker for what else the storage does, which wakes the worker.
    pub(crate) fn other_waker(&self, worker: &Context<'_>) -> Waker {
        self.bell.set_worker(worker.waker());
        self.other_bell.set_worker(worker.waker());
        Waker::from(Arc::clone(&self.other_bell))
    }
}

/// The waker passed to a storage. It remembers that it was used.
#[derive(Debug, Default)]
struct Bell {
    has_rung: AtomicBool,
    worker: Mutex<Option<Waker>>,
}

impl Bell {
    fn take_ring(&self) -> bool {
        self.has_rung.swap(false, Ordering::AcqRel)
    }

    fn set_worker(&self, worker: &Waker) {
        let mut current = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if !current.as_ref().is_some_and(|current| current.will_wake(worker)) {
            *current = Some(worker.clone());
        }
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.has_rung.store(true, Ordering::Release);
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(worker) = worker {
            worker.wake();
        }
    }
}
