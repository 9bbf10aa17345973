//! [`Queue`]: the tasks to push, and the results of pushes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::task::Waker;
use std::time::Duration;

use millicron_history::Backoff;

use crate::events::selection::{Dropped, EventSelection, Lateness, PendingTask};
use crate::stats::Stats;

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
const PAUSES: Backoff = Backoff::new(Duration::from_millis(100), LONGEST_PAUSE);

/// Tasks to push together.
pub(crate) struct Batch {
    pub(crate) lateness: Lateness,
    /// When the batch was taken from the queue, in milliseconds since 1970.
    started: i64,
    /// Sorted by instant and name, the same order on all machines. A database that locks the keys
    /// in this order cannot deadlock.
    pub(crate) tasks: Vec<PendingTask>,
}

impl Batch {
    /// Records that the storage may have taken the tasks: if it refuses them as duplicates, they may be this
    /// machine's own.
    fn forget_answer(&mut self) {
        for task in &mut self.tasks {
            task.is_contended = false;
        }
    }
}

/// A reading of both clocks: milliseconds since 1970, and elapsed time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) clock: i64,
    /// The clock's fraction of a millisecond. Without it, a wait would end half a millisecond late
    /// on average.
    pub(crate) fraction: Duration,
    pub(crate) elapsed: Duration,
}

pub(crate) struct Queue {
    selection: EventSelection,
    on_time: PushState,
    late: PushState,
    /// Tasks that the storage refuses although it takes others, each with the time of its next
    /// attempt.
    parked: BinaryHeap<Reverse<(Duration, PendingTask)>>,
    pub(crate) largest_batch: usize,
    /// The number of failures in a row, and the time of the next attempt.
    failures: u32,
    not_before: Duration,
    /// The same for failures of the storage that end workers.
    storage_failures: u32,
    pub(crate) storage_not_before: Duration,
    pub(crate) arrivals: Arrivals,
    /// Whether this machine was the first to push the last contended task. The first machine pushes such tasks
    /// at once, and others leave them to it.
    #[cfg(feature = "pipeline")]
    pub(crate) is_first: bool,
    pub(crate) is_closed: bool,
    pub(crate) stats: Stats,
    pub(crate) dropped: Vec<Dropped>,
    /// The wakers of the backends and futures that push.
    wakers: BTreeMap<u64, Waker>,
    last_id: u64,
}

/// What the source has said so far about tasks in the storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrivals {
    /// How often the storage may have had new tasks to hand out.
    pub(crate) announcements: u64,
    /// The number of tasks that were announced.
    pub(crate) tasks: u64,
}

struct PushState {
    /// Tasks to push again.
    returned: VecDeque<PendingTask>,
    /// The size of the next batch. A duplicate may fail the whole batch, so each failure halves the
    /// size, and each success doubles it.
    size: usize,
}

impl Queue {
    pub(crate) fn new(selection: EventSelection, largest_batch: usize) -> Self {
        let state = |size| PushState { returned: VecDeque::new(), size };
        Self {
            selection,
            on_time: state(largest_batch),
            // Missed events are often duplicates.
            late: state(1),
            parked: BinaryHeap::new(),
            largest_batch,
            failures: 0,
            not_before: Duration::ZERO,
            storage_failures: 0,
            storage_not_before: Duration::ZERO,
            arrivals: Arrivals::default(),
            #[cfg(feature = "pipeline")]
            is_first: true,
            is_closed: false,
            stats: Stats::default(),
            dropped: Vec::new(),
            wakers: BTreeMap::new(),
            last_id: 0,
        }
    }

    /// Returns the tasks to push now.
    pub(crate) fn take(&mut self, now: Now) -> Option<Batch> {
        if now.elapsed < self.not_before {
            return None;
        }
        self.selection.start(now.clock);
        while let Some(&Reverse((not_before, task))) = self.parked.peek()
            && not_before <= now.elapsed
        {
            self.parked.pop();
            self.late.returned.push_back(task);
        }
        self.take_from(Lateness::OnTime, now).or_else(|| self.take_from(Lateness::Late, now))
    }

    fn take_from(&mut self, lateness: Lateness, now: Now) -> Option<Batch> {
        let mut tasks = Vec::new();
        while tasks.len() < self.state(lateness).size
            && let Some(task) = self.state(lateness).returned.pop_front()
        {
            if self.selection.is_expired(task, now.clock) {
                self.dropped.push(Dropped { job: task.job, skipped: 0, expired: 1 });
            } else {
                tasks.push(task);
            }
        }
        if tasks.is_empty() && !self.is_closed {
            let size = self.state(lateness).size;
            tasks = match lateness {
                Lateness::OnTime => self.selection.take_on_time(now.clock, size, &mut self.dropped),
                Lateness::Late => self.selection.take_late(now.clock, size, &mut self.dropped),
            };
        }
        tasks.sort_unstable();
        (!tasks.is_empty()).then_some(Batch { lateness, started: now.clock, tasks })
    }

    const fn state(&mut self, lateness: Lateness) -> &mut PushState {
        match lateness {
            Lateness::OnTime => &mut self.on_time,
            Lateness::Late => &mut self.late,
        }
    }

    /// Records that the storage has taken a batch, or already had it.
    pub(crate) fn confirm(&mut self, batch: &Batch, is_duplicate: bool, now: Now) {
        self.succeed();
        self.note_push(batch, now);
        #[cfg(feature = "pipeline")]
        if batch.tasks.iter().any(|task| task.is_contended) {
            self.is_first = !is_duplicate;
        }
        let count = batch.tasks.len() as u64;
        if is_duplicate {
            self.stats.duplicates += count;
        } else {
            self.stats.pushed += count;
            let largest = self.largest_batch;
            let size = &mut self.state(batch.lateness).size;
            *size = size.saturating_mul(2).min(largest);
        }
        let due = batch.tasks.iter().filter(|task| task.scheduled <= now.clock).count();
        if due > 0 {
            self.announce(due);
        }
    }

    /// Takes back a batch with a duplicate, to push its tasks again in smaller batches.
    pub(crate) fn split(&mut self, batch: Batch, now: Now) {
        self.succeed();
        self.note_push(&batch, now);
        self.shrink(&batch);
        self.put_back(batch);
    }

    /// Takes back a batch that the storage failed to take. Returns the time until the next attempt.
    pub(crate) fn fail(&mut self, mut batch: Batch, now: Now) -> Duration {
        batch.forget_answer();
        self.stats.failures += 1;
        self.note_push(&batch, now);
        self.shrink(&batch);
        let wait = PAUSES.wait(self.failures);
        self.failures = self.failures.saturating_add(1);
        self.not_before = now.elapsed.saturating_add(wait);
        if let [task] = &mut batch.tasks[..] {
            // If this task causes the failure, the other tasks must not wait for it.
            let wait = PAUSES.wait(task.failures).max(wait);
            task.failures = task.failures.saturating_add(1);
            self.parked.push(Reverse((now.elapsed.saturating_add(wait), *task)));
            return wait;
        }
        self.put_back(batch);
        wait
    }

    /// Takes back a batch whose push was dropped. The storage may or may not have taken it.
    pub(crate) fn give_up(&mut self, mut batch: Batch, now: Now) {
        batch.forget_answer();
        self.note_push(&batch, now);
        self.put_back(batch);
    }

    fn note_push(&mut self, batch: &Batch, now: Now) {
        if batch.lateness == Lateness::OnTime {
            self.selection.note_push(&batch.tasks, batch.started, now.clock);
        }
    }

    fn put_back(&mut self, batch: Batch) {
        let returned = &mut self.state(batch.lateness).returned;
        for task in batch.tasks.into_iter().rev() {
            returned.push_front(task);
        }
    }

    /// Adds a task that does not come from a schedule of the source.
    #[cfg(feature = "pipeline")]
    pub(crate) fn add(&mut self, task: PendingTask) {
        self.on_time.returned.push_back(task);
        self.wake_all();
    }

    /// Halves the size of the next batch.
    fn shrink(&mut self, batch: &Batch) {
        self.state(batch.lateness).size = (batch.tasks.len() / 2).max(1);
    }

    const fn succeed(&mut self) {
        self.failures = 0;
        self.not_before = Duration::ZERO;
    }

    /// Records a failure of the storage that ends a worker.
    pub(crate) fn fail_storage(&mut self, now: Now) {
        let since = now.elapsed.saturating_sub(self.storage_not_before);
        if since > LONGEST_PAUSE {
            self.storage_failures = 0;
        }
        self.storage_not_before = now.elapsed.saturating_add(PAUSES.wait(self.storage_failures));
        self.storage_failures = self.storage_failures.saturating_add(1);
    }

    /// Checks whether tasks that were pushed ahead have fallen due, and announces them.
    pub(crate) fn notice_due(&mut self, now: Now) {
        let due = self.selection.fell_due(now.clock);
        if due > 0 {
            self.announce(due);
        }
    }

    /// Makes all workers ask the storage for tasks, and again until one of them has had so many.
    pub(crate) fn announce(&mut self, tasks: usize) {
        self.arrivals.announcements += 1;
        self.arrivals.tasks += tasks as u64;
        self.wake_all();
    }

    /// Returns the time until there is something to push or tasks fall due; `None` if neither will
    /// ever happen.
    pub(crate) fn wait(&self, now: Now) -> Option<Duration> {
        let push =
            self.next_push(now).map(|wait| wait.max(self.not_before.saturating_sub(now.elapsed)));
        [push, self.wait_for_due(now)].into_iter().flatten().min()
    }

    /// Returns the time until tasks that were pushed ahead fall due.
    pub(crate) fn wait_for_due(&self, now: Now) -> Option<Duration> {
        self.selection.next_due().map(|due| until(due, now))
    }

    fn next_push(&self, now: Now) -> Option<Duration> {
        if !self.on_time.returned.is_empty() || !self.late.returned.is_empty() {
            return Some(Duration::ZERO);
        }
        let parked = self.parked.peek().map(|first| first.0.0.saturating_sub(now.elapsed));
        let next = self.selection.next_push().filter(|_| !self.is_closed);
        [parked, next.map(|next| until(next, now))].into_iter().flatten().min()
    }

    /// Returns whether nothing is left to push. Once the source is closed, tasks whose push fails
    /// are given up.
    pub(crate) fn is_drained(&self) -> bool {
        let is_empty = self.on_time.returned.is_empty() && self.late.returned.is_empty();
        self.is_closed && (is_empty || self.failures > 0)
    }

    /// Returns the number of tasks to push again.
    pub(crate) fn waiting(&self) -> usize {
        self.on_time.returned.len() + self.late.returned.len() + self.parked.len()
    }

    pub(crate) const fn new_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    pub(crate) fn register(&mut self, id: u64, waker: &Waker) {
        self.wakers.entry(id).or_insert_with(|| waker.clone()).clone_from(waker);
    }

    pub(crate) fn unregister(&mut self, id: u64) {
        self.wakers.remove(&id);
    }

    pub(crate) fn wake_all(&self) {
        self.wakers.values().for_each(Waker::wake_by_ref);
    }
}

/// Returns the time until an instant.
pub(crate) fn until(instant: i64, now: Now) -> Duration {
    let millis = u64::try_from(instant.saturating_sub(now.clock)).unwrap_or_default();
    Duration::from_millis(millis).saturating_sub(now.fraction)
}
