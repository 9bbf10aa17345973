//! [`Shared`]: the state that all handles and backends of a source share.

use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
#[cfg(feature = "pipeline")]
use std::task::Waker;
use std::time::Duration;

use apalis_core::task::Task;
use apalis_core::task::builder::TaskBuilder;
use apalis_core::task::metadata::MetadataStore;
use millicron::{system_time, unix_millis};
use millicron_scheduler::{Clock, SystemClock, Timer};

use super::duplicate::{IsDuplicate, is_duplicate};
use super::queue::{Now, Queue};
use crate::events::selection::{Dropped, PendingTask};
use crate::job::Plan;
use crate::run::{Run, available_from, key};
use crate::stats::{Notice, Stats};
#[cfg(feature = "stored")]
use crate::stored::claims::Claims;

/// The metadata field with the scheduled instant of a task. A worker reads it before it decodes the
/// task.
const SCHEDULED: &str = "millicron.scheduled";

/// A function that receives notices.
pub(crate) type Observer = dyn Fn(&Notice<'_>) + Send + Sync;

/// The settings of a source that do not depend on its jobs.
pub(crate) struct Settings {
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) observer: Option<Box<Observer>>,
    pub(crate) is_duplicate: Box<IsDuplicate>,
    /// How often a worker polls its storage for tasks that were not announced.
    pub(crate) poll_every: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            clock: Box::new(SystemClock),
            observer: None,
            is_duplicate: Box::new(is_duplicate),
            poll_every: Duration::from_secs(1),
        }
    }
}

pub(crate) struct Shared<P> {
    /// Sorted by name.
    pub(crate) plans: Vec<Arc<Plan<P>>>,
    pub(crate) settings: Settings,
    pub(crate) queue: Mutex<Queue>,
    /// Stored schedules.
    #[cfg(feature = "stored")]
    pub(crate) claims: Option<Arc<dyn Claims<P>>>,
}

impl<P> Shared<P> {
    pub(crate) fn now(&self) -> Now {
        let Settings { clock, .. } = &self.settings;
        let (time, elapsed) = (clock.now(), clock.elapsed());
        let clock = unix_millis(time);
        let fraction = system_time(clock).and_then(|start| time.duration_since(start).ok());
        Now { clock, fraction: fraction.unwrap_or_default(), elapsed }
    }

    /// Calls a function with the queue, and then reports the events that it dropped.
    pub(crate) fn with_queue<T>(&self, call: impl FnOnce(&mut Queue) -> T) -> T {
        let mut queue = self.lock();
        let value = call(&mut queue);
        let dropped = std::mem::take(&mut queue.dropped);
        for Dropped { skipped, expired, .. } in &dropped {
            queue.stats.skipped += skipped;
            queue.stats.expired += expired;
        }
        drop(queue);
        for Dropped { job, skipped, expired } in dropped {
            self.report_dropped(&self.plans[job].name, skipped, expired);
        }
        value
    }

    /// Reports that a payload cannot be encoded.
    pub(super) fn reject(&self, job: &str, scheduled: i64, error: &(dyn Error + 'static)) {
        self.with_queue(|queue| queue.stats.rejected += 1);
        self.report(&Notice::Rejected { job, scheduled, error });
    }

    pub(super) fn report_dropped(&self, job: &str, skipped: u64, expired: u64) {
        if expired > 0 {
            self.report(&Notice::Expired { job, events: expired });
        }
        if skipped > 0 {
            self.report(&Notice::Skipped { job, events: skipped });
        }
    }

    /// Ignores poisoning: the only user code under the lock is recurrences, whose panics are
    /// caught.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stats(&self) -> Stats {
        let queue = self.lock();
        Stats { waiting: queue.waiting(), ..queue.stats }
    }

    pub(crate) fn report(&self, notice: &Notice<'_>) {
        #[cfg(feature = "tracing")]
        match notice {
            Notice::Expired { .. } => tracing::warn!("{notice}"),
            Notice::Skipped { .. } => tracing::info!("{notice}"),
            _ => tracing::error!("{notice}"),
        }
        if let Some(observer) = &self.settings.observer {
            observer(notice);
        }
    }

    /// Wakes a waker whenever the source's state changes.
    #[cfg(feature = "pipeline")]
    pub(crate) fn wake_on_changes(&self, waker: &Waker) {
        self.with_queue(|queue| {
            let id = queue.new_id();
            queue.register(id, waker);
        });
        waker.wake_by_ref();
    }

    pub(crate) fn close(&self) {
        let mut queue = self.lock();
        queue.is_closed = true;
        queue.wake_all();
    }
}

impl<P: Clone> Shared<P> {
    /// Returns the task of an event.
    pub(crate) fn task(&self, task: PendingTask) -> Task<Run<P>> {
        let plan = &self.plans[task.job];
        let scheduled = task.scheduled;
        let key = match task.repetition {
            0 => key(&plan.name, scheduled),
            repetition => format!("{}:{repetition}", key(&plan.name, scheduled)),
        };
        let run = Run::new(&*plan.name, scheduled, plan.payload.clone());
        build_task(run, key, plan.max_attempts, plan.priority)
    }
}

/// Returns the task of an event.
pub(crate) fn build_task<P>(
    run: Run<P>,
    key: String,
    max_attempts: Option<usize>,
    priority: Option<usize>,
) -> Task<Run<P>> {
    let mut metadata = MetadataStore::new();
    metadata.replace(SCHEDULED, run.scheduled.to_string());
    let run_at = u64::try_from(available_from(run.scheduled) / 1000).unwrap_or_default();
    let mut task =
        TaskBuilder::new(run).idempotency_key(key).run_at_timestamp(run_at).with_metadata(metadata);
    if let Some(max) = max_attempts {
        task = task.max_attempts(max);
    }
    if let Some(priority) = priority {
        task = task.priority(priority);
    }
    task.build()
}

/// Returns the scheduled instant of a task, encoded or not; `None` if the task does not come from a
/// source.
pub(crate) fn scheduled_of<T>(task: &Task<T>) -> Option<i64> {
    task.metadata().get(SCHEDULED)?.parse().ok()
}

/// Setting the clock wakes all waiting pushers.
impl<P: Send + Sync> Timer for Shared<P> {
    fn time_to_next(&self) -> Option<Duration> {
        // A manual clock need not stop at each event.
        None
    }

    fn clock_changed(&self) {
        self.lock().wake_all();
    }

    fn wait_until_idle(&self) -> bool {
        // Tasks are pushed on an async runtime, for which a clock cannot wait.
        false
    }
}

/// Attaches the source to its clock, so that setting the clock wakes all waiting pushers.
pub(crate) fn attach<P: Send + Sync + 'static>(shared: &Arc<Shared<P>>) {
    let timer: Weak<Shared<P>> = Arc::downgrade(shared);
    shared.settings.clock.attach(timer);
}
