//! `--history` writes how runs ended.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;
use std::{fs, iter, thread};

use millicron_history::{History as _, RunState, SqliteHistory};
use millicron_test_support::directory::Directory;
use rustix::process::Signal;
use serde_json::Value;

use super::pipelines::message;
use super::support::{Runner, fails, of, wait_until};

/// Returns how the runs of the last day ended by a history.
pub(super) fn graph(runner: &Runner) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_millicron"))
        .args(["graph", "jobs.toml", "--history", "runs.db", "--json"])
        .current_dir(runner.directory.path())
        .env("TZ", "UTC")
        .output()
        .expect("it starts");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Returns how many runs of a job ended in a way by a history.
pub(super) fn runs(graph: &Value, job: &str, end: &str) -> u64 {
    let mut jobs = graph["jobs"].as_array().expect("jobs").iter();
    let job = jobs.find(|it| it["name"] == job).expect("the job");
    job["runs"][end].as_u64().expect("a number")
}

#[test]
fn the_ends_of_all_runs_are_in_the_history() {
    let text = "
        [jobs.load]
        schedule = '*:*:*'
        command = 'test \"$MILLICRON_ATTEMPT\" = 2'
        retries = { most = 1, wait = '10ms' }
        [jobs.report]
        schedule = '*:*:*'
        command = 'exit 3'
        needs = 'load'
        [jobs.other]
        schedule = '*:*:*'
        command = ['true']
        [jobs.cut]
        schedule = '*:*:*'
        command = 'trap \"exit 0\" TERM; echo up; while :; do sleep 0.01; done'
    ";
    let history = ["--history", "runs.db", "--grace", "1h", "--kill-after", "1h"];
    let runner = Runner::start("needs-history", "jobs.toml", text, &history);
    runner.wait_for("a second run", |record| record["job"] == "report" && record["run"] == 2);
    runner.wait_for_event("other", "succeeded");
    runner.wait_for_line("cut", "up");
    runner.signal(Signal::TERM);
    runner.wait_for("the stop", |record| record["event"] == "stopping");
    // A further signal ends commands, but not within a second.
    thread::sleep(Duration::from_millis(1100));
    runner.signal(Signal::TERM);
    runner.wait_for("the end", |record| record["event"] == "stopped");
    let (records, graph) = (runner.records(), graph(&runner));
    let count = |job: &str, event: &str| of(&records, job, event).len() as u64;
    for job in ["report", "other", "cut"] {
        assert_eq!(runs(&graph, job, "succeeded"), count(job, "succeeded"), "{graph}");
        assert_eq!(runs(&graph, job, "failed"), count(job, "failed"), "{graph}");
    }
    // A retry takes the place of its first attempt.
    assert_eq!(runs(&graph, "load", "succeeded"), count("load", "succeeded"), "{graph}");
    let events = |event: &str| -> HashSet<&str> {
        of(&records, "load", event).iter().filter_map(|it| it["scheduled"].as_str()).collect()
    };
    let failed = events("failed").difference(&events("succeeded")).count() as u64;
    assert_eq!(runs(&graph, "load", "failed"), failed, "{graph}");
    // A command that ended because it was asked to has not succeeded.
    assert_eq!((runs(&graph, "cut", "succeeded"), runs(&graph, "cut", "failed")), (0, 1));
    assert_eq!(of(&records, "cut", "failed")[0]["exit_status"], 0);
}

#[test]
fn two_processes_can_write_to_one_history() {
    let text = "[jobs.job]\nschedule = '*:*:*'\ncommand = ['true']\n";
    let first = Runner::start("needs-shared", "jobs.toml", text, &["--history", "runs.db"]);
    let path = first.directory.join("runs.db");
    let history = ["--history", path.to_str().expect("UTF-8")];
    let other = text.replace("jobs.job", "jobs.other");
    let second = Runner::start("needs-shared-too", "jobs.toml", &other, &history);
    first.wait_for_event("job", "succeeded");
    second.wait_for_event("other", "succeeded");
    first.write(&[text, &other].concat());
    wait_until("both histories", || {
        let graph = graph(&first);
        ["job", "other"].iter().all(|job| runs(&graph, job, "succeeded") > 0)
    });
}

#[test]
fn a_history_is_complete_without_its_log_after_a_stop() {
    let text = "[jobs.job]\nschedule = '*:*:*.*/100'\ncommand = ['true']\n";
    let history = ["--history", "runs.db", "--grace", "1h"];
    let runner = Runner::start("needs-log", "jobs.toml", text, &history);
    runner.wait_for_event("job", "succeeded");
    runner.signal(Signal::TERM);
    runner.wait_for("the end", |record| record["event"] == "stopped");
    let copy = Directory::new("run-needs-log-copy");
    fs::copy(runner.directory.join("runs.db"), copy.join("runs.db")).expect("accessible files");
    let history = SqliteHistory::open(copy.join("runs.db")).expect("valid history");
    let mut written = 0;
    let mut count = |_| {
        written += 1;
        ControlFlow::Continue(())
    };
    history.successes("job", i64::MIN..=i64::MAX, &mut count).expect("the query succeeds");
    assert_eq!(written, of(&runner.records(), "job", "succeeded").len());
}

#[test]
fn a_locked_history_is_reported_before_the_stop_and_loses_nothing() {
    let text = "[jobs.job]\nschedule = '*:*:*.*/100'\ncommand = ['true']\n";
    let history = ["--history", "runs.db", "--grace", "1h"];
    let runner = Runner::start("needs-lock", "jobs.toml", text, &history);
    let mut other = SqliteHistory::open(runner.directory.join("runs.db")).expect("valid history");
    let (release, is_released) = channel::<()>();
    let lock = thread::spawn(move || {
        // The file is locked until the iterator ends.
        let run =
            iter::from_fn(|| is_released.recv().ok().map(|()| ("other", 0, RunState::Failed)));
        other.record_states(run).expect("the record succeeds");
    });
    let record = runner.wait_for("the report", |record| record["event"] == "history");
    assert!(message(&record).starts_with("another process has locked the history: "), "{record}");
    drop(release);
    lock.join().expect("no panic");
    runner.signal(Signal::TERM);
    runner.wait_for("the end", |record| record["event"] == "stopped");
    let succeeded = of(&runner.records(), "job", "succeeded").len() as u64;
    assert_eq!(runs(&graph(&runner), "job", "succeeded"), succeeded);
}

#[test]
fn a_history_that_cannot_be_opened_is_an_error_at_the_start() {
    let directory = Directory::new("run-needs-history");
    let (file, history) = (directory.join("jobs.toml"), directory.join("text"));
    let text = "[jobs.job]\nschedule = '*:*:*'\ncommand = ['true']\nneeds = { previous = true }\n";
    fs::write(&file, text).expect("accessible file");
    fs::write(&history, "Dear diary").expect("accessible file");
    let (status, _, stderr) = fails(&file, &["--history", history.to_str().expect("UTF-8")]);
    assert_eq!(status, Some(2), "{stderr}");
    assert!(stderr.contains("text"), "{stderr}");
    assert_eq!(fs::read_to_string(&history).expect("it is there"), "Dear diary");
    let missing = directory.join("missing/runs.db");
    let (_, _, stderr) = fails(&file, &["--history", missing.to_str().expect("UTF-8")]);
    let reason =
        "runs.db: the history cannot be opened: its directory does not exist; create it first\n";
    assert!(stderr.ends_with(reason), "{stderr}");
}
