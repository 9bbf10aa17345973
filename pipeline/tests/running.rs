//! What the tests of pipelines in a scheduler have in common.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::dependency::{Builder, MemoryHistory, Need, Pipeline};
use millicron::schedule;
use millicron::scheduler::{
    Event, Fire, ManualClock, Outcome, RunningPipeline, Scheduler, Workers,
};

use super::{Log, secs};

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

    pub(crate) fn note(&self, fire: &Fire) {
        let since = fire.scheduled().duration_since(midnight()).expect("it is after midnight");
        self.0.add((fire.name().to_string(), since.as_secs() / 60));
    }

    pub(crate) fn job(&self) -> impl Fn(&Fire) + Send + Sync + 'static {
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
        if let Event::Ended { fire, outcome, .. } = event {
            let name = fire.name().to_string();
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
