//! [`Alarms`]: when runs time out and when they are attempted again, by elapsed time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::Core;
use super::entry::Entry;
use super::pending::PendingRun;
use super::runs::Runs;
use super::table::{Key, Table};
use crate::event::Event;
use crate::instant::{Nanos, Now};

/// What happens some time after a run has started or ended.
#[derive(Default)]
pub(super) struct Alarms {
    heap: BinaryHeap<Reverse<Alarm>>,
    /// The number of time-outs whose run has ended.
    unwanted: usize,
    set: u64,
    /// Whether one was set before all others, for which the timer may have to wake sooner.
    is_sooner: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Alarm {
    due: Nanos,
    number: u64,
    purpose: Purpose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Purpose {
    TimeOut { run: u64 },
    Retry { key: Key },
}

/// A run that is attempted again when its alarm goes off.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryOf {
    alarm: u64,
    run: PendingRun,
}

impl Alarms {
    /// Sets an alarm. Returns its number.
    fn set(&mut self, due: Nanos, purpose: Purpose) -> u64 {
        self.set += 1;
        self.is_sooner |= self.heap.peek().is_none_or(|Reverse(first)| due < first.due);
        self.heap.push(Reverse(Alarm { due, number: self.set, purpose }));
        self.set
    }

    /// Returns when the first alarm goes off.
    pub(super) fn first(&mut self, runs: &Runs, jobs: &mut Table) -> Option<Nanos> {
        loop {
            let Reverse(alarm) = self.heap.peek()?;
            if alarm.is_wanted(runs, jobs) {
                return Some(alarm.due);
            }
            self.unwanted = self.unwanted.saturating_sub(1);
            self.heap.pop();
        }
    }

    /// Returns whether an alarm was set before all others since the last call.
    pub(super) const fn take_sooner(&mut self) -> bool {
        std::mem::replace(&mut self.is_sooner, false)
    }

    /// Records that a number of alarms are no longer wanted.
    pub(super) fn forget(&mut self, count: usize, runs: &Runs, jobs: &mut Table) {
        self.unwanted += count;
        if self.unwanted > self.heap.len() / 2 {
            self.unwanted = 0;
            self.heap.retain(|Reverse(alarm)| alarm.is_wanted(runs, jobs));
        }
    }
}

impl Alarm {
    fn is_wanted(&self, runs: &Runs, jobs: &mut Table) -> bool {
        match self.purpose {
            Purpose::TimeOut { run } => runs.get(run).is_some(),
            Purpose::Retry { key } => {
                let details = jobs.get_mut(key).and_then(Entry::into_details);
                details.is_some_and(|it| it.retries.iter().any(|it| it.alarm == self.number))
            }
        }
    }
}

impl Core {
    /// Limits the time of a run that has just started.
    pub(super) fn set_time_out(&mut self, run: u64, limit: Duration, now: Now) {
        self.alarms.set(now.elapsed.after(limit), Purpose::TimeOut { run });
    }

    /// Attempts a run again after a while.
    pub(super) fn set_retry(&mut self, key: Key, run: PendingRun, wait: Duration, now: Now) {
        let due = now.elapsed.after(wait);
        let alarm = self.alarms.set(due, Purpose::Retry { key });
        if let Some(details) = self.details(key) {
            details.retries.push(RetryOf { alarm, run: PendingRun { due, ..run } });
        }
    }

    /// Does what the next alarm that has gone off is for. Returns whether there was one.
    pub(super) fn ring(&mut self, now: Now) -> bool {
        if self.alarms.first(&self.runs, &mut self.jobs).is_none_or(|due| due > now.elapsed) {
            return false;
        }
        let Some(Reverse(Alarm { number, purpose, .. })) = self.alarms.heap.pop() else {
            return false;
        };
        match purpose {
            Purpose::TimeOut { run } => self.time_out(run),
            Purpose::Retry { key } => self.try_again(key, number),
        }
        true
    }

    fn time_out(&mut self, id: u64) {
        let Some(run) = self.runs.get_mut(id) else { return };
        run.has_timed_out = true;
        let (key, context) = (run.key, run.context.clone());
        self.counters.timed_out += 1;
        self.effects.tokens.push(context.token.clone());
        let Some(details) = self.details(key) else { return };
        let (limit, abandons) =
            (details.policy().timeout.unwrap_or_default(), details.policy().abandons);
        if self.events.is_some() {
            self.note(Event::TimedOut { run: context, limit });
        }
        if abandons && let Some(run) = self.runs.get_mut(id) {
            run.is_abandoned = true;
            self.end_active(key);
        }
    }

    fn try_again(&mut self, key: Key, alarm: u64) {
        let Some(details) = self.details(key) else { return };
        let Some(place) = details.retries.iter().position(|retry| retry.alarm == alarm) else {
            return;
        };
        let RetryOf { run, .. } = details.retries.swap_remove(place);
        details.pending.push_ready(run);
        self.ready.push_back(key);
    }

    /// Gives up the retries that end with the next event of a job.
    pub(super) fn give_up_retries(&mut self, key: Key) {
        let Some(details) = self.details(key) else { return };
        if details.policy().retry.is_some_and(|retry| retry.ends_at_next_event) {
            let count = details.retries.len();
            details.active -= count;
            details.retries.clear();
            self.alarms.forget(count, &self.runs, &mut self.jobs);
        }
    }
}
