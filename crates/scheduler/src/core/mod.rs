//! [`Core`]: decides which jobs wait, are due and run. It is a state machine without threads or a
//! clock: callers pass the time, and start the runs that it returns.
//!
//! ```text
//!             add                    due                 a worker
//!    (none) ───────▶ waiting ──────────────▶ due ───────────────────▶ running ──┐
//!                    │  ▲  ▲  its next event  │ ▲     its run finishes   │       │ it failed:
//!              pause │  │  └─────────────────┘ └── queued behind it ─────┘       │ again later
//!                    ▼  │ resume                ▲                                │
//!                    paused                     └────────────────────────────────┘
//!                                            from each: cancelled ──▶ (none)
//! ```
//!
//! A job with a recurrence waits for its next event while earlier events are due or running. A job
//! without further events is removed when its last run finishes.
//!
//! This module contains the data and what all parts share. `add` accepts jobs, `due` decides how to
//! handle due events, `runs` implements the life of a run, `alarms` time-outs and retries,
//! `control` the operations of handles on a job, and `info` their queries.

mod add;
mod alarms;
mod control;
mod due;
mod entry;
mod info;
mod once;
mod pending;
mod queue;
mod runs;
mod table;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use self::alarms::Alarms;
use self::entry::{Entry, JobEntry, JobRuns, Removed};
use self::once::JobState;
use self::queue::{Node, Queue};
use self::runs::Runs;
pub(crate) use self::runs::{AssignedRun, Ended};
pub(crate) use self::table::Key;
use self::table::Table;
use crate::job::{EventSource, Task, Work};
use crate::panics::{catch_panic, discard};
use crate::report::{Event, SkipReason, Stats};
use crate::run::{CancellationToken, JobName, RunContext, RunId};
use crate::time::{Nanos, Now, Timeline};

/// All jobs of a scheduler, and the state of each.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(crate) struct Core {
    jobs: Table,
    /// The number of jobs added so far.
    added: u64,
    /// The jobs that wait by the clock.
    by_clock: Queue<u32>,
    /// The jobs that wait by elapsed time.
    by_elapsed: Queue<u32>,
    /// The number of jobs that wait.
    waiting: usize,
    alarms: Alarms,
    names: HashMap<Arc<str>, Key>,
    tags: HashMap<Arc<str>, BTreeSet<Key>>,
    /// The jobs whose runs wait for a worker, one entry for each run, in starting order.
    ready: VecDeque<Key>,
    /// The number of entries of `ready` whose job was removed.
    stale: usize,
    runs: Runs,
    /// Memory that jobs have left for the runs of others. If these run one after the other, it stays in the processor's
    /// cache.
    #[expect(clippy::vec_box, reason = "the boxes move to jobs and back")]
    spare_runs: Vec<Box<JobRuns>>,
    /// The tokens of ended runs, renewed for later ones. There are none with an observer or with `metrics`, which keep
    /// the tokens.
    spare_tokens: Vec<CancellationToken>,
    /// The runs that a gate has permitted and that no worker has taken yet.
    granted: VecDeque<RunId>,
    has_gate: bool,
    /// The runs in progress whose job was removed when they were taken, because they are its last,
    /// by the number of the job.
    last_runs: HashMap<u64, RunId>,
    capacity: Option<usize>,
    is_closed: bool,
    /// The counts so far, except those of the moment.
    stats: Stats,
    /// The events that the observer has not taken yet; `None` without an observer.
    events: Option<VecDeque<Event>>,
    /// The maximum number of events that wait for the observer.
    most_events: usize,
    /// The number of events dropped since the last [`Event::Lost`].
    lost: u64,
    /// The latest time that the clock has shown.
    latest: Nanos,
    /// The latest time that the clock has shown since it was last set back.
    seen: Nanos,
    /// The number of jobs that repeat events after the clock is set back.
    repeating: usize,
    effects: Effects,
    /// Whether something is due sooner than the timer expects.
    is_sooner: bool,
    /// Whether more jobs were due than were handled at once.
    is_burst: bool,
}

/// The effects of decisions that run users' code, to be carried out without the lock.
#[derive(Default)]
#[must_use]
pub(crate) struct Effects {
    /// To drop. Usually there is only one, which needs no allocation.
    removed: Option<RemovedJob>,
    more: Vec<RemovedJob>,
    /// To cancel.
    tokens: Vec<CancellationToken>,
}

impl Effects {
    pub(crate) const fn is_empty(&self) -> bool {
        self.removed.is_none() && self.tokens.is_empty()
    }

    fn drop_later(&mut self, removed: RemovedJob) {
        if let Some(earlier) = self.removed.replace(removed) {
            self.more.push(earlier);
        }
    }

    /// Returns the numbers of the jobs to drop, unless the scheduler is closed.
    pub(crate) fn removed_jobs(&self) -> impl Iterator<Item = u64> {
        self.more.iter().chain(&self.removed).filter_map(|removed| match removed {
            RemovedJob::Job(job) => Some(job.serial()),
            _ => None,
        })
    }

    /// Cancels the tokens and drops the jobs. For each panic, returns what has panicked and the
    /// message.
    pub(crate) fn carry_out(self) -> Vec<(&'static str, String)> {
        let Self { removed, more, tokens } = self;
        let mut panics = Vec::new();
        for token in tokens {
            let cancelled = catch_panic(|| token.cancel_attempt());
            panics.extend(cancelled.err().map(|message| ("a waker", message)));
        }
        let mut note = |dropped: Result<(), String>| {
            panics.extend(dropped.err().map(|message| ("a destructor", message)));
        };
        for removed in more.into_iter().chain(removed) {
            match removed {
                RemovedJob::All(jobs) => jobs.into_removed().for_each(|job| note(discard(job))),
                RemovedJob::Run(task, run) => note(catch_panic(move || task.give_up(&run))),
                removed => note(discard(removed)),
            }
        }
        panics
    }
}

/// A removed job, or a part of one. Dropping it runs users' code, which must not happen under a lock.
#[expect(dead_code, reason = "it is only dropped")]
pub(crate) enum RemovedJob {
    Job(Removed),
    /// All jobs of a closed scheduler; boxed, since that happens only once. They are dropped one by
    /// one, so that a panicking destructor does not affect the others.
    All(Box<Table>),
    Source(Arc<EventSource>),
    Work(Work),
    /// A run that is given up, of which the closure is notified.
    Run(Task, Box<RunContext>),
}

/// Setting the clock back by at most this much is ignored: time synchronization makes such
/// corrections.
const SMALL_SET_BACK: Duration = Duration::from_secs(1);

/// The maximum number of events that wait for an observer on another thread.
const MOST_EVENTS: usize = 65_536;

impl Core {
    pub(crate) fn new(capacity: Option<usize>, is_observed: bool, has_gate: bool) -> Self {
        let events = is_observed.then(VecDeque::new);
        let (latest, seen) = (Nanos(i64::MIN), Nanos(i64::MIN));
        let most_events = MOST_EVENTS;
        Self { has_gate, capacity, events, most_events, latest, seen, ..Self::default() }
    }

    /// Returns the details of a job, if it has any and was not removed.
    fn details(&mut self, key: Key) -> Option<&mut JobEntry> {
        self.jobs.get_mut(key)?.into_details()
    }

    /// Returns the runs of a job that have not ended, if there are any.
    fn runs_of(&mut self, key: Key) -> Option<&mut JobRuns> {
        self.details(key)?.runs.as_deref_mut()
    }

    /// Puts a job into the queue, to wait for an event.
    fn wait_for(&mut self, key: Key, scheduled: Nanos) {
        let Some(mut entry) = self.jobs.get_mut(key) else { return };
        entry.wait_for(scheduled);
        let (timeline, due) = (entry.timeline(), entry.due());
        self.waiting += 1;
        let (queue, due) = match timeline {
            Timeline::Clock => (&mut self.by_clock, due.0),
            Timeline::Elapsed { ahead } => (&mut self.by_elapsed, due.0.saturating_sub(ahead)),
        };
        self.is_sooner |= queue.push(due, key.slot);
    }

    /// Returns whether, since the last call, something was added that is due before all others.
    pub(crate) const fn take_is_sooner(&mut self) -> bool {
        std::mem::replace(&mut self.is_sooner, false)
    }

    /// Removes a job from its queue, if it waits there.
    fn leave_queue(&mut self, key: Key) {
        let Some(mut entry) = self.jobs.get_mut(key) else { return };
        if entry.state() != JobState::Waiting {
            return;
        }
        entry.set_state(JobState::Idle);
        let timeline = entry.timeline();
        self.waiting -= 1;
        let Self { jobs, by_clock, by_elapsed, .. } = self;
        let queue = if timeline == Timeline::Clock { by_clock } else { by_elapsed };
        let is_elapsed = timeline != Timeline::Clock;
        queue.forget(1, |node| is_wanted(jobs, node, is_elapsed));
    }

    /// Returns when the first waiting job of a queue is due.
    fn first_of(&mut self, is_elapsed: bool) -> Option<Nanos> {
        let Self { jobs, by_clock, by_elapsed, .. } = self;
        let queue = if is_elapsed { by_elapsed } else { by_clock };
        let first = queue.first(|node| is_wanted(jobs, node, is_elapsed))?;
        Some(Nanos(first.due))
    }

    /// Returns the time until the next job is due or the next alarm goes off: zero if that has
    /// happened already.
    pub(crate) fn time_to_next(&mut self, now: Now) -> Option<Duration> {
        if self.is_closed {
            return None;
        }
        let clock = self.first_of(false).map(|due| due.since(now.clock));
        let elapsed = self.first_of(true).map(|due| due.since(now.elapsed));
        let alarm = self.alarms.first(&self.runs, &mut self.jobs).map(|due| due.since(now.elapsed));
        [clock, elapsed, alarm].into_iter().flatten().min()
    }

    /// Returns the number of runs that wait for a worker: zero after closing, as no more runs
    /// start.
    #[inline]
    pub(crate) fn ready(&self) -> usize {
        if self.is_closed { 0 } else { self.ready.len() + self.granted.len() }
    }

    /// Returns the number of runs in progress.
    pub(crate) fn running(&self) -> usize {
        self.runs.len()
    }

    /// Returns the details of the runs in progress.
    pub(crate) fn active_runs(&self) -> Vec<RunContext> {
        self.runs.values().map(|run| run.context.clone()).collect()
    }

    /// Returns the job of a run in progress.
    pub(crate) fn job_of(&self, run: RunId) -> Option<Key> {
        Some(self.runs.get(run)?.key)
    }

    /// Returns whether a job has not been removed.
    pub(crate) fn contains(&mut self, key: Key) -> bool {
        self.jobs.get_mut(key).is_some()
    }

    pub(crate) fn name(&mut self, key: Key) -> Option<JobName> {
        Some(self.jobs.get_mut(key)?.name())
    }

    pub(crate) fn stats(&self) -> Stats {
        let ready = self.ready().saturating_sub(self.stale);
        let (jobs, waiting, running) = (self.jobs.len(), self.waiting, self.runs.len());
        Stats { jobs, waiting, running, ready, ..self.stats.clone() }
    }

    /// Prevents further starts and additions, and cancels the tokens of current runs.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
        self.drop_granted_starts();
        for run in std::mem::take(&mut self.granted) {
            self.answer_gate(run, true);
        }
        self.effects.tokens.extend(self.runs.values().map(|run| run.context.token.clone()));
    }

    /// Removes the jobs that start runs which a history has granted. Dropping them ends these runs, which
    /// would otherwise stay in progress.
    fn drop_granted_starts(&mut self) {
        for slot in 0..self.jobs.slots() {
            if let Some((key, Entry::Other(details))) = self.jobs.at_mut(slot)
                && details.policy().has_passed_gate
            {
                self.leave_queue(key);
                self.take_out(key);
            }
        }
    }

    pub(crate) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Removes all jobs.
    pub(crate) fn clear(&mut self) {
        (self.by_clock, self.by_elapsed) = (Queue::default(), Queue::default());
        self.alarms = Alarms::default();
        self.names.clear();
        self.tags.clear();
        self.waiting = 0;
        (self.spare_runs, self.spare_tokens) = (Vec::new(), Vec::new());
        let jobs = std::mem::take(&mut self.jobs);
        self.effects.drop_later(RemovedJob::All(Box::new(jobs)));
    }

    /// Returns the effects of the decisions since the last call.
    pub(crate) fn take_effects(&mut self) -> Effects {
        std::mem::take(&mut self.effects)
    }

    /// Returns whether there are such effects.
    pub(crate) const fn has_effects(&self) -> bool {
        !self.effects.is_empty()
    }

    /// Records all events from now on, however many.
    pub(crate) fn observe_all(&mut self) {
        self.events.get_or_insert_default();
        self.most_events = usize::MAX;
    }

    /// Stops recording events: nothing receives them any more.
    pub(crate) fn stop_observing(&mut self) {
        self.events = None;
    }

    /// Returns whether there are events for the observer.
    pub(crate) fn has_events(&self) -> bool {
        self.events.as_ref().is_some_and(|events| !events.is_empty())
    }

    /// Returns the events since the last call.
    pub(crate) fn take_events(&mut self) -> VecDeque<Event> {
        let mut events = self.events.as_mut().map(std::mem::take).unwrap_or_default();
        if self.lost > 0 {
            events.push_back(Event::Lost { count: std::mem::take(&mut self.lost) });
        }
        events
    }

    /// Records an event for the observer. After closing, only the ends of runs and panics matter.
    pub(crate) fn note(&mut self, event: Event) {
        let Some(events) = &mut self.events else { return };
        let is_end = matches!(event, Event::Finished { .. } | Event::Panicked { .. });
        if self.is_closed && !is_end {
            return;
        }
        if events.len() < self.most_events {
            events.push_back(event);
        } else {
            self.lost += 1;
            self.stats.lost_events += 1;
        }
    }

    /// Records an event of a job. Without an observer, the event is not created.
    fn note_of(&mut self, key: Key, event: impl FnOnce(JobName) -> Event) {
        if self.events.is_some()
            && let Some(job) = self.name(key)
        {
            self.note(event(job));
        }
    }

    /// Counts and reports events that will not run.
    fn skip(&mut self, key: Key, first: Nanos, last: Nanos, count: u64, reason: SkipReason) {
        self.stats.skipped += count;
        if let Some(details) = self.details(key) {
            details.counts.skipped += count;
        }
        let (first, last) = (first.time(), last.time());
        self.note_of(key, |job| Event::Skipped { job, first, last, count, reason });
    }
}

/// Whether an entry of a queue is current: its job still waits for that instant.
fn is_wanted(jobs: &mut Table, node: &Node<u32>, is_elapsed: bool) -> bool {
    jobs.at_mut(node.owner).is_some_and(|(_, entry)| entry.wants(node.due, is_elapsed))
}
