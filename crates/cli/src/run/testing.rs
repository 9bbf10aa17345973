//! What unit tests need to start commands.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, UNIX_EPOCH};

use jiff::tz::TimeZone;
use millicron_scheduler::{Completion, Job, ManualClock, RunContext, Scheduler};

use super::log::{Log, LogFormat, OutputThread};
use super::process::{Children, Settings};
use crate::file::{Command, Program};

/// Starts an output thread that writes only warnings and errors, and returns children that write to it.
pub(super) fn children() -> Children {
    let log = Log::new(LogFormat::Text, TimeZone::UTC, true, || ()).expect("descriptors");
    let output = OutputThread::start(log, None).expect("threads");
    Children::new(output, Duration::from_hours(1), None, || ())
}

/// Returns how to run `true`.
pub(super) fn settings() -> Settings {
    let command = Command {
        program: Program::Direct(vec!["true".to_owned()]),
        shared_environment: Arc::default(),
        environment: Vec::new(),
        input: None,
        directory: None,
        user: None,
    };
    Settings { command: Arc::new(command), limit: None, may_overlap: false }
}

/// Returns a run of the job `job` at the Unix epoch that has started some seconds later.
pub(super) fn run_started_at(seconds: u64) -> (RunContext, Completion) {
    let clock = ManualClock::new(UNIX_EPOCH + Duration::from_secs(seconds));
    let scheduler = Scheduler::builder().clock(clock).start().expect("threads");
    let (sender, runs) = channel();
    let work = move |run, completion| drop(sender.send((run, completion)));
    let job = scheduler.once_job(UNIX_EPOCH, Job::deferred(work).name("job"));
    job.expect("it is added");
    runs.recv().expect("it starts")
}
