//! SIGHUP reads the file again.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;
use serde_json::Value;

use super::support::{Runner, of};

fn job(name: &str, schedule: &str, command: &str) -> String {
    format!("[jobs.{name}]\nschedule = \"{schedule}\"\ncommand = \"{command}\"\n")
}

impl Runner {
    /// Makes the process reload the file, and returns the record of the event.
    fn reload(&self, event: &str) -> Value {
        let before = self.records().iter().filter(|record| record["event"] == event).count();
        self.signal(Signal::HUP);
        super::support::wait_until(event, || {
            self.records().iter().filter(|record| record["event"] == event).count() > before
        });
        self.records().into_iter().rfind(|record| record["event"] == event).expect("it was seen")
    }
}

/// Writes over the beginning of a file at once. Nobody who watches it sees an empty file in between.
fn overwrite(path: &Path, text: &str) {
    let mut file = OpenOptions::new().write(true).open(path).expect("accessible file");
    file.write_all(text.as_bytes()).expect("accessible file");
}

#[test]
fn jobs_are_added_changed_and_removed() {
    let fast = "*:*:*.*/100";
    let before = [
        job("same", fast, "echo same"),
        job("other", fast, "echo old"),
        job("gone", fast, "echo gone"),
    ];
    let runner = Runner::toml("reload", &before.concat());
    for name in ["same", "other", "gone"] {
        runner.wait_for("a third run", |record| record["job"] == name && record["run"] == 3);
    }
    let after = [
        job("same", fast, "echo same"),
        job("other", fast, "echo new"),
        job("new", fast, "echo more"),
    ];
    runner.write(&after.concat());
    let reloaded = runner.reload("reloaded");
    let message = reloaded["message"].as_str().expect("a text");
    assert!(message.ends_with("(1 added, 1 changed, 1 removed, 1 unchanged)"), "{message}");
    runner.wait_for_line("other", "new");
    runner.wait_for_line("new", "more");
    runner.wait_for("a tenth run", |record| record["job"] == "same" && record["run"] == 10);
    let (status, records) = runner.stop();
    assert!(status.success());
    // Unchanged jobs keep counting their runs.
    for name in ["same", "other"] {
        let numbers: Vec<u64> = of(&records, name, "started")
            .iter()
            .filter_map(|record| record["run"].as_u64())
            .collect();
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    }
    let reload =
        records.iter().position(|record| record["event"] == "reloaded").expect("it was seen");
    // One run may have started just before.
    assert!(of(&records[reload..], "gone", "started").len() <= 1);
}

#[test]
fn a_changed_schedule_or_command_does_not_disturb_a_run() {
    let slow = "echo old; while [ ! -e go ]; do sleep 0.02; done; echo end";
    let runner = Runner::toml("changed", &job("job", "*:*:*.*/100", slow));
    runner.wait_for_line("job", "old");
    runner.write(&job("job", "*:*:*.*/50", "echo new"));
    runner.reload("reloaded");
    runner.wait_for("skipped events of the new schedule", |record| {
        record["event"] == "skipped"
            && record["message"]
                .as_str()
                .is_some_and(|text| text.contains(".050") || text.contains(".150"))
    });
    std::fs::write(runner.directory.join("go"), "").expect("accessible directory");
    runner.wait_for_line("job", "end");
    runner.wait_for_line("job", "new");
    let (_, records) = runner.stop();
    assert_eq!(
        of(&records, "job", "output").iter().filter(|record| record["message"] == "end").count(),
        1
    );
    // The new command waited for the old one.
    let lines: Vec<_> =
        of(&records, "job", "output").iter().map(|record| record["message"].clone()).collect();
    assert_eq!(lines[..3], ["old", "end", "new"]);
}

#[test]
fn changed_policies_start_a_job_over() {
    let text = job("job", "*:*:*.*/100", "echo out");
    let runner = Runner::toml("policies", &text);
    runner.wait_for("a second run", |record| record["job"] == "job" && record["run"] == 2);
    runner.write(&format!("{text}jitter = \"1ms\"\ntimeout = \"1h\"\n"));
    let message = runner.reload("reloaded")["message"].clone();
    assert!(message.as_str().is_some_and(|text| text.contains("1 changed")), "{message}");
    let is_first = |record: &&Value| {
        record["job"] == "job" && record["run"] == 1 && record["event"] == "started"
    };
    super::support::wait_until("another first run", || {
        runner.records().iter().filter(is_first).count() == 2
    });
}

#[test]
fn a_broken_file_leaves_the_jobs_as_they_are() {
    let runner = Runner::toml("broken", &job("job", "*:*:*.*/100", "echo out"));
    for broken in [
        job("job", "not a schedule", "echo new"),
        "[jobs.job]\nschedule = \"*:*:*\"\n".to_owned(),
        "[".to_owned(),
    ] {
        runner.write(&broken);
        let failed = runner.reload("reload_failed");
        assert_eq!(failed["level"], "error");
        let message = failed["message"].as_str().expect("a text");
        assert!(message.starts_with("cannot reload, the jobs stay as they are: "), "{message}");
        assert!(message.contains("jobs.toml"), "{message}");
        let count = of(&runner.records(), "job", "succeeded").len();
        super::support::wait_until("a further run", || {
            of(&runner.records(), "job", "succeeded").len() > count + 1
        });
    }
    std::fs::remove_file(runner.directory.join("jobs.toml")).expect("our file");
    runner.reload("reload_failed");
    let (status, records) = runner.stop();
    assert!(status.success());
    assert!(of(&records, "job", "output").iter().all(|record| record["message"] == "out"));
}

#[test]
fn a_reload_reports_hints_and_how_many_errors_there_are() {
    let runner = Runner::toml("hints", &job("job", "*:*:*", "echo out"));
    let path = runner.directory.join("jobs.toml");
    let more = format!(" (`millicron check {}` shows 1 more)", path.display());
    let (wrong, unknown) = (job("one", "*:*:*.", "true"), "retry = 1\n");
    let with_unknown = job("one", "*:*:*", "true") + unknown;
    for (text, hint) in [(wrong + unknown, &*more), (with_unknown, " (allowed here: schedule, ")] {
        runner.write(&text);
        let failed = runner.reload("reload_failed");
        assert!(failed["message"].as_str().is_some_and(|text| text.contains(hint)), "{failed}");
    }
}

#[test]
fn a_pipe_is_not_read_again() {
    let runner = Runner::toml("pipe", &job("job", "*:*:*.*/100", "echo out"));
    let path = runner.directory.join("jobs.toml");
    std::fs::remove_file(&path).expect("our file");
    assert!(Command::new("mkfifo").arg(&path).status().expect("it starts").success());
    let message = runner.reload("reload_failed")["message"].clone();
    let expected = "cannot reload, the jobs stay as they are: only a regular file can be reloaded";
    assert_eq!(message, expected);
    assert!(runner.stop().0.success());
}

#[test]
fn a_line_above_does_not_disturb_jobs_of_the_same_program() {
    let line = |text: &str| format!("* * * * * * sh -c 'echo {text}; sleep 1000'\n");
    let before = line("one") + &line("two");
    let runner = Runner::start("lines", "jobs.crontab", &before, &["--grace", "0s"]);
    runner.wait_for_line("echo", "one");
    runner.wait_for_line("echo-2", "two");
    runner.write(&(line("zero") + &before));
    let message = runner.reload("reloaded")["message"].clone();
    let message = message.as_str().expect("a text");
    assert!(message.ends_with("(1 added, 0 changed, 0 removed, 2 unchanged)"), "{message}");
    runner.wait_for_line("echo-3", "zero");
    let (_, records) = runner.stop();
    for job in ["echo", "echo-2", "echo-3"] {
        assert_eq!(of(&records, job, "started").len(), 1, "{job}");
    }
}

#[test]
fn a_watched_file_that_becomes_empty_is_not_taken() {
    let text = job("job", "*:*:*.*/100", "echo out");
    let runner = Runner::start("emptied", "jobs.toml", &text, &["--watch"]);
    runner.wait_for_event("job", "succeeded");
    runner.write("");
    runner.wait_for("the report", |record| record["event"] == "reload_failed");
    // A reload by a signal does take it.
    runner.reload("reloaded");
    runner.wait_for("a warning", |record| {
        record["message"].as_str().is_some_and(|text| text.ends_with("jobs.toml has no jobs"))
    });
}

#[test]
fn a_job_without_further_events_is_no_error() {
    let runner = Runner::toml("past", &job("job", "*:*:*.*/100", "echo out"));
    runner.wait_for_event("job", "succeeded");
    runner.write(&job("job", "2001.1.1 00:00:00", "echo out"));
    runner.reload("reloaded");
    runner.wait_for("the warning", |record| {
        record["message"] == "the job `job` has no further events" && record["level"] == "warning"
    });
    runner.write(&job("job", "*:*:*.*/100", "echo back"));
    runner.reload("reloaded");
    runner.wait_for_line("job", "back");
}

#[test]
fn a_watched_file_is_read_again_when_it_changes() {
    let runner =
        Runner::start("watch", "jobs.toml", &job("job", "*:*:*", "echo one"), &["--watch"]);
    // Written in place.
    let path = runner.directory.join("jobs.toml");
    overwrite(&path, &job("job", "*:*:*", "echo number two"));
    runner.wait_for_line("job", "number two");
    // Replaced by another file, as by editors.
    let other = runner.directory.join("other.toml");
    std::fs::write(&other, job("job", "*:*:*", "echo three")).expect("accessible file");
    std::fs::rename(&other, runner.directory.join("jobs.toml")).expect("our files");
    runner.wait_for_line("job", "three");
    // A link to a link whose target changes, as in Kubernetes.
    for version in ["four", "five"] {
        let target = runner.directory.join(version);
        std::fs::create_dir(&target).expect("a new directory");
        let text = job("job", "*:*:*", &format!("echo {version}"));
        std::fs::write(target.join("jobs.toml"), text).expect("accessible file");
        let link = runner.directory.join("link");
        std::os::unix::fs::symlink(version, &link).expect("a new link");
        std::fs::rename(&link, runner.directory.join("data")).expect("our link");
        if version == "four" {
            std::os::unix::fs::symlink("data/jobs.toml", &link).expect("a new link");
            std::fs::rename(&link, runner.directory.join("jobs.toml")).expect("our link");
        }
        runner.wait_for_line("job", version);
    }
    // A missing file is reported, and read again when it is back.
    let link = runner.directory.join("jobs.toml");
    std::fs::remove_file(&link).expect("our link");
    let failed = runner.wait_for("the report", |record| record["event"] == "reload_failed");
    let message = failed["message"].as_str().expect("a text");
    assert!(message.ends_with("jobs.toml: No such file or directory (os error 2)"), "{message}");
    let reloads = || runner.records().iter().filter(|record| record["event"] == "reloaded").count();
    let before = reloads();
    std::os::unix::fs::symlink("data/jobs.toml", &link).expect("a new link");
    super::support::wait_until("the reload", || reloads() > before);
    // A broken version is reported once.
    let before = of(&runner.records(), "job", "succeeded").len();
    overwrite(&runner.directory.join("five/jobs.toml"), "[[");
    runner.wait_for("the report", |record| {
        record["event"] == "reload_failed" && record["message"] != message
    });
    super::support::wait_until("more runs", || {
        of(&runner.records(), "job", "succeeded").len() > before + 4
    });
    let (_, records) = runner.stop();
    let failed = records.iter().filter(|record| record["event"] == "reload_failed");
    assert_eq!(failed.count(), 2);
}

#[test]
fn no_event_is_lost_when_jobs_are_renamed() {
    const PERIOD: i64 = 5;
    // The job is removed first and added last, with many others between.
    let jobs = |version: usize| {
        let others = (0..3000)
            .map(|other| job(&format!("{version}-{other}"), "2099.1.1 00:00:00", "true"))
            .collect::<String>();
        // No event is skipped because it was missed, however late it is on a busy machine.
        let policies = "overlap = { allow = 1000 }\nmissed = { all = 1000000 }\n";
        let schedule = format!("*:*:*.*/{PERIOD}");
        others + &job(&format!("{version}"), &schedule, "true") + policies
    };
    let runner = Runner::toml("renamed", &jobs(0));
    for version in 1..7 {
        runner.wait_for_event(&(version - 1).to_string(), "started");
        runner.write(&jobs(version));
        runner.reload("reloaded");
    }
    let is_last = |record: &Value| record["job"] == "6" && record["run"] == 1;
    runner.wait_for("the last job's first run", is_last);
    let (_, records) = runner.stop();
    let instant = |record: &Value| {
        let text = record["scheduled"].as_str().expect("a text");
        text.parse::<jiff::Timestamp>().expect("a time").as_millisecond()
    };
    let last = records.iter().find(|record| is_last(record)).map(instant).expect("its first run");
    let started = records.iter().filter(|record| record["event"] == "started");
    let mut started = started.map(instant).filter(|started| *started <= last).collect::<Vec<_>>();
    started.sort_unstable();
    assert!(started.windows(2).all(|pair| pair[0] < pair[1]), "no event runs twice");
    let gaps = started.windows(2).map(|pair| (pair[1] - pair[0]) / PERIOD - 1).sum::<i64>();
    // Those of a cancelled job that were due but had no process yet, and those of a job with a thousand processes. The
    // last job runs its first event, and such records of it are about later ones.
    let is_reported = |record: &&Value| {
        (record["event"] == "dropped" || record["event"] == "skipped") && record["job"] != "6"
    };
    let reported = records.iter().filter(is_reported);
    assert_eq!(gaps, reported.filter_map(|record| record["count"].as_i64()).sum::<i64>());
}

#[test]
fn a_reload_reads_calendars_again() {
    let text = "[calendars]\nopen = 'open.days'\n".to_owned();
    let runner = Runner::toml("calendars", &job("job", "*:*:*.*/100", "echo out"));
    let calendar = runner.directory.join("open.days");
    std::fs::write(&calendar, "*.*.*\n").expect("accessible directory");
    runner.write(&(text.clone() + &job("job", "*:*:*.*/100 @open", "echo named")));
    runner.reload("reloaded");
    runner.wait_for_line("job", "named");
    // Another calendar is another schedule.
    std::fs::write(&calendar, "2001-01-01\n").expect("accessible directory");
    let message = runner.reload("reloaded")["message"].clone();
    assert!(message.as_str().is_some_and(|text| text.contains("1 changed")), "{message}");
    runner.wait_for("the warning", |record| {
        record["message"] == "the job `job` has no further events"
    });
    std::fs::write(&calendar, "*.13.1\n").expect("accessible directory");
    let message = runner.reload("reload_failed")["message"].clone();
    let expected = "open.days:1:3: month `13` is out of range";
    assert!(message.as_str().is_some_and(|text| text.contains(expected)), "{message}");
    std::fs::write(&calendar, "*.*.*\n").expect("accessible directory");
    runner.write(&(text + &job("job", "*:*:*.*/100 @open", "echo back")));
    runner.reload("reloaded");
    runner.wait_for_line("job", "back");
}

#[test]
fn files_of_calendars_are_watched() {
    let text = "[calendars]\nopen = 'open.days'\n".to_owned() + &job("job", "*:*:* @open", "true");
    let runner =
        Runner::start("watch-calendars", "jobs.toml", &job("job", "*:*:*", "true"), &["--watch"]);
    let reloads =
        |event: &str| runner.records().iter().filter(|record| record["event"] == event).count();
    // Its calendar is missing, and then there.
    overwrite(&runner.directory.join("jobs.toml"), &text);
    super::support::wait_until("the report", || reloads("reload_failed") == 1);
    let (new, calendar) = (runner.directory.join("new"), runner.directory.join("open.days"));
    std::fs::write(&new, "*.*.*\n").expect("accessible directory");
    std::fs::rename(new, &calendar).expect("our file");
    super::support::wait_until("the reload", || reloads("reloaded") == 1);
    overwrite(&calendar, "*.*.* Mon\n");
    super::support::wait_until("another reload", || reloads("reloaded") == 2);
    let (_, records) = runner.stop();
    assert_eq!(records.iter().filter(|record| record["event"] == "reload_failed").count(), 1);
}
