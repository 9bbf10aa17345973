//! What the tests of pipelines in a scheduler have in common.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::schedule;
use millicron_pipeline::RunningPipeline;
use millicron_pipeline::{Builder, MemoryHistory, Need, Pipeline};
use millicron_scheduler::{Event, ManualClock, Outcome, RunContext, Scheduler, Workers};

pub(crate) const HOUR: Duration = Duration::from_hours(1);

/// 2026-11-21 00:00:00 UTC.
pub(crate) fn midnight() -> SystemTime {
    UNIX_EPOCH + secs(1_795_219_200)
}

/// So many minutes after midnight, in milliseconds.
pub(crate) fn minute(minute: i64) -> i64 {
    1_795_219_200_000 + minute * 60_000
}

/// What was started, by name, with the minutes after midnight.
#[derive(Clone)]
pub(crate) struct Book(Log<(String, u64)>);

impl Book {
    pub(crate) fn new() -> Self {
        Self(Log::new())
    }

    pub(crate) fn note(&self, fire: &RunContext) {
        let since = fire.scheduled().duration_since(midnight()).expect("it is after midnight");
        self.0.add((fire.job_name().to_string(), since.as_secs() / 60));
    }

    pub(crate) fn job(&self) -> impl Fn(&RunContext) + Send + Sync + 'static {
        let book = self.clone();
        move |fire| book.note(fire)
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
    (clock, builder.start().expect("there are threads"))
}

/// One whose runs tell how they ended, but for those that make others due.
pub(crate) fn observed() -> (ManualClock, Scheduler, Log<(String, Outcome)>) {
    let (clock, ends) = (ManualClock::new(midnight()), Log::new());
    let told = ends.clone();
    let observer = move |event: &Event| {
        if let Event::Finished { run: fire, outcome, .. } = event {
            let name = fire.job_name().to_string();
            if name.starts_with(char::is_alphabetic) && !name.starts_with("due: ") {
                told.add((name, outcome.clone()));
            }
        }
    };
    let builder = Scheduler::builder().clock(clock.clone()).observer(observer);
    (clock, builder.start().expect("there are threads"), ends)
}

pub(crate) fn build(builder: Builder) -> Pipeline {
    builder.build().expect("nothing is wrong with it")
}

/// An hourly job, and one every four hours that needs all of these.
pub(crate) fn loads_and_reports() -> Pipeline {
    let builder = Pipeline::builder().since(midnight()).job("load", schedule!("*:30:00"), []).job(
        "report",
        schedule!("*/4:00:00"),
        [Need::all("load")],
    );
    build(builder)
}

/// A report each hour that waits for the rates of its day, which come at 3 o'clock.
pub(crate) fn rates_and_reports() -> Pipeline {
    let builder = Pipeline::builder().since(midnight()).job("rates", schedule!("3:00:00"), []).job(
        "report",
        schedule!("*:30:00"),
        [Need::latest("rates")],
    );
    build(builder)
}

pub(crate) fn words(running: &RunningPipeline<MemoryHistory>) -> Vec<String> {
    running.waiting().iter().map(ToString::to_string).collect()
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What several threads add to.
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

    pub(crate) fn add(&self, it: T) {
        lock(&self.0).push(it);
    }

    /// All, and begins anew.
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

/// What is sent, or a failure where nothing is.
pub(crate) fn receive<T>(from: &Receiver<T>) -> T {
    from.recv_timeout(secs(60)).expect("it comes within a minute")
}
