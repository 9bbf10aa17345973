//! Decides how to handle events that are due.

use super::entry::JobEntry;
use super::pending::PendingRun;
use super::table::Key;
use super::{Core, Entry, SMALL_SET_BACK};
use crate::core::once::JobState;
use crate::job::policy::{Missed, SetBack};
use crate::report::event::{Event, SkipReason};
use crate::run::RunKind;
use crate::time::instant::{Nanos, Now, Timeline};

impl Core {
    /// Handles due alarms and jobs, the earliest job first, at most `most` in total. Returns whether
    /// that was all.
    pub(crate) fn take_due(&mut self, now: Now, most: usize) -> bool {
        if self.is_closed {
            return true;
        }
        self.notice_set_back(now);
        for _ in 0..most {
            if self.ring(now) {
                continue;
            }
            let Some(key) = self.pop_due(now) else { return true };
            self.take(key, now);
        }
        false
    }

    /// Makes a job ready if it is due, before a handle changes it.
    pub(crate) fn settle(&mut self, key: Key, now: Now) {
        self.notice_set_back(now);
        let Some(entry) = self.jobs.get_mut(key).filter(|_| !self.is_closed) else { return };
        let due = entry.details().map_or_else(|| entry.scheduled(), |details| details.due);
        if entry.state() == JobState::Waiting && due <= now.on(entry.timeline()) {
            self.leave_queue(key);
            self.take(key, now);
        }
    }

    /// Makes a due job ready, which has left its queue.
    fn take(&mut self, key: Key, now: Now) {
        match self.jobs.get_mut(key) {
            Some(Entry::Other(details)) if details.is_recurring() => {
                self.decide(key, now);
                self.remove_if_done(key);
            }
            Some(Entry::Other(_)) => self.decide_once(key, now),
            _ => self.ready.push_back(key),
        }
    }

    /// Removes the job that has been due for longest from its queue.
    fn pop_due(&mut self, now: Now) -> Option<Key> {
        let overdue = |first: Option<(Key, Nanos)>, now: Nanos| {
            first.filter(|(_, due)| *due <= now).map(|(key, due)| (now.since(due), key))
        };
        let by_clock = overdue(self.first_of(false), now.clock);
        let by_elapsed = overdue(self.first_of(true), now.elapsed);
        let is_elapsed = by_elapsed.map(|(time, _)| time) > by_clock.map(|(time, _)| time);
        let (queue, first) = if is_elapsed {
            (&mut self.by_elapsed, by_elapsed)
        } else {
            (&mut self.by_clock, by_clock)
        };
        let (_, key) = first?;
        queue.pop();
        self.waiting -= 1;
        self.jobs.get_mut(key)?.set_state(JobState::Idle);
        Some(key)
    }

    /// Decides how to handle the event of a one-shot job with policies.
    fn decide_once(&mut self, key: Key, now: Now) {
        let Some(details) = self.details(key) else { return };
        let (scheduled, due) = (details.scheduled, details.due);
        let is_late = now.clock.since(due) > details.policy().grace;
        if is_late && details.policy().missed == Missed::Skip {
            self.counters.missed += 1;
            self.skip(key, scheduled, scheduled, 1, SkipReason::Missed);
            self.remove_if_done(key);
        } else {
            self.offer(
                key,
                PendingRun::new(RunKind::Scheduled, scheduled, due),
                scheduled,
                scheduled,
            );
        }
    }

    /// Decides how to handle all due events of a recurring job, and waits for the next event.
    fn decide(&mut self, key: Key, now: Now) {
        self.give_up_retries(key);
        let Some(due) = self.details(key).and_then(|details| DueEvents::of(details, now)) else {
            return;
        };
        let DueEvents { first, last, earlier, is_late, missed, due, next } = due;
        let run = PendingRun::new(RunKind::Scheduled, last, due);
        if earlier == 0 && !is_late {
            self.offer(key, run, last, last);
        } else {
            self.counters.missed += earlier + u64::from(is_late);
            match missed {
                Missed::Coalesce => {
                    self.offer(key, PendingRun { coalesced: earlier, ..run }, first, last);
                }
                Missed::Skip if is_late => {
                    self.skip(key, first, last, earlier + 1, SkipReason::Missed);
                }
                Missed::Skip => {
                    let before = self.event_before(key, last).unwrap_or(first);
                    self.skip(key, first, before, earlier, SkipReason::Missed);
                    self.offer(key, run, last, last);
                }
                Missed::All { max } => self.offer_last(key, run, first, earlier, max),
            }
        }
        // The run may be the last that the job's limit permits.
        if let Some(details) = self.details(key)
            && details.runs_left != Some(0)
        {
            details.latest = details.latest.max(Some(last));
            if let Some(next) = next {
                self.wait_for(key, next);
            }
        }
    }

    /// Offers the last `max` due events, in order, and skips earlier ones. `last` is the last due
    /// event.
    fn offer_last(&mut self, key: Key, last: PendingRun, first: Nanos, earlier: u64, max: usize) {
        let events = (earlier + 1).min(u64::try_from(max.max(1)).unwrap_or(u64::MAX));
        let until = last.scheduled;
        let from = if events > earlier {
            first
        } else {
            let source = self.details(key).and_then(|details| details.source.as_ref());
            let from = source.and_then(|source| source.nth_last(until, events - 1));
            from.map_or(until, |from| from.max(first))
        };
        if events <= earlier {
            let before = self.event_before(key, from).unwrap_or(first).max(first);
            self.skip(key, first, before, earlier + 1 - events, SkipReason::Missed);
        }
        let Some(details) = self.details(key) else { return };
        let due = details.due_of(from);
        let run = PendingRun { scheduled: from, events, due, ..last };
        self.offer(key, run, from, until);
    }

    /// Returns the event of a job that precedes `event`.
    fn event_before(&mut self, key: Key, event: Nanos) -> Option<Nanos> {
        self.details(key)?.source.as_ref()?.last(event.pred())
    }

    /// Notices that the clock was set back. Jobs that repeat events then wait for the first event to
    /// repeat.
    fn notice_set_back(&mut self, now: Now) {
        if now.clock >= self.seen {
            self.seen = now.clock;
            self.latest = self.latest.max(now.clock);
            return;
        }
        if self.seen.since(now.clock) <= SMALL_SET_BACK {
            return;
        }
        self.seen = now.clock;
        self.note(Event::ClockSetBack { by: self.latest.since(now.clock) });
        if self.repeating > 0 {
            for slot in 0..self.jobs.slots() {
                self.repeat(slot, now);
            }
        }
    }

    /// Lets a job wait for its first event after now, if it repeats events after the clock is set
    /// back.
    fn repeat(&mut self, slot: u32, now: Now) {
        let Some((key, Entry::Other(details))) = self.jobs.at_mut(slot) else { return };
        if details.policy().set_back != SetBack::Repeat
            || details.timeline != Timeline::Clock
            || details.state == JobState::Idle
            || !details.is_recurring()
        {
            return;
        }
        details.latest = None;
        // An event that is delayed only by jitter comes first.
        let next = details.next(now.clock).filter(|next| *next < details.scheduled);
        match next {
            Some(next) if details.state == JobState::Paused => details.scheduled = next,
            Some(next) => {
                self.leave_queue(key);
                self.wait_for(key, next);
            }
            None => {}
        }
    }
}

/// The due events of a recurring job.
struct DueEvents {
    first: Nanos,
    last: Nanos,
    /// The number of due events before the last.
    earlier: u64,
    /// Whether the last due event is later than the job's grace period allows.
    is_late: bool,
    missed: Missed,
    /// When the last due event was due.
    due: Nanos,
    /// The first event that is not due.
    next: Option<Nanos>,
}

impl DueEvents {
    /// Returns `None` if the job has no recurrence.
    fn of(details: &JobEntry, now: Now) -> Option<Self> {
        let source = details.source.as_ref()?;
        let (first, until) = (details.scheduled, now.on(details.timeline).before(details.delay));
        let mut last = first;
        // A faulty recurrence that returns an earlier event would be due forever.
        let mut next = details.next(first).filter(|next| *next > first);
        // Usually only one event is due.
        if next.is_some_and(|next| next <= until) {
            last = details.last_until(until).map_or(first, |last| last.max(first));
            next = details.next(last).filter(|next| *next > last);
        }
        Some(Self {
            first,
            last,
            earlier: if last > first { source.count(first, last) } else { 0 },
            is_late: until.since(last) > details.policy().grace,
            missed: details.policy().missed,
            due: details.due_of(last),
            next,
        })
    }
}
