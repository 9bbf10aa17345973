//! [`Alarms`]: time-outs and retries of runs, by elapsed time.

use std::time::Duration;

use super::Core;
use super::entry::Entry;
use super::pending::{PendingRun, RetryOf};
use super::runs::Runs;
use super::table::{Key, Table};
use crate::core::queue::Queue;
use crate::report::Event;
use crate::run::RunId;
use crate::time::{Nanos, Now};

/// Time-outs and retries, which happen some time after a run has started or ended.
#[derive(Default)]
pub(super) struct Alarms {
    queue: Queue<Alarm>,
    /// The number of retries so far.
    retries: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Alarm {
    TimeOut { run: RunId },
    Retry { key: Key, number: u64 },
}

impl Alarms {
    /// Returns when the first alarm goes off.
    pub(super) fn first(&mut self, runs: &Runs, jobs: &mut Table) -> Option<Nanos> {
        let first = self.queue.first(|node| node.owner.is_wanted(runs, jobs))?;
        Some(Nanos(first.due))
    }

    /// Records that a number of alarms are no longer wanted.
    pub(super) fn forget(&mut self, count: usize, runs: &Runs, jobs: &mut Table) {
        self.queue.forget(count, |node| node.owner.is_wanted(runs, jobs));
    }

    /// Limits the time of a run that has just started. Returns whether its alarm is the first.
    pub(super) fn set_time_out(&mut self, run: RunId, limit: Duration, now: Now) -> bool {
        self.queue.push(now.elapsed.after(limit).0, Alarm::TimeOut { run })
    }
}

impl Alarm {
    fn is_wanted(self, runs: &Runs, jobs: &mut Table) -> bool {
        match self {
            Self::TimeOut { run } => runs.contains_key(run),
            Self::Retry { key, number } => {
                let details = jobs.get_mut(key).and_then(Entry::into_details);
                let runs = details.and_then(|details| details.runs.as_ref());
                runs.is_some_and(|it| it.retries.iter().any(|it| it.number == number))
            }
        }
    }
}

impl Core {
    /// Sets an alarm to retry a run after `wait`.
    pub(super) fn set_retry(&mut self, key: Key, run: PendingRun, wait: Duration, now: Now) {
        let due = now.elapsed.after(wait);
        self.alarms.retries += 1;
        let number = self.alarms.retries;
        self.is_sooner |= self.alarms.queue.push(due.0, Alarm::Retry { key, number });
        if let Some(runs) = self.runs_of(key) {
            runs.retries.push(RetryOf { number, run: PendingRun { due, ..run } });
        }
    }

    /// Handles the next alarm that has gone off. Returns whether there was one.
    pub(super) fn handle_alarm(&mut self, now: Now) -> bool {
        if self.alarms.first(&self.runs, &mut self.jobs).is_none_or(|due| due > now.elapsed) {
            return false;
        }
        match self.alarms.queue.pop().map(|node| node.owner) {
            Some(Alarm::TimeOut { run }) => self.time_out(run),
            Some(Alarm::Retry { key, number }) => self.try_again(key, number),
            None => return false,
        }
        true
    }

    fn time_out(&mut self, id: RunId) {
        let Some(run) = self.runs.get_mut(id) else { return };
        let Some(limit) = run.limit else { return };
        run.has_timed_out = true;
        let (key, context) = (run.key, run.context.clone());
        self.stats.timed_out += 1;
        self.effects.tokens.push(context.token.clone());
        if self.events.is_some() {
            self.note(Event::TimedOut { run: context.clone(), limit });
        }
        let abandons = self.details(key).is_some_and(|details| details.policy().abandons);
        if abandons && let Some(run) = self.runs.get_mut(id) {
            run.is_abandoned = true;
            self.give_up(key, context);
            self.end_active(key);
        }
    }

    fn try_again(&mut self, key: Key, number: u64) {
        let Some(runs) = self.runs_of(key) else { return };
        let Some(place) = runs.retries.iter().position(|retry| retry.number == number) else {
            return;
        };
        let RetryOf { run, .. } = runs.retries.swap_remove(place);
        runs.pending.push_ready(run);
        self.ready.push_back(key);
    }

    /// Gives up the waiting retries of a job whose policy ends them at the next event. A run that waited for
    /// them may start.
    pub(super) fn give_up_retries(&mut self, key: Key) {
        let Some(details) = self.details(key) else { return };
        if details.policy().retry.is_none_or(|retry| !retry.ends_at_next_event) {
            return;
        }
        let Some(runs) = &mut details.runs else { return };
        let given_up = std::mem::take(&mut runs.retries);
        runs.active = runs.active.saturating_sub(given_up.len());
        self.alarms.forget(given_up.len(), &self.runs, &mut self.jobs);
        let retries = || given_up.iter().map(|retry| retry.scheduled().time()).collect();
        self.note_of(key, |job| Event::RetriesCancelled { job, retries: retries() });
        self.release(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Job, Retry};
    use crate::run::Outcome;

    #[test]
    fn alarms_of_ended_runs_and_cancelled_jobs_leave_the_queue() {
        let now = Now { clock: Nanos(0), elapsed: Nanos(0) };
        let hour = Duration::from_hours(1);
        let failed = Outcome::Failed("an error".to_owned());
        let mut core = Core::new(None, false, false);
        for (job, outcome) in [
            (Job::new(|_| ()).timeout(hour), Outcome::Succeeded),
            (Job::new(|_| ()).retry(Retry::constant(hour)), failed),
        ] {
            let is_retried = !outcome.is_success();
            let key = core.add_once(job, Nanos(0), || now).expect("the job is added");
            assert!(core.take_due(now, 9));
            let run = core.start(now).expect("it is due");
            assert_eq!(core.alarms.queue.len(), usize::from(!is_retried), "its time-out");
            drop(core.finish(run.id, outcome, now));
            assert_eq!(core.alarms.queue.len(), usize::from(is_retried), "its retry");
            assert_eq!(core.cancel(key, || now), is_retried, "the other job has ended");
            assert_eq!(core.alarms.queue.len(), 0);
            drop(core.take_effects());
        }
    }
}
