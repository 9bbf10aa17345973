//! Accepts jobs.

use std::sync::Arc;

use super::entry::{Entry, JobEntry};
use super::{Core, RemovedJob};
use crate::error::AddError;
use crate::event::Event;
use crate::instant::{Nanos, Now};
use crate::job::{Job, Work};
use crate::policy::SetBack;
use crate::slots::Key;
use crate::source::EventSource;

impl Core {
    /// Returns the job if the scheduler accepts one more, and its name is free or may be replaced.
    fn admit(&self, job: Job) -> Result<Job, AddError> {
        let replaced = job.own_name().and_then(|name| self.names.get(name));
        let may_replace = job.policy.as_ref().is_some_and(|policy| policy.replaces);
        // Runs in progress count, also those whose job was removed when they started.
        let len = self.jobs.len() + self.last_runs.len();
        if self.is_closed {
            Err(AddError::Closed(job.into()))
        } else if matches!(job.work, Work::NoRuntime) {
            Err(AddError::NoRuntime(job.into()))
        } else if replaced.is_some() && !may_replace {
            Err(AddError::NameTaken(job.into()))
        } else if replaced.is_none() && self.capacity.is_some_and(|max| len >= max) {
            Err(AddError::Full(job.into()))
        } else {
            Ok(job)
        }
    }

    /// Adds a job that runs once.
    pub(crate) fn add_once(&mut self, job: Job, at: Nanos) -> Result<Key, AddError> {
        let job = self.admit(job)?;
        if job.policy.as_ref().is_some_and(|policy| !policy.allows(at)) {
            return Err(AddError::NoEvent(job.into()));
        }
        let name = job.own_name().cloned();
        if let Some(name) = &name {
            self.cancel_named(name);
        }
        let key = self.insert_once(job, at);
        self.names.extend(name.map(|name| (name, key)));
        Ok(key)
    }

    /// Adds a job that runs once, whatever the capacity and whatever other jobs have its name.
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
        self.added += 1;
        let entry = match job {
            Job { work: Work::Once(mut job), name: None, policy: None } => {
                job.header_mut().set_serial(self.added);
                Entry::Once(job)
            }
            Job { work, name, policy } => {
                let details = JobEntry::new(self.added, work, name, policy, None);
                Entry::Other(Some(Box::new(details)))
            }
        };
        self.insert(entry, at)
    }

    /// Adds a job from its first event on. Takes the source if it is kept; otherwise the caller drops
    /// it, outside the lock.
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
            let JobEntry { work, name, policy, .. } = details;
            *source = details.source;
            return Err(AddError::NoEvent(Job { work, name, policy }.into()));
        };
        if matches!(details.work, Work::Once(_)) {
            let JobEntry { work, name, policy, .. } = details;
            *source = details.source;
            return self.add_once(Job { work, name, policy }, first);
        }
        if details.source.as_ref().is_some_and(|source| source.is_elapsed()) {
            details.timeline = now.elapsed_timeline();
        }
        self.added += 1;
        if let Some(name) = &own_name {
            self.cancel_named(name);
        }
        let key = self.insert(Entry::Other(Some(Box::new(details))), first);
        self.names.extend(own_name.map(|name| (name, key)));
        Ok(key)
    }

    fn insert(&mut self, entry: Entry, first: Nanos) -> Key {
        let policy = entry.details().map(JobEntry::policy);
        let tags = policy.map(|policy| policy.tags.clone()).unwrap_or_default();
        self.repeating += usize::from(policy.is_some_and(|it| it.set_back == SetBack::Repeat));
        let key = self.jobs.insert(entry);
        for tag in tags {
            self.tags.entry(tag).or_default().insert(key);
        }
        self.wait_for(key, first);
        self.note_of(key, |job| Event::Added { job, next: first.time() });
        key
    }

    fn cancel_named(&mut self, name: &Arc<str>) {
        if let Some(&key) = self.names.get(name) {
            self.cancel(key);
        }
    }

    /// Removes a job from all collections. It is dropped without the lock.
    pub(super) fn take_out(&mut self, key: Key) {
        let Some(entry) = self.jobs.remove(key) else { return };
        if let Some(details) = entry.details() {
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
        }
        let retries = entry.details().map_or(0, |details| details.retries.len());
        self.effects.drop_later(RemovedJob::Job { _entry: entry });
        if retries > 0 {
            self.alarms.forget(retries, &self.runs, &mut self.jobs);
        }
    }
}

impl Job {
    /// Returns the name, unless the job shares it.
    fn own_name(&self) -> Option<&Arc<str>> {
        let shares = self.policy.as_ref().is_some_and(|policy| policy.shares_name);
        self.name.as_ref().filter(|_| !shares)
    }
}

impl JobEntry {
    /// Returns the first event of a job that is added.
    fn first(&self, now: Now) -> Option<Nanos> {
        match self.policy().since {
            Some(since) => self.next(since),
            None => self.begin(now.clock).or_else(|| self.next(now.clock)),
        }
    }

    /// Returns the first event of an interval that begins just now. It does begin, though the clock
    /// may have gone on since the caller read it.
    pub(super) fn begin(&self, now: Nanos) -> Option<Nanos> {
        let grace = self.policy().grace;
        let begin = self.source.as_ref()?.interval_start()?;
        let may_begin = (now.before(grace)..=now).contains(&begin) && self.policy().allows(begin);
        may_begin.then_some(begin)
    }
}
