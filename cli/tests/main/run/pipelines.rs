//! Jobs that need others.

use std::fs;

use jiff::Timestamp;
use millicron_test_support::directory::Directory;
use rustix::process::Signal;
use serde_json::Value;

use super::support::{Runner, fails, lines, of, wait_until};

const HISTORY: [&str; 2] = ["--history", "runs.db"];

/// Returns an instant some seconds from now, and a schedule with this event only.
fn once(seconds: i64) -> (Timestamp, String) {
    let second = Timestamp::now().as_second() + seconds;
    let event = Timestamp::from_second(second).expect("within this century");
    (event, event.strftime("%Y.%m.%d %H:%M:%S").to_string())
}

fn instant(record: &Value, field: &str) -> Timestamp {
    record[field].as_str().expect("a text").parse().expect("an instant")
}

fn message(record: &Value) -> &str {
    record["message"].as_str().expect("a text")
}

fn read(runner: &Runner, name: &str) -> String {
    fs::read_to_string(runner.directory.join(name)).unwrap_or_default()
}

fn touch(runner: &Runner, name: &str) {
    fs::write(runner.directory.join(name), "").expect("accessible directory");
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
    let runner = Runner::toml("needs", text);
    runner.wait_for_line("other", "other");
    let waiting = runner.wait_for_event("report", "waiting");
    assert_eq!(waiting["level"], "info");
    assert!(message(&waiting).contains(" waits for `load` "), "{waiting}");
    runner.wait_for("a third run", |record| {
        record["job"] == "report" && record["run"] == 3 && record["event"] == "succeeded"
    });
    let (status, records) = runner.stop();
    assert!(status.success());
    // No run was early or left out.
    assert_eq!(of(&records, "report", "failed").len(), 0);
    let started = of(&records, "report", "started");
    let seconds = started.iter().map(|record| instant(record, "scheduled").as_second());
    let seconds = seconds.collect::<Vec<_>>();
    assert!(seconds.windows(2).all(|pair| pair[1] == pair[0] + 1), "{seconds:?}");
    let numbers = started.iter().map(|record| record["run"].as_u64()).collect::<Vec<_>>();
    assert_eq!(numbers, (1..=started.len() as u64).map(Some).collect::<Vec<_>>());
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
    runner.wait_for_event("report", "succeeded");
    let (_, records) = runner.stop();
    let position = |job: &str, event: &str| {
        let is_it = |record: &Value| record["job"] == job && record["event"] == event;
        records.iter().position(is_it).expect("it was written")
    };
    let (succeeded, started) = (position("load", "succeeded"), position("report", "started"));
    assert!(position("load", "failed") < succeeded && succeeded < started);
    assert_eq!(records[succeeded]["attempt"], 2);
    assert_eq!(records[succeeded]["run"], records[position("load", "failed")]["run"]);
    assert_eq!(records[succeeded]["scheduled"], records[started]["scheduled"]);
}

#[test]
fn a_run_whose_need_has_failed_goes_on_waiting_and_the_log_says_so() {
    let (_, schedule) = once(2);
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
    let runner = Runner::toml("needs-failed", &text);
    let warning = runner.wait_for("the warning", |record| {
        record["job"] == "report" && record["event"] == "waiting" && record["level"] == "warning"
    });
    assert!(message(&warning).contains(", although `load` "), "{warning}");
    assert!(message(&warning).ends_with(" failed"), "{warning}");
    runner.wait_for_event("after", "succeeded");
    let (status, records) = runner.stop();
    assert!(status.success());
    assert_eq!(of(&records, "report", "started").len(), 0);
    let dropped = of(&records, "report", "waiting").pop().expect("it was written");
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
    let runner = Runner::toml("needs-previous", text);
    runner.wait_for("a third run", |record| record["run"] == 3 && record["event"] == "succeeded");
    let (_, records) = runner.stop();
    assert_eq!(of(&records, "job", "failed").len(), 0);
}

#[test]
fn a_killed_process_goes_on_with_what_waited_and_what_was_missed() {
    let ((_, first), (missed, second)) = (once(2), once(5));
    let text = format!(
        r#"
        [jobs.done]
        schedule = "{first}"
        command = "echo >> done-runs"
        [jobs.recorded]
        schedule = "{first}"
        command = ["true"]
        needs = "done"
        [jobs.slow]
        schedule = "{first}"
        command = "while [ ! -e go ]; do sleep 0.02; done"
        [jobs.report]
        schedule = "{first}"
        command = "echo >> report-runs"
        needs = ["done", "slow"]
        [jobs.late]
        schedule = "{second}"
        command = "echo $MILLICRON_SCHEDULED >> late-runs"
        needs = "report"
        [jobs.last]
        schedule = "{second}"
        command = ["true"]
        needs = "late"
        "#
    );
    let mut runner = Runner::start("needs-restart", "jobs.toml", &text, &HISTORY);
    runner.wait_for_event("report", "waiting");
    runner.wait_for_event("slow", "started");
    // Once it has started, its need has been recorded.
    runner.wait_for_event("recorded", "started");
    runner.restart(&HISTORY, || wait_until("the event", || Timestamp::now() > missed));
    runner.wait_for_event("report", "waiting");
    runner.wait_for_event("late", "waiting");
    touch(&runner, "go");
    // Once it has started, its need has been recorded.
    runner.wait_for_event("last", "succeeded");
    // Another restart has nothing left to do.
    runner.restart(&HISTORY, || ());
    for name in ["done-runs", "report-runs"] {
        assert_eq!(read(&runner, name), "\n", "{name}");
    }
    let late = read(&runner, "late-runs");
    assert_eq!(late.trim_end().parse::<Timestamp>().ok(), Some(missed));
    let (status, records) = runner.stop();
    assert!(status.success());
    // `last` starts again only if the process was killed before its end was recorded.
    let started = records.iter().filter(|record| record["event"] == "started");
    assert!(started.clone().all(|record| record["job"] == "last"), "{records:#?}");
}

#[test]
fn what_is_cut_off_by_a_stop_starts_again() {
    let (_, schedule) = once(2);
    let text = format!(
        r#"
        [jobs.load]
        schedule = "{schedule}"
        command = "test -e go || sleep 1000"
        [jobs.report]
        schedule = "{schedule}"
        command = ["true"]
        needs = "load"
        "#
    );
    let arguments = [HISTORY.as_slice(), &["--grace", "0s"]].concat();
    let mut runner = Runner::start("needs-stop", "jobs.toml", &text, &arguments);
    runner.wait_for_event("load", "started");
    runner.wait_for_event("report", "waiting");
    runner.signal(Signal::TERM);
    let left = runner.wait_for("what is left", |record| {
        record["job"] == "report" && record["event"] == "waiting" && record["count"] == 1
    });
    assert!(message(&left).starts_with("left for the next start: 1 waiting run"), "{left}");
    runner.wait_for("the end", |record| record["event"] == "stopped");
    touch(&runner, "go");
    let before = runner.restart(&HISTORY, || ());
    assert_eq!(of(&before, "load", "failed").len(), 1);
    runner.wait_for_event("report", "succeeded");
    let (_, records) = runner.stop();
    assert_eq!(of(&records, "load", "started").len(), 1);
}

#[test]
fn a_job_with_a_new_schedule_begins_when_it_is_started() {
    let text = |schedule: &str| {
        format!(
            "
            [jobs.load]
            schedule = \"{schedule}\"
            command = [\"true\"]
            [jobs.report]
            schedule = \"*:*:*\"
            command = [\"true\"]
            needs = {{ all = \"load\" }}
            "
        )
    };
    let mut runner = Runner::start("needs-changed", "jobs.toml", &text("*:*:*"), &HISTORY);
    runner.wait_for("runs", |record| record["job"] == "report" && record["run"] == 2);
    runner.write(&text("*:*:*.*/250"));
    let start = Timestamp::now();
    runner.restart(&HISTORY, || ());
    let succeeded = runner.wait_for_event("report", "succeeded");
    assert!(succeeded["run"].as_u64() > Some(1), "it goes on counting");
    runner.wait_for("loads", |record| record["job"] == "load" && record["run"] == 3);
    let (_, records) = runner.stop();
    let loads = of(&records, "load", "started");
    assert!(loads.iter().all(|record| instant(record, "scheduled") >= start), "{loads:#?}");
}

#[test]
fn a_history_is_for_one_process() {
    let text = "
        [jobs.job]
        schedule = \"*:*:*\"
        command = [\"true\"]
        needs = { previous = true }
    ";
    let runner = Runner::start("needs-locked", "jobs.toml", text, &HISTORY);
    let (file, history) = (runner.directory.join("jobs.toml"), runner.directory.join("runs.db"));
    let history = history.to_str().expect("UTF-8");
    let (status, _, stderr) = fails(&file, &["--history", history]);
    assert_eq!(status, Some(2));
    let expected = format!("error: another `millicron run` uses the history {history}\n");
    assert!(stderr.starts_with(&expected), "{stderr}");
    runner.stop();
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
                && message(record).ends_with("with `--history`, no run is lost)")
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
    let lines = lines(&records, "report", "stdout");
    assert_eq!(lines.iter().filter(|line| *line == "new").count() + old(&lines), lines.len());
}

/// Returns the number of lines before the first one from the new command.
fn old(lines: &[String]) -> usize {
    lines.iter().take_while(|line| *line == "old").count()
}

#[test]
fn a_reload_can_begin_a_pipeline() {
    let load = "[jobs.load]\nschedule = '*:*:*.*/200'\ncommand = ['true']\n";
    let report = "[jobs.report]\nschedule = '*:*:*'\ncommand = ['true']\nneeds = 'load'\n";
    let runner = Runner::toml("needs-begin", load);
    runner.wait_for_event("load", "succeeded");
    runner.write(&[load, report].concat());
    runner.signal(Signal::HUP);
    runner.wait_for("the reload", |record| record["event"] == "reloaded");
    runner.wait_for_event("report", "succeeded");
    let (_, records) = runner.stop();
    // The job and the pipeline did not run the same event.
    let started = of(&records, "load", "started");
    let mut events = started.iter().map(|record| instant(record, "scheduled")).collect::<Vec<_>>();
    events.dedup();
    assert_eq!(events.len(), started.len());
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
        assert!(stdout.contains(" jobs can be run"), "{stdout}");
    }
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
}
