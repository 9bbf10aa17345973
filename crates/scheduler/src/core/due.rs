//! Decides how to handle events that are due.

use super::entry::JobEntry;
use super::pending::PendingRun;
use super::table::Key;
use super::{Core, Entry, SMALL_SET_BACK};
use crate::core::once::JobState;
use crate::job::{MissedEvents, SetBack};
use crate::report::{Event, SkipReason};
use crate::run::RunKind;
use crate::time::{Nanos, Now, Timeline};

impl Core {
    /// Handles due alarms and jobs, the earliest job first, at most `most` in total. Returns whether
    /// that was all.
    pub(crate) fn take_due(&mut self, now: Now, most: usize) -> bool {
        if self.is_closed {
            return true;
        }
        self.notice_set_back(now);
        // Not when the first jobs of a burst are due: sorting a million would delay them.
        if std::mem::take(&mut self.is_burst) {
            self.by_clock.sort_due(now.clock.0);
            self.by_elapsed.sort_due(now.elapsed.0);
        }
        for _ in 0..most {
            if self.handle_alarm(now) {
                continue;
            }
            let Some(key) = self.pop_due(now) else { return true };
            self.take(key, now);
        }
        self.is_burst = true;
        false
    }

    /// Makes a job ready if it is due, before a handle changes it.
    pub(crate) fn settle(&mut self, key: Key, now: Now) {
        self.notice_set_back(now);
        let Some(entry) = self.jobs.get_mut(key).filter(|_| !self.is_closed) else { return };
        if entry.state() == JobState::Waiting && entry.due() <= now.on(entry.timeline()) {
            self.leave_queue(key);
            self.take(key, now);
        }
    }

    /// Makes a due job ready, which has left its queue.
    fn take(&mut self, key: Key, now: Now) {
        match self.jobs.get_mut(key) {
            Some(Entry::Other(details)) if details.is_recurring() => self.decide(key, now),
            Some(Entry::Other(_)) => self.decide_once(key, now),
            _ => self.ready.push_back(key),
        }
    }

    /// Removes the job that has been due for longest from its queue.
    fn pop_due(&mut self, now: Now) -> Option<Key> {
        let overdue = |first: Option<Nanos>, now: Nanos| {
            first.filter(|due| *due <= now).map(|due| now.since(due))
        };
        let by_clock = overdue(self.first_of(false), now.clock);
        let by_elapsed = overdue(self.first_of(true), now.elapsed);
        let queue = match (by_clock, by_elapsed) {
            (None, None) => return None,
            _ if by_elapsed > by_clock => &mut self.by_elapsed,
            _ => &mut self.by_clock,
        };
        let first = queue.pop()?;
        self.waiting -= 1;
        let (key, mut entry) = self.jobs.at_mut(first.owner)?;
        entry.set_state(JobState::Idle);
        Some(key)
    }

    /// Decides how to handle the event of a one-shot job with policies.
    fn decide_once(&mut self, key: Key, now: Now) {
        let Some(details) = self.details(key) else { return };
        let scheduled = details.scheduled;
        let is_late = now.clock.since(details.due()) > details.policy().grace;
        let due = DueEvents { first: scheduled, last: scheduled, earlier: 0, is_late };
        self.stats.missed += self.handle_due(key, due);
        self.remove_if_done(key);
    }

    /// Decides how to handle all due events of a recurring job, and waits for the next event.
    fn decide(&mut self, key: Key, now: Now) {
        let Some(details) = self.details(key) else { return };
        let Some((due, next)) = due_events(details, now) else { return };
        if details.has_retries() {
            self.give_up_retries(key);
            if self.details(key).is_some_and(|details| details.runs_left == Some(0)) {
                // A run that waited for a retry is the job's last.
                let DueEvents { first, last, earlier, .. } = due;
                return self.skip(key, first, last, earlier + 1, SkipReason::MostRuns);
            }
        }
        self.stats.missed += due.earlier + u64::from(due.is_late);
        self.handle_due(key, due);
        let Some(details) = self.details(key) else { return };
        details.latest = details.latest.max(Some(due.last));
        // The run may be the last that the job's limit permits.
        match next.filter(|_| details.runs_left != Some(0)) {
            Some(next) => self.wait_for(key, next),
            None => self.remove_if_done(key),
        }
    }

    /// Skips, coalesces or offers due events, by the job's policy for missed events. Returns how many are
    /// skipped.
    fn handle_due(&mut self, key: Key, due: DueEvents) -> u64 {
        let DueEvents { first, last, earlier, is_late } = due;
        let Some(details) = self.details(key) else { return 0 };
        let handled = details.policy().missed.handle(earlier + 1, is_late);
        let MissedEvents { skipped, coalesced, run } = handled;
        // The last event that is skipped, and the first one that is not.
        let (before, from) = match (coalesced + run, &details.source) {
            (0, _) => (last, last),
            (kept, Some(source)) if skipped > 0 => {
                let from = source.nth_last(last, kept - 1).map_or(last, |from| from.max(first));
                (source.last(from.pred()).unwrap_or(first).max(first), from)
            }
            _ => (first, first),
        };
        let scheduled = if coalesced > 0 { last } else { from };
        let due = details.due_of(scheduled);
        let pending = PendingRun::new(RunKind::Scheduled, scheduled, due);
        let pending = PendingRun { events: run, coalesced, last, ..pending };
        if skipped > 0 {
            self.skip(key, first, before, skipped, SkipReason::Missed);
        }
        if run > 0 {
            self.offer(key, pending, from, last);
        }
        skipped
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

/// The due events of a job.
#[derive(Clone, Copy)]
struct DueEvents {
    first: Nanos,
    last: Nanos,
    /// The number of due events before the last.
    earlier: u64,
    /// Whether the last due event is later than the job's grace period allows.
    is_late: bool,
}

/// Returns the due events of a recurring job, and the first event that is not due. Returns `None` if the
/// job has no recurrence.
fn due_events(details: &JobEntry, now: Now) -> Option<(DueEvents, Option<Nanos>)> {
    let source = details.source.as_ref()?;
    let (first, until) = (details.scheduled, details.scheduled_of(now.on(details.timeline)));
    let mut last = first;
    // A faulty recurrence that returns an earlier event would be due forever.
    let mut next = details.next(first).filter(|next| *next > first);
    // Usually only one event is due.
    if next.is_some_and(|next| next <= until) {
        last = details.last_until(until).map_or(first, |last| last.max(first));
        next = details.next(last).filter(|next| *next > last);
    }
    let earlier = if last > first { source.count(first, last) } else { 0 };
    let is_late = until.since(last) > details.policy().grace;
    Some((DueEvents { first, last, earlier, is_late }, next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;

    #[test]
    fn a_job_that_a_handle_changes_when_it_is_due_has_its_run() {
        let at = |nanos| Now { clock: Nanos(nanos), elapsed: Nanos(nanos) };
        let mut core = Core::new(None, false, false);
        let key = core.add_once(Job::new(|_| ()), Nanos(40), || at(0)).expect("the job is added");
        core.settle(key, at(39));
        assert_eq!(core.ready(), 0);
        core.settle(key, at(40));
        assert_eq!(core.ready(), 1);
        assert!(!core.pause(key), "it no longer waits");
    }
}
