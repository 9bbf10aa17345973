//! Stopping by signals.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;
use std::{iter, thread};

use millicron_test_support::directory::Directory;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::support::{Runner, command, group, lines, of, wait_until};

/// A job that runs until a file exists.
const UNTIL: &str = "
    [jobs.job]
    schedule = \"*:*:*\"
    command = \"echo up; while [ ! -e go ]; do sleep 0.02; done; echo done\"
    [jobs.other]
    schedule = \"*:*:*.*/20\"
    command = [\"true\"]
";

#[test]
fn running_commands_may_end_and_nothing_else_starts() {
    for signal in [Signal::TERM, Signal::INT, Signal::QUIT] {
        let name = format!("wait-{}", signal.as_raw());
        let runner = Runner::start(&name, "jobs.toml", UNTIL, &["--grace", "1h"]);
        runner.wait_for_line("job", "up");
        runner.signal(signal);
        runner.wait_for("the stop", |record| record["event"] == "stopping");
        fs::write(runner.directory.join("go"), "").expect("accessible directory");
        let (status, records) = runner.wait();
        assert_eq!(status.code(), Some(0));
        assert_eq!(of(&records, "job", "succeeded").len(), 1);
        let stopping = records.iter().position(|record| record["event"] == "stopping");
        let after = &records[stopping.expect("it was written") + 1..];
        // Runs that began just before may still be reported.
        assert!(of(after, "other", "started").len() <= 2, "{after:#?}");
        assert_eq!(records.last().expect("records")["event"], "stopped");
        for job in ["job", "other"] {
            let ends = of(&records, job, "succeeded").len() + of(&records, job, "failed").len();
            assert_eq!(of(&records, job, "started").len(), ends);
        }
    }
}

#[test]
fn commands_that_do_not_end_in_time_are_asked_to() {
    let text = "[jobs.job]\nschedule = \"*:*:*\"\ncommand = \"trap 'echo bye; exit 0' TERM; echo up; sleep 1000 & wait\"\n";
    let arguments = ["--grace", "50ms", "--kill-after", "1h"];
    let runner = Runner::start("ask", "jobs.toml", text, &arguments);
    runner.wait_for_line("job", "up");
    let (status, records) = runner.stop();
    assert_eq!(status.code(), Some(0));
    let end = of(&records, "job", "failed");
    assert_eq!(end.len(), 1);
    assert_eq!(end[0]["exit_status"], 0, "it was ended nevertheless");
    assert_eq!(of(&records, "job", "output").last().expect("a line")["message"], "bye");
}

#[test]
fn a_command_that_ended_before_it_is_asked_to_succeeds() {
    // It sleeps to let the runner learn of its start before it is suspended.
    let text = "[jobs.job]\nschedule = \"*:*:*\"\ncommand = \"[ -e go ] || { sleep 0.3; kill -STOP $PPID; }\"\n";
    let arguments = ["--grace", "0s", "--kill-after", "1h"];
    let runner = Runner::start("ended-before", "jobs.toml", text, &arguments);
    runner.wait_until_suspended_with_zombie();
    // Later runs do not suspend the runner again.
    fs::write(runner.directory.join("go"), "").expect("accessible directory");
    // Both are pending then, and SIGTERM is usually handled before SIGCHLD.
    runner.signal(Signal::TERM);
    runner.signal(Signal::CONT);
    let (status, records) = runner.wait();
    assert_eq!(status.code(), Some(0));
    // On a slow machine, further runs may start.
    let ends = records.iter().filter(|it| it["run"] == 1 && it["exit_status"] == 0);
    let ends = ends.map(|it| it["event"].as_str()).collect::<Vec<_>>();
    assert_eq!(ends, [Some("succeeded")], "{records:#?}");
}

#[test]
fn commands_that_do_not_end_at_all_are_killed() {
    let text = "[jobs.job]\nschedule = \"*:*:*\"\ncommand = \"trap '' TERM; echo up; sleep 1000; sleep 1000\"\n";
    let stop = || {
        let arguments = ["--grace", "50ms", "--kill-after", "50ms"];
        let runner = Runner::start("kill", "jobs.toml", text, &arguments);
        runner.wait_for_line("job", "up");
        let pid = runner.wait_for_event("job", "started")["pid"].as_i64().expect("a number");
        let (status, records) = runner.stop();
        assert_eq!(status.code(), Some(1));
        (pid, records)
    };
    // On a slow machine, a killed process may take longer to end than the runner waits.
    let has_ended = |(_, records): &(i64, Vec<Value>)| {
        let mut messages = records.iter().filter_map(|record| record["message"].as_str());
        !messages.any(|message| message.ends_with(" did not end"))
    };
    let stopped = iter::repeat_with(stop).take(5).find(has_ended);
    let (pid, records) = stopped.expect("a command that ends when it is killed");
    let failed = of(&records, "job", "failed");
    let message = failed[0]["message"].as_str().expect("a text");
    assert!(message.starts_with("stopped (killed by SIGKILL), after "), "{message}");
    wait_until("the end of the group", || group(pid).is_empty());
}

#[test]
fn each_further_signal_hurries() {
    let text = "[jobs.job]\nschedule = \"*:*:*\"\ncommand = \"trap 'echo asked' TERM; echo up; while :; do sleep 0.05; done\"\n";
    let signal_twice = || {
        let arguments = ["--grace", "1h", "--kill-after", "1h"];
        let runner = Runner::start("hurry", "jobs.toml", text, &arguments);
        runner.wait_for_line("job", "up");
        runner.signal(Signal::INT);
        runner.signal(Signal::TERM);
        runner.wait_for("the stop", |record| record["event"] == "stopping");
        thread::sleep(Duration::from_millis(1100));
        runner
    };
    let is_unhurried =
        |runner: &Runner| lines(&runner.records(), "job", "stdout").iter().all(|line| line == "up");
    // A second signal right after the first does not count. On a slow machine, it may be handled a second later.
    let runner = iter::repeat_with(signal_twice).take(5).find(is_unhurried);
    let runner = runner.expect("a second signal that does not count");
    runner.signal(Signal::INT);
    runner.wait_for_line("job", "asked");
    thread::sleep(Duration::from_millis(1100));
    runner.signal(Signal::INT);
    let (status, _) = runner.wait();
    assert_eq!(status.code(), Some(1));
}

/// Whether a process handles SIGTERM. If process 1 does not, the system drops the signal.
fn handles_sigterm(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or_default() >> (Signal::TERM.as_raw() - 1) & 1 == 1
}

/// Starts a process, and returns it once it handles SIGTERM, unless it ends before.
fn start_until_handler(file: &Path) -> Option<Child> {
    let mut process = command(file, &[]);
    let process = process.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = process.spawn().expect("it starts");
    let mut has_ended = false;
    wait_until("a handler", || {
        has_ended = process.try_wait().expect("our process").is_some();
        has_ended || handles_sigterm(process.id())
    });
    (!has_ended).then_some(process)
}

#[test]
fn a_signal_to_stop_is_handled_while_the_file_is_read() {
    let directory = Directory::new("run-early");
    let file = directory.join("jobs.crontab");
    // Reading the first file must take far longer than noticing the handler. The jobs of the second one are started.
    for (count, status, found) in [
        (100_001, 2, "jobs.crontab:100001:1: a file has at most 100000 jobs"),
        (20_000, 0, "millicron: stopping (SIGTERM)"),
    ] {
        fs::write(&file, "0 0 1 1 * true\n".repeat(count)).expect("accessible file");
        // On a slow machine, it may have ended before its handler is seen.
        let process = iter::repeat_with(|| start_until_handler(&file)).take(20).flatten().next();
        let process = process.expect("a handler before the end");
        let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a number");
        kill_process(pid, Signal::TERM).expect("it runs");
        let output = process.wait_with_output().expect("it ends");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("UTF-8");
        assert_eq!(output.status.code(), Some(status), "{text}");
        assert!(text.contains(found), "{text}");
    }
}

#[test]
fn a_signal_interrupts_reading_standard_input() {
    let directory = Directory::new("run-early-input");
    // A file of this name changes nothing.
    fs::write(directory.join("-"), "").expect("accessible file");
    let mut process = command(Path::new("-"), &[]);
    let process = process.current_dir(directory.path()).stdin(Stdio::piped());
    let mut process = process.spawn().expect("it starts");
    let mut input = process.stdin.take().expect("a pipe");
    // More than a pipe holds, so it has begun to read.
    input.write_all("# nothing\n".repeat(20_000).as_bytes()).expect("it reads");
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a number");
    kill_process(pid, Signal::TERM).expect("it runs");
    wait_until("the end", || process.try_wait().expect("our process").is_some());
}

#[test]
fn without_running_commands_it_stops_at_once() {
    let arguments = ["--grace", "1h"];
    let text = "[jobs.job]\nschedule = \"2100.1.1 00:00:00\"\ncommand = [\"true\"]\n";
    let (status, records) = Runner::start("idle", "jobs.toml", text, &arguments).stop();
    assert_eq!(status.code(), Some(0));
    let events: Vec<_> = records.iter().map(|record| record["event"].as_str()).collect();
    assert_eq!(events, [Some("ready"), Some("stopping"), Some("stopped")]);
}

#[test]
fn commands_that_were_stopped_by_a_signal_are_ended_too() {
    let text =
        "[jobs.job]\nschedule = \"*:*:*\"\ncommand = \"echo up; kill -STOP $$; echo never\"\n";
    let arguments = ["--grace", "10ms", "--kill-after", "1h"];
    let runner = Runner::start("stopped", "jobs.toml", text, &arguments);
    runner.wait_for_line("job", "up");
    let (status, records) = runner.stop();
    assert_eq!(status.code(), Some(0));
    assert_eq!(of(&records, "job", "failed")[0]["signal"], 15);
}

#[test]
fn only_kills_when_stopping_count() {
    let text = "[jobs.job]\nschedule = \"*:*:*\"\ntimeout = \"100ms\"\ncommand = \"trap '' TERM; sleep 1000; sleep 1000\"\n";
    let arguments = ["--grace", "1h", "--kill-after", "100ms"];
    let runner = Runner::start("killed-before", "jobs.toml", text, &arguments);
    runner.wait_for("a kill", |record| record["signal"] == 9);
    assert_eq!(runner.stop().0.code(), Some(0));
}

#[test]
fn what_commands_leave_in_the_background_is_ended() {
    let text = "[jobs.job]\nschedule = \"*:*:*\"\ncommand = \"(trap 'echo bye >> ended; exit' TERM; touch up; while :; do sleep 0.01; done) >/dev/null 2>&1 & echo started\"\n";
    let arguments = ["--grace", "1h", "--kill-after", "1h"];
    let runner = Runner::start("left", "jobs.toml", text, &arguments);
    let pid = runner.wait_for_event("job", "succeeded")["pid"].as_i64().expect("a number");
    let (up, ended) = (runner.directory.join("up"), runner.directory.join("ended"));
    wait_until("the start", || up.exists());
    assert_ne!(group(pid).len(), 0);
    runner.signal(Signal::TERM);
    wait_until("the end", || ended.exists());
    wait_until("the end of the group", || group(pid).is_empty());
    assert_eq!(runner.wait().0.code(), Some(0));
}
