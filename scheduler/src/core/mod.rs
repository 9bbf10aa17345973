//! [`Core`]: decides which jobs wait, are due and run. A state machine without threads and without
//! a clock: callers pass the time, and start the runs that it returns.
//!
//! ```text
//!             add                    due                 a worker
//!    (none) ───────▶ waiting ──────────────▶ due ───────────────────▶ running
//!                    │  ▲  ▲  its next event  │ ▲     its run finishes   │
//!              pause │  │  └─────────────────┘ └── queued behind it ─────┘
//!                    ▼  │ resume
//!                    paused                  from each: cancelled ──▶ (none)
//! ```
//!
//! A job with a recurrence waits for its next event while earlier ones are due or run. A job
//! without further events is removed when its last run finishes.
//!
//! This module holds the data and what every part needs. `runs` is the life of a run, `due` decides
//! about events whose time has come, and `control` is what handles can do to a job.

mod control;
mod due;
mod runs;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::error::AddError;
use crate::event::{Event, SkipReason};
use crate::instant::Nanos;
use crate::job::{Job, Work};
use crate::policy::Policy;
use crate::queue::{Positions, Queue};
use crate::run::{JobName, RunContext};
use crate::slots::{Key, Slots};
use crate::source::EventSource;
use crate::stats::{Counters, Stats};

/// All jobs of a scheduler, and the state of each.
#[derive(Default)]
pub(crate) struct Core {
    jobs: Slots<JobEntry>,
    /// The waiting jobs.
    queue: Queue,
    /// The runs that wait for a worker, in the order in which they start.
    ready: VecDeque<ReadyRun>,
    /// An upper bound on how many cancelled jobs still have runs in `ready`.
    stale_jobs: usize,
    /// The runs in progress, by their number among all runs.
    running: HashMap<u64, ActiveRun>,
    started_runs: u64,
    capacity: Option<usize>,
    is_closed: bool,
    counters: Counters,
    /// The events since the last [`take_events`](Self::take_events); `None` without an observer.
    events: Option<Vec<Event>>,
}

/// A job.
pub(crate) struct JobEntry {
    work: Work,
    state: JobState,
    /// The event that the job waits for, or waited for last.
    scheduled: Nanos,
    /// What an unnamed job that runs once does without: a million of them should stay small.
    details: Option<Box<Details>>,
}

#[derive(Clone, Copy)]
enum JobState {
    /// In the queue, at the position that the slot's tag says.
    Waiting,
    /// Not waiting for an event: due, running, or without further events.
    Idle,
    Paused,
}

/// The part of a job that has a name, policies or a recurrence.
struct Details {
    name: Option<Arc<str>>,
    policy: Policy,
    /// The delay of each run, from the job's jitter.
    delay: Duration,
    source: Option<EventSource>,
    /// The number of runs that have started.
    runs: u64,
    /// The number of runs that are ready or in progress.
    active: usize,
    /// The latest instant of any run. No two runs share an instant.
    latest: Option<Nanos>,
    /// The runs that wait for an active run to finish.
    queued: VecDeque<PendingRun>,
}

/// An event that will run.
#[derive(Clone, Copy)]
struct PendingRun {
    scheduled: Nanos,
    /// The number of earlier events that the run covers.
    coalesced: u64,
}

/// A run that waits for a worker.
struct ReadyRun {
    key: Key,
    run: PendingRun,
}

/// A run in progress.
struct ActiveRun {
    key: Key,
    context: RunContext,
    /// Whether the job was removed when the run started, because it had nothing else to do.
    is_last: bool,
}

/// A run for a worker to execute.
pub(crate) struct StartedRun {
    /// The number among all runs, with which [`Core::finish`] is called.
    pub(crate) id: u64,
    pub(crate) context: RunContext,
    pub(crate) work: Work,
}

/// A job that was removed. Dropping it runs users' code, which must not happen under a lock.
#[must_use]
pub(crate) struct RemovedJob {
    _entry: JobEntry,
}

impl Positions for Slots<JobEntry> {
    #[inline]
    fn set(&mut self, owner: u32, position: u32) {
        let tag = self.tag_mut(owner);
        debug_assert!(tag.is_some(), "a job in the queue has a slot");
        if let Some(tag) = tag {
            *tag = position;
        }
    }
}

impl Core {
    pub(crate) fn new(capacity: Option<usize>, is_observed: bool) -> Self {
        Self { capacity, events: is_observed.then(Vec::new), ..Self::default() }
    }

    /// Returns the job if the scheduler accepts one more.
    fn admit(&self, job: Job) -> Result<Job, AddError> {
        if self.is_closed {
            Err(AddError::Closed(job))
        } else if self.capacity.is_some_and(|max| self.jobs.len() >= max) {
            Err(AddError::Full(job))
        } else {
            Ok(job)
        }
    }

    /// Adds a job that runs once.
    pub(crate) fn add_once(&mut self, job: Job, at: Nanos) -> Result<Key, AddError> {
        let job = self.admit(job)?;
        self.add_once_beyond_capacity(job, at)
    }

    /// Adds a job that runs once, whatever the capacity.
    pub(crate) fn add_once_beyond_capacity(
        &mut self,
        job: Job,
        at: Nanos,
    ) -> Result<Key, AddError> {
        if self.is_closed {
            return Err(AddError::Closed(job));
        }
        let Job { work, name, policy } = job;
        let is_plain = name.is_none() && policy.jitter.is_zero();
        let details = (!is_plain).then(|| Box::new(Details::new(name, policy, None)));
        Ok(self.insert(work, details, at))
    }

    /// Adds a job from its first event after `now` on. Takes the source if it is kept; otherwise
    /// the caller drops it, outside the lock.
    pub(crate) fn add(
        &mut self,
        job: Job,
        source: &mut Option<EventSource>,
        now: Nanos,
    ) -> Result<Key, AddError> {
        let job = self.admit(job)?;
        let Some(first) = source.as_ref().and_then(|source| source.next(now)) else {
            return Err(AddError::NoEvent(job));
        };
        if matches!(job.work, Work::Once(_)) {
            return self.add_once(job, first);
        }
        let Job { work, name, policy } = job;
        let details = Box::new(Details::new(name, policy, source.take()));
        Ok(self.insert(work, Some(details), first))
    }

    fn insert(&mut self, work: Work, details: Option<Box<Details>>, first: Nanos) -> Key {
        let entry = JobEntry { work, state: JobState::Idle, scheduled: first, details };
        let key = self.jobs.insert(entry);
        self.wait_for(key, first);
        if self.events.is_some()
            && let Some(job) = self.name(key)
        {
            self.note(Event::Added { job, next: first.time() });
        }
        key
    }

    /// Returns a job that has not been removed.
    fn existing(&mut self, key: Key) -> Option<&mut JobEntry> {
        let entry = self.jobs.get_mut(key);
        debug_assert!(entry.is_some(), "the job was removed");
        entry
    }

    /// Puts a job into the queue, to wait for an event.
    fn wait_for(&mut self, key: Key, scheduled: Nanos) {
        let Some(entry) = self.existing(key) else { return };
        (entry.scheduled, entry.state) = (scheduled, JobState::Waiting);
        let delay = entry.details.as_ref().map_or(Duration::ZERO, |details| details.delay);
        self.queue.push(scheduled.after(delay).0, key.slot, &mut self.jobs);
    }

    /// Returns when the next job is due.
    #[inline]
    pub(crate) fn next_due(&self) -> Option<Nanos> {
        self.queue.first().map(|(due, _)| Nanos(due)).filter(|_| !self.is_closed)
    }

    /// Returns the number of runs that wait for a worker.
    #[inline]
    pub(crate) fn ready(&self) -> usize {
        self.ready.len()
    }

    /// Returns the number of runs in progress.
    pub(crate) fn running(&self) -> usize {
        self.running.len()
    }

    /// Returns the details of the runs in progress.
    pub(crate) fn active_runs(&self) -> Vec<RunContext> {
        self.running.values().map(|running| running.context.clone()).collect()
    }

    /// Returns the job of a run in progress.
    pub(crate) fn job_of(&self, run: u64) -> Option<Key> {
        Some(self.running.get(&run)?.key)
    }

    /// Returns whether a job has not been removed.
    pub(crate) fn contains(&mut self, key: Key) -> bool {
        self.jobs.get_mut(key).is_some()
    }

    pub(crate) fn name(&mut self, key: Key) -> Option<JobName> {
        Some(self.jobs.get_mut(key)?.name(key))
    }

    pub(crate) fn stats(&self) -> Stats {
        self.counters.stats(self.queue.len(), self.running.len())
    }

    /// Prevents further starts and additions.
    pub(crate) const fn close(&mut self) {
        self.is_closed = true;
    }

    pub(crate) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Removes all jobs.
    pub(crate) fn clear(&mut self) -> Slots<JobEntry> {
        self.queue = Queue::default();
        std::mem::take(&mut self.jobs)
    }

    /// Records events from now on.
    pub(crate) fn observe(&mut self) {
        self.events.get_or_insert_default();
    }

    /// Returns the events since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        self.events.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn note(&mut self, event: Event) {
        if let Some(events) = &mut self.events {
            events.push(event);
        }
    }

    fn note_coalesced(&mut self, key: Key, first: Nanos, into: Nanos, count: u64) {
        if count > 0
            && self.events.is_some()
            && let Some(job) = self.name(key)
        {
            let (first, into) = (first.time(), into.time());
            self.note(Event::Coalesced { job, first, count, into });
        }
    }

    /// Counts events that will not run.
    fn skip(&mut self, key: Key, first: Nanos, last: Nanos, count: u64, reason: SkipReason) {
        self.counters.skipped += count;
        if self.events.is_some()
            && let Some(job) = self.name(key)
        {
            let (first, last) = (first.time(), last.time());
            self.note(Event::Skipped { job, first, last, count, reason });
        }
    }
}

impl JobEntry {
    fn name(&self, key: Key) -> JobName {
        let given = self.details.as_ref().and_then(|details| details.name.clone());
        given.map_or(JobName::Number(key.serial), JobName::Given)
    }

    fn source(&self) -> Option<&EventSource> {
        self.details.as_ref()?.source.as_ref()
    }

    /// Returns whether the job has a recurrence. If not, it runs once.
    fn is_recurring(&self) -> bool {
        self.source().is_some()
    }

    /// Returns whether any run of the job is ready or in progress, other than the only run of a
    /// job without details.
    fn is_active(&self) -> bool {
        self.details.as_ref().is_some_and(|details| details.active > 0)
    }

    /// Makes the only run of a job ready.
    fn make_ready(&mut self, key: Key, run: PendingRun) -> ReadyRun {
        self.state = JobState::Idle;
        if let Some(details) = &mut self.details {
            details.active += 1;
        }
        ReadyRun { key, run }
    }
}

impl Details {
    fn new(name: Option<Arc<str>>, policy: Policy, source: Option<EventSource>) -> Self {
        let delay = jitter_delay(policy.jitter, name.as_deref().unwrap_or_default());
        let queued = VecDeque::new();
        Self { name, policy, delay, source, runs: 0, active: 0, latest: None, queued }
    }
}

/// Returns a part of a duration that depends only on a name.
///
/// The name is hashed with FNV-1a of G. Fowler, L. C. Noll and K.-P. Vo. The last letters of a name
/// hardly reach its high bits, so A. Appleby's finalizer of `MurmurHash3` follows.
fn jitter_delay(max: Duration, name: &str) -> Duration {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    let share = mixed ^ (mixed >> 33);
    let nanos = (max.as_nanos() * u128::from(share)) >> 64;
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
