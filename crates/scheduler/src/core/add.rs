//! Accepts or refuses jobs.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use millicron::{IntoRecurrence, Recurrence};

use super::entry::{JobEntry, Removed, Value, is_within_correction};
use super::once::OnceJob;
use super::queue::KEPT_CAPACITY;
use super::table::Key;
use super::{Core, RemovedJob};
use crate::error::{AddError, AddErrorKind};
use crate::job::{EventSource, Job, OnceCall, Policy, SetBack, Work};
use crate::report::Event;
use crate::time::{Nanos, Now};

/// An interval may have begun this long before its job is added.
const JUST_NOW: Duration = Duration::from_secs(1);

impl Core {
    /// Returns the job if the scheduler accepts one more, and its name is free or may be replaced.
    fn admit(&self, job: Job) -> Result<Job, AddError> {
        let replaced = job.own_name().and_then(|name| self.names.get(name));
        let may_replace = job.policy().replaces;
        Err(AddError::new(
            if self.is_closed {
                AddErrorKind::Closed
            } else if matches!(job.work, Work::Missing) {
                AddErrorKind::NoRuntime
            } else if replaced.is_some() && !may_replace {
                AddErrorKind::NameTaken
            } else if replaced.is_none() && self.is_full() {
                AddErrorKind::Full
            } else {
                return Ok(job);
            },
            job,
        ))
    }

    /// Runs in progress count, including runs whose job was removed when they started.
    fn is_full(&self) -> bool {
        self.capacity.is_some_and(|max| self.jobs.len() + self.last_runs.len() >= max)
    }

    /// Adds a plain one-shot job.
    pub(crate) fn add_closure(&mut self, call: impl OnceCall, at: Nanos) -> Result<Key, AddError> {
        if self.is_closed || self.is_full() {
            // This refuses it for the same reason.
            let job = self.admit(Job::of(Work::Once(Box::new(call))))?;
            return Ok(self.insert_once(job, at));
        }
        Ok(self.insert_closure(call, at))
    }

    fn insert_closure(&mut self, call: impl OnceCall, at: Nanos) -> Key {
        self.added += 1;
        self.insert(OnceJob::new(self.added, call), at)
    }

    /// Adds a one-shot job.
    pub(crate) fn add_once(
        &mut self,
        job: Job,
        at: Nanos,
        now: impl FnOnce() -> Now,
    ) -> Result<Key, AddError> {
        let job = self.admit(job)?;
        if !job.policy().allows(at) {
            return Err(AddError::new(AddErrorKind::NoEvent, job));
        }
        let name = job.own_name().cloned();
        if let Some(name) = &name {
            self.cancel_named(name, now);
        }
        let key = self.insert_once(job, at);
        self.names.extend(name.map(|name| (name, key)));
        Ok(key)
    }

    /// Adds a one-shot job, regardless of the capacity and of other jobs with the same name.
    pub(crate) fn add_step(&mut self, job: Job, at: Nanos) -> Result<Key, AddError> {
        if self.is_closed {
            return Err(AddError::new(AddErrorKind::Closed, job));
        }
        if matches!(job.work, Work::Missing) {
            return Err(AddError::new(AddErrorKind::NoRuntime, job));
        }
        Ok(self.insert_once(job, at))
    }

    fn insert_once(&mut self, job: Job, at: Nanos) -> Key {
        match job {
            Job { work: Work::Once(call), name: None, policy: None } => {
                self.insert_closure(call, at)
            }
            job => {
                self.added += 1;
                self.insert_details(JobEntry::new(self.added, job, None), at)
            }
        }
    }

    /// Adds a job, which waits for its first event.
    pub(crate) fn add(
        &mut self,
        job: Job,
        source: Arc<EventSource>,
        now: Now,
    ) -> Result<Key, AddError> {
        // An event that a replaced job has run does not run again.
        let replaced = job.own_name().and_then(|name| self.names.get(name)).copied();
        let latest = replaced.and_then(|key| self.details(key)?.latest_on_clock(now.clock));
        let admitted =
            self.admit(job).and_then(|job| match job.policy().first(&source, latest, now.clock) {
                Some(first) => Ok((job, first)),
                None => Err(AddError::new(AddErrorKind::NoEvent, job)),
            });
        let (job, first) = match admitted {
            Ok(admitted) => admitted,
            Err(error) => {
                self.effects.drop_later(RemovedJob::Source(source));
                return Err(error);
            }
        };
        if matches!(job.work, Work::Once(_)) {
            self.effects.drop_later(RemovedJob::Source(source));
            return self.add_once(job, first, || now);
        }
        let own_name = job.own_name().cloned();
        if let Some(name) = &own_name {
            self.cancel_named(name, || now);
        }
        self.added += 1;
        let is_elapsed = source.is_elapsed();
        let since = job.policy().since;
        let mut details = JobEntry::new(self.added, job, Some(source));
        // Another job that replaces this one soon does not repeat the event either.
        details.latest = since.or(latest).filter(|latest| is_within_correction(*latest, now.clock));
        if is_elapsed {
            details.timeline = now.elapsed_timeline();
        }
        let key = self.insert_details(details, first);
        self.names.extend(own_name.map(|name| (name, key)));
        Ok(key)
    }

    fn insert_details(&mut self, details: JobEntry, first: Nanos) -> Key {
        let policy = details.policy();
        let tags = policy.tags.clone();
        self.repeating += usize::from(policy.set_back == SetBack::Repeat);
        let key = self.insert(Box::new(details), first);
        for tag in tags {
            self.tags.entry(tag).or_default().insert(key);
        }
        key
    }

    fn insert(&mut self, job: impl Value, first: Nanos) -> Key {
        let key = self.jobs.insert(job);
        self.wait_for(key, first);
        self.note_of(key, |job| Event::Added { job, next: first.time() });
        key
    }

    fn cancel_named(&mut self, name: &Arc<str>, now: impl FnOnce() -> Now) {
        if let Some(&key) = self.names.get(name) {
            self.cancel(key, now);
        }
    }

    /// Removes a job from all collections. The job is dropped later, without the lock.
    pub(super) fn take_out(&mut self, key: Key) {
        let Some(removed) = self.jobs.remove(key) else { return };
        let mut retries = 0;
        if let Removed::Other(details) = &removed {
            if let Some(name) = &details.name
                && self.names.get(name) == Some(&key)
            {
                self.names.remove(name);
                give_back(&mut self.names);
            }
            for tag in &details.policy().tags {
                if let Some(keys) = self.tags.get_mut(tag) {
                    keys.remove(&key);
                    if keys.is_empty() {
                        self.tags.remove(tag);
                        give_back(&mut self.tags);
                    }
                }
            }
            self.repeating -= usize::from(details.policy().set_back == SetBack::Repeat);
            retries = details.runs.as_ref().map_or(0, |runs| runs.retries.len());
        }
        self.effects.drop_later(RemovedJob::Job(removed));
        if retries > 0 {
            self.alarms.forget(retries, &self.runs, &mut self.jobs);
        }
    }
}

/// Gives back the memory of a map that has lost most of its entries.
fn give_back<K: Eq + Hash, V>(map: &mut HashMap<K, V>) {
    if map.capacity() > KEPT_CAPACITY && map.len() < map.capacity() / 4 {
        map.shrink_to(map.capacity() / 2);
    }
}

impl Job {
    /// Returns the name, unless the job shares its name.
    fn own_name(&self) -> Option<&Arc<str>> {
        self.name.as_ref().filter(|_| !self.policy().shares_name)
    }
}

impl EventSource {
    /// Returns the recurrence of a job to be added, and the job.
    pub(crate) fn of(
        recurrence: impl IntoRecurrence<Recurrence: Recurrence + Send + Sync + 'static>,
        job: Job,
        now: Now,
    ) -> Result<(Arc<Self>, Job), AddError> {
        let start = job.policy().since.unwrap_or(now.clock).ceil_millis();
        match recurrence.into_recurrence(start) {
            Ok(recurrence) => Ok((Self::new(recurrence), job)),
            Err(error) => Err(AddError::new(AddErrorKind::Interval(error), job)),
        }
    }
}

impl Policy {
    /// Returns the first event of a job to be added. Events up to `latest` have run.
    fn first(&self, source: &EventSource, latest: Option<Nanos>, now: Nanos) -> Option<Nanos> {
        if let Some(since) = self.since {
            return self.next(source, since);
        }
        let after = latest.map_or(now, |latest| latest.max(now));
        self.begin(source, latest, now).or_else(|| self.next(source, after))
    }

    /// Returns the first event of an interval that begins just now, unless it has run. The interval may begin
    /// even if the clock has moved on since the caller read it.
    pub(super) fn begin(
        &self,
        source: &EventSource,
        latest: Option<Nanos>,
        now: Nanos,
    ) -> Option<Nanos> {
        let begin = source.interval_start()?;
        // Not the whole grace period: an event from long before the job was added is not the job's.
        let earliest = now.before(self.grace.min(JUST_NOW));
        let may_begin = (earliest..=now).contains(&begin) && self.allows(begin);
        (may_begin && Some(begin) > latest).then_some(begin)
    }

    /// Returns the first event after an instant at which a job may run.
    pub(super) fn next(&self, source: &EventSource, after: Nanos) -> Option<Nanos> {
        let after = self.starting.map_or(after, |first| after.max(first.pred()));
        let next = source.next(after)?;
        self.ending.is_none_or(|last| next <= last).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_give_back_the_memory_of_their_names_and_tags() {
        let now = Now { clock: Nanos(0), elapsed: Nanos(0) };
        let mut core = Core::new(None, false, false);
        let keys = (0..10_000).map(|number| {
            let name = format!("job {number}");
            let job = Job::new(|_| ()).name(name.clone()).tag(name);
            core.add_once(job, Nanos(1), || now).expect("the job is added")
        });
        let keys = keys.collect::<Vec<_>>();
        assert!(core.names.capacity() >= 10_000 && core.tags.capacity() >= 10_000);
        assert!(keys.into_iter().all(|key| core.cancel(key, || now)));
        let most = 2 * KEPT_CAPACITY;
        assert!(core.names.capacity() <= most && core.tags.capacity() <= most);
        drop(core.take_effects());
    }
}
