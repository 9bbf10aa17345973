//! [`RunningJobs`]: the jobs of a file that need others or are needed, which form a pipeline.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::{io, thread};

use jiff::Timestamp;
use millicron_pictures::counted;
use millicron_pipeline::{Pipeline, RunningPipeline, WaitingRun};
use millicron_scheduler::{Completion, Job, Outcome, Scheduler};

use super::children::Spawner;
use super::history::{Records, RunHistory};
use super::jobs::{self, SharedSettings, set, share};
use super::log::{Level, Log, Record};
use super::output::Outputs;
use crate::error::Error;
use crate::file::{JobEntry, needs_error};

/// How often to prune the history, in milliseconds.
const PRUNE: i64 = 3_600_000;

/// The jobs of a running pipeline.
pub(super) struct RunningJobs {
    running: RunningPipeline<RunHistory>,
    by_name: BTreeMap<String, (JobEntry, SharedSettings)>,
    log: Arc<Log>,
    outputs: Outputs,
    is_in_memory: bool,
    is_stopping: Arc<AtomicBool>,
    /// When the history was last pruned, in milliseconds.
    pruned: i64,
}

/// A pipeline that can be started.
pub(super) struct ReadyJobs {
    pipeline: Pipeline,
    entries: Vec<(JobEntry, i64)>,
    history: RunHistory,
    log: Arc<Log>,
    outputs: Outputs,
    is_in_memory: bool,
    is_stopping: Arc<AtomicBool>,
    now: i64,
}

/// Returns the pipeline of jobs, each of which begins at its instant.
pub(super) fn build(jobs: &[JobEntry], begins: &[i64]) -> Result<Pipeline, Error> {
    let mut builder = jobs.iter().fold(Pipeline::builder(), JobEntry::add_to);
    let first = begins.iter().min().copied().unwrap_or_default();
    for (job, begin) in jobs.iter().zip(begins) {
        builder = builder.job_since(&job.name, *begin);
    }
    builder.since(first).build().map_err(|error| needs_error(&error))
}

/// Returns the current instant in milliseconds, rounded up: earlier events have passed.
pub(super) fn now() -> i64 {
    Timestamp::now().as_millisecond().saturating_add(1)
}

impl ReadyJobs {
    /// Reads the history of these jobs, and records this start.
    pub(super) fn new(
        jobs: Vec<JobEntry>,
        records: Records,
        log: Arc<Log>,
        outputs: Outputs,
    ) -> Result<Self, Error> {
        let (is_in_memory, is_stopping) = (records.is_in_memory(), Arc::<AtomicBool>::default());
        let mut history = RunHistory::new(records, outputs.clone(), Arc::clone(&is_stopping));
        let now = now();
        let begins = history.beginnings(&jobs, now)?;
        let pipeline = build(&jobs, &begins)?;
        let entries = jobs.into_iter().zip(begins).collect::<Vec<_>>();
        history.record_start(entries.iter().map(|(entry, begin)| (entry, *begin)), now)?;
        Ok(Self { pipeline, entries, history, log, outputs, is_in_memory, is_stopping, now })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(entry, _)| entry.name.as_str())
    }

    /// Starts the pipeline, with the runs that were due while it was not running.
    pub(super) fn start(
        self,
        scheduler: &Scheduler,
        spawner: &Arc<Spawner>,
    ) -> Result<RunningJobs, Error> {
        let Self { pipeline, entries, history, log, outputs, is_in_memory, is_stopping, now } =
            self;
        let first = entries.iter().map(|(_, begin)| *begin).min().unwrap_or(now);
        let ends = recorder(Arc::clone(spawner)).map_err(Error::new)?;
        let mut runner = pipeline.run_on(scheduler, history).catch_up(first);
        let mut by_name = BTreeMap::new();
        for (entry, begin) in entries {
            let Some(settings) = share(&entry, may_overlap(&entry)) else { continue };
            let (schedule, shared) = (entry.schedule.clone(), Arc::clone(&settings));
            let (spawner, ends) = (Arc::clone(spawner), ends.clone());
            let work = Job::deferred(move |run, completion| {
                // Each run is a job of the scheduler, so its own number is always 1.
                let event = Timestamp::try_from(run.scheduled()).unwrap_or_default();
                let number = schedule.count(begin..=event.as_millisecond());
                let ends = ends.clone();
                let completion = completion.intercept(move |outcome, completion| {
                    drop(ends.send((outcome, completion)));
                });
                jobs::start(&shared, &spawner, number, &run, completion);
            });
            runner = runner.run_job(&entry.name, work);
            if let Some(retry) = entry.policies.retry {
                runner = runner.retry_job(&entry.name, retry);
            }
            by_name.insert(entry.name.clone(), (entry, settings));
        }
        let (log_of_waits, outputs_of_waits) = (Arc::clone(&log), outputs.clone());
        let running = runner
            .on_wait(move |run| log_wait(run, &log_of_waits, &outputs_of_waits))
            .start()
            .map_err(Error::new)?;
        Ok(RunningJobs { running, by_name, log, outputs, is_in_memory, is_stopping, pruned: now })
    }
}

/// Starts a thread that finishes runs, and returns its sender. Finishing a run records it, which may wait for a disk;
/// the main thread must not wait, since it enforces limits.
fn recorder(spawner: Arc<Spawner>) -> io::Result<Sender<(Outcome, Completion)>> {
    let (sender, ends) = channel::<(Outcome, Completion)>();
    let record = move || {
        for (outcome, completion) in ends {
            completion.finish(outcome);
            // The main thread may be waiting for the last run.
            spawner.wake();
        }
    };
    thread::Builder::new().name("history".to_owned()).spawn(record)?;
    Ok(sender)
}

/// Whether several runs of a job may be in progress.
fn may_overlap(entry: &JobEntry) -> bool {
    !entry.needs.iter().any(crate::file::NeedEntry::is_previous)
}

fn log_wait(run: &WaitingRun, log: &Log, outputs: &Outputs) {
    let time = log.time(run.scheduled);
    let (level, although) = match &run.failed {
        None => (Level::Info, String::new()),
        Some(failed) => (Level::Warning, format!(", although {failed}")),
    };
    let message = format!("the run of {time} waits for {}{although}", run.reason);
    outputs.log_of_job(Some(run.job.clone()), Record::new(level, "waiting", message));
}

impl RunningJobs {
    pub(super) fn len(&self) -> usize {
        self.by_name.len()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Returns the names of jobs that are never due again.
    pub(super) fn without_events(&self) -> impl Iterator<Item = &str> {
        let now = now();
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
        let hint = if self.is_in_memory {
            "restart `millicron run` to change a pipeline: with `--history`, no run is lost"
        } else {
            "restart `millicron run` to change a pipeline: no run is lost"
        };
        Err(Error::new(change).hint(hint))
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
        } else {
            return None;
        };
        Some(format!("the job `{name}` is part of a pipeline, and its {what} changed"))
    }

    /// Updates a job from a reloaded file. Returns whether it has changed.
    pub(super) fn set(&mut self, entry: JobEntry) -> bool {
        let Some((old, settings)) = self.by_name.get_mut(&entry.name) else { return false };
        let is_changed = !old.is_same(&entry);
        set(settings, &entry, may_overlap(&entry));
        *old = entry;
        is_changed
    }

    /// Prunes a history in memory every hour. A file keeps all records.
    pub(super) fn prune(&mut self) {
        let now = now();
        if !self.is_in_memory || now.saturating_sub(self.pruned) < PRUNE {
            return;
        }
        let waiting = self.running.waiting().first().map(|run| run.scheduled);
        let waiting = waiting.and_then(|run| Timestamp::try_from(run).ok());
        // Not up to now: if the machine has slept, earlier runs are about to become due.
        let needed = waiting.map_or(self.pruned, |run| run.as_millisecond().min(self.pruned));
        let pipeline = self.running.pipeline().clone();
        // A history in memory does not fail.
        drop(self.running.with_history(|history| pipeline.prune(needed, history)));
        self.pruned = now;
    }

    /// Prevents further starts, and logs the runs that wait. From now on, failures are not recorded, so these runs
    /// start again: their commands may have been ended by us.
    pub(super) fn cancel(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        let mut by_job = BTreeMap::<String, Vec<WaitingRun>>::new();
        for run in self.running.waiting() {
            by_job.entry(run.job.clone()).or_default().push(run);
        }
        self.running.cancel();
        for (job, runs) in by_job {
            let Some(first) = runs.first() else { continue };
            let (time, reason) = (self.log.time(first.scheduled), &first.reason);
            let (level, then) = if self.is_in_memory {
                (Level::Warning, "dropped")
            } else {
                (Level::Info, "left for the next start")
            };
            let count = runs.len() as u64;
            let runs = counted(count, "waiting run");
            let message = format!("{then}: {runs}; the run of {time} waits for {reason}");
            let record = Record::new(level, "waiting", message);
            self.outputs.log_of_job(Some(job), record.count(count));
        }
    }
}
