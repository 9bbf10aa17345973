//! What is done to jobs from outside: [`Core`]'s other half.

use crate::core::{Core, Entry, Remains, Run, State};
use crate::event::{Event, SkipReason};
use crate::instant::Nanos;
use crate::job::{CancellationToken, JobName, RunContext};
use crate::queue::Queue;
use crate::shared::discard;
use crate::slots::{Key, Slots};
use crate::source::EventSource;
use crate::stats::Stats;

/// What a job leaves behind that had nothing to come when it was resumed.
#[must_use]
pub(crate) struct Resumed {
    _remains: Option<Remains>,
}

/// What a job that was given another timetable leaves behind.
#[must_use]
pub(crate) struct Replaced {
    _timetable: EventSource,
    _remains: Option<Remains>,
}

/// A job that was cancelled.
#[must_use]
pub(crate) struct Cancelled {
    tokens: Vec<CancellationToken>,
    remains: Option<Remains>,
}

impl Cancelled {
    /// Tells its runs, and drops what it leaves behind: both run code of others, which
    /// must not be done under a lock. Returns whether there was such a job.
    pub(crate) fn carry_out(self) -> bool {
        let Self { tokens, remains } = self;
        let was_there = remains.is_some();
        discard(remains);
        for token in tokens {
            token.cancel();
        }
        was_there
    }
}

impl Core {
    /// Takes out a job. Its runs have yet to be told.
    pub(crate) fn cancel(&mut self, key: Key) -> Cancelled {
        // One that runs once, with nothing chosen, is gone while it runs.
        let may_run = self
            .jobs
            .get_mut(key)
            .is_none_or(|entry| entry.more.as_ref().is_some_and(|more| more.active > 0));
        let mut tokens = Vec::new();
        if may_run {
            let running = self.running.values().filter(|running| running.key == key);
            tokens.extend(running.map(|running| running.fire.token.clone()));
        }
        Cancelled { tokens, remains: self.take_out(key) }
    }

    /// Takes out a job, and what waits for a worker.
    fn take_out(&mut self, key: Key) -> Option<Remains> {
        self.leave_queue(key);
        let entry = self.jobs.remove(key)?;
        let has_ready = matches!(entry.state, State::Idle)
            || entry.more.as_ref().is_some_and(|more| more.active > 0);
        if self.events.is_some() {
            let has_next = !matches!(entry.state, State::Idle);
            let next = has_next.then(|| entry.scheduled.time());
            let queued = entry.more.iter().flat_map(|more| &more.queued);
            let all = if has_ready { self.ready.len() } else { 0 };
            let ready = self.ready.range(..all).filter(|ready| ready.key == key);
            let ready = ready.map(|ready| &ready.run);
            let due = ready.chain(queued).map(|run| run.scheduled.time()).collect();
            self.note(Event::Cancelled { job: entry.name(key), due, next });
        }
        if has_ready {
            self.forget_ready();
        }
        Some(Remains { _entry: entry })
    }

    /// A job that was cancelled had runs ready, which are of no use. When these may be
    /// half of all, they are taken out.
    fn forget_ready(&mut self) {
        self.void += 1;
        if self.void > self.ready.len() / 2 {
            self.void = 0;
            let jobs = &mut self.jobs;
            self.ready.retain(|ready| jobs.get_mut(ready.key).is_some());
        }
    }

    /// Lets a job wait for nothing. Its events are skipped until it is resumed.
    pub(crate) fn pause(&mut self, key: Key) -> bool {
        if !matches!(self.state(key), Some(State::Waiting)) {
            return false;
        }
        self.leave_queue(key);
        self.set_state(key, State::Paused);
        if let Some(job) = self.name(key) {
            self.note(Event::Paused { job });
        }
        true
    }

    /// Lets a paused job wait for its first event after an instant. A job that
    /// runs once waits for the same one. Returns whether it was paused.
    pub(crate) fn resume(&mut self, key: Key, now: Nanos) -> Option<Resumed> {
        let Some(State::Paused) = self.state(key) else { return None };
        if let Some(job) = self.name(key) {
            self.note(Event::Resumed { job });
        }
        self.pass(key, now, SkipReason::Paused);
        self.set_state(key, State::Idle);
        let entry = self.jobs.get_mut(key)?;
        let first = entry.scheduled;
        let timetable = entry.more.as_ref().and_then(|more| more.timetable.as_ref());
        let next =
            timetable.map_or(Some(first), |timetable| timetable.next(now.max(before(first))));
        Some(Resumed { _remains: self.go_on(key, next) })
    }

    /// Skips the events of a job up to an instant that are not decided on.
    fn pass(&mut self, key: Key, now: Nanos, reason: SkipReason) {
        let Some(entry) = self.jobs.get_mut(key) else { return };
        let first = entry.scheduled;
        let timetable = entry.more.as_ref().and_then(|more| more.timetable.as_ref());
        if let Some(timetable) = timetable
            && let Some(last) = timetable.last(now)
            && last >= first
            && !matches!(entry.state, State::Idle)
        {
            let count = timetable.count(first, last) + 1;
            self.skip(key, first, last, count, reason);
        }
    }

    /// Lets a job run now, whatever it waits for. Returns whether it will.
    pub(crate) fn trigger(&mut self, key: Key, now: Nanos) -> bool {
        // A run is known by its instant, so that has to be another than that of any before.
        let latest = self.jobs.get_mut(key).and_then(|entry| entry.more.as_ref()?.latest);
        let scheduled = latest.map_or(now, |latest| now.max(after(latest)));
        let run = Run { scheduled, coalesced: 0 };
        match self.jobs.get_mut(key) {
            Some(entry) if !self.is_closed && entry.is_repeated() => {
                self.offer(key, scheduled, run, false)
            }
            // It runs once: now, in place of later.
            Some(entry) if !self.is_closed && !matches!(entry.state, State::Idle) => {
                self.leave_queue(key);
                let ready = self.jobs.get_mut(key).map(|entry| entry.hand_over(key, run));
                self.ready.extend(ready);
                true
            }
            _ => false,
        }
    }

    /// Gives a job another timetable, from an instant on; one that runs once does so
    /// at the first event of that. Returns whether it was there, and what is to be
    /// dropped.
    pub(crate) fn reschedule(
        &mut self,
        key: Key,
        timetable: EventSource,
        now: Nanos,
    ) -> Option<Replaced> {
        let state = self.state(key)?;
        let is_paused = matches!(state, State::Paused);
        // Nothing that has run, should the clock have been set back.
        let latest = self.jobs.get_mut(key)?.more.as_ref().and_then(|more| more.latest);
        let next = timetable.next(latest.map_or(now, |latest| now.max(latest)));
        self.pass(key, now, if is_paused { SkipReason::Paused } else { SkipReason::Rescheduled });
        self.leave_queue(key);
        let entry = self.jobs.get_mut(key)?;
        let timetable = match entry.more.as_mut().and_then(|more| more.timetable.as_mut()) {
            Some(old) => std::mem::replace(old, timetable),
            // What it has to run is due, or runs.
            None if matches!(state, State::Idle) => {
                return Some(Replaced { _timetable: timetable, _remains: None });
            }
            None => timetable,
        };
        entry.state = State::Idle;
        if let Some(job) = self.name(key) {
            self.note(Event::Rescheduled { job, next: next.map(Nanos::time) });
        }
        let remains = match (next, self.jobs.get_mut(key)) {
            (Some(next), Some(entry)) if is_paused => {
                (entry.scheduled, entry.state) = (next, State::Paused);
                None
            }
            _ => self.go_on(key, next),
        };
        Some(Replaced { _timetable: timetable, _remains: remains })
    }

    /// Waits for the next event, if there is one.
    fn go_on(&mut self, key: Key, next: Option<Nanos>) -> Option<Remains> {
        match next {
            Some(next) => {
                self.wait_for(key, next);
                None
            }
            None => self.retire(key),
        }
    }

    fn leave_queue(&mut self, key: Key) {
        if let Some(State::Waiting) = self.state(key)
            && let Some(&mut place) = self.jobs.note_mut(key.slot)
        {
            self.queue.remove(place, &mut self.jobs);
        }
    }

    fn state(&mut self, key: Key) -> Option<State> {
        self.jobs.get_mut(key).map(|entry| entry.state)
    }

    fn set_state(&mut self, key: Key, state: State) {
        if let Some(entry) = self.jobs.get_mut(key) {
            entry.state = state;
        }
    }

    /// The event that a job waits for, and whether it is there at all.
    pub(crate) fn next_event(&mut self, key: Key) -> Option<Nanos> {
        let entry = self.jobs.get_mut(key)?;
        matches!(entry.state, State::Waiting).then_some(entry.scheduled)
    }

    pub(crate) fn name(&mut self, key: Key) -> Option<JobName> {
        Some(self.jobs.get_mut(key)?.name(key))
    }

    /// Nothing starts any more.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Takes out all jobs.
    pub(crate) fn clear(&mut self) -> Slots<Entry> {
        self.queue = Queue::default();
        std::mem::take(&mut self.jobs)
    }

    pub(crate) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The runs that are going.
    pub(crate) fn fires(&self) -> Vec<RunContext> {
        self.running.values().map(|running| running.fire.clone()).collect()
    }

    pub(crate) fn stats(&self) -> Stats {
        self.record.stats(self.queue.len(), self.running.len())
    }

    /// Notes what happens from now on.
    pub(crate) fn watch(&mut self) {
        self.events.get_or_insert_default();
    }

    /// Whether a job is there.
    pub(crate) fn has(&mut self, key: Key) -> bool {
        self.jobs.get_mut(key).is_some()
    }

    /// The job of a run that is going.
    pub(crate) fn key_of(&self, run: u64) -> Option<Key> {
        Some(self.running.get(&run)?.key)
    }

    /// What happened since the last time.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        self.events.as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(crate) fn note(&mut self, event: Event) {
        if let Some(events) = &mut self.events {
            events.push(event);
        }
    }

    pub(crate) fn coalesce(&mut self, key: Key, first: Nanos, into: Nanos, count: u64) {
        if count > 0
            && self.events.is_some()
            && let Some(job) = self.name(key)
        {
            let (first, into) = (first.time(), into.time());
            self.note(Event::Coalesced { job, first, count, into });
        }
    }

    pub(crate) fn skip(
        &mut self,
        key: Key,
        first: Nanos,
        last: Nanos,
        count: u64,
        reason: SkipReason,
    ) {
        self.record.skipped += count;
        if self.events.is_some()
            && let Some(job) = self.name(key)
        {
            let (first, last) = (first.time(), last.time());
            self.note(Event::Skipped { job, first, last, count, reason });
        }
    }
}

const fn after(instant: Nanos) -> Nanos {
    Nanos(instant.0.saturating_add(1))
}

const fn before(instant: Nanos) -> Nanos {
    Nanos(instant.0.saturating_sub(1))
}
