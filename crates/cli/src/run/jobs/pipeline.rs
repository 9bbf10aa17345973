//! [`RunningJobs`]: the jobs of a file that need others or are needed, which form a pipeline.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use jiff::tz::TimeZone;
use metrics::counter;
use millicron::unix_millis;
use millicron_pictures::counted;
use millicron_pipeline::{
    EndedRun, MemoryHistory, Pipeline, RunState, RunningPipeline, WaitPolicy, WaitingRun,
};
use millicron_scheduler::{Job, RunContext, Scheduler};

use super::settings::SharedSettings;
use super::start_queue::{MOST_OF_PIPELINE, QueuedRun, StartQueue};
use crate::error::Error;
use crate::file::JobEntry;
use crate::run::log::{LogLevel, OutputThread, Record, time_in};
use crate::run::page::Page;
use crate::run::process::Spawner;

/// How often to prune the history, in milliseconds.
const PRUNE: i64 = 3_600_000;

/// The jobs of a running pipeline.
pub(super) struct RunningJobs {
    running: RunningPipeline<MemoryHistory>,
    by_name: BTreeMap<String, (JobEntry, SharedSettings)>,
    queue: Arc<StartQueue>,
    output: OutputThread,
    /// When the history was last pruned, in milliseconds.
    pruned: i64,
}

/// Returns the pipeline of jobs from an instant on. Jobs without an event from then on are left out, and other jobs do not
/// need them.
pub(super) fn build(jobs: &[JobEntry], begin: i64) -> Result<Pipeline, Error> {
    let is_over = |job: &&JobEntry| job.schedule.nearest_event(begin).is_none();
    let over: HashSet<&str> = jobs.iter().filter(is_over).map(|job| job.name.as_str()).collect();
    let is_left_out = |job: &str| over.contains(job);
    let jobs = jobs.iter().filter(|job| !is_left_out(&job.name));
    let builder = jobs.fold(Pipeline::builder(), |builder, job| job.add_to(builder, &is_left_out));
    builder.since(begin).build().map_err(Error::of)
}

/// Returns the first millisecond after an instant: earlier events have passed.
pub(super) fn after(instant: SystemTime) -> i64 {
    unix_millis(instant).saturating_add(1)
}

/// Starts the pipeline of jobs, which begins at an instant in milliseconds.
pub(super) fn start(
    entries: Vec<JobEntry>,
    begin: i64,
    scheduler: &Scheduler,
    (spawner, output, page): (&Arc<Spawner>, &OutputThread, Option<&Page>),
) -> Result<RunningJobs, Error> {
    let pipeline = build(&entries, begin)?;
    let graph = pipeline.clone();
    let mut runner = pipeline.run_on(scheduler, MemoryHistory::new());
    let queue = StartQueue::new(MOST_OF_PIPELINE, scheduler.handle(), Arc::clone(spawner));
    let mut by_name = BTreeMap::new();
    for entry in entries {
        let Some(settings) = SharedSettings::new(&entry, entry.may_overlap()) else { continue };
        if entry.schedule.nearest_event(begin).is_some() {
            runner = runner.run_job(&entry.name, work(&entry, begin, &settings, &queue));
            if let Some(retry) = entry.policies.retry {
                runner = runner.retry_job(&entry.name, retry);
            }
            if let Some(patience) = entry.policies.patience {
                runner = runner.wait_policy_of(&entry.name, WaitPolicy::SkipAfter(patience));
            }
        }
        by_name.insert(entry.name.clone(), (entry, settings));
    }
    let (output_of_waits, output_of_ends) = (output.clone(), output.clone());
    let zones = Zones::of(by_name.values().map(|(entry, _)| entry));
    let (zones_of_waits, zones_of_ends) = (zones.clone(), zones);
    let (spawner, page, page_of_waits) = (Arc::clone(spawner), page.cloned(), page.cloned());
    let running = runner
        .on_wait(move |run| {
            log_wait(run, &zones_of_waits, &output_of_waits);
            if let Some(page) = &page_of_waits {
                page.touch(&run.job);
            }
        })
        .on_end(move |run| {
            // They may wait for less now.
            if let (Some(page), Ok(job)) = (&page, graph.job(&run.job)) {
                job.downstream().for_each(|name| page.touch(name));
            }
            if run.state == RunState::Skipped {
                spawner.record_skip(run);
                log_skip(run, &zones_of_ends, &output_of_ends);
                if let Some(page) = &page {
                    let reason = run.reason.as_deref().unwrap_or_default();
                    page.record_skip(&run.job, run.scheduled, reason);
                }
            }
        })
        // What has become due since then, while the pipeline was built.
        .submit_since(begin)
        .start()
        .map_err(Error::of)?;
    Ok(RunningJobs { running, by_name, queue, output: output.clone(), pruned: begin })
}

/// Returns the work of a job in a pipeline that begins at an instant.
fn work(entry: &JobEntry, begin: i64, settings: &SharedSettings, queue: &Arc<StartQueue>) -> Job {
    let (schedule, settings) = (entry.schedule.clone(), settings.clone());
    let queue = Arc::clone(queue);
    Job::deferred(move |run, completion| {
        // Each run is a job of the scheduler, so its own number is always 1.
        let number = schedule.count(begin..=unix_millis(run.scheduled()));
        let settings = settings.clone();
        queue.add(QueuedRun { settings, number, run, completion, is_delayed: false });
    })
}

/// The time zones of jobs, in which reasons name their runs.
#[derive(Clone)]
struct Zones(Arc<HashMap<String, TimeZone>>);

impl Zones {
    fn of<'j>(jobs: impl Iterator<Item = &'j JobEntry>) -> Self {
        let zone = |job: &JobEntry| (job.name.clone(), job.schedule.zone().clone());
        Self(Arc::new(jobs.map(zone).collect()))
    }

    /// Returns the instant of a run of a job, in the time zone of the reasons that are written with it.
    fn time(&self, job: &str, scheduled: SystemTime) -> String {
        time_in(scheduled, self.0.get(job).unwrap_or(&TimeZone::UTC))
    }
}

fn log_wait(run: &WaitingRun, zones: &Zones, output: &OutputThread) {
    let time = zones.time(&run.job, run.scheduled);
    let (level, although) = match &run.failed {
        None => (LogLevel::Info, String::new()),
        Some(failed) => (LogLevel::Warning, format!(", although {failed}")),
    };
    let message = format!("the run of {time} waits for {}{although}", run.reason);
    output.log(Record::new(level, "waiting", message).of_job(run.job.clone()));
}

fn log_skip(run: &EndedRun, zones: &Zones, output: &OutputThread) {
    counter!("millicron_skipped_total", "job" => run.job.clone(), "reason" => "patience")
        .increment(1);
    let time = zones.time(&run.job, run.scheduled);
    let why = run.reason.as_deref().unwrap_or_default();
    let message = format!("skipped the run of {time}: {why}");
    output.log(Record::warning("skipped", message).count(1).of_job(run.job.clone()));
}

impl RunningJobs {
    pub(super) fn len(&self) -> usize {
        self.by_name.len()
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &JobEntry> {
        self.by_name.values().map(|(entry, _)| entry)
    }

    pub(super) fn running(&self) -> RunningPipeline<MemoryHistory> {
        self.running.clone()
    }

    /// Cancels a run that waits to be started. Returns whether there was one.
    pub(super) fn cancel_queued(&self, run: &RunContext) -> bool {
        self.queue.cancel(run)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Returns the names of jobs that are never due again.
    pub(super) fn without_events(&self) -> impl Iterator<Item = &str> {
        let now = after(SystemTime::now());
        let is_over =
            move |(entry, _): &&(JobEntry, _)| entry.schedule.nearest_event(now).is_none();
        self.by_name.values().filter(is_over).map(|(entry, _)| entry.name.as_str())
    }

    /// Returns an error unless the pipeline can continue with the jobs of a reloaded file. It cannot if schedules or
    /// needs have changed, which determine the runs that wait or are in progress.
    pub(super) fn check(&self, entries: &[JobEntry]) -> Result<(), Error> {
        let names = entries.iter().map(|entry| entry.name.as_str()).collect::<HashSet<_>>();
        let gone = self.by_name.keys().find(|name| !names.contains(name.as_str()));
        let change = gone.map(|name| format!("the job `{name}` has left the pipeline"));
        let changed = || entries.iter().find_map(|entry| self.change(entry));
        let Some(change) = change.or_else(changed) else { return Ok(()) };
        Err(Error::new(change).hint("restart `millicron run` to change a pipeline"))
    }

    /// Returns a change to a job that a running pipeline cannot accept.
    fn change(&self, new: &JobEntry) -> Option<String> {
        let name = &new.name;
        let Some((old, _)) = self.by_name.get(name) else {
            return Some(format!("the job `{name}` has joined the pipeline"));
        };
        let what = if old.schedule != new.schedule {
            "schedule has"
        } else if old.needs != new.needs {
            "needs have"
        } else if old.policies.retry != new.policies.retry {
            "retries have"
        } else if old.policies.patience != new.policies.patience {
            "patience has"
        } else {
            return None;
        };
        Some(format!("the job `{name}` is part of a pipeline, and its {what} changed"))
    }

    /// Updates a job from a reloaded file. Returns whether it has changed.
    pub(super) fn set(&mut self, entry: JobEntry) -> bool {
        let Some((old, settings)) = self.by_name.get_mut(&entry.name) else { return false };
        let is_changed = !old.is_same(&entry);
        if let Some(new) = SharedSettings::new(&entry, settings.get().may_overlap) {
            settings.set(&new);
        }
        *old = entry;
        is_changed
    }

    /// Prunes the history every hour.
    pub(super) fn prune(&mut self) {
        let now = after(SystemTime::now());
        if now.saturating_sub(self.pruned) < PRUNE {
            return;
        }
        // Not up to now: if the machine has slept, earlier runs are about to become due. A history in memory does
        // not fail.
        drop(self.running.prune(self.pruned));
        self.pruned = now;
    }

    /// Prevents further starts, and logs the runs that wait.
    pub(super) fn cancel(&self) {
        let mut by_job = BTreeMap::<String, Vec<WaitingRun>>::new();
        for run in self.running.waiting() {
            by_job.entry(run.job.clone()).or_default().push(run);
        }
        self.running.cancel();
        self.queue.stop();
        let zones = Zones::of(self.by_name.values().map(|(entry, _)| entry));
        for (job, runs) in by_job {
            let Some(first) = runs.first() else { continue };
            let (time, reason) = (zones.time(&job, first.scheduled), &first.reason);
            let count = runs.len() as u64;
            let runs = counted(count, "waiting run");
            let message = format!("dropped: {runs}; the run of {time} waits for {reason}");
            self.output.log(Record::warning("dropped", message).count(count).of_job(job));
        }
    }
}
