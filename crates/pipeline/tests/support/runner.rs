//! Helpers shared by the tests of pipelines on a scheduler.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::schedule;
use millicron_pipeline::{Claims, Need, Pipeline, RunningPipeline};
use millicron_scheduler::{Event, JobName, ManualClock, Outcome, RunContext, Scheduler, Workers};
pub(crate) use millicron_test_support::threads::{Log, receive, until, watched};

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

/// The runs that were started, as the job and the minute after midnight.
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

    pub(crate) fn job(&self) -> impl Fn(RunContext) + Send + Sync + 'static {
        let log = self.clone();
        move |run| log.add(&run)
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
        if let Event::Finished { run, outcome, .. } = event
            && let JobName::Given(name) = run.job_name()
        {
            log.add((name.to_string(), outcome.clone()));
        }
    };
    let builder = Scheduler::builder().clock(clock.clone()).observer(observer);
    (clock, builder.start().expect("the scheduler starts"), outcomes)
}

/// Returns an hourly job, and a job that runs every four hours and needs all hourly runs.
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

pub(crate) fn waiting<H: Claims + Send + 'static>(running: &RunningPipeline<H>) -> Vec<String> {
    running.waiting().iter().map(ToString::to_string).collect()
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}
