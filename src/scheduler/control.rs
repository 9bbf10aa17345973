//! What is done to jobs from outside: [`Core`]'s other half.

use std::boxed::Box;
use std::vec::Vec;

use super::core::{Core, Entry, More, Ready, Remains, Run, State};
use super::event::{Event, Reason};
use super::instant::Nanos;
use super::job::{Fire, JobName};
use super::queue::Queue;
use super::slots::{Key, Slots};
use super::stats::Stats;
use super::timetable::Timetable;

/// What a job leaves behind that had nothing to come when it was resumed.
#[must_use]
pub(super) struct Resumed {
    _remains: Option<Remains>,
}

/// What a job that was given another timetable leaves behind.
#[must_use]
pub(super) struct Replaced {
    _timetable: Option<Box<dyn Timetable>>,
    _remains: Option<Remains>,
}

impl Core {
    /// Takes out a job, and tells its runs to end.
    pub(super) fn cancel(&mut self, key: Key) -> Option<Remains> {
        self.leave_queue(key);
        let entry = self.jobs.remove(key)?;
        for running in self.running.values().filter(|running| running.key == key) {
            running.fire.token.cancel();
        }
        if self.events.is_some() {
            let is_waiting = matches!(entry.state, State::Waiting);
            let next = is_waiting.then(|| entry.scheduled.time());
            let queued = entry.more.iter().flat_map(|more| &more.queued);
            let ready = self.ready.iter().filter(|ready| ready.key == key).map(|it| &it.run);
            let due = ready.chain(queued).map(|run| run.scheduled.time()).collect();
            self.note(Event::Cancelled { job: entry.name(key), due, next });
        }
        Some(Remains { _entry: entry })
    }

    /// Lets a job wait for nothing. Its events are skipped until it is resumed.
    pub(super) fn pause(&mut self, key: Key) -> bool {
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
    pub(super) fn resume(&mut self, key: Key, now: Nanos) -> Option<Resumed> {
        let Some(State::Paused) = self.state(key) else { return None };
        self.set_state(key, State::Idle);
        let entry = self.jobs.get_mut(key)?;
        let first = entry.scheduled;
        let Some(timetable) = entry.more.as_ref().and_then(|more| more.timetable.as_ref()) else {
            self.wait_for(key, first);
            return Some(Resumed { _remains: None });
        };
        let next = timetable.next(now.time().max(before(first).time())).map(Nanos::from);
        let last = timetable.last(now.time()).map(Nanos::from).filter(|last| *last >= first);
        let missed = last.map(|last| (last, timetable.count(first.time(), last.time()) + 1));
        if let Some(job) = self.name(key) {
            self.note(Event::Resumed { job });
        }
        if let Some((last, count)) = missed {
            self.skip(key, first, last, count, Reason::Paused);
        }
        Some(Resumed { _remains: self.go_on(key, next) })
    }

    /// Lets a job run now, whatever it waits for. Returns whether it will.
    pub(super) fn trigger(&mut self, key: Key, now: Nanos) -> bool {
        let run = Run { scheduled: now, coalesced: 0 };
        let is_plain = self.jobs.get_mut(key).is_some_and(|entry| entry.more.is_none());
        if is_plain {
            // It runs once: now, in place of later.
            if !matches!(self.state(key), Some(State::Waiting | State::Paused)) {
                return false;
            }
            self.leave_queue(key);
            self.set_state(key, State::Idle);
            self.ready.push_back(Ready { key, run });
            return true;
        }
        self.offer(key, run, false)
    }

    /// Gives a job another timetable, from an instant on. Returns whether it was
    /// there, and what is to be dropped.
    pub(super) fn reschedule(
        &mut self,
        key: Key,
        timetable: Box<dyn Timetable>,
        now: Nanos,
    ) -> Option<Replaced> {
        let is_paused = matches!(self.state(key)?, State::Paused);
        self.leave_queue(key);
        let next = timetable.next(now.time()).map(Nanos::from);
        let entry = self.jobs.get_mut(key)?;
        let more = entry.more.get_or_insert_with(|| Box::new(More::default()));
        let timetable = more.timetable.replace(timetable);
        self.set_state(key, State::Idle);
        if let Some(job) = self.name(key) {
            self.note(Event::Rescheduled { job, next: next.map(Nanos::time) });
        }
        match next {
            Some(next) if is_paused => {
                if let Some(entry) = self.jobs.get_mut(key) {
                    (entry.scheduled, entry.state) = (next, State::Paused);
                }
            }
            Some(_) | None => {
                let remains = self.go_on(key, next);
                return Some(Replaced { _timetable: timetable, _remains: remains });
            }
        }
        Some(Replaced { _timetable: timetable, _remains: None })
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
    pub(super) fn next_event(&mut self, key: Key) -> Option<Nanos> {
        let entry = self.jobs.get_mut(key)?;
        matches!(entry.state, State::Waiting).then_some(entry.scheduled)
    }

    pub(super) fn name(&mut self, key: Key) -> Option<JobName> {
        Some(self.jobs.get_mut(key)?.name(key))
    }

    /// Nothing starts any more.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Takes out all jobs.
    pub(super) fn clear(&mut self) -> Slots<Entry> {
        self.queue = Queue::default();
        std::mem::take(&mut self.jobs)
    }

    pub(super) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Tells all runs to end, and returns which these are.
    pub(super) fn interrupt(&self) -> Vec<Fire> {
        let fires = self.running.values().map(|running| running.fire.clone());
        let fires: Vec<Fire> = fires.collect();
        for fire in &fires {
            fire.token.cancel();
        }
        fires
    }

    pub(super) fn stats(&self) -> Stats {
        self.record.stats(self.queue.len(), self.running.len())
    }

    /// Notes what happens from now on.
    pub(super) fn watch(&mut self) {
        self.events.get_or_insert_default();
    }

    /// The job of a run that is going.
    pub(super) fn key_of(&self, run: u64) -> Option<Key> {
        Some(self.running.get(&run)?.key)
    }

    /// What happened since the last time.
    pub(super) fn take_events(&mut self) -> Vec<Event> {
        self.events.as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(super) fn note(&mut self, event: Event) {
        if let Some(events) = &mut self.events {
            events.push(event);
        }
    }

    pub(super) fn coalesce(&mut self, key: Key, first: Nanos, into: Nanos, count: u64) {
        if count > 0
            && self.events.is_some()
            && let Some(job) = self.name(key)
        {
            let (first, into) = (first.time(), into.time());
            self.note(Event::Coalesced { job, first, count, into });
        }
    }

    pub(super) fn skip(&mut self, key: Key, first: Nanos, last: Nanos, count: u64, reason: Reason) {
        self.record.skipped += count;
        if self.events.is_some()
            && let Some(job) = self.name(key)
        {
            let (first, last) = (first.time(), last.time());
            self.note(Event::Skipped { job, first, last, count, reason });
        }
    }
}

const fn before(instant: Nanos) -> Nanos {
    Nanos(instant.0.saturating_sub(1))
}
