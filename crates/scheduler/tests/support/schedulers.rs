//! Schedulers and simulators that log events, and jobs whose runs the test ends.

use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use millicron_scheduler::{
    Completion, Event, Job, ManualClock, RunContext, Scheduler, SchedulerBuilder, Simulator,
};
use millicron_test_support::processes::this_program;

use super::{Log, lock, short, start};

/// A builder for a scheduler with a clock that stands at [`start`].
pub(crate) fn builder() -> (ManualClock, SchedulerBuilder) {
    let clock = ManualClock::new(start());
    (clock.clone(), Scheduler::builder().clock(clock))
}

/// A scheduler with a clock that stands at [`start`].
pub(crate) fn scheduler() -> (ManualClock, Scheduler) {
    let (clock, builder) = builder();
    (clock, builder.start().expect("the scheduler starts"))
}

/// A scheduler whose observer logs every event in short form.
pub(crate) fn logged() -> (ManualClock, Scheduler, Log<String>) {
    let (log, (clock, builder)) = (Log::new(), builder());
    let sink = log.clone();
    let observer = move |event: &Event| sink.add(short(event));
    (clock, builder.observer(observer).start().expect("the scheduler starts"), log)
}

/// A simulator at [`start`] whose observer logs every event in short form.
pub(crate) fn simulator() -> (Simulator, Log<String>) {
    let log = Log::new();
    let sink = log.clone();
    (Simulator::new(start()).observer(move |event: &Event| sink.add(short(event))), log)
}

/// A job whose runs the test ends.
pub(crate) fn held() -> (Job, Receiver<(RunContext, Completion)>) {
    let (begun, held): (Sender<(RunContext, Completion)>, _) = channel();
    let begun = Mutex::new(begun);
    let job = Job::deferred(move |run, completion| {
        lock(&begun).send((run, completion)).expect("the test receives it");
    });
    (job, held)
}

/// Set in a process that runs a single test.
const CHILD: &str = "MILLICRON_TEST_IN_CHILD";

/// Returns a command that runs one test in its own process, for state that all tests of a process
/// share: subscribers, recorders, threads, standard error. Returns `None` in that process.
pub(crate) fn child(test: &str) -> Option<Command> {
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    let mut command = this_program();
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(CHILD, "1");
    Some(command)
}

/// Runs one test in its own process, and returns its standard error. Returns `None` in that
/// process.
pub(crate) fn in_child(test: &str) -> Option<String> {
    let Output { status, stdout, stderr } =
        child(test)?.output().expect("the child process starts");
    let read = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (output, errors) = (read(stdout), read(stderr));
    assert!(status.success(), "{output}\n{errors}");
    assert!(output.contains("1 passed"), "the child runs the test: {output}");
    Some(errors)
}
