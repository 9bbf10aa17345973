//! 1,000 jobs a second.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde_json::Value;

use super::support::Runner;

/// Returns a job for each millisecond of a second. Each run writes its instant, which proves that the process ran.
fn jobs() -> String {
    let job = |number| {
        format!(
            "[jobs.job{number:03}]\nschedule = \"*:*:*.{number}\"\ncommand = [\"printenv\", \"MILLICRON_SCHEDULED\"]\n"
        )
    };
    (0..1000).map(job).collect()
}

/// Returns what was written. The last lines are missing if this process did not read for a second while the other ended.
fn records() -> Vec<Value> {
    let seconds = millicron_test_support::scaled(60);
    // However slow the machine is, no run is ended.
    let runner = Runner::start("load", "jobs.toml", &jobs(), &["--grace", "1h"]);
    std::thread::sleep(std::time::Duration::from_secs(seconds));
    let (status, records) = runner.stop();
    assert!(status.success());
    records
}

#[test]
fn every_start_of_1000_jobs_a_second_is_accounted_for() {
    let mut attempts = (0..5).map(|_| records());
    let records = attempts.find(|records| records.iter().any(|it| it["event"] == "stopped"));
    let records = records.expect("all was read at least once");

    let mut started: HashMap<(String, Timestamp), u64> = HashMap::new();
    let mut written = HashSet::new();
    let mut succeeded = HashSet::new();
    // How many events of each job were reported as not started.
    let mut excused: HashMap<String, u64> = HashMap::new();
    for record in &records {
        let Some(job) = record["job"].as_str() else { continue };
        let run = || (job.to_owned(), instant(&record["scheduled"]));
        match record["event"].as_str() {
            Some("started") => assert_eq!(started.insert(run(), 1), None, "{record} started twice"),
            Some("output") => {
                assert_eq!(instant(&record["message"]), run().1, "the process of {record}");
                assert!(written.insert(run()), "{record} has two processes");
            }
            // The machine may lack the resources for so many processes.
            Some("waiting") => {}
            Some("succeeded") => assert!(succeeded.insert(run()), "{record} ended twice"),
            Some("skipped" | "coalesced" | "dropped") => {
                *excused.entry(job.to_owned()).or_default() +=
                    record["count"].as_u64().expect("a number");
            }
            other => panic!("{other:?} in {record}"),
        }
    }
    // Each start was a process that wrote and ended, and there were no other processes.
    let started: HashSet<_> = started.into_keys().collect();
    assert_eq!(started, written);
    assert_eq!(started, succeeded);

    let time = |event: &str| {
        let record =
            records.iter().find(|record| record["event"] == event).expect("it was written");
        instant(&record["time"])
    };
    let mut late: Vec<i64> = records
        .iter()
        .filter(|record| record["event"] == "started")
        .map(|it| {
            instant(&it["time"]).as_millisecond() - instant(&it["scheduled"]).as_millisecond()
        })
        .collect();
    late.sort_unstable();
    let latest = late[late.len() - 1];
    // Each event of each job has started or has been reported. At the end, some may still be waiting to start.
    let (from, stopping) = (time("ready").as_millisecond(), time("stopping").as_millisecond());
    let until = stopping - 2 * latest - 100;
    let mut missing = 0;
    for number in 0..1000 {
        let job = format!("job{number:03}");
        let instants: Vec<i64> =
            started.iter().filter(|run| run.0 == job).map(|run| run.1.as_millisecond()).collect();
        assert!(instants.iter().all(|it| it.rem_euclid(1000) == number), "the instants of {job}");
        let expected = (from..until).filter(|instant| instant.rem_euclid(1000) == number).count();
        let found = instants.iter().filter(|it| (from..until).contains(*it)).count();
        let absent = (expected - found) as u64;
        assert!(absent <= excused.get(&job).copied().unwrap_or(0), "{job} has lost {absent} runs");
        missing += absent;
    }
    let took = (stopping - from) / 1000;
    eprintln!(
        "{} runs in {took} seconds, {missing} skipped; late by {} ms (median), {} ms (99 %), {} ms (most)",
        started.len(),
        late[late.len() / 2],
        late[late.len() * 99 / 100],
        latest,
    );
}

fn instant(value: &Value) -> Timestamp {
    value.as_str().and_then(|text| text.parse().ok()).expect("an instant")
}
