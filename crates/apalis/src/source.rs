//! [`Source`] and [`SourceBuilder`].

use std::error::Error;
use std::fmt;
use std::future::poll_fn;
#[cfg(feature = "stored")]
use std::sync::OnceLock;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use millicron::{IntoRecurrence, Recurrence};
use millicron_scheduler::{Clock, Missed};
#[cfg(feature = "stored")]
use serde::de::DeserializeOwned;
use tower_layer::Identity;

use crate::error::{BuildError, PipeError};
use crate::events::selection::EventSelection;
use crate::job::{Job, Policies};
use crate::push::pusher::Pusher;
use crate::push::queue::Queue;
use crate::push::shared::{Settings, Shared, attach};
use crate::stats::{Notice, Stats};
use crate::storage::{Storage, forgets_keys};
#[cfg(feature = "stored")]
use crate::stored::claims::{ClaimSettings, Claims, ProgramJob};
#[cfg(feature = "stored")]
use crate::stored::table_claims::TableClaims;
#[cfg(feature = "stored")]
use crate::stored::{Schedules, Table};
use crate::worker::backend::PipedSource;

/// Jobs whose events become tasks in a storage of apalis.
///
/// A source is a handle: clones share their progress. A restarted worker continues where the last
/// worker on the same source stopped.
pub struct Source<P> {
    shared: Arc<Shared<P>>,
}

impl<P> Source<P> {
    /// Creates a builder for a source.
    pub fn builder() -> SourceBuilder<P> {
        SourceBuilder {
            jobs: Vec::new(),
            policies: Policies::default(),
            largest_batch: 1000,
            settings: Settings::default(),
            #[cfg(feature = "stored")]
            stored: None,
        }
    }

    /// Returns the source's statistics.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.stats()
    }

    /// Stops the source. It finishes the current push, and pushes nothing more. Its workers fetch no
    /// more tasks, finish the ones that they have, and stop.
    ///
    /// Prefer this to stopping a worker: the tasks that a stopped worker has fetched before their
    /// instant wait until the storage misses its heartbeats and gives them to others.
    pub fn close(&self) {
        self.shared.close();
    }
}

impl<P: Clone + Send + Sync + 'static> Source<P> {
    /// Returns a backend for a worker. It pushes the tasks of this source into a storage, and hands out
    /// the tasks in the storage.
    pub fn pipe_to<B: Storage<P>>(&self, storage: B) -> PipedSource<P, B> {
        self.pipe_with(storage, Identity::new())
    }

    /// Returns a backend that wraps the layers of its worker in another one.
    pub(crate) fn pipe_with<B: Storage<P>, L>(&self, storage: B, layer: L) -> PipedSource<P, B, L> {
        PipedSource::new(Pusher::new(Arc::clone(&self.shared)), storage, layer)
    }

    /// Pushes the tasks of this source into a storage, until the source is
    /// [closed](Self::close). Use it on a machine that has no worker.
    ///
    /// # Errors
    ///
    /// The storage [forgets idempotency keys](PipeError::ForgetsKeys). Failures to push are retried.
    pub async fn push_to<B: Storage<P>>(&self, mut storage: B) -> Result<(), PipeError<B::Error>> {
        let mut pusher = self.pusher(&storage)?;
        poll_fn(|cx| {
            let wait = pusher.poll(&mut storage, cx);
            if !pusher.is_pushing() && self.shared.with_queue(|queue| queue.is_drained()) {
                return Poll::Ready(());
            }
            pusher.wake_after(wait, cx);
            Poll::Pending
        })
        .await;
        Ok(())
    }

    /// Pushes the tasks that are due now into a storage. Use it in tests, or in a program that
    /// something else starts periodically.
    ///
    /// Returns `true` if the storage took all of them. With stored schedules, it also returns `true` if the storage took
    /// only some: the others are [reported](crate::Notice::PushFailed), and tried again after 30 s. It then returns
    /// `false` if the storage took none, or if the table could not be read.
    ///
    /// After `false`, or if the future is dropped, for example by a timeout, the rest
    /// [waits](crate::Stats::waiting) for the next call, or for a worker on the source. A storage keeps a push that was
    /// dropped midway, with its locks, until it is used again or dropped as well.
    ///
    /// # Errors
    ///
    /// The storage [forgets idempotency keys](PipeError::ForgetsKeys).
    pub async fn push_due<B: Storage<P>>(
        &self,
        storage: &mut B,
    ) -> Result<bool, PipeError<B::Error>> {
        let mut pusher = self.pusher(storage)?;
        let is_complete = poll_fn(|cx| {
            let wait = pusher.poll(storage, cx);
            if pusher.is_pushing() {
                // Each step of stored schedules has a time limit.
                pusher.wake_after(wait, cx);
                return Poll::Pending;
            }
            if wait.is_some_and(|wait| wait.is_zero()) {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(!pusher.has_failed())
        });
        Ok(is_complete.await)
    }

    fn pusher<B: Storage<P>>(&self, storage: &B) -> Result<Pusher<P>, PipeError<B::Error>> {
        if forgets_keys(storage.config()) {
            return Err(PipeError::ForgetsKeys);
        }
        Ok(Pusher::new(Arc::clone(&self.shared)))
    }
}

#[cfg(feature = "pipeline")]
impl<P> Source<P> {
    pub(crate) const fn shared(&self) -> &Arc<Shared<P>> {
        &self.shared
    }
}

impl<P> Clone for Source<P> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<P> fmt::Debug for Source<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let jobs = self.shared.plans.iter().map(|plan| &plan.name);
        f.debug_struct("Source")
            .field("jobs", &jobs.collect::<Vec<_>>())
            .field("stats", &self.stats())
            .finish()
    }
}

/// Makes the claims of a source with its settings.
#[cfg(feature = "stored")]
type ClaimsOf<P> = dyn FnOnce(ClaimSettings, Arc<[ProgramJob<P>]>) -> Arc<dyn Claims<P>>;

/// The jobs and settings of a [`Source`].
#[must_use = "a builder does nothing until `build` is called"]
pub struct SourceBuilder<P> {
    jobs: Vec<Job<P>>,
    policies: Policies,
    largest_batch: usize,
    settings: Settings,
    #[cfg(feature = "stored")]
    stored: Option<Box<ClaimsOf<P>>>,
}

impl<P> SourceBuilder<P> {
    /// Adds a job with the settings of the source. Each of its tasks contains a clone of the payload.
    ///
    /// The recurrence may be a [`Schedule`](millicron::Schedule), a schedule in a time zone, an
    /// interval, or your own type. All machines must agree on its events: an interval without a start,
    /// such as `every(7).seconds()`, counts from Monday 2000-01-03 00:00:00 UTC.
    pub fn add(
        self,
        name: impl Into<String>,
        recurrence: impl IntoRecurrence<Recurrence: Recurrence + Send + Sync + 'static>,
        payload: P,
    ) -> Self {
        self.add_job(Job::new(name, recurrence, payload))
    }

    /// Adds a job with its own settings.
    pub fn add_job(mut self, job: Job<P>) -> Self {
        self.jobs.push(job);
        self
    }

    /// Adds all schedules in a database, including later ones.
    ///
    /// See [`stored`](crate::stored). Of the source's policies, the [grace](Self::grace) and the time that
    /// tasks are pushed [ahead](Self::ahead) apply to them. The payloads are decoded as `P`.
    ///
    /// The machines also agree in the database who pushes the events of the source's own jobs. Without
    /// it, each machine pushes all events, and the storage refuses duplicates.
    #[cfg(feature = "stored")]
    pub fn stored<DB: Table>(mut self, schedules: &Schedules<DB>) -> Self
    where
        P: Clone + DeserializeOwned + Send + Sync + 'static,
    {
        let schedules = schedules.clone();
        self.stored = Some(Box::new(|settings, jobs| {
            Arc::new(TableClaims { schedules, settings, jobs, rows: OnceLock::new() })
        }));
        self
    }

    /// Sets how long after its instant an event may still become a task. The default is one hour.
    ///
    /// A source starts with the events in this window before its start, and handles them as
    /// [missed](Self::missed). The storage refuses events that are already tasks.
    ///
    /// The storage must remember the keys of tasks for longer than this. If the window is zero, a
    /// source begins with the first event after its start, and retries an event that the storage failed
    /// to take for as long as the [grace](Self::grace).
    pub fn catch_up(mut self, window: Duration) -> Self {
        self.policies.catch_up = Some(window);
        self
    }

    /// Sets how to handle missed events. An event is missed if it is later than the
    /// [grace](Self::grace) when it is about to be pushed. All events within the grace are pushed. The
    /// default is [`Missed::Coalesce`].
    ///
    /// - With [`Missed::Skip`], missed events do not become tasks.
    /// - With [`Missed::Coalesce`], only the last one does, unless a later event is already due and
    ///   covers them.
    /// - With [`Missed::All`], the last `max` missed events do.
    pub fn missed(mut self, missed: Missed) -> Self {
        self.policies.missed = Some(missed);
        self
    }

    /// Sets how late an event may be without counting as missed. The default is one second. If a push
    /// takes longer, up to 30 s, or 8 s with [stored](Self::stored) schedules, the events that fall due during the push
    /// are not missed either. Of several such pushes of stored schedules in a backlog, this holds for the longest.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.policies.grace = Some(grace);
        self
    }

    /// Sets how long before its instant an event becomes a task. The default is zero.
    ///
    /// The storage hands the task out at its instant, so it starts on time even if every source has
    /// died in the meantime. Storages keep this instant in whole seconds, and the worker waits for the
    /// remaining milliseconds.
    ///
    /// A source looks for schedules in a [table](Self::stored) half that time ahead, and then pushes all events of the
    /// whole time. So an event becomes a task at the latest half that time before its instant, and at the earliest all of it.
    pub fn ahead(mut self, ahead: Duration) -> Self {
        self.policies.ahead = Some(ahead);
        self
    }

    /// Sets the maximum number of tasks that are pushed together, and of [stored](Self::stored) schedules that are
    /// claimed together. The default is 1,000, and the minimum is 1.
    pub fn largest_batch(mut self, tasks: usize) -> Self {
        self.largest_batch = tasks.max(1);
        self
    }

    /// Sets how often a worker on the source polls its storage for tasks that the source has not
    /// announced: tasks of other programs and of dead workers, and retries. The default is one second,
    /// and the minimum is one millisecond.
    pub fn poll_every(mut self, interval: Duration) -> Self {
        self.settings.poll_every = interval.max(Duration::from_millis(1));
        self
    }

    /// Sets the clock, for tests. The default is the [`SystemClock`](millicron_scheduler::SystemClock).
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.settings.clock = Box::new(clock);
        self
    }

    /// Sets a function that receives notices, such as failures to push, and events that do not become
    /// tasks. It must not block.
    pub fn observer(mut self, observer: impl Fn(&Notice<'_>) + Send + Sync + 'static) -> Self {
        self.settings.observer = Some(Box::new(observer));
        self
    }

    /// Sets how to recognize a storage's error for a task whose key it already has. Such an error
    /// counts as success.
    ///
    /// The default recognizes violations of a unique index whose name contains `idempotency_key`, as
    /// in apalis's storages.
    pub fn duplicates(
        mut self,
        is_duplicate: impl Fn(&(dyn Error + 'static)) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.settings.is_duplicate = Box::new(is_duplicate);
        self
    }

    /// Checks the jobs and builds the source. The source does nothing until it is
    /// [piped](Source::pipe_to) or [pushed](Source::push_to) to a storage.
    ///
    /// # Errors
    ///
    /// Two jobs have the same name, or a name or an interval is invalid.
    pub fn build(self) -> Result<Source<P>, BuildError>
    where
        P: Send + Sync + 'static,
    {
        #[cfg(feature = "stored")]
        let stored = self.stored;
        let Self { mut jobs, policies, largest_batch, settings, .. } = self;
        jobs.sort_by(|a, b| a.name().cmp(b.name()));
        if let Some(pair) = jobs.windows(2).find(|pair| pair[0].name() == pair[1].name()) {
            return Err(BuildError::DuplicateName(pair[0].name().to_string()));
        }
        let jobs = jobs.into_iter().map(|job| job.plan(&policies));
        let jobs = jobs.map(|job| job.map(|(plan, timing)| (Arc::new(plan), timing)));
        let (plans, timings): (Vec<_>, Vec<_>) =
            jobs.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        // With a database, the machines agree there about the events.
        #[cfg(feature = "stored")]
        let (claims, timings) = match stored {
            Some(stored) => {
                let jobs = plans.iter().cloned().zip(timings);
                let jobs = jobs.map(|(plan, timing)| ProgramJob::new(plan, timing)).collect();
                (Some(stored(ClaimSettings::new(&policies), jobs)), Vec::new())
            }
            None => (None, timings),
        };
        let queue = Queue::new(EventSelection::new(timings), largest_batch);
        let shared = Arc::new(Shared {
            plans,
            settings,
            queue: Mutex::new(queue),
            #[cfg(feature = "stored")]
            claims,
        });
        attach(&shared);
        Ok(Source { shared })
    }
}

impl<P> fmt::Debug for SourceBuilder<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceBuilder")
            .field("jobs", &self.jobs.len())
            .field("policies", &self.policies)
            .field("largest_batch", &self.largest_batch)
            .field("poll_every", &self.settings.poll_every)
            .finish_non_exhaustive()
    }
}
