//! Jobs that need others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use jiff::Timestamp;
use millicron_test_support::directory::Directory;
use rustix::process::Signal;
use serde_json::Value;

use super::history::{graph, runs};
use super::policies::most_at_once;
use super::support::{Runner, fails, of, start_before_event, wait_until};

fn instant(record: &Value, field: &str) -> Timestamp {
    record[field].as_str().expect("a text").parse().expect("an instant")
}

pub(super) fn message(record: &Value) -> &str {
    record["message"].as_str().expect("a text")
}

#[test]
fn a_run_starts_once_the_runs_that_it_needs_have_succeeded() {
    let text = r#"
        [jobs.load]
        schedule = "*:*:*"
        command = "sleep 0.3; touch done-$MILLICRON_SCHEDULED"
        [jobs.report]
        schedule = "*:*:*"
        command = "test -e done-$MILLICRON_SCHEDULED && echo $MILLICRON_JOB"
        needs = "load"
        [jobs.other]
        schedule = "*:*:*"
        command = "echo other"
    "#;
    let runner = Runner::start("needs", "jobs.toml", text, &["--grace", "1h"]);
    runner.wait_for_line("other", "other");
    let waiting = runner.wait_for_event("report", "waiting");
    assert_eq!(waiting["level"], "info");
    assert!(message(&waiting).contains(" waits for `load` "), "{waiting}");
    // No run was left out. On a slow machine, they may start in another order.
    for run in 1..=3 {
        runner.wait_for("one of the first runs", |record| {
            record["job"] == "report" && record["run"] == run && record["event"] == "succeeded"
        });
    }
    let (status, records) = runner.stop();
    assert!(status.success());
    // Nor was one early or started twice.
    assert_eq!(of(&records, "report", "failed").len(), 0);
    let started = of(&records, "report", "started");
    let runs = started.iter().map(|record| {
        let second = instant(record, "scheduled").as_second();
        (second, record["run"].as_i64().expect("a number"))
    });
    let runs = runs.collect::<BTreeMap<_, _>>();
    assert_eq!(runs.len(), started.len(), "{runs:?}");
    let begin = runs.iter().map(|(second, run)| second - run).collect::<BTreeSet<_>>();
    assert_eq!(begin.len(), 1, "{runs:?}");
    // Each run is a job of its own in the scheduler, but its end is not the end of the file's job.
    assert!(records.iter().all(|record| record["event"] != "exhausted"), "{records:#?}");
}

#[test]
fn a_run_waits_for_the_last_attempt_of_another() {
    let text = r#"
        [jobs.load]
        schedule = "*:*:*"
        command = 'test "$MILLICRON_ATTEMPT" = 2'
        retries = { most = 1, wait = "200ms" }
        [jobs.report]
        schedule = "*:*:*"
        command = ["true"]
        needs = "load"
    "#;
    let runner = Runner::toml("needs-retry", text);
    let scheduled = runner.wait_for_event("report", "succeeded")["scheduled"].clone();
    let (_, records) = runner.stop();
    // On a slow machine, earlier runs may end later.
    let position = |job: &str, event: &str| {
        let is_it = |record: &Value| {
            record["job"] == job && record["event"] == event && record["scheduled"] == scheduled
        };
        records.iter().position(is_it).expect("it was written")
    };
    let (succeeded, started) = (position("load", "succeeded"), position("report", "started"));
    assert!(position("load", "failed") < succeeded && succeeded < started);
    assert_eq!(records[succeeded]["attempt"], 2);
    assert_eq!(records[position("load", "failed")]["retried"], true);
    assert_eq!(records[succeeded]["run"], records[position("load", "failed")]["run"]);
}

#[test]
fn a_run_whose_need_has_failed_goes_on_waiting_and_the_log_says_so() {
    let runner = start_before_event(|schedule| {
        let text = format!(
            r#"
            [jobs.load]
            schedule = "{schedule}"
            command = "exit 3"
            [jobs.report]
            schedule = "{schedule}"
            command = ["true"]
            needs = "load"
            [jobs.after]
            schedule = "{schedule}"
            command = ["true"]
            needs = {{ last = "load", ended = true }}
            "#
        );
        Runner::toml("needs-failed", &text)
    });
    let warning = runner.wait_for("the warning", |record| {
        record["job"] == "report" && record["event"] == "waiting" && record["level"] == "warning"
    });
    assert!(message(&warning).contains(", although `load` "), "{warning}");
    assert!(message(&warning).ends_with(" failed"), "{warning}");
    runner.wait_for_event("after", "succeeded");
    let (status, records) = runner.stop();
    assert!(status.success());
    assert_eq!(of(&records, "report", "started").len(), 0);
    let dropped = of(&records, "report", "dropped").pop().expect("it was written");
    assert!(message(dropped).starts_with("dropped: 1 waiting run; the run of "), "{dropped}");
    assert_eq!((&dropped["count"], &dropped["level"]), (&1.into(), &"warning".into()));
}

#[test]
fn runs_do_not_overlap_if_they_need_the_previous_one() {
    let text = r#"
        [jobs.job]
        schedule = "*:*:*.*/200"
        command = "mkdir lock && sleep 0.3 && rmdir lock"
        needs = { previous = true }
    "#;
    let runner = Runner::start("needs-previous", "jobs.toml", text, &["--grace", "1h"]);
    runner.wait_for("a third run", |record| record["run"] == 3 && record["event"] == "succeeded");
    let (_, records) = runner.stop();
    assert_eq!(of(&records, "job", "failed").len(), 0);
}

#[test]
fn a_reload_changes_commands_of_a_pipeline_and_nothing_else() {
    let file = |load: &str, report: &str, needs: &str, command: &str| {
        format!(
            "
            [jobs.load]
            schedule = \"{load}\"
            command = [\"true\"]
            [jobs.{report}]
            schedule = \"*:*:*.*/200\"
            command = \"echo {command}\"
            timeout = \"1h\"
            needs = {needs}
            "
        )
    };
    let fast = "*:*:*.*/200";
    let runner = Runner::toml("needs-reload", &file(fast, "report", "'load'", "old"));
    runner.wait_for_line("report", "old");
    let refused = |text: &str, expected: &str| {
        runner.write(text);
        runner.signal(Signal::HUP);
        runner.wait_for(expected, |record| {
            let prefix = "cannot reload, the jobs stay as they are: the job ";
            record["event"] == "reload_failed"
                && message(record).strip_prefix(prefix).is_some_and(|it| it.starts_with(expected))
                && message(record).ends_with("(restart `millicron run` to change a pipeline)")
        });
    };
    let changed = "`load` is part of a pipeline, and its schedule has changed ";
    refused(&file("*:*:*", "report", "'load'", "new"), changed);
    let changed = "`report` is part of a pipeline, and its needs have changed ";
    refused(&file(fast, "report", "{ all = 'load' }", "new"), changed);
    let retries = "'load'\nretries = { most = 1 }";
    let changed = "`report` is part of a pipeline, and its retries have changed ";
    refused(&file(fast, "report", retries, "new"), changed);
    refused(&file(fast, "other", "'load'", "new"), "`report` has left the pipeline ");
    let more = "[jobs.more]\nschedule = '*:*:*'\ncommand = ['true']\nneeds = 'load'\n";
    let both = file(fast, "report", "'load'", "new") + more;
    refused(&both, "`more` has joined the pipeline ");
    runner.write(&file(fast, "report", "'load'", "new"));
    runner.signal(Signal::HUP);
    let reloaded = runner.wait_for("the reload", |record| record["event"] == "reloaded");
    assert!(message(&reloaded).ends_with("(0 added, 1 changed, 0 removed, 1 unchanged)"));
    runner.wait_for_line("report", "new");
    let (_, records) = runner.stop();
    // On a slow machine, runs from before the reload may write after it.
    let reloaded = instant(&reloaded, "time");
    for line in of(&records, "report", "output") {
        let is_old = line["message"] == "old" && instant(line, "scheduled") <= reloaded;
        assert!(is_old || line["message"] == "new", "{line} after {reloaded}");
    }
}

#[test]
fn a_reload_can_begin_a_pipeline() {
    let load = "[jobs.load]\nschedule = '*:*:*.*/20'\ncommand = ['true']\n";
    let report = "[jobs.report]\nschedule = '*:*:*'\ncommand = ['true']\nneeds = 'load'\n";
    // They take time to read, in which `load` is due.
    let more = (0..1000).map(|index| {
        format!("[jobs.more{index}]\nschedule = '0 0 1 1 *'\ncommand = ['true']\nneeds = 'load'\n")
    });
    let runner = Runner::toml("needs-begin", load);
    runner.wait_for_event("load", "succeeded");
    runner.write(&[load, report].into_iter().map(str::to_owned).chain(more).collect::<String>());
    runner.signal(Signal::HUP);
    runner.wait_for("the reload", |record| record["event"] == "reloaded");
    runner.wait_for_event("report", "succeeded");
    let (_, records) = runner.stop();
    // No event was run by both the job and the pipeline.
    let started = of(&records, "load", "started");
    let mut events = started.iter().map(|record| instant(record, "scheduled")).collect::<Vec<_>>();
    events.sort_unstable();
    assert!(events.windows(2).all(|pair| pair[0] < pair[1]), "{events:?}");
}

#[test]
fn a_job_without_further_events_is_a_warning_and_not_needed() {
    let text = "
        [jobs.old]
        schedule = '2020.01.01 00:00:00'
        command = ['true']
        needs = 'load'
        [jobs.load]
        schedule = '*:*:*'
        command = ['true']
        [jobs.report]
        schedule = '*:*:*'
        command = ['true']
        needs = [{ latest = 'old' }, { all-of = ['old', 'load'] }, { any-of = ['old', 'load'] }]
    ";
    let runner = Runner::toml("needs-exhausted", text);
    let warning = runner.wait_for("the warning", |record| record["event"] == "exhausted");
    assert_eq!(message(&warning), "the job `old` has no further events");
    runner.wait_for_event("report", "succeeded");
    // The file is the same: the job that is left out has not left it.
    runner.signal(Signal::HUP);
    let reloaded = runner.wait_for("the reload", |record| record["event"] == "reloaded");
    assert!(message(&reloaded).ends_with("(0 added, 0 changed, 0 removed, 3 unchanged)"));
    let (status, _) = runner.stop();
    assert!(status.success());
}

#[test]
fn a_run_that_has_waited_too_long_is_skipped() {
    let text = "
        [jobs.load]
        schedule = '*:*:*'
        command = 'exit 3'
        [jobs.report]
        schedule = '*:*:*'
        command = ['true']
        needs = 'load'
        patience = '300ms'
        [jobs.after]
        schedule = '*:*:*'
        command = ['true']
        needs = { last = 'report', ended = true }
    ";
    let runner = Runner::start("needs-patience", "jobs.toml", text, &["--history", "runs.db"]);
    let skipped = runner.wait_for_event("report", "skipped");
    assert!(message(&skipped).contains(": waited 300ms for `load` "), "{skipped}");
    runner.wait_for_event("after", "succeeded");
    runner.signal(Signal::TERM);
    runner.wait_for("the end", |record| record["event"] == "stopped");
    assert!(runs(&graph(&runner), "report", "skipped") > 0);
    // The log has nothing of the scheduler's internal jobs.
    let is_known =
        |job: &Value| job.is_null() || ["load", "report", "after"].iter().any(|it| job == it);
    assert!(runner.records().iter().all(|record| is_known(&record["job"])));
}

/// A hundred runs a second that end once there is a file `go`.
const MANY: &str = "
    [jobs.job]
    schedule = '*:*:*.*/10'
    command = 'while [ ! -e go ]; do sleep 0.5; done'
    needs = 'first'
    [jobs.first]
    schedule = '0 0 1 1 *'
    command = ['true']
";

#[test]
fn at_most_64_runs_of_a_pipeline_are_in_progress_at_once() {
    let runner = Runner::start("needs-turns", "jobs.toml", MANY, &["--grace", "1h"]);
    let first = instant(&runner.wait_for_event("job", "started"), "scheduled");
    wait_until("the limit", || of(&runner.records(), "job", "started").len() >= 64);
    wait_until("100 events", || (Timestamp::now() - first).as_secs() > 1);
    fs::write(runner.directory.join("go"), "").expect("accessible directory");
    runner.wait_for("others", |record| record["run"] == 100 && record["event"] == "succeeded");
    let (status, records) = runner.stop();
    assert!(status.success());
    assert_eq!(most_at_once(&records), 64);
    // The log has nothing of the scheduler's internal jobs.
    let is_known = |record: &Value| record["job"].is_null() || record["job"] == "job";
    assert!(records.iter().all(is_known), "{records:#?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_for_which_there_are_no_descriptors_starts_later() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let runner = Runner::start("needs-descriptors", "jobs.toml", MANY, &["--grace", "1h"]);
    let pid = i32::try_from(runner.pid()).ok().and_then(Pid::from_raw);
    let limit = Rlimit { current: Some(50), maximum: Some(50) };
    prlimit(pid, Resource::Nofile, limit).expect("a process of ours");
    let waiting = runner.wait_for_event("job", "waiting");
    assert!(message(&waiting).starts_with("waits, since it cannot be started: "), "{waiting}");
    assert_eq!(waiting["level"], "warning");
    fs::write(runner.directory.join("go"), "").expect("accessible directory");
    runner.wait_for("others", |record| record["run"] == 100 && record["event"] == "succeeded");
    let (_, records) = runner.stop();
    assert_eq!(of(&records, "job", "failed").len(), 0);
}

#[test]
fn settings_without_effect_are_errors() {
    let directory = Directory::new("run-needs-settings");
    let file = directory.join("jobs.toml");
    for (setting, key) in [
        ("overlap = 'skip'", "overlap"),
        ("missed = { all = 3 }", "missed"),
        ("grace = '1s'", "grace"),
        ("jitter = '1s'", "jitter"),
        ("retries = { most = 1, until-next-event = true }", "until-next-event"),
    ] {
        // For a job that is needed, and for one that needs another.
        for (load, report) in [(setting, ""), ("", setting)] {
            let text = format!(
                "[jobs.load]\nschedule = '*:*:*'\ncommand = ['true']\n{load}\n\
                 [jobs.report]\nschedule = '*:*:*'\ncommand = ['true']\nneeds = 'load'\n{report}\n"
            );
            fs::write(&file, text).expect("accessible file");
            let (status, _, stderr) = fails(&file, &["--check"]);
            let job = if load.is_empty() { "report" } else { "load" };
            let line = if load.is_empty() { 9 } else { 4 };
            let expected =
                format!(": `{key}` has no effect for the job `{job}`, which needs others");
            assert_eq!(status, Some(2), "{stderr}");
            assert!(stderr.contains(&format!("jobs.toml:{line}:")), "{stderr}");
            assert!(stderr.contains(&expected), "{stderr}");
            assert!(stderr.contains("\nhint: remove it"), "{stderr}");
        }
    }
}

#[test]
fn the_examples_can_be_run() {
    for example in ["market", "server", "warehouse"] {
        let file = format!("examples/{example}.toml");
        let (status, stdout, stderr) = fails(file.as_ref(), &["--check"]);
        assert_eq!(status, Some(0), "{stderr}");
        assert!(stdout.contains(" jobs, no errors"), "{stdout}");
    }
}

#[test]
fn the_times_of_a_message_are_in_one_zone() {
    let text = "
        zone = 'Asia/Tokyo'
        [jobs.load]
        schedule = '*:*:*'
        command = 'exit 3'
        [jobs.report]
        schedule = '*:*:*'
        command = ['true']
        needs = 'load'
        patience = '10ms'
    ";
    let runner = Runner::start("needs-zone", "jobs.toml", text, &["--grace", "0s"]);
    for event in ["waiting", "skipped"] {
        let record = runner.wait_for_event("report", event);
        let text = message(&record);
        assert!(text.matches("+09:00").count() > 1 && !text.contains("+00:00"), "{text}");
    }
}
