//! [`Jobs`]: the jobs of the file in the scheduler, and what a reload changes.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use millicron_scheduler::{AddError, Job, JobHandle, Overlap, Scheduler};

use super::children::{Settings, Spawner};
use super::users;
use crate::error::Error;
use crate::file::{Format, JobEntry, JobFile, Names, Policies, Problem};

/// The jobs that are scheduled.
pub(super) struct Jobs {
    spawner: Arc<Spawner>,
    by_name: BTreeMap<String, ScheduledJob>,
}

#[derive(Debug)]
struct ScheduledJob {
    entry: JobEntry,
    /// `None` if the schedule has no further event.
    handle: Option<JobHandle>,
    settings: Arc<Mutex<Arc<Settings>>>,
}

/// What a file has changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    added: usize,
    changed: usize,
    unchanged: usize,
    removed: usize,
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { added, changed, removed, unchanged } = self;
        write!(f, "{added} added, {changed} changed, {removed} removed, {unchanged} unchanged")
    }
}

/// Adds the first job that cannot be run to the problems of a file.
pub(super) fn check(file: &mut JobFile) {
    let problem = file.jobs.iter().find_map(|job| refusal(file.format, job));
    file.problems.extend(problem);
}

/// Returns why a job cannot be run, if so.
fn refusal(format: Format, job: &JobEntry) -> Option<Problem> {
    let JobEntry { name, span, command, needs, .. } = job;
    let problem = |message: fmt::Arguments<'_>| Problem::error("run", span.clone(), message);
    let Some(command) = command else {
        return Some(match format {
            Format::Timer => problem(format_args!("a systemd timer has no commands to run")),
            Format::Rust => problem(format_args!("Rust sources have no commands to run")),
            _ => problem(format_args!("the job `{name}` has no command"))
                .hint("add `command = \"…\"`, or remove the job"),
        });
    };
    if !needs.is_empty() {
        let problem = problem(format_args!("the job `{name}` needs other jobs"));
        return Some(problem.hint("`millicron run` starts jobs by their times alone"));
    }
    let user = command.user.as_ref().filter(|user| !users::is_current(user))?;
    let problem = problem(format_args!("the job `{name}` is for the user `{user}`"));
    Some(problem.hint("`millicron run` does not change users: start it as that user"))
}

impl Jobs {
    pub(super) const fn new(spawner: Arc<Spawner>) -> Self {
        Self { spawner, by_name: BTreeMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.by_name.len()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Returns the longest delay that a job adds to its events.
    pub(super) fn longest_jitter(&self) -> Duration {
        self.by_name.values().filter_map(|job| job.entry.policies.jitter).max().unwrap_or_default()
    }

    /// Returns the names of jobs that never run again.
    pub(super) fn without_events(&self) -> impl Iterator<Item = &str> {
        let is_over =
            |job: &&ScheduledJob| job.handle.as_ref().and_then(JobHandle::next_event).is_none();
        self.by_name.values().filter(is_over).map(|job| job.entry.name.as_str())
    }

    /// Schedules the jobs of a file in place of those before. A job that is the same as before goes on as
    /// if nothing had happened. So does one with another schedule or command, from its next event on. One
    /// with other policies starts over, while a run of it that is in progress ends.
    pub(super) fn replace(
        &mut self,
        file: JobFile,
        scheduler: &Scheduler,
    ) -> Result<Changes, Error> {
        let mut entries = file.jobs;
        if file.format == Format::Crontab {
            self.keep_names(&mut entries);
        }
        let mut changes = Changes::default();
        let names: HashSet<String> = entries.iter().map(|entry| entry.name.clone()).collect();
        for (_, job) in self.by_name.extract_if(.., |name, _| !names.contains(name)) {
            changes.removed += 1;
            if let Some(handle) = job.handle {
                handle.cancel();
            }
        }
        for entry in entries {
            let counter = match self.by_name.get(&entry.name) {
                None => &mut changes.added,
                Some(job) if job.entry.is_same(&entry) => &mut changes.unchanged,
                Some(_) => &mut changes.changed,
            };
            *counter += 1;
            self.set(entry, scheduler)?;
        }
        Ok(changes)
    }

    /// Gives jobs that are the same as before their names of before. In a crontab, they come from the command and
    /// change with the lines above.
    fn keep_names(&self, entries: &mut [JobEntry]) {
        let mut before: Vec<&JobEntry> = self.by_name.values().map(|job| &job.entry).collect();
        let mut names = Names::default();
        let mut others = Vec::new();
        for entry in entries {
            let is_same = |before: &&JobEntry| {
                before.schedule == entry.schedule && before.command == entry.command
            };
            match before.iter().position(is_same) {
                Some(same) => entry.name = names.unique(&before.remove(same).name),
                None => others.push(entry),
            }
        }
        for entry in others {
            entry.name = names.unique(&entry.name);
        }
    }

    fn set(&mut self, entry: JobEntry, scheduler: &Scheduler) -> Result<(), Error> {
        let Some(settings) = settings(&entry) else { return Ok(()) };
        if let Some(job) = self.by_name.get_mut(&entry.name)
            && let Some(handle) = &job.handle
            && scheduled_alike(&job.entry.policies, &entry.policies)
        {
            let is_same = job.entry.schedule == entry.schedule;
            // A job whose events are over was removed, and is added again.
            let goes_on =
                is_same || handle.reschedule(entry.schedule.clone()).map_err(Error::new)?;
            if goes_on {
                *job.settings.lock().unwrap_or_else(PoisonError::into_inner) = settings;
                job.entry = entry;
                return Ok(());
            }
        }
        let settings = Arc::new(Mutex::new(settings));
        let handle = add(&entry, Arc::clone(&settings), &self.spawner, scheduler)?;
        self.by_name.insert(entry.name.clone(), ScheduledJob { entry, handle, settings });
        Ok(())
    }
}

fn settings(entry: &JobEntry) -> Option<Arc<Settings>> {
    let command = Arc::new(entry.command.clone()?);
    let may_overlap = matches!(entry.policies.overlap, Overlap::Allow { .. });
    Some(Arc::new(Settings { command, limit: entry.policies.timeout, may_overlap }))
}

/// Adds a job in place of one with the same name. Returns `None` if it has no further event.
fn add(
    entry: &JobEntry,
    settings: Arc<Mutex<Arc<Settings>>>,
    spawner: &Arc<Spawner>,
    scheduler: &Scheduler,
) -> Result<Option<JobHandle>, Error> {
    let spawner = Arc::clone(spawner);
    let Policies { overlap, missed, grace, timeout: _, retry, jitter } = &entry.policies;
    let mut job = Job::deferred(move |run, completion| {
        let settings = Arc::clone(&settings.lock().unwrap_or_else(PoisonError::into_inner));
        spawner.start(&settings, &run, completion);
    });
    job = job.name(&entry.name).replace().overlap(*overlap).missed(*missed);
    if let Some(grace) = grace {
        job = job.grace(*grace);
    }
    if let Some(retry) = retry {
        job = job.retry(*retry);
    }
    if let Some(jitter) = jitter {
        job = job.jitter(*jitter);
    }
    match scheduler.add_job(entry.schedule.clone(), job) {
        Ok(handle) => Ok(Some(handle)),
        Err(AddError::NoEvent(_)) => {
            // The one before it must not go on.
            if let Some(before) = scheduler.job(&entry.name) {
                before.cancel();
            }
            Ok(None)
        }
        Err(error) => Err(Error::new(error)),
    }
}

/// Whether the scheduler handles the runs of two jobs in the same way. Their time limit is no concern of
/// the scheduler's.
fn scheduled_alike(one: &Policies, other: &Policies) -> bool {
    Policies { timeout: None, ..one.clone() } == Policies { timeout: None, ..other.clone() }
}

impl JobEntry {
    /// Whether a job runs the same command, in the same way, at the same times.
    fn is_same(&self, other: &Self) -> bool {
        self.schedule == other.schedule
            && self.command == other.command
            && self.policies == other.policies
    }
}
