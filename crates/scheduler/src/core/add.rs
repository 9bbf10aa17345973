//! Accepts or refuses jobs.

use std::sync::Arc;

use super::entry::{JobEntry, Removed, Value};
use super::once::OnceJob;
use super::table::Key;
use super::{Core, RemovedJob};
use crate::error::AddError;
use crate::job::{EventSource, Job, OnceCall, SetBack, Work};
use crate::report::Event;
use crate::time::{Nanos, Now};

impl Core {
    /// Returns the job if the scheduler accepts one more, and its name is free or may be replaced.
    fn admit(&self, job: Job) -> Result<Job, AddError> {
        let replaced = job.own_name().and_then(|name| self.names.get(name));
        let may_replace = job.policy.as_ref().is_some_and(|policy| policy.replaces);
        if self.is_closed {
            Err(AddError::Closed(job.into()))
        } else if matches!(job.work, Work::NoRuntime) {
            Err(AddError::NoRuntime(job.into()))
        } else if replaced.is_some() && !may_replace {
            Err(AddError::NameTaken(job.into()))
        } else if replaced.is_none() && self.is_full() {
            Err(AddError::Full(job.into()))
        } else {
            Ok(job)
        }
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
        if job.policy.as_ref().is_some_and(|policy| !policy.allows(at)) {
            return Err(AddError::NoEvent(job.into()));
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
            return Err(AddError::Closed(job.into()));
        }
        if matches!(job.work, Work::NoRuntime) {
            return Err(AddError::NoRuntime(job.into()));
        }
        Ok(self.insert_once(job, at))
    }

    fn insert_once(&mut self, job: Job, at: Nanos) -> Key {
        match job {
            Job { work: Work::Once(call), name: None, policy: None } => {
                self.insert_closure(call, at)
            }
            Job { work, name, policy } => {
                self.added += 1;
                self.insert_details(JobEntry::new(self.added, work, name, policy, None), at)
            }
        }
    }

    /// Adds a job, which waits for its first event. Takes the source if it is kept; otherwise the
    /// caller drops it, outside the lock.
    pub(crate) fn add(
        &mut self,
        job: Job,
        source: &mut Option<Arc<EventSource>>,
        now: Now,
    ) -> Result<Key, AddError> {
        let job = self.admit(job)?;
        let own_name = job.own_name().cloned();
        let Job { work, name, policy } = job;
        let mut details = JobEntry::new(self.added + 1, work, name, policy, source.take());
        let Some(first) = details.first(now) else {
            let (job, unused) = details.into_job();
            *source = unused;
            return Err(AddError::NoEvent(job.into()));
        };
        if matches!(details.work, Work::Once(_)) {
            let (job, unused) = details.into_job();
            *source = unused;
            return self.add_once(job, first, || now);
        }
        if details.source.as_ref().is_some_and(|source| source.is_elapsed()) {
            details.timeline = now.elapsed_timeline();
        }
        self.added += 1;
        if let Some(name) = &own_name {
            self.cancel_named(name, || now);
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
            }
            for tag in &details.policy().tags {
                if let Some(keys) = self.tags.get_mut(tag) {
                    keys.remove(&key);
                    if keys.is_empty() {
                        self.tags.remove(tag);
                    }
                }
            }
            self.repeating -= usize::from(details.policy().set_back == SetBack::Repeat);
            retries = details.retries.len();
        }
        self.effects.drop_later(RemovedJob::Job { _job: removed });
        if retries > 0 {
            self.alarms.forget(retries, &self.runs, &mut self.jobs);
        }
    }
}

impl Job {
    /// Returns the name, unless the job shares its name.
    fn own_name(&self) -> Option<&Arc<str>> {
        let shares = self.policy.as_ref().is_some_and(|policy| policy.shares_name);
        self.name.as_ref().filter(|_| !shares)
    }
}

impl JobEntry {
    /// Returns the first event of a job to be added.
    fn first(&self, now: Now) -> Option<Nanos> {
        match self.policy().since {
            Some(since) => self.next(since),
            None => self.begin(now.clock).or_else(|| self.next(now.clock)),
        }
    }

    /// Returns the first event of an interval that begins just now. The interval may begin even if
    /// the clock has moved on since the caller read it.
    pub(super) fn begin(&self, now: Nanos) -> Option<Nanos> {
        let grace = self.policy().grace;
        let begin = self.source.as_ref()?.interval_start()?;
        let may_begin = (now.before(grace)..=now).contains(&begin) && self.policy().allows(begin);
        may_begin.then_some(begin)
    }
}
