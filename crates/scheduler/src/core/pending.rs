//! [`Pending`]: the runs of a job that have not started.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::job::EventSource;
use crate::run::{RunContext, RunKind};
use crate::time::Nanos;

/// An event that will run, or several events that will run one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingRun {
    pub(super) kind: RunKind,
    pub(super) scheduled: Nanos,
    /// The number of events from `scheduled` on, at least 1. Only the first is stored; the
    /// recurrence provides the others.
    pub(super) events: u64,
    /// The number of earlier events that the run covers.
    pub(super) coalesced: u64,
    /// The attempt, counted from 1.
    pub(super) attempt: u32,
    /// The number of the run, if this is not the first attempt.
    pub(super) number: Option<u64>,
    /// The last of the events.
    pub(super) last: Nanos,
    /// When the run could start: on the job's timeline, or for a retry in elapsed time.
    pub(super) due: Nanos,
}

impl PendingRun {
    /// Returns the first attempt of the run of an event.
    pub(super) const fn new(kind: RunKind, scheduled: Nanos, due: Nanos) -> Self {
        let last = scheduled;
        Self { kind, scheduled, events: 1, coalesced: 0, attempt: 1, number: None, last, due }
    }

    /// Returns the attempt that follows another. It is not due yet.
    pub(super) const fn after(attempt: &RunContext) -> Self {
        let &RunContext { kind, scheduled, number, coalesced, .. } = attempt;
        let attempt = attempt.attempt.saturating_add(1);
        Self { coalesced, attempt, number: Some(number), ..Self::new(kind, scheduled, scheduled) }
    }
}

/// A run that is retried when its alarm goes off.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryOf {
    pub(super) number: u64,
    pub(super) run: PendingRun,
}

impl RetryOf {
    /// Returns the event of the run.
    pub(super) const fn scheduled(&self) -> Nanos {
        self.run.scheduled
    }
}

/// The ready runs of a job, followed by runs that wait for an active run to finish.
///
/// Missed events that run one by one are stored as spans, since there may be millions.
#[derive(Default)]
pub(super) struct Pending {
    /// The first span is stored inline, since most jobs never have two.
    first: Option<PendingSpan>,
    more: VecDeque<PendingSpan>,
    /// The number of events in all spans.
    events: u64,
    /// The number of ready events.
    ready: u64,
    /// The recurrences of used-up spans. They are users' values, which the caller drops without the
    /// lock.
    pub(super) unused: Vec<Arc<EventSource>>,
}

/// Events that will not run.
pub(super) struct Dropped {
    pub(super) first: Nanos,
    pub(super) last: Nanos,
    pub(super) count: u64,
}

/// One or more events.
struct PendingSpan {
    run: PendingRun,
    /// Provides the events after the first. The job may have another recurrence by now.
    source: Option<Arc<EventSource>>,
}

impl Pending {
    /// Returns the number of events that wait for an active run to finish.
    pub(super) const fn waiting(&self) -> u64 {
        self.events.saturating_sub(self.ready)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.events == 0
    }

    /// Returns the number of ready runs.
    pub(super) const fn ready(&self) -> u64 {
        self.ready
    }

    /// Gives back all memory except what one run needs.
    pub(super) fn shrink(&mut self) {
        self.more.shrink_to_fit();
        self.unused.shrink_to_fit();
    }

    /// Adds events. `source` provides those after the first.
    pub(super) fn push(&mut self, run: PendingRun, source: Option<Arc<EventSource>>) {
        self.events += run.events;
        let span = PendingSpan { run, source };
        if self.first.is_none() {
            self.first = Some(span);
        } else {
            self.more.push_back(span);
        }
    }

    /// Adds a ready run before all others.
    pub(super) fn push_ready(&mut self, run: PendingRun) {
        self.events += run.events;
        self.ready += 1;
        if let Some(second) = self.first.replace(PendingSpan { run, source: None }) {
            self.more.push_front(second);
        }
    }

    /// Makes a waiting event ready. Returns whether there was one.
    pub(super) const fn release(&mut self) -> bool {
        let has_one = self.waiting() > 0;
        self.ready += has_one as u64;
        has_one
    }

    /// Removes and returns the first event, which is ready.
    pub(super) fn take(&mut self) -> Option<PendingRun> {
        let PendingSpan { run: first, source } = self.first.as_mut()?;
        let run = PendingRun { events: 1, ..*first };
        let next = source.as_ref().filter(|_| first.events > 1);
        if let Some(next) = next.and_then(|source| source.next(first.scheduled)) {
            let later = next.0.saturating_sub(first.scheduled.0);
            first.due = Nanos(first.due.0.saturating_add(later));
            (first.scheduled, first.events, first.coalesced) = (next, first.events - 1, 0);
            self.events -= 1;
        } else {
            self.events -= first.events;
            self.unused.extend(source.take());
            self.first = self.more.pop_front();
        }
        self.ready = self.ready.saturating_sub(1).min(self.events);
        Some(run)
    }

    /// Removes and returns the events that are not ready, the last ones first.
    pub(super) fn drop_waiting(&mut self) -> Vec<Dropped> {
        let mut dropped = Vec::new();
        while let waiting @ 1.. = self.waiting()
            && let Some(PendingSpan { run, source }) = self.more.back_mut().or(self.first.as_mut())
        {
            let count = run.events.min(waiting);
            let next = |event: &Nanos| source.as_ref()?.next(*event);
            let kept = usize::try_from(run.events - count).unwrap_or(usize::MAX);
            let first = std::iter::successors(Some(run.scheduled), next).nth(kept);
            dropped.push(Dropped { first: first.unwrap_or(run.last), last: run.last, count });
            run.events -= count;
            self.events -= count;
            if run.events == 0 {
                self.unused.extend(source.take());
                if self.more.pop_back().is_none() {
                    self.first = None;
                }
            }
        }
        dropped
    }

    /// Returns the instants of the runs that are ready for another attempt.
    pub(super) fn retries(&self) -> impl Iterator<Item = Nanos> {
        let runs = self.first.iter().chain(&self.more).map(|span| &span.run);
        runs.filter(|run| run.attempt > 1).map(|run| run.scheduled)
    }

    /// Returns the number of events that have not started.
    pub(super) fn first_attempts(&self) -> u64 {
        let runs = self.first.iter().chain(&self.more).map(|span| &span.run);
        runs.filter(|run| run.attempt == 1).map(|run| run.events).sum()
    }

    /// Returns the instants of all events that have not started, at most `most`.
    pub(super) fn instants(&self, most: usize) -> Vec<Nanos> {
        let first_attempts =
            self.first.iter().chain(&self.more).filter(|span| span.run.attempt == 1);
        let events = first_attempts.flat_map(|PendingSpan { run, source }| {
            let next = |event: &Nanos| source.as_ref()?.next(*event);
            let events = std::iter::successors(Some(run.scheduled), next);
            events.take(usize::try_from(run.events).unwrap_or(usize::MAX))
        });
        events.take(most).collect()
    }
}
