//! Jobs that record their runs, to survive a restart of the process.

mod answers;
mod failing;
mod gates;
#[cfg(unix)]
mod processes;
mod recording;
mod restarts;
mod store;

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, SystemTime};

use millicron::{Schedule, schedule};
use millicron_scheduler::{
    Clock, Completion, HistoryEvent, Job, JobHistory, JobHistoryBuilder, ManualClock, RunContext,
    Scheduler, Timer, Workers,
};

pub(crate) use self::store::Store;
use crate::support::{Log, lock, start};

/// Events are at 40 seconds after the start, and then every minute.
pub(crate) const MINUTES: Schedule = schedule!("*:*:00");

/// A process: a scheduler with a manual clock, and the history that it shares with other processes.
pub(crate) struct Process<C = ManualClock> {
    pub(crate) clock: C,
    pub(crate) scheduler: Scheduler,
    pub(crate) jobs: JobHistory,
    pub(crate) reports: Log<String>,
}

impl Process {
    /// Starts a process at an instant after the [`start`].
    pub(crate) fn start(after: Duration, store: &Store) -> Self {
        Self::start_with(after, store, JobHistory::builder())
    }

    pub(crate) fn start_with(after: Duration, store: &Store, builder: JobHistoryBuilder) -> Self {
        let clock = ManualClock::new(start() + after);
        Self::of(clock.clone(), clock, store, builder)
    }
}

impl Process<StepClock> {
    /// Starts a process whose clock does not wait for runs.
    pub(crate) fn stepped(after: Duration, store: &Store) -> Self {
        Self::stepped_with(after, store, JobHistory::builder())
    }

    pub(crate) fn stepped_with(after: Duration, store: &Store, builder: JobHistoryBuilder) -> Self {
        let clock = StepClock::new(start() + after);
        Self::of(clock.clone(), clock, store, builder)
    }
}

impl<C> Process<C> {
    fn of(clock: C, of_scheduler: impl Clock, store: &Store, builder: JobHistoryBuilder) -> Self {
        let scheduler = Scheduler::builder().clock(of_scheduler).workers(Workers::Pool(2)).start();
        let scheduler = scheduler.expect("threads");
        let reports = Log::new();
        let log = reports.clone();
        let builder = builder.observer(move |event| log.add(text(event)));
        let jobs = builder.start(&scheduler, store.clone()).expect("a thread");
        Self { clock, scheduler, jobs, reports }
    }

    /// Ends the process while runs are in progress, as if it was killed: nothing is recorded after
    /// that.
    pub(crate) fn kill(self, store: &Store) {
        store.cut();
        drop(self.scheduler);
    }
}

/// A clock that jumps, and does not wait until runs have ended.
#[derive(Clone)]
pub(crate) struct StepClock(Arc<Mutex<Reading>>);

struct Reading {
    now: SystemTime,
    elapsed: Duration,
    timer: Weak<dyn Timer>,
}

impl StepClock {
    fn new(now: SystemTime) -> Self {
        let timer: Weak<dyn Timer> = Weak::<NoTimer>::new();
        Self(Arc::new(Mutex::new(Reading { now, elapsed: Duration::ZERO, timer })))
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.change(|reading| {
            reading.now += by;
            reading.elapsed += by;
        });
    }

    pub(crate) fn set_back(&self, by: Duration) {
        self.change(|reading| reading.now -= by);
    }

    fn change(&self, change: impl FnOnce(&mut Reading)) {
        let mut reading = lock(&self.0);
        change(&mut reading);
        let timer = reading.timer.upgrade();
        drop(reading);
        if let Some(timer) = timer {
            timer.clock_changed();
        }
    }
}

impl Clock for StepClock {
    fn now(&self) -> SystemTime {
        lock(&self.0).now
    }

    fn elapsed(&self) -> Duration {
        lock(&self.0).elapsed
    }

    fn max_sleep(&self, _: Option<Duration>) -> Option<Duration> {
        None
    }

    fn attach(&self, timer: Weak<dyn Timer>) {
        lock(&self.0).timer = timer;
    }
}

/// The timer of a clock that no scheduler uses.
struct NoTimer;

impl Timer for NoTimer {
    fn time_to_next(&self) -> Option<Duration> {
        None
    }

    fn clock_changed(&self) {}

    fn wait_until_idle(&self) -> bool {
        false
    }
}

fn text(event: &HistoryEvent) -> String {
    match event {
        HistoryEvent::CutOff { job, scheduled, attempts, restarts, .. } => {
            let scheduled = seconds(*scheduled);
            format!("{job} {scheduled} cut off in {attempts}, restarts {restarts}")
        }
        HistoryEvent::Ahead { job, last } => format!("{job} has run at {}", seconds(*last)),
        HistoryEvent::Failed { error } => format!("failed: {error}"),
        HistoryEvent::Recovered => "recovered".to_owned(),
        _ => format!("{event:?}"),
    }
}

/// Returns the seconds since the [`start`].
pub(crate) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(start()).expect("an instant after the start").as_secs()
}

/// A job that logs the instant and the attempt of each run.
pub(crate) fn logging(log: &Log<(u64, u32)>) -> Job {
    let log = log.clone();
    Job::new(move |run| log.add((seconds(run.scheduled()), run.attempt()))).name("job")
}

/// A job whose runs end when the test says so.
pub(crate) fn open_ended() -> (Job, Receiver<(RunContext, Completion)>) {
    let (sender, runs) = channel();
    let job = Job::deferred(move |run, completion| drop(sender.send((run, completion))));
    (job.name("job"), runs)
}
