//! Code that all models share: executing them, and observing a scheduler.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use modelled_scheduler::{
    Event, Job, ManualClock, RunContext, Scheduler, SchedulerBuilder, SchedulerHandle, Workers,
};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, MaxSteps, Runner, thread};

/// The number of interleavings of each kind with which a model is executed, unless
/// `MILLICRON_MODEL_RUNS` overrides it.
const RUNS: usize = 2000;

/// The most changes of priority in one execution: a race that needs more is found only by chance.
const DEPTH: usize = 3;

/// Executes a model with random interleavings, and with probabilistic concurrency testing. The
/// interleavings are always the same, unless `SHUTTLE_RANDOM_SEED` is set.
pub(crate) fn check(model: fn()) {
    let runs = std::env::var("MILLICRON_MODEL_RUNS");
    let runs = runs.map_or(RUNS, |runs| runs.parse().expect("a number of executions"));
    let mut config = Config::new();
    config.stack_size = 0x20000;
    config.max_steps = MaxSteps::FailAfter(100_000);
    // Atomics are sequentially consistent here. The scheduler only uses them for flags and counts.
    config.silence_warnings = true;
    let random = RandomScheduler::new_from_seed(1, runs);
    assert_eq!(Runner::new(random, config.clone()).run(model), runs);
    let probabilistic = PctScheduler::new_from_seed(1, DEPTH, runs);
    assert_eq!(Runner::new(probabilistic, config).run(model), runs);
}

/// Returns the instant `after` seconds after the start.
pub(crate) fn at(after: u64) -> SystemTime {
    UNIX_EPOCH + secs(1_700_000_000 + after)
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// What a model observes. It uses locks from `std`, so observing never yields to other threads.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Entries>>);

#[derive(Default)]
pub(crate) struct Entries {
    /// How often each run was executed, by job and instant.
    pub(crate) executed: BTreeMap<(String, SystemTime), usize>,
    /// The events that the observer received.
    pub(crate) events: Vec<Event>,
}

impl Log {
    pub(crate) fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note(&self, run: &RunContext) {
        let run = (run.job_name().to_string(), run.scheduled());
        *self.entries().executed.entry(run).or_default() += 1;
    }

    /// Returns a closure for a job.
    pub(crate) fn job(&self) -> impl Fn(RunContext) + Send + Sync + 'static {
        let log = self.clone();
        move |run| log.note(&run)
    }

    pub(crate) fn observer(&self) -> impl Fn(&Event) + Send + Sync + 'static {
        let log = self.clone();
        move |event| {
            // Lets other threads run.
            thread::sleep(Duration::ZERO);
            log.entries().events.push(event.clone());
        }
    }

    /// Returns the number of executed runs, after checking that none was executed twice.
    pub(crate) fn executed(&self) -> usize {
        let entries = self.entries();
        for (run, times) in &entries.executed {
            assert_eq!(*times, 1, "{run:?} is executed more than once");
        }
        entries.executed.len()
    }

    /// Returns the number of runs, after checking that the observer received the start and end of each.
    pub(crate) fn ended(&self) -> usize {
        let executed = self.executed();
        let entries = self.entries();
        let count = |is: fn(&Event) -> bool| entries.events.iter().filter(|it| is(it)).count();
        assert_eq!(count(|it| matches!(it, Event::Started { .. })), executed, "starts");
        assert_eq!(count(|it| matches!(it, Event::Finished { .. })), executed, "ends");
        executed
    }

    /// Returns whether nothing else can still write to this log: the scheduler, its threads, jobs and
    /// observer are gone.
    pub(crate) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

/// Returns a scheduler and its clock, which stands at the start.
pub(crate) fn scheduler(workers: Workers) -> (Scheduler, ManualClock) {
    started(Scheduler::builder().workers(workers))
}

/// Like [`scheduler`], with an observer.
pub(crate) fn observed(workers: Workers, log: &Log) -> (Scheduler, ManualClock) {
    started(Scheduler::builder().workers(workers).observer(log.observer()))
}

pub(crate) fn started(builder: SchedulerBuilder) -> (Scheduler, ManualClock) {
    let clock = ManualClock::new(at(0));
    let scheduler = builder.clock(clock.clone()).start().expect("shuttle starts every thread");
    (scheduler, clock)
}

/// Closes a scheduler and waits, without limit, until its runs have ended.
pub(crate) fn close(scheduler: Scheduler) {
    assert_eq!(scheduler.close_and_wait(Duration::MAX).len(), 0, "all runs have ended");
    drop(scheduler);
}

/// Adds a job that runs once.
pub(crate) fn add_once(
    scheduler: &SchedulerHandle,
    after: u64,
    run: impl Fn(RunContext) + Send + Sync + 'static,
) {
    scheduler.once_job(at(after), Job::new(run)).expect("the scheduler is open");
}
