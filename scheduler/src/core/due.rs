//! Decides about events whose time has come.

use std::collections::VecDeque;

use super::{Core, JobEntry, JobState, PendingRun, RemovedJob};
use crate::event::SkipReason;
use crate::instant::Nanos;
use crate::policy::Missed;
use crate::slots::Key;

impl Core {
    /// Makes ready what is due, the earliest first. Returns the jobs that are done without a run.
    pub(crate) fn take_due(&mut self, now: Nanos) -> Vec<RemovedJob> {
        let mut removed = Vec::new();
        while let Some((due, slot)) = self.queue.first()
            && due <= now.0
            && !self.is_closed
        {
            self.queue.remove(0, &mut self.jobs);
            let Some((key, entry)) = self.jobs.at_mut(slot) else {
                debug_assert!(false, "a job in the queue was removed");
                continue;
            };
            entry.state = JobState::Idle;
            if entry.is_recurring() {
                self.decide(key, now);
                removed.extend(self.remove_if_done(key));
            } else {
                let run = PendingRun { scheduled: entry.scheduled, coalesced: 0 };
                self.ready.push_back(entry.make_ready(key, run));
            }
        }
        removed
    }

    /// Decides about all due events of a recurring job, and waits for the next.
    fn decide(&mut self, key: Key, now: Nanos) {
        let Some(due) = self.existing(key).and_then(|entry| DueEvents::of(entry, now)) else {
            return;
        };
        let DueEvents { first, last, earlier, is_late, missed, next } = due;
        let offered = if earlier == 0 && !is_late {
            Vec::from([PendingRun { scheduled: last, coalesced: 0 }])
        } else {
            self.counters.missed += earlier + u64::from(is_late);
            match missed {
                Missed::Coalesce => Vec::from([PendingRun { scheduled: last, coalesced: earlier }]),
                Missed::Skip if is_late => {
                    self.skip(key, first, last, earlier + 1, SkipReason::Missed);
                    Vec::new()
                }
                Missed::Skip => {
                    let before = self.event_before(key, last).unwrap_or(first);
                    self.skip(key, first, before, earlier, SkipReason::Missed);
                    Vec::from([PendingRun { scheduled: last, coalesced: 0 }])
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

    /// Returns the last `max` due events, in order, and skips those before.
    fn last_events(
        &mut self,
        key: Key,
        first: Nanos,
        last: Nanos,
        earlier: u64,
        max: usize,
    ) -> Vec<PendingRun> {
        let mut runs = VecDeque::from([PendingRun { scheduled: last, coalesced: 0 }]);
        let mut before = self.event_before(key, last).filter(|event| *event >= first);
        while let Some(event) = before.filter(|_| runs.len() < max) {
            runs.push_front(PendingRun { scheduled: event, coalesced: 0 });
            before = self.event_before(key, event).filter(|event| *event >= first);
        }
        if let Some(event) = before {
            self.skip(
                key,
                first,
                event,
                (earlier + 1).saturating_sub(runs.len() as u64),
                SkipReason::Missed,
            );
        }
        runs.into()
    }

    /// Returns the event of a job before another.
    fn event_before(&mut self, key: Key, event: Nanos) -> Option<Nanos> {
        self.jobs.get_mut(key)?.source()?.last(Nanos(event.0.checked_sub(1)?))
    }
}

/// The due events of a recurring job.
struct DueEvents {
    first: Nanos,
    last: Nanos,
    /// The number of due events before the last.
    earlier: u64,
    /// Whether the last one is later than the job's grace allows.
    is_late: bool,
    missed: Missed,
    /// The first event that is not due.
    next: Option<Nanos>,
}

impl DueEvents {
    /// Returns `None` if the job has no recurrence.
    fn of(entry: &JobEntry, now: Nanos) -> Option<Self> {
        let details = entry.details.as_ref();
        debug_assert!(entry.is_recurring(), "a job that runs once has one event");
        let (details, source) = (details?, entry.source()?);
        let (first, until) = (entry.scheduled, now.before(details.delay));
        let last = source.last(until).map_or(first, |last| last.max(first));
        Some(Self {
            first,
            last,
            earlier: source.count(first, last),
            is_late: until.since(last) > details.policy.grace,
            missed: details.policy.missed,
            // A recurrence that contradicts itself and returns an earlier event would be due for
            // ever.
            next: source.next(last).filter(|next| *next > last),
        })
    }
}
