//! Shared by the tests of pipelines on a scheduler.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::schedule;
use millicron_pipeline::{MemoryHistory, Need, Pipeline, RunningPipeline};
use millicron_scheduler::{Event, ManualClock, Outcome, RunContext, Scheduler, Workers};

use super::build;

pub(crate) const HOUR: Duration = Duration::from_hours(1);

/// 2026-11-21 00:00:00 UTC.
pub(crate) fn midnight() -> SystemTime {
    UNIX_EPOCH + secs(1_795_219_200)
}

/// Returns the instant of a minute after midnight, in milliseconds.
pub(crate) fn minute(minute: i64) -> i64 {
    1_795_219_200_000 + minute * 60_000
}

/// The runs that were started: the job and the minute after midnight.
#[derive(Clone)]
pub(crate) struct RunLog(Log<(String, u64)>);

impl RunLog {
    pub(crate) fn new() -> Self {
        Self(Log::new())
    }

    pub(crate) fn add(&self, run: &RunContext) {
        let since = run.scheduled().duration_since(midnight()).expect("after midnight");
        self.0.add((run.job_name().to_string(), since.as_secs() / 60));
    }

    pub(crate) fn job(&self) -> impl Fn(&RunContext) + Send + Sync + 'static {
        let log = self.clone();
        move |run| log.add(run)
    }

    pub(crate) fn take(&self) -> Vec<(String, u64)> {
        self.0.take()
    }
}

pub(crate) fn runs(runs: &[(&str, u64)]) -> Vec<(String, u64)> {
    runs.iter().map(|(job, minute)| ((*job).to_owned(), *minute)).collect()
}

pub(crate) fn scheduler() -> (ManualClock, Scheduler) {
    let clock = ManualClock::new(midnight());
    let builder = Scheduler::builder().clock(clock.clone()).workers(Workers::Pool(1));
    (clock, builder.start().expect("the scheduler starts"))
}

/// Returns a scheduler, and the outcomes of the pipeline's runs.
pub(crate) fn observed() -> (ManualClock, Scheduler, Log<(String, Outcome)>) {
    let (clock, outcomes) = (ManualClock::new(midnight()), Log::new());
    let log = outcomes.clone();
    let observer = move |event: &Event| {
        if let Event::Finished { run, outcome, .. } = event {
            let name = run.job_name().to_string();
            if name.starts_with(char::is_alphabetic) && !name.starts_with("due: ") {
                log.add((name, outcome.clone()));
            }
        }
    };
    let builder = Scheduler::builder().clock(clock.clone()).observer(observer);
    (clock, builder.start().expect("the scheduler starts"), outcomes)
}

/// Returns an hourly job, and one every four hours that needs all hourly runs.
pub(crate) fn loads_and_reports() -> Pipeline {
    let builder = Pipeline::builder().since(midnight()).job("load", schedule!("*:30:00"), []).job(
        "report",
        schedule!("*/4:00:00"),
        [Need::all("load")],
    );
    build(builder)
}

/// Returns an hourly report that needs the daily rates, which are due at 3:00.
pub(crate) fn rates_and_reports() -> Pipeline {
    let builder = Pipeline::builder().since(midnight()).job("rates", schedule!("3:00:00"), []).job(
        "report",
        schedule!("*:30:00"),
        [Need::latest("rates")],
    );
    build(builder)
}

pub(crate) fn waiting(running: &RunningPipeline<MemoryHistory>) -> Vec<String> {
    running.waiting().iter().map(ToString::to_string).collect()
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A list that several threads add to.
#[derive(Debug)]
pub(crate) struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Clone> Log<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn add(&self, entry: T) {
        lock(&self.0).push(entry);
    }

    /// Returns all entries, and clears the list.
    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// Fails if `work` takes longer than a minute and a half.
pub(crate) fn watched<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, watch) = channel();
    let thread = thread::spawn(move || drop(done.send(work())));
    match watch.recv_timeout(secs(90)) {
        Ok(result) => result,
        Err(_) if thread.is_finished() => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("the work sends its result before it ends"),
        },
        Err(error) => panic!("the work hangs: {error}"),
    }
}

/// Receives a message, or fails after a minute.
pub(crate) fn receive<T>(from: &Receiver<T>) -> T {
    from.recv_timeout(secs(60)).expect("a message within a minute")
}
