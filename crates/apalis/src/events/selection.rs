//! [`EventSelection`]: decides which events become tasks, and when.
//!
//! Each job has a cursor: its first event that is not decided yet. Events within the grace are on
//! time. Earlier events are missed, and the policy decides which of them enter the backlog. Pending
//! and missed events are ranges, not lists, so memory does not grow with the number of events to
//! catch up on.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use millicron_scheduler::Missed;

use super::timing::{Hang, MissedRange, NO_HANG, Timing};

/// An event that is to become a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PendingTask {
    pub(crate) scheduled: i64,
    /// The index of the job. Jobs are sorted by name.
    pub(crate) job: usize,
    /// How often the storage has refused this task in a batch of one.
    pub(crate) failures: u32,
    /// Distinguishes tasks for the same event; 0 for the first, which is usually the only one.
    pub(crate) repetition: i64,
    /// Whether all machines would push this task at the same time, so that the storage's answer says which
    /// one is the first.
    pub(crate) is_contended: bool,
}

impl PendingTask {
    /// Returns the first task of an event.
    pub(crate) const fn new(scheduled: i64, job: usize) -> Self {
        Self { scheduled, job, failures: 0, repetition: 0, is_contended: false }
    }
}

/// Events are pushed in two lanes, so that events on time never wait behind a backlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lateness {
    OnTime,
    Late,
}

/// The numbers of a job's events that do not become tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dropped {
    pub(crate) job: usize,
    /// The policy skips them, or a later event covers them.
    pub(crate) skipped: u64,
    /// They are before the catch-up window.
    pub(crate) expired: u64,
}

struct JobEvents {
    timing: Timing,
    /// The first event that is not decided yet.
    next: Option<i64>,
    /// Ranges of missed events that will become tasks, as the next and the last event.
    backlog: VecDeque<(i64, i64)>,
    /// Whether the job is in the heap of jobs with a backlog.
    is_late: bool,
}

/// Pairs of an instant and the index of a job, the earliest first.
type Heap = BinaryHeap<Reverse<(i64, usize)>>;

pub(crate) struct EventSelection {
    jobs: Vec<JobEvents>,
    /// When to push the next event of each job.
    next: Heap,
    /// The next event in the backlog of each job that has one.
    late: Heap,
    /// The next event of each job whose events are pushed ahead.
    due: Heap,
    /// The latest reading of the clock.
    latest: Option<i64>,
    hang: Hang,
}

/// A clock that is set back by more than this, in milliseconds, was wrong before. Less is jitter.
const SET_BACK: i64 = 1000;

/// A push that hangs for longer than this, in milliseconds, is an outage.
const LONGEST_HANG: i64 = 30_000;

impl EventSelection {
    pub(crate) fn new(timings: impl IntoIterator<Item = Timing>) -> Self {
        let jobs = timings.into_iter();
        let jobs = jobs.map(|timing| JobEvents {
            timing,
            next: None,
            backlog: VecDeque::new(),
            is_late: false,
        });
        let (next, late, due) = Default::default();
        Self { jobs: jobs.collect(), next, late, due, latest: None, hang: NO_HANG }
    }

    /// Starts at the beginning of each job's catch-up window, and restarts if the clock was set
    /// back: while the clock was ahead, the selection decided about events that had not happened yet.
    pub(crate) fn start(&mut self, now: i64) {
        let latest = self.latest;
        if latest.is_some_and(|latest| now >= latest.saturating_sub(SET_BACK)) {
            self.latest = latest.max(Some(now));
            return;
        }
        self.latest = Some(now);
        self.hang = NO_HANG;
        for heap in [&mut self.next, &mut self.late, &mut self.due] {
            heap.clear();
        }
        for (index, job) in self.jobs.iter_mut().enumerate() {
            job.backlog.clear();
            job.is_late = false;
            job.next = job.timing.events.from(now.saturating_sub(job.timing.catch_up));
            if let Some(at) = job.push_instant() {
                self.next.push(Reverse((at, index)));
            }
            if job.timing.ahead > 0
                && let Some(due) = job.timing.events.after(now)
            {
                self.due.push(Reverse((due, index)));
            }
        }
    }

    /// Returns up to `most` next events that are on time, and moves missed events to the backlog.
    pub(crate) fn take_on_time(
        &mut self,
        now: i64,
        most: usize,
        dropped: &mut Vec<Dropped>,
    ) -> Vec<PendingTask> {
        let mut tasks = Vec::new();
        while tasks.len() < most
            && let Some(&Reverse((at, index))) = self.next.peek()
            && at <= now
        {
            self.next.pop();
            let job = &mut self.jobs[index];
            let Some(event) = job.next else { continue };
            if let Some(until) = job.timing.missed_until(event, now, self.hang) {
                let (skipped, expired) = job.miss(event, until, now);
                dropped.push(Dropped { job: index, skipped, expired });
                if let Some(&(first, _)) = job.backlog.front().filter(|_| !job.is_late) {
                    job.is_late = true;
                    self.late.push(Reverse((first, index)));
                }
            } else {
                tasks.push(PendingTask::new(event, index));
                job.next = job.timing.events.after(event);
            }
            if let Some(at) = job.push_instant() {
                self.next.push(Reverse((at, index)));
            }
        }
        tasks
    }

    /// Records how long a push took. Events that fell due while it hung are on time. Events before
    /// it are not, so that the source does not fall further and further behind with a storage that
    /// is always slow.
    pub(crate) fn note_push(&mut self, tasks: &[PendingTask], started: i64, ended: i64) {
        let time = ended.saturating_sub(started);
        let hung = tasks.iter().any(|task| time > self.jobs[task.job].timing.grace);
        if hung && time <= LONGEST_HANG {
            self.hang = (started, ended);
        }
    }

    /// Returns up to `most` next events of the backlog.
    pub(crate) fn take_late(
        &mut self,
        now: i64,
        most: usize,
        dropped: &mut Vec<Dropped>,
    ) -> Vec<PendingTask> {
        let mut tasks = Vec::new();
        while tasks.len() < most
            && let Some(Reverse((_, index))) = self.late.pop()
        {
            let job = &mut self.jobs[index];
            dropped.push(Dropped { job: index, skipped: 0, expired: job.expire(now) });
            if let Some(scheduled) = job.pop_backlog() {
                tasks.push(PendingTask::new(scheduled, index));
            }
            job.is_late = !job.backlog.is_empty();
            if let Some(&(next, _)) = job.backlog.front() {
                self.late.push(Reverse((next, index)));
            }
        }
        tasks
    }

    /// Returns how many events that were pushed ahead have fallen due since the last call.
    pub(crate) fn fell_due(&mut self, now: i64) -> usize {
        let mut fell = 0;
        while let Some(&Reverse((due, index))) = self.due.peek()
            && due <= now
        {
            fell += 1;
            self.due.pop();
            if let Some(next) = self.jobs[index].timing.events.after(now) {
                self.due.push(Reverse((next, index)));
            }
        }
        fell
    }

    /// Returns the instant of the next push; `i64::MIN` if there is a backlog.
    pub(crate) fn next_push(&self) -> Option<i64> {
        if self.late.is_empty() { self.next.peek().map(|first| first.0.0) } else { Some(i64::MIN) }
    }

    /// Returns the instant of the first event that [`fell_due`](Self::fell_due) has not counted.
    pub(crate) fn next_due(&self) -> Option<i64> {
        self.due.peek().map(|first| first.0.0)
    }

    /// Returns whether an event is too old to become a task.
    pub(crate) fn is_expired(&self, task: PendingTask, now: i64) -> bool {
        let Timing { catch_up, grace, .. } = self.jobs[task.job].timing;
        task.scheduled < now.saturating_sub(catch_up.max(grace))
    }
}

impl JobEvents {
    fn push_instant(&self) -> Option<i64> {
        Some(self.next?.saturating_sub(self.timing.ahead))
    }

    /// Decides about the missed events from `first` to `until`. Returns how many are skipped, and how
    /// many are before the catch-up window.
    fn miss(&mut self, first: i64, until: i64, now: i64) -> (u64, u64) {
        let MissedRange { kept, next, skipped, expired } = self.timing.miss(first, until, now);
        self.next = next;
        if self.timing.missed == Missed::Coalesce && (kept.is_some() || skipped > 0) {
            self.backlog.clear();
        }
        self.backlog.extend(kept);
        (skipped, expired)
    }

    /// Drops the backlog's events from before the catch-up window. Returns their number.
    fn expire(&mut self, now: i64) -> u64 {
        let oldest = now.saturating_sub(self.timing.catch_up);
        let events = &self.timing.events;
        let mut expired = 0;
        while let Some((next, last)) = self.backlog.front_mut()
            && *next < oldest
        {
            expired += events.count(*next..=(oldest - 1).min(*last));
            match events.from(oldest).filter(|event| event <= last) {
                Some(event) => *next = event,
                None => drop(self.backlog.pop_front()),
            }
        }
        expired
    }

    fn pop_backlog(&mut self) -> Option<i64> {
        let (next, last) = self.backlog.front_mut()?;
        let event = *next;
        match self.timing.events.after(event).filter(|event| event <= last) {
            Some(event) => *next = event,
            None => drop(self.backlog.pop_front()),
        }
        Some(event)
    }
}
