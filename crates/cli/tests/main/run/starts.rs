//! Commands that take long to start, as on an unresponsive disk.

use std::os::unix::fs::symlink;
use std::process::ExitStatus;
use std::{env, fs, iter};

use jiff::Timestamp;
use rustix::process::Signal;
use serde_json::Value;

use super::support::{Runner, group, of, processes, wait_until};

/// The number of links to follow to find a file. Linux follows at most 40.
const LINKS: usize = 30;

/// Runs the job `slow`, whose program is looked up in many directories, each at the end of a chain of long links, which
/// takes minutes. Returns once the lookup has begun.
fn start(name: &str, others: &str, arguments: &[&str]) -> Runner {
    start_jobs(name, &["slow"], others, arguments)
}

/// Runs several jobs like that.
fn start_jobs(name: &str, slow: &[&str], others: &str, arguments: &[&str]) -> Runner {
    let runner = Runner::start(name, "jobs.toml", "", arguments);
    let directory = &runner.directory;
    fs::create_dir(directory.join("x")).expect("a new directory");
    let detour = "x/../".repeat(800);
    for link in 0..LINKS {
        let target = format!("{detour}{}", link + 1);
        symlink(target, directory.join(link.to_string())).expect("a new link");
    }
    let path = "0:".repeat(60_000) + "/nowhere";
    let slow = slow.iter().map(|job| {
        format!(
            "[jobs.{job}]\nschedule = \"*:*:*\"\ncommand = [\"sleep\", \"1000\"]\nenvironment = {{ PATH = \"{path}\" }}\n"
        )
    });
    runner.write(&(slow.collect::<String>() + others));
    runner.signal(Signal::HUP);
    let parent = i32::try_from(runner.pid()).expect("a number");
    wait_until("a process", || processes().iter().any(|process| process.parent == parent));
    runner
}

/// Lets the program be found.
fn go_on(runner: &Runner) {
    let paths = env::var_os("PATH").expect("a path");
    let sleep = env::split_paths(&paths).map(|path| path.join("sleep"));
    let sleep = sleep.into_iter().find(|path| path.is_file()).expect("a program");
    let directory = &runner.directory;
    fs::create_dir(directory.join("found")).expect("a new directory");
    symlink(sleep, directory.join("found/sleep")).expect("a new link");
    symlink("found", directory.join("new")).expect("a new link");
    fs::rename(directory.join("new"), directory.join("0")).expect("our links");
}

/// Waits until the job `fast` has succeeded two seconds after its first run. Meanwhile, the slow jobs are due, too.
fn wait_for_two_seconds(runner: &Runner) {
    let scheduled = |record: &Value| -> Timestamp {
        record["scheduled"].as_str().expect("a text").parse().expect("an instant")
    };
    let first = scheduled(&runner.wait_for_event("fast", "started"));
    runner.wait_for("a later run", |record| {
        record["job"] == "fast"
            && record["event"] == "succeeded"
            && scheduled(record).duration_since(first).as_secs() >= 2
    });
}

#[test]
fn other_commands_start_and_end_meanwhile() {
    let fast = "[jobs.fast]\nschedule = \"*:*:*.*/50\"\ncommand = [\"true\"]\n";
    let runner = start("slow-start", fast, &["--grace", "0s", "--kill-after", "1h"]);
    wait_for_two_seconds(&runner);
    assert!(of(&runner.records(), "slow", "started").is_empty(), "it is not slow");
    go_on(&runner);
    runner.wait_for_event("slow", "started");
    assert!(runner.stop().0.success());
}

#[test]
fn several_slow_starts_do_not_keep_other_commands_from_starting() {
    let slow = ["slow1", "slow2", "slow3", "slow4", "slow5"];
    let fast = "[jobs.fast]\nschedule = \"*:*:*.*/50\"\ncommand = [\"true\"]\n";
    let arguments = ["--grace", "0s", "--kill-after", "1h"];
    let runner = start_jobs("slow-starts", &slow, fast, &arguments);
    wait_for_two_seconds(&runner);
    let records = runner.records();
    assert!(slow.iter().all(|job| of(&records, job, "started").is_empty()), "they are not slow");
    go_on(&runner);
    for job in slow {
        runner.wait_for_event(job, "started");
    }
    assert!(runner.stop().0.success());
}

#[test]
fn a_command_that_times_out_meanwhile_ends_with_all_its_processes() {
    let many = "[jobs.many]\nschedule = \"*:*:*\"\ntimeout = \"200ms\"\ncommand = \"sleep 1000 & sleep 1000 | sleep 1000\"\n";
    let runner = start("timeout-meanwhile", many, &["--grace", "0s", "--kill-after", "1h"]);
    // The slow job may be due for the first time when the first run ends.
    let failed = runner.wait_for("a timeout", |record| {
        record["job"] == "many" && record["event"] == "failed" && record["run"] == 2
    });
    assert_eq!(failed["signal"], 15, "{failed}");
    let pid = failed["pid"].as_i64().expect("a number");
    assert_eq!(group(pid).len(), 0, "{:?}", group(pid));
    assert!(of(&runner.records(), "slow", "started").is_empty(), "it is not slow");
    go_on(&runner);
    runner.wait_for_event("slow", "started");
}

#[test]
fn a_command_that_starts_while_stopping_is_asked_to_end() {
    let stop = || {
        // The process wakes up after five seconds even without a reason.
        let runner = start("late-start", "", &["--grace", "0s", "--kill-after", "4s"]);
        runner.signal(Signal::TERM);
        runner.wait_for("SIGTERM", |record| {
            record["message"].as_str().is_some_and(|text| text.starts_with("sending SIGTERM to "))
        });
        go_on(&runner);
        runner.wait()
    };
    // On a slow machine, the command may start too late.
    let ends_by_sigterm = |(status, records): &(ExitStatus, Vec<Value>)| {
        let failed = of(records, "slow", "failed");
        status.success() && failed.first().is_some_and(|failed| failed["signal"] == 15)
    };
    assert!(iter::repeat_with(stop).take(3).any(|stopped| ends_by_sigterm(&stopped)));
}
