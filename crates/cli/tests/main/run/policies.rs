//! Overlap, retries, jitter and schedules in other dialects.

use rustix::process::Signal;
use serde_json::Value;

use super::support::{Runner, lines, of, wait_until};

#[test]
fn events_during_a_run_are_skipped() {
    let text = "[jobs.job]\nschedule = \"*:*:*.*/100\"\ncommand = \"sleep 0.35\"\n";
    let runner = Runner::toml("skip", text);
    let skipped = runner.wait_for_event("job", "skipped");
    let message = skipped["message"].as_str().expect("a text");
    assert!(message.ends_with(": the previous run has not ended"), "{message}");
    runner.wait_for("a second run", |record| record["run"] == 2 && record["event"] == "succeeded");
    let (_, records) = runner.stop();
    assert_eq!(most_at_once(&records), 1);
}

#[test]
fn runs_overlap_where_they_may() {
    // A run ends once another one is running, too.
    let text = r#"
        [jobs.job]
        schedule = "*:*:*.*/100"
        overlap = { allow = 3 }
        command = '''
            if mkdir first 2>/dev/null; then
                while [ ! -e second ]; do sleep 0.01; done
            else
                touch second; sleep 0.3
            fi
        '''
    "#;
    let runner = Runner::toml("allow", text);
    runner.wait_for("the first run", |record| record["run"] == 1 && record["event"] == "succeeded");
    // The start of the second run may be written after the end of the first.
    wait_until("runs at once", || most_at_once(&runner.records()) >= 2);
    let (_, records) = runner.stop();
    assert!((2..=3).contains(&most_at_once(&records)));
}

#[test]
fn events_wait_for_their_turn() {
    let text = r#"
        [jobs.job]
        schedule = "*:*:*"
        overlap = { queue = 1000 }
        missed = { all = 1000 }
        command = "sleep 1.2; echo $MILLICRON_SCHEDULED"
    "#;
    let runner = Runner::toml("queue", text);
    runner.wait_for("a third run", |record| record["run"] == 3 && record["event"] == "succeeded");
    let (_, records) = runner.stop();
    assert_eq!(most_at_once(&records), 1);
    assert_eq!(of(&records, "job", "skipped").len(), 0);
    // In consecutive seconds.
    let scheduled: Vec<jiff::Timestamp> = lines(&records, "job", "stdout")
        .iter()
        .map(|line| line.parse().expect("an instant"))
        .collect();
    assert!(scheduled.len() >= 3);
    for pair in scheduled.windows(2) {
        assert_eq!(pair[1].as_millisecond() - pair[0].as_millisecond(), 1000);
    }
}

#[test]
fn events_that_wait_for_their_turn_are_counted_when_they_are_dropped() {
    let job = |command: &str| {
        format!(
            "[jobs.job]\nschedule = '*:*:*.*/100'\noverlap = {{ queue = 3 }}\ncommand = '{command}'\n"
        )
    };
    // On a stop.
    let runner = Runner::start("dropped", "jobs.toml", &job("sleep 1000"), &["--grace", "0s"]);
    // The queue is full.
    runner.wait_for_event("job", "skipped");
    let (_, records) = runner.stop();
    let dropped = of(&records, "job", "dropped");
    assert_eq!(dropped.len(), 1);
    assert_eq!(dropped[0]["level"], "warning");
    let message = dropped[0]["message"].as_str().expect("a text");
    // On a slow machine, further events may have passed before the stop.
    let count = dropped[0]["count"].as_u64().filter(|count| *count >= 3);
    let count = count.expect("three in the queue");
    assert!(message.starts_with(&format!("dropped {count} runs from ")), "{message}");
    // On a reload that replaces the job.
    let runner = Runner::start("replaced", "jobs.toml", &job("sleep 1000"), &["--grace", "0s"]);
    runner.wait_for_event("job", "skipped");
    runner.write(&job("sleep 1000").replace("queue = 3", "queue = 2"));
    runner.signal(Signal::HUP);
    let count = runner.wait_for_event("job", "dropped")["count"].as_u64();
    assert!(count.is_some_and(|count| count >= 3), "{count:?}");
}

#[test]
fn all_runs_that_a_stop_drops_are_counted() {
    // On a slow machine, many events are late.
    let text = "[jobs.job]\nschedule = '*:*:*.*'\noverlap = { queue = 4500 }\nmissed = { all = 1000000 }\ncommand = 'sleep 1000'\n";
    let runner = Runner::start("many-dropped", "jobs.toml", text, &["--grace", "0s"]);
    // The queue is full.
    runner.wait_for_event("job", "skipped");
    let (_, records) = runner.stop();
    let dropped = of(&records, "job", "dropped");
    let count = dropped[0]["count"].as_u64().expect("a number");
    let message = dropped[0]["message"].as_str().expect("a text");
    assert!(count >= 4500, "{message}");
    assert!(message.starts_with(&format!("dropped {count} runs from ")), "{message}");
    assert!(message.ends_with(" on, due but not started"), "{message}");
}

#[test]
fn delayed_runs_and_attempts_are_reported_when_they_are_dropped() {
    let text = |unit: &str| {
        format!(
            r#"
            [jobs.delayed]
            schedule = "*:*:*"
            jitter = "1000{unit}"
            command = "true"

            [jobs.failing]
            schedule = "*:*:*"
            retries = {{ most = 1, wait = "1000{unit}" }}
            command = "false"

            [jobs.tick]
            schedule = "*:*:*"
            command = "true"
            "#
        )
    };
    let is_tick = |record: &Value, run: usize| record["job"] == "tick" && record["run"] == run;
    let given_up = |record: &Value| {
        let message = record["message"].as_str().unwrap_or_default();
        record["job"] == "failing" && message.starts_with("no further attempt of the run of ")
    };
    let runner = Runner::start("delayed", "jobs.toml", &text("h"), &["--grace", "0s"]);
    runner.wait_for("an event", |record| is_tick(record, 1));
    runner.wait_for_event("failing", "retry");
    // A reload replaces jobs whose policies change.
    runner.write(&text("m"));
    runner.signal(Signal::HUP);
    runner.wait_for("a dropped attempt", given_up);
    assert!(runner.wait_for_event("delayed", "dropped")["count"].as_u64() >= Some(1));
    let ticks = of(&runner.records(), "tick", "started").len();
    runner.wait_for("an event after the reload", |record| is_tick(record, ticks + 2));
    let before = of(&runner.records(), "delayed", "dropped").len();
    let (_, records) = runner.stop();
    assert_eq!(of(&records, "delayed", "dropped").len(), before + 1, "{records:?}");
}

/// Returns the maximum number of concurrent runs of the job.
pub(super) fn most_at_once(records: &[Value]) -> usize {
    let (mut running, mut most) = (0_usize, 0);
    for record in records.iter().filter(|record| record["job"] == "job") {
        match record["event"].as_str() {
            Some("started") => running += 1,
            Some("succeeded" | "failed") => running -= 1,
            _ => {}
        }
        most = most.max(running);
    }
    most
}

#[test]
fn failed_runs_are_attempted_again() {
    let text = r#"
        [jobs.job]
        schedule = "*:*:*/2"
        retries = { most = 3, wait = "50ms" }
        command = 'test "$MILLICRON_ATTEMPT" = 3 && echo $MILLICRON_SCHEDULED'
        [jobs.never]
        schedule = "*:*:*/2"
        retries = { most = 2, wait = "50ms" }
        command = ["false"]
    "#;
    let runner = Runner::toml("retries", text);
    let succeeded = runner.wait_for_event("job", "succeeded");
    assert_eq!(succeeded["attempt"], 3);
    runner.wait_for("the last attempt", |record| {
        record["job"] == "never" && record["event"] == "failed" && record["attempt"] == 3
    });
    runner.wait_for("the announcement", |record| {
        record["job"] == "never"
            && record["event"] == "retry"
            && record["message"] == "attempt 3 follows in 50ms"
    });
    let (_, records) = runner.stop();
    let first = |job: &str, event: &str| -> Vec<u64> {
        let of_first = of(&records, job, event).into_iter().filter(|record| record["run"] == 1);
        of_first.map(|record| record["attempt"].as_u64().expect("a number")).collect()
    };
    assert_eq!(first("job", "started"), [1, 2, 3]);
    assert_eq!(first("job", "failed"), [1, 2]);
    assert_eq!(first("never", "started"), [1, 2, 3]);
    assert_eq!(first("never", "failed"), [1, 2, 3]);
    for failed in of(&records, "never", "failed") {
        let message = failed["message"].as_str().expect("a text");
        if failed["attempt"] == 3 {
            assert_eq!((&failed["level"], failed.get("retried")), (&"error".into(), None));
            assert!(message.ends_with("; gave up after 3 attempts"), "{message}");
        } else if failed["run"] == 1 {
            assert_eq!((&failed["level"], &failed["retried"]), (&"warning".into(), &true.into()));
            assert!(message.ends_with("; another attempt follows"), "{message}");
        }
    }
}

#[test]
fn jitter_delays_runs() {
    let text = "[jobs.job]\nschedule = \"*:*:*\"\njitter = \"900ms\"\ncommand = [\"true\"]\n";
    let runner = Runner::toml("jitter", text);
    let started = runner.wait_for_event("job", "started");
    let instant = |field: &str| -> jiff::Timestamp {
        started[field].as_str().expect("a text").parse().expect("an instant")
    };
    // The delay depends only on the name: 254 ms for this job.
    let delay = instant("time").as_millisecond() - instant("scheduled").as_millisecond();
    assert!(delay >= 100, "{delay}");
    assert_eq!(instant("scheduled").subsec_nanosecond(), 0);
}

#[test]
fn schedules_of_all_dialects_run() {
    let text = r#"
        [jobs.crontab]
        schedule = "* * * * * *"
        dialect = "crontab"
        command = ["true"]
        [jobs.quartz]
        schedule = "* * * ? * *"
        dialect = "quartz"
        command = ["true"]
        [jobs.systemd]
        schedule = "*-*-* *:*:*"
        zone = "Asia/Kathmandu"
        command = ["true"]
    "#;
    let runner = Runner::toml("dialects", text);
    for job in ["crontab", "quartz", "systemd"] {
        runner.wait_for_event(job, "succeeded");
    }
}
