//! [`Core`]: which job waits, which is due, which runs. A state machine, which
//! knows no threads and no clock: it is told the time, and hands out runs.
//!
//! ```text
//!             add                    due                 a worker
//!    (none) ───────▶ waiting ──────────────▶ due ───────────────────▶ handed
//!                    │  ▲  ▲  its next event  │ ▲      its run ends     │
//!              pause │  │  └─────────────────┘ └── queued behind it ───┘
//!                    ▼  │ resume
//!                    paused                  from each: cancelled ──▶ (none)
//! ```
//!
//! A job with a timetable waits for its next event while earlier ones are due or
//! handed. A job without events to come is gone as soon as its last run has ended.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::error::AddError;
use crate::event::{Event, SkipReason};
use crate::instant::Nanos;
use crate::job::{CancellationToken, Job, JobName, Outcome, RunContext, Work};
use crate::policy::{Missed, Overlap, Policy};
use crate::queue::{Places, Queue};
use crate::slots::{Key, Slots};
use crate::source::EventSource;
use crate::stats::Record;

/// Room for so many runs is kept.
const FEW: usize = 1024;

/// All jobs.
#[derive(Default)]
pub(crate) struct Core {
    pub(crate) jobs: Slots<Entry>,
    pub(crate) queue: Queue,
    pub(crate) ready: VecDeque<Ready>,
    /// How many jobs were cancelled that may have had runs ready.
    pub(crate) void: usize,
    pub(crate) running: HashMap<u64, Running>,
    /// How many runs there have been.
    started: u64,
    capacity: Option<usize>,
    pub(crate) is_closed: bool,
    pub(crate) record: Record,
    /// What happened since somebody asked; `None` where nobody does.
    pub(crate) events: Option<Vec<Event>>,
}

/// A job.
pub(crate) struct Entry {
    work: Work,
    pub(crate) state: State,
    /// The event that it waits for.
    pub(crate) scheduled: Nanos,
    /// What a job that runs once, with nothing chosen, does without.
    pub(crate) more: Option<Box<More>>,
}

#[derive(Clone, Copy)]
pub(crate) enum State {
    /// In the queue, at the place that is noted beside it.
    Waiting,
    /// For nothing: due, handed, or over.
    Idle,
    Paused,
}

pub(crate) struct More {
    name: Option<Arc<str>>,
    policy: Policy,
    /// How long each run is put off.
    delay: Duration,
    pub(crate) timetable: Option<EventSource>,
    runs: u64,
    /// How many runs are due or handed.
    pub(crate) active: usize,
    /// The last instant that a run was offered for: no other has the same.
    pub(crate) latest: Option<Nanos>,
    /// Runs that wait for those.
    pub(crate) queued: VecDeque<Run>,
}

/// An event that is to run.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) scheduled: Nanos,
    pub(crate) coalesced: u64,
}

pub(crate) struct Ready {
    pub(crate) key: Key,
    pub(crate) run: Run,
}

pub(crate) struct Running {
    pub(crate) key: Key,
    pub(crate) fire: RunContext,
    /// Whether the job is gone already, since this is all that it had to run.
    is_over: bool,
}

/// A run that is handed out.
pub(crate) struct Start {
    /// By which its end is told.
    pub(crate) id: u64,
    pub(crate) fire: RunContext,
    pub(crate) work: Work,
}

/// What a job leaves behind. To drop it runs code of the job's owner, which must
/// not be done under a lock.
#[must_use]
pub(crate) struct Remains {
    pub(crate) _entry: Entry,
}

impl Places for Slots<Entry> {
    #[inline]
    fn put(&mut self, owner: u32, place: u32) {
        if let Some(noted) = self.note_mut(owner) {
            *noted = place;
        }
    }
}

impl Core {
    pub(crate) fn new(capacity: Option<usize>, is_watched: bool) -> Self {
        Self { capacity, events: is_watched.then(Vec::new), ..Self::default() }
    }

    /// A job, if it can be added.
    fn admit(&self, job: Job) -> Result<Job, AddError> {
        if self.is_closed {
            Err(AddError::Closed(job))
        } else if self.capacity.is_some_and(|most| self.jobs.len() >= most) {
            Err(AddError::Full(job))
        } else {
            Ok(job)
        }
    }

    /// Adds a job that runs once.
    pub(crate) fn add_once(&mut self, job: Job, at: Nanos) -> Result<Key, AddError> {
        let job = self.admit(job)?;
        self.add_run(job, at)
    }

    /// The same, of what is a part of jobs that were added: there is room for it.
    pub(crate) fn add_run(&mut self, job: Job, at: Nanos) -> Result<Key, AddError> {
        if self.is_closed {
            return Err(AddError::Closed(job));
        }
        let Job { work, name, policy } = job;
        let is_plain = name.is_none() && policy.jitter.is_zero();
        let more = (!is_plain).then(|| Box::new(More::new(name, policy, None)));
        Ok(self.insert(work, more, at))
    }

    /// Adds a job with a timetable, from its first event after `now` on. The timetable
    /// is taken where it is kept; else the caller has to drop it.
    pub(crate) fn add(
        &mut self,
        job: Job,
        timetable: &mut Option<EventSource>,
        now: Nanos,
    ) -> Result<Key, AddError> {
        let job = self.admit(job)?;
        let Some(first) = timetable.as_ref().and_then(|timetable| timetable.next(now)) else {
            return Err(AddError::NoEvent(job));
        };
        if matches!(job.work, Work::Once(_)) {
            return self.add_once(job, first);
        }
        let Job { work, name, policy } = job;
        let more = Box::new(More::new(name, policy, timetable.take()));
        Ok(self.insert(work, Some(more), first))
    }

    fn insert(&mut self, work: Work, more: Option<Box<More>>, first: Nanos) -> Key {
        let key = self.jobs.insert(Entry { work, state: State::Idle, scheduled: first, more });
        self.wait_for(key, first);
        if self.events.is_some()
            && let Some(job) = self.name(key)
        {
            self.note(Event::Added { job, next: first.time() });
        }
        key
    }

    /// Lets a job wait for an event.
    pub(crate) fn wait_for(&mut self, key: Key, scheduled: Nanos) {
        let Some(entry) = self.jobs.get_mut(key) else { return };
        (entry.scheduled, entry.state) = (scheduled, State::Waiting);
        let delay = entry.more.as_ref().map_or(Duration::ZERO, |more| more.delay);
        self.queue.push(scheduled.after(delay).0, key.slot, &mut self.jobs);
    }

    /// When the next job is due.
    #[inline]
    pub(crate) fn next_due(&self) -> Option<Nanos> {
        self.queue.first().map(|(due, _)| Nanos(due)).filter(|_| !self.is_closed)
    }

    /// Whether there are runs for workers.
    #[inline]
    pub(crate) fn ready(&self) -> usize {
        self.ready.len()
    }

    pub(crate) fn running(&self) -> usize {
        self.running.len()
    }

    /// Makes ready what is due at an instant, the earliest first. Returns what is
    /// left of jobs that are over without a run.
    pub(crate) fn take_due(&mut self, now: Nanos) -> Vec<Remains> {
        let mut remains = Vec::new();
        while let Some((due, slot)) = self.queue.first()
            && due <= now.0
            && !self.is_closed
        {
            self.queue.remove(0, &mut self.jobs);
            let Some((key, entry)) = self.jobs.at_mut(slot) else { continue };
            entry.state = State::Idle;
            if entry.is_repeated() {
                self.decide(key, now);
                remains.extend(self.retire(key));
            } else {
                let run = Run { scheduled: entry.scheduled, coalesced: 0 };
                self.ready.push_back(entry.hand_over(key, run));
            }
        }
        remains
    }

    /// Decides on all events of a job that are due.
    fn decide(&mut self, key: Key, now: Nanos) {
        let Some(entry) = self.jobs.get_mut(key) else { return };
        let Some(due) = Due::of(entry, now) else { return };
        let Due { first, last, earlier, is_late, missed, next } = due;
        let offered = if earlier == 0 && !is_late {
            Vec::from([Run { scheduled: last, coalesced: 0 }])
        } else {
            self.record.missed += earlier + u64::from(is_late);
            match missed {
                Missed::Coalesce => Vec::from([Run { scheduled: last, coalesced: earlier }]),
                Missed::Skip if is_late => {
                    self.skip(key, first, last, earlier + 1, SkipReason::Missed);
                    Vec::new()
                }
                Missed::Skip => {
                    let before = self.before(key, last).unwrap_or(first);
                    self.skip(key, first, before, earlier, SkipReason::Missed);
                    Vec::from([Run { scheduled: last, coalesced: 0 }])
                }
                Missed::All { max } => self.last_events(key, first, last, earlier, max),
            }
        };
        let mut follows = false;
        for run in offered {
            let from = if run.coalesced > 0 { first } else { run.scheduled };
            follows = self.offer(key, from, run, follows);
        }
        if let Some(next) = next {
            self.wait_for(key, next);
        }
    }

    /// The last `max` events, in order; those before are skipped.
    fn last_events(
        &mut self,
        key: Key,
        first: Nanos,
        last: Nanos,
        earlier: u64,
        max: usize,
    ) -> Vec<Run> {
        let mut runs = VecDeque::from([Run { scheduled: last, coalesced: 0 }]);
        let mut before = self.before(key, last).filter(|event| *event >= first);
        while let Some(event) = before.filter(|_| runs.len() < max) {
            runs.push_front(Run { scheduled: event, coalesced: 0 });
            before = self.before(key, event).filter(|event| *event >= first);
        }
        if let Some(event) = before {
            self.skip(key, first, event, earlier + 1 - runs.len() as u64, SkipReason::Missed);
        }
        runs.into()
    }

    /// The event of a job before another.
    fn before(&mut self, key: Key, event: Nanos) -> Option<Nanos> {
        let timetable = self.jobs.get_mut(key)?.more.as_ref()?.timetable.as_ref()?;
        timetable.last(Nanos(event.0.checked_sub(1)?))
    }

    /// Makes a run ready, or lets it wait for others of the job, or skips it and
    /// what it stands for, which begins with the event `first`. Returns whether it
    /// will run. One that `follows` another waits for that.
    pub(crate) fn offer(&mut self, key: Key, first: Nanos, run: Run, follows: bool) -> bool {
        let Some(more) = self.jobs.get_mut(key).and_then(|entry| entry.more.as_mut()) else {
            return false;
        };
        more.latest = more.latest.max(Some(run.scheduled));
        let has_room = match more.policy.overlap {
            Overlap::Allow { max } => more.active < max.max(1),
            Overlap::Skip | Overlap::Queue { .. } => more.active == 0,
        };
        let may_wait = match more.policy.overlap {
            Overlap::Queue { max } => follows || more.queued.len() < max,
            Overlap::Allow { .. } | Overlap::Skip => follows,
        };
        if has_room {
            more.active += 1;
            self.ready.push_back(Ready { key, run });
        } else if may_wait {
            more.queued.push_back(run);
        }
        let (will_run, Run { scheduled, coalesced }) = (has_room || may_wait, run);
        if will_run {
            self.coalesce(key, first, scheduled, coalesced);
        } else {
            self.skip(key, first, scheduled, coalesced + 1, SkipReason::Overlap);
        }
        will_run
    }

    /// Hands out a run, at an instant.
    pub(crate) fn start(&mut self, now: Nanos) -> Option<Start> {
        while !self.is_closed {
            let Ready { key, run } = self.ready.pop_front()?;
            if self.ready.is_empty() {
                // The room that a burst took is given back.
                self.ready.shrink_to(FEW);
                self.running.shrink_to(FEW);
            }
            let Run { scheduled, coalesced } = run;
            // A job that was cancelled meanwhile is gone.
            let Some(entry) = self.jobs.get_mut(key) else { continue };
            let work = entry.work.take();
            let name = entry.name(key);
            let number = entry.more.as_mut().map_or(1, |more| {
                more.runs += 1;
                more.runs
            });
            let token = CancellationToken::default();
            let fire = RunContext { name, scheduled, actual: now, number, coalesced, token };
            self.started += 1;
            self.record.lateness(fire.lateness());
            let is_over = entry.more.is_none();
            if is_over {
                // Nothing of it is needed any more, and there is nothing to drop.
                drop(self.jobs.remove(key));
            }
            self.running.insert(self.started, Running { key, fire: fire.clone(), is_over });
            if self.events.is_some() {
                self.note(Event::Started { run: fire.clone() });
            }
            return Some(Start { id: self.started, fire, work });
        }
        None
    }

    /// A run has ended.
    pub(crate) fn finish(&mut self, id: u64, outcome: Outcome, now: Nanos) -> Option<Remains> {
        let Running { key, fire, is_over } = self.running.remove(&id)?;
        self.record.ended(&outcome);
        if self.events.is_some() {
            let (job, duration) = (fire.name.clone(), now.since(fire.actual));
            self.note(Event::Finished { run: fire, outcome, duration });
            if is_over {
                self.note(Event::Exhausted { job });
            }
        }
        let more = self.jobs.get_mut(key)?.more.as_mut()?;
        if let Some(run) = more.queued.pop_front() {
            self.ready.push_back(Ready { key, run });
        } else {
            more.active -= 1;
        }
        self.retire(key)
    }

    /// Takes out a job that has nothing to come.
    pub(crate) fn retire(&mut self, key: Key) -> Option<Remains> {
        let entry = self.jobs.get_mut(key)?;
        let is_active = entry.more.as_ref().is_some_and(|more| more.active > 0);
        if is_active || !matches!(entry.state, State::Idle) {
            return None;
        }
        let job = entry.name(key);
        self.note(Event::Exhausted { job });
        Some(Remains { _entry: self.jobs.remove(key)? })
    }
}

/// The events of a job that are due.
struct Due {
    first: Nanos,
    last: Nanos,
    /// How many there are before the last.
    earlier: u64,
    /// Whether the last was missed, too.
    is_late: bool,
    missed: Missed,
    /// The first that is not due.
    next: Option<Nanos>,
}

impl Due {
    fn of(entry: &Entry, now: Nanos) -> Option<Self> {
        let more = entry.more.as_ref()?;
        let timetable = more.timetable.as_ref()?;
        let (first, until) = (entry.scheduled, now.before(more.delay));
        let last = timetable.last(until).map_or(first, |last| last.max(first));
        Some(Self {
            first,
            last,
            earlier: timetable.count(first, last),
            is_late: until.since(last) > more.policy.grace,
            missed: more.policy.missed,
            // One that does not go on would be due for ever.
            next: timetable.next(last).filter(|next| *next > last),
        })
    }
}

impl Entry {
    pub(crate) fn name(&self, key: Key) -> JobName {
        let given = self.more.as_ref().and_then(|more| more.name.clone());
        given.map_or(JobName::Number(key.serial), JobName::Given)
    }

    /// Whether it has a timetable; else it runs once.
    pub(crate) fn is_repeated(&self) -> bool {
        self.more.as_ref().is_some_and(|more| more.timetable.is_some())
    }

    /// Its run, if it runs once: it waits for nothing any more.
    pub(crate) fn hand_over(&mut self, key: Key, run: Run) -> Ready {
        self.state = State::Idle;
        if let Some(more) = &mut self.more {
            more.active += 1;
        }
        Ready { key, run }
    }
}

impl More {
    fn new(name: Option<Arc<str>>, policy: Policy, timetable: Option<EventSource>) -> Self {
        let delay = share(policy.jitter, name.as_deref().unwrap_or_default());
        let queued = VecDeque::new();
        Self { name, policy, delay, timetable, runs: 0, active: 0, latest: None, queued }
    }
}

/// A part of a duration that depends on a name alone: by its hash, FNV-1a of
/// G. Fowler, L. C. Noll and K.-P. Vo. The last letters of a name hardly reach the
/// high bits of that, which A. Appleby's finalizer of `MurmurHash3` makes good.
fn share(most: Duration, name: &str) -> Duration {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    let share = mixed ^ (mixed >> 33);
    let nanos = (most.as_nanos() * u128::from(share)) >> 64;
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
