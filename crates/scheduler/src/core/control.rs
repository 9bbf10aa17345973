//! Operations of handles on a job: cancel, pause, resume, trigger, reschedule.

use std::sync::Arc;
use std::time::SystemTime;

use super::entry::{Entry, Passed};
use super::pending::{PendingRun, RetryOf};
use super::table::Key;
use super::{Core, RemovedJob};
use crate::core::once::JobState;
use crate::job::{EventSource, Policy};
use crate::report::{Event, SkipReason};
use crate::run::{JobName, RunKind};
use crate::time::{Nanos, Now, Timeline};

/// The maximum number of due events to list when a job is cancelled.
const MOST_LISTED: usize = 4096;

impl Core {
    /// Removes a job and its runs that wait for a worker, and cancels the tokens of its runs in
    /// progress. Returns whether the job existed. `now` is only called if the job is observed.
    pub(crate) fn cancel(&mut self, key: Key, now: impl FnOnce() -> Now) -> bool {
        let Some(entry) = self.jobs.get_mut(key) else {
            // A plain one-shot job is removed when a worker takes its run.
            let run = self.last_runs.get(&key.serial).copied();
            let (due, _) = self.cancel_runs(run.as_slice());
            let due: Vec<SystemTime> = due.into_iter().map(Nanos::time).collect();
            let existed = !due.is_empty();
            if existed {
                let job = JobName::Number(key.serial);
                self.note(Event::Cancelled {
                    job,
                    due,
                    unlisted: 0,
                    retries: Vec::new(),
                    next: None,
                });
            }
            return existed;
        };
        let mut ready = u64::from(entry.state() == JobState::Idle);
        let mut held = (Vec::new(), Vec::new());
        if let Some(details) = entry.details() {
            ready = 0;
            if let Some(runs) = &details.runs {
                ready = runs.pending.ready();
                let running = runs.running.clone();
                held = self.cancel_runs(&running);
            }
        }
        if self.events.is_some() {
            self.note_cancelled(key, held, now());
        }
        self.leave_queue(key);
        self.take_out(key);
        self.forget_ready(usize::try_from(ready).unwrap_or(usize::MAX));
        true
    }

    /// Removes jobs, as [`cancel`](Self::cancel) does. Returns the instant up to which events belong to these
    /// jobs: now, or after a small correction of the clock, the latest of their events that has run.
    pub(crate) fn cancel_all(&mut self, keys: &[Key], now: Now) -> Nanos {
        let latest_of = |key: &Key| self.details(*key)?.latest_on_clock(now.clock);
        let clock = keys.iter().filter_map(latest_of).fold(now.clock, Nanos::max);
        for key in keys {
            self.cancel(*key, || Now { clock, ..now });
        }
        clock
    }

    /// Reports a cancelled job. `held` lists the events whose first attempts are waiting for the gate's answer, and
    /// those whose retries are.
    fn note_cancelled(&mut self, key: Key, held: (Vec<Nanos>, Vec<Nanos>), now: Now) {
        let Some(entry) = self.jobs.get_mut(key) else { return };
        let (job, is_idle) = (entry.name(), entry.state() == JobState::Idle);
        let Passed { events, mut unlisted, next } =
            entry.passed(now.on(entry.timeline()), MOST_LISTED);
        let (mut due, mut retries) = held;
        match entry.details() {
            Some(details) => {
                if let Some(runs) = &details.runs {
                    let pending = runs.pending.instants(MOST_LISTED);
                    unlisted += runs.pending.first_attempts().saturating_sub(pending.len() as u64);
                    due.extend(pending);
                    retries.extend(runs.pending.retries());
                    retries.extend(runs.retries.iter().map(RetryOf::scheduled));
                }
            }
            None => due.extend(is_idle.then(|| entry.scheduled())),
        }
        due.extend(events);
        let times = |instants: Vec<Nanos>| instants.into_iter().map(Nanos::time).collect();
        let (due, retries, next) = (times(due), times(retries), next.map(Nanos::time));
        self.note(Event::Cancelled { job, due, unlisted, retries, next });
    }

    /// Counts entries of `ready` whose job was removed. Removes such entries once they may be half of
    /// all, so that each cancellation is cheap on average.
    fn forget_ready(&mut self, entries: usize) {
        self.stale += entries;
        if entries > 0 && self.stale > self.ready.len() / 2 {
            self.stale = 0;
            let jobs = &mut self.jobs;
            self.ready.retain(|key| jobs.get_mut(*key).is_some());
        }
    }

    /// Pauses a waiting job. Returns whether it was waiting.
    pub(crate) fn pause(&mut self, key: Key) -> bool {
        if self.state(key) != Some(JobState::Waiting) {
            return false;
        }
        self.leave_queue(key);
        self.set_state(key, JobState::Paused);
        self.note_of(key, |job| Event::Paused { job });
        true
    }

    /// Lets a paused job wait for its first event after now. A one-shot job waits for the same event
    /// as before. Returns whether the job was paused.
    pub(crate) fn resume(&mut self, key: Key, now: Now) -> bool {
        if self.state(key) != Some(JobState::Paused) {
            return false;
        }
        self.note_of(key, |job| Event::Resumed { job });
        self.skip_until(key, now, SkipReason::Paused);
        self.set_state(key, JobState::Idle);
        let Some(entry) = self.jobs.get_mut(key) else { return false };
        let first = entry.scheduled();
        let next = match entry.details() {
            Some(details) if details.is_recurring() => {
                details.next(now.on(details.timeline).max(first.pred()))
            }
            _ => Some(first),
        };
        self.wait_or_remove(key, next);
        true
    }

    /// Skips the events of a waiting or paused job up to now.
    fn skip_until(&mut self, key: Key, now: Now, reason: SkipReason) {
        let Some(details) = self.details(key) else { return };
        let first = details.scheduled;
        if details.state != JobState::Idle
            && let Some(source) = details.source.as_ref()
            && let Some(last) = details.last_until(now.on(details.timeline))
            && last >= first
        {
            let count = source.count(first, last) + 1;
            self.skip(key, first, last, count, reason);
        }
    }

    /// Runs a job now, in addition to its events. A one-shot job runs now instead of later. Returns
    /// whether the job will run.
    pub(crate) fn trigger(&mut self, key: Key, now: Now) -> bool {
        let Some(entry) = self.jobs.get_mut(key).filter(|_| !self.is_closed) else { return false };
        let is_idle = entry.state() == JobState::Idle;
        match entry {
            Entry::Once(_) if is_idle => false,
            Entry::Once(_) => {
                self.leave_queue(key);
                if let Some(Entry::Once(header)) = self.jobs.get_mut(key) {
                    header.trigger(now.clock.between_events());
                }
                self.ready.push_back(key);
                true
            }
            Entry::Other(details) => {
                let is_over = details.events_left() == Some(0);
                if !details.is_recurring() && is_idle || is_over {
                    return false;
                }
                let due = now.on(details.timeline);
                let instant = details.trigger_instant(due);
                if !details.is_recurring() {
                    self.leave_queue(key);
                    self.set_state(key, JobState::Idle);
                }
                let run = PendingRun::new(RunKind::Triggered, instant, due);
                self.offer(key, run, instant, instant)
            }
        }
    }

    /// Replaces the recurrence of a job, from now on. A one-shot job runs at the first event of the
    /// new recurrence. Returns whether the job existed.
    pub(crate) fn reschedule(&mut self, key: Key, mut source: Arc<EventSource>, now: Now) -> bool {
        let Some(state) = self.state(key) else {
            self.effects.drop_later(RemovedJob::Source(source));
            return false;
        };
        let is_paused = state == JobState::Paused;
        let reason = if is_paused { SkipReason::Paused } else { SkipReason::Rescheduled };
        self.skip_until(key, now, reason);
        // Must come before a change of the timeline, which selects the queue.
        self.leave_queue(key);
        let next = match self.details(key).filter(|details| details.is_recurring()) {
            Some(details) => {
                details.convert_latest(now);
                let latest = details.latest;
                if source.is_elapsed() {
                    details.timeline = now.elapsed_timeline();
                } else {
                    details.timeline = Timeline::Clock;
                }
                if let Some(current) = &mut details.source {
                    std::mem::swap(current, &mut source);
                }
                let new = details.source.as_ref().filter(|_| details.runs_left != Some(0));
                let begin = new.and_then(|new| details.policy().begin(new, latest, now.clock));
                let after = latest.map_or(now.clock, |latest| latest.max(now.clock));
                begin.or_else(|| details.next(after))
            }
            // The only run of the job is ready or in progress.
            None if state == JobState::Idle => {
                self.effects.drop_later(RemovedJob::Source(source));
                return true;
            }
            None => {
                let policy =
                    Policy::or_default(self.details(key).and_then(|it| it.policy.as_deref()));
                let begin = policy.begin(&source, None, now.clock);
                begin.or_else(|| policy.next(&source, now.clock))
            }
        };
        self.effects.drop_later(RemovedJob::Source(source));
        self.set_state(key, JobState::Idle);
        self.note_of(key, |job| Event::Rescheduled { job, next: next.map(Nanos::time) });
        match next {
            Some(next) if is_paused => {
                if let Some(mut entry) = self.jobs.get_mut(key) {
                    entry.set_scheduled(next);
                    entry.set_state(JobState::Paused);
                }
            }
            _ => self.wait_or_remove(key, next),
        }
        true
    }

    /// Waits for the next event, if there is one. Otherwise removes the job, as soon as its runs
    /// have ended.
    fn wait_or_remove(&mut self, key: Key, next: Option<Nanos>) {
        match next {
            Some(next) => self.wait_for(key, next),
            None if matches!(self.jobs.get_mut(key), Some(Entry::Once(_))) => {
                self.note_of(key, |job| Event::Exhausted { job });
                self.take_out(key);
            }
            None => self.remove_if_done(key),
        }
    }

    fn state(&mut self, key: Key) -> Option<JobState> {
        self.jobs.get_mut(key).map(|entry| entry.state())
    }

    pub(super) fn set_state(&mut self, key: Key, state: JobState) {
        if let Some(mut entry) = self.jobs.get_mut(key) {
            entry.set_state(state);
        }
    }

    /// Returns the event that a job waits for.
    pub(crate) fn next_event(&mut self, key: Key) -> Option<Nanos> {
        let entry = self.jobs.get_mut(key)?;
        (entry.state() == JobState::Waiting).then(|| entry.scheduled())
    }

    /// Returns the jobs with a tag, in the order in which they were added.
    pub(crate) fn tagged(&self, tag: &str) -> Vec<Key> {
        self.tags.get(tag).map_or_else(Vec::new, |keys| keys.iter().copied().collect())
    }

    /// Returns the job with a name.
    pub(crate) fn named(&self, name: &str) -> Option<Key> {
        self.names.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use millicron::every;

    use super::*;
    use crate::job::Job;

    const NOW: Now = Now { clock: Nanos(0), elapsed: Nanos(0) };
    const DUE: Nanos = Nanos(1);

    fn add(core: &mut Core) -> Key {
        core.add_once(Job::new(|_| ()), DUE, || NOW).expect("the job is added")
    }

    /// Changes jobs that are due at the same instant, in a random order. Returns the largest number of entries in the
    /// queue.
    fn most_entries(mut change: impl FnMut(&mut Core, &mut Key)) -> usize {
        let mut core = Core::new(None, false, false);
        let mut keys: Vec<Key> = (0..100).map(|_| add(&mut core)).collect();
        let (mut most, mut random) = (0, 1_u64);
        for _ in 0..100_000 {
            // The generator of PCG, whose highest bits are good.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let place = usize::try_from((random >> 40) % 100).expect("it is below 100");
            change(&mut core, &mut keys[place]);
            drop(core.take_effects());
            most = most.max(core.by_clock.len());
        }
        assert!(core.take_due(Now { clock: DUE, elapsed: DUE }, 999));
        assert_eq!(core.ready(), 100, "each is due once");
        most
    }

    #[test]
    fn a_job_that_waits_for_the_same_instant_again_and_again_has_few_entries() {
        let resumed = most_entries(|core, key| {
            assert!(core.pause(*key) && core.resume(*key, NOW));
        });
        let replaced = most_entries(|core, key| {
            assert!(core.cancel(*key, || NOW));
            *key = add(core);
        });
        assert!(resumed.max(replaced) <= 200, "{resumed}, {replaced}");
    }

    #[test]
    fn ready_runs_of_cancelled_jobs_are_at_most_half_of_all() {
        let now = Now { clock: DUE, elapsed: DUE };
        let mut core = Core::new(None, false, false);
        for _ in 0..100 {
            add(&mut core);
        }
        for _ in 0..1000 {
            let key = add(&mut core);
            assert!(core.take_due(now, 999));
            assert!(core.cancel(key, || now));
            drop(core.take_effects());
            assert_eq!(core.stats().ready, 100);
            assert!(core.ready.len() <= 200, "{}", core.ready.len());
        }
    }

    #[test]
    fn a_cancelled_job_lists_the_first_of_its_passed_events_and_counts_the_others() {
        let mut core = Core::new(None, true, false);
        let added = EventSource::of(every(1).seconds(), Job::new(|_| ()), NOW);
        let (source, job) = added.expect("it is valid");
        let key = core.add(job, source, NOW).expect("the job is added");
        let later = Nanos::from(Duration::from_secs(5000));
        assert!(core.cancel(key, || Now { clock: later, elapsed: later }));
        drop(core.take_effects());
        let events = core.take_events();
        let Some(Event::Cancelled { due, unlisted, .. }) = events.back() else {
            panic!("the job is cancelled last: {events:?}")
        };
        assert_eq!((due.len(), *unlisted), (MOST_LISTED, 5000 - MOST_LISTED as u64));
    }
}
