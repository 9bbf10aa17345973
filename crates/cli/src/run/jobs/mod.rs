//! [`Jobs`]: the jobs of the file in the scheduler, and how a reload changes them.

mod pipeline;
mod settings;
mod start_queue;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use millicron_pipeline::{MemoryHistory, RunningPipeline};
use millicron_scheduler::{
    AddErrorKind, Job, JobHandle, JobStatus, Overlap, RunContext, Scheduler, SchedulerHandle,
};

use self::pipeline::RunningJobs;
use self::settings::SharedSettings;
use self::start_queue::{QueuedRun, StartQueue};
use super::events::PipelineNames;
use super::log::OutputThread;
use super::page::Page;
use super::process::Spawner;
use crate::error::Error;
use crate::file::{FileFormat, JobEntry, JobFile, Names, Policies, Problem};

/// The jobs of a file while they run.
pub(super) struct Jobs {
    spawner: Arc<Spawner>,
    output: OutputThread,
    /// Starts the runs of jobs outside the pipeline.
    queue: Arc<StartQueue>,
    /// The jobs outside the pipeline.
    by_name: BTreeMap<String, ScheduledJob>,
    /// The jobs of the pipeline, if there are any.
    pipeline: Option<RunningJobs>,
    pipeline_names: PipelineNames,
    page: Option<Page>,
}

#[derive(Debug)]
struct ScheduledJob {
    entry: JobEntry,
    /// `None` if the schedule has no further event.
    handle: Option<JobHandle>,
    settings: SharedSettings,
}

/// How many jobs a file has added, changed and removed.
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

/// Reports the first job that cannot be run as a problem of the file.
pub(super) fn check(file: &mut JobFile) {
    let problem = file.jobs.iter().find_map(|job| refusal(file.format, job));
    file.problems.extend(problem);
}

/// Returns why a job cannot be run, or `None` if it can.
fn refusal(format: FileFormat, job: &JobEntry) -> Option<Problem> {
    let JobEntry { name, span, command, .. } = job;
    let problem = |message: fmt::Arguments<'_>| Problem::error("run", span.clone(), message);
    let Some(command) = command else {
        return Some(match format {
            FileFormat::Timer => problem(format_args!("a systemd timer has no commands to run")),
            _ => problem(format_args!("the job `{name}` has no command"))
                .hint("add `command = \"…\"`, or remove the job"),
        });
    };
    let user = command.user.as_ref().filter(|user| !is_current_user(user))?;
    let problem = problem(format_args!("the job `{name}` is for the user `{user}`"));
    Some(problem.hint("`millicron run` does not change users: start it as that user"))
}

/// Whether this process runs as a user.
fn is_current_user(name: &str) -> bool {
    let id = uzers::get_user_by_name(name).map(|user| user.uid());
    // A container image may have no list of users.
    id.or((name == "root").then_some(0)) == Some(uzers::get_effective_uid())
}

impl Jobs {
    pub(super) fn new(
        scheduler: SchedulerHandle,
        spawner: Arc<Spawner>,
        output: OutputThread,
        pipeline_names: PipelineNames,
        page: Option<Page>,
    ) -> Self {
        let by_name = BTreeMap::new();
        let queue = StartQueue::new(usize::MAX, scheduler, Arc::clone(&spawner));
        Self { spawner, output, queue, by_name, pipeline: None, pipeline_names, page }
    }

    pub(super) fn len(&self) -> usize {
        self.by_name.len() + self.pipeline.as_ref().map_or(0, RunningJobs::len)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let pipeline = self.pipeline.iter().flat_map(RunningJobs::names);
        self.by_name.keys().map(String::as_str).chain(pipeline)
    }

    /// Returns the jobs, and whether each is part of the pipeline.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&JobEntry, bool)> {
        let pipeline = self.pipeline.iter().flat_map(RunningJobs::entries);
        let jobs = self.by_name.values().map(|job| &job.entry);
        jobs.map(|entry| (entry, false)).chain(pipeline.map(|entry| (entry, true)))
    }

    /// Returns the pipeline, if there is one.
    pub(super) fn pipeline(&self) -> Option<RunningPipeline<MemoryHistory>> {
        self.pipeline.as_ref().map(RunningJobs::running)
    }

    /// Cancels a run that waits to be started. Returns whether there was one.
    pub(super) fn cancel_queued(&self, run: &RunContext) -> bool {
        self.queue.cancel(run) || self.pipeline.as_ref().is_some_and(|jobs| jobs.cancel_queued(run))
    }

    /// Returns the longest delay that a job adds to its events.
    pub(super) fn longest_jitter(&self) -> Duration {
        self.by_name.values().filter_map(|job| job.entry.policies.jitter).max().unwrap_or_default()
    }

    /// Returns the names of jobs that are never due again.
    pub(super) fn without_events(&self) -> impl Iterator<Item = &str> {
        let is_over = |job: &&ScheduledJob| {
            let info = job.handle.as_ref().and_then(JobHandle::info);
            info.is_none_or(|info| info.status == JobStatus::Ending)
        };
        let over = self.by_name.values().filter(is_over).map(|job| job.entry.name.as_str());
        over.chain(self.pipeline.iter().flat_map(RunningJobs::without_events))
    }

    /// Replaces the scheduled jobs with those of a file. An unchanged job keeps its state, and so does one with
    /// a new schedule or command, which applies from its next event. A job with new policies starts over, while
    /// its run in progress finishes; if it is paused, it stays so. A pipeline only accepts new commands and time
    /// limits: any other change to it is an error, and changes nothing.
    pub(super) fn replace(
        &mut self,
        mut file: JobFile,
        scheduler: &Scheduler,
    ) -> Result<Changes, Error> {
        let pipeline = take_pipeline(&mut file);
        match &self.pipeline {
            Some(running) => running.check(&pipeline)?,
            // Only to find errors, before anything changes.
            None => drop(pipeline::build(&pipeline, pipeline::after(SystemTime::now()))?),
        }
        let mut entries = file.jobs;
        if file.format == FileFormat::Crontab {
            self.keep_names(&mut entries);
        }
        let mut changes = Changes::default();
        let names: HashSet<String> = entries.iter().map(|entry| entry.name.clone()).collect();
        let removed = self.by_name.extract_if(.., |name, _| !names.contains(name));
        let removed = removed.map(|(_, job)| job.handle).collect::<Vec<_>>();
        changes.removed += removed.len();
        // A job may have another name now, or join the pipeline: its events after this instant belong to the new job.
        let begin = scheduler.cancel_all(removed.into_iter().flatten());
        for entry in entries {
            let counter = match self.by_name.get(&entry.name) {
                None => &mut changes.added,
                Some(job) if job.entry.is_same(&entry) => &mut changes.unchanged,
                Some(_) => &mut changes.changed,
            };
            *counter += 1;
            self.set(entry, begin, scheduler)?;
        }
        if let Some(running) = &mut self.pipeline {
            for entry in pipeline {
                let is_changed = running.set(entry);
                *(if is_changed { &mut changes.changed } else { &mut changes.unchanged }) += 1;
            }
        } else if !pipeline.is_empty() {
            let names = || pipeline.iter().map(|entry| entry.name.clone()).collect();
            self.pipeline_names.get_or_init(names);
            changes.added += pipeline.len();
            let begin = pipeline::after(begin);
            let shared = (&self.spawner, &self.output, self.page.as_ref());
            self.pipeline = Some(pipeline::start(pipeline, begin, scheduler, shared)?);
        }
        Ok(changes)
    }

    /// Prevents further starts, and logs the runs that are dropped.
    pub(super) fn stop(&self, scheduler: &Scheduler) {
        if let Some(pipeline) = &self.pipeline {
            pipeline.cancel();
        }
        // Cancelling a job reports its waiting runs; closing the scheduler does not.
        for (job, _) in scheduler.jobs() {
            job.cancel();
        }
        // The main loop waits for the runs in progress, and handles signals meanwhile.
        drop(scheduler.close());
        self.queue.stop();
    }

    /// Drops records that are no longer needed. Call it regularly.
    pub(super) fn prune(&mut self) {
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.prune();
        }
    }

    /// Keeps the names of unchanged jobs. In a crontab, a name is derived from the command, and numbered depending on
    /// the lines above.
    fn keep_names(&self, entries: &mut [JobEntry]) {
        // A crontab may have thousands of jobs.
        let mut before = HashMap::<_, VecDeque<&JobEntry>>::new();
        for ScheduledJob { entry, .. } in self.by_name.values() {
            let key = (entry.schedule.schedule(), &entry.command);
            before.entry(key).or_default().push_back(entry);
        }
        let kept = entries.iter().map(|entry| {
            let before = before.get_mut(&(entry.schedule.schedule(), &entry.command))?;
            let same = before.iter().position(|before| before.schedule == entry.schedule)?;
            Some(before.remove(same)?.name.clone())
        });
        let kept = kept.collect::<Vec<_>>();
        let mut names = Names::default();
        let mut others = Vec::new();
        for (entry, kept) in entries.iter_mut().zip(kept) {
            match kept {
                Some(name) => entry.name = names.unique(&name),
                None => others.push(entry),
            }
        }
        for entry in others {
            entry.name = names.unique(&entry.name);
        }
    }

    /// Adds or changes a job. A new job begins after the instant `begin`.
    fn set(
        &mut self,
        entry: JobEntry,
        begin: SystemTime,
        scheduler: &Scheduler,
    ) -> Result<(), Error> {
        let may_overlap = matches!(entry.policies.overlap, Overlap::Allow { .. });
        let Some(settings) = SharedSettings::new(&entry, may_overlap) else { return Ok(()) };
        if let Some(job) = self.by_name.get_mut(&entry.name)
            && let Some(handle) = &job.handle
            && scheduled_alike(&job.entry.policies, &entry.policies)
        {
            let is_same = job.entry.schedule == entry.schedule;
            // A job without further events was removed, and is added again.
            let goes_on =
                is_same || handle.reschedule(entry.schedule.clone()).map_err(Error::of)?;
            if goes_on {
                job.settings.set(&settings);
                job.entry = entry;
                return Ok(());
            }
        }
        // A job with the same name is replaced when this one is added.
        let before = self.by_name.get(&entry.name);
        let info = before.and_then(|job| job.handle.as_ref()?.info());
        let since = before.is_none().then_some(begin);
        let handle = add(&entry, since, settings.clone(), &self.queue, scheduler)?;
        if info.is_some_and(|info| info.status == JobStatus::Paused) {
            handle.as_ref().map(JobHandle::pause);
        }
        self.by_name.insert(entry.name.clone(), ScheduledJob { entry, handle, settings });
        Ok(())
    }
}

/// Removes the jobs that need others or are needed from a file, and returns them.
fn take_pipeline(file: &mut JobFile) -> Vec<JobEntry> {
    let names = file.pipeline_jobs();
    let names = names.into_iter().map(str::to_owned).collect::<HashSet<_>>();
    file.jobs.extract_if(.., |job| names.contains(&job.name)).collect()
}

/// Adds a job in place of one with the same name. Its first event is after `since`, or else after now. Returns `None`
/// if it has no further event.
fn add(
    entry: &JobEntry,
    since: Option<SystemTime>,
    settings: SharedSettings,
    queue: &Arc<StartQueue>,
    scheduler: &Scheduler,
) -> Result<Option<JobHandle>, Error> {
    let queue = Arc::clone(queue);
    let job = Job::deferred(move |run, completion| {
        let (settings, number) = (settings.clone(), run.number());
        queue.add(QueuedRun { settings, number, run, completion, is_delayed: false });
    });
    let mut job = entry.policies.set_on(job.name(&entry.name).replace());
    if let Some(retry) = entry.policies.retry {
        job = job.retry(retry);
    }
    if let Some(since) = since {
        job = job.since(since);
    }
    match scheduler.add_job(entry.schedule.clone(), job) {
        Ok(handle) => Ok(Some(handle)),
        Err(error) if matches!(error.kind(), AddErrorKind::NoEvent) => {
            // The job that it replaces must not continue.
            if let Some(before) = scheduler.job(&entry.name) {
                before.cancel();
            }
            Ok(None)
        }
        Err(error) => Err(Error::of(error)),
    }
}

/// Whether the scheduler handles the runs of two jobs in the same way. It does not handle time limits.
fn scheduled_alike(one: &Policies, other: &Policies) -> bool {
    Policies { timeout: None, ..one.clone() } == Policies { timeout: None, ..other.clone() }
}

impl JobEntry {
    /// Whether a job runs the same command, in the same way, at the same times.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.schedule == other.schedule
            && self.command == other.command
            && self.policies == other.policies
    }
}
