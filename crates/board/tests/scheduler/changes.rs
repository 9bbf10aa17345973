//! Changes of jobs.

use std::time::Duration;

use millicron::{Schedule, schedule};
use millicron_board::{Changes, RunState, Source as _};
use millicron_scheduler::Job;

use crate::support::Bench;

const YEARLY: Schedule = schedule!("*.1.1 0:00:00");

fn names(changes: &Changes) -> Vec<&str> {
    changes.jobs.iter().map(|job| job.name.as_str()).collect()
}

fn add(bench: &Bench, name: &str) {
    bench.scheduler.add_job(YEARLY, Job::new(|_| {}).name(name)).expect("it is added");
}

#[test]
fn only_jobs_that_have_changed_are_listed() {
    let bench = Bench::new();
    for index in 0..100 {
        add(&bench, &format!("job {index}"));
    }
    bench.advance(0);
    let all = bench.source.changes(None).expect("it answers");
    assert_eq!((all.is_complete, all.jobs.len(), all.unlisted), (true, 100, 0));
    bench.scheduler.job("job 7").expect("it exists").trigger_now();
    bench.advance(0);
    bench.wait_for_run("job 7", RunState::Succeeded);
    let changes = bench.source.changes(Some(all.version)).expect("it answers");
    assert!(!changes.is_complete && changes.version > all.version);
    assert!(changes.jobs.iter().any(|job| job.name == "job 7" && job.outcomes.len() == 1));
    // An old version has all changes since then, and the last one has none.
    assert!(names(&changes).len() < 100 || changes.version == all.version);
    let none = bench.source.changes(Some(changes.version)).expect("it answers");
    assert_eq!((none.jobs.len(), none.removed.len(), none.version), (0, 0, changes.version));
    // A version of another process is not known.
    let unknown = bench.source.changes(Some(changes.version + 1000)).expect("it answers");
    assert!(unknown.is_complete);
}

/// Nobody has asked for changes since.
#[test]
fn jobs_that_were_added_later_are_listed() {
    let bench = Bench::new();
    add(&bench, "early");
    let names = || {
        let changes = bench.source.changes(None).expect("it answers");
        changes.jobs.into_iter().map(|job| job.name).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["early"]);
    add(&bench, "late");
    bench.wait_for("late", |_| {
        let mut names = names();
        names.sort();
        names == ["early", "late"]
    });
}

#[test]
fn jobs_come_and_go() {
    let bench = Bench::new();
    let first = bench.source.changes(None).expect("it answers");
    assert!(first.is_complete && first.jobs.is_empty());
    add(&bench, "new");
    bench.scheduler.add(YEARLY, |_| {}).expect("it is added");
    let (mut version, mut seen) = (first.version, Vec::new());
    bench.wait_for("new", |_| {
        let changes = bench.source.changes(Some(version)).expect("it answers");
        version = changes.version;
        seen.extend(changes.jobs.into_iter().map(|job| job.name));
        seen.sort();
        seen.dedup();
        seen == ["#2", "new"]
    });
    bench.scheduler.job("new").expect("it exists").pause();
    let job = bench.wait_for("new", |job| job.state == millicron_board::JobState::Paused);
    assert_eq!(job.next, None);
    bench.scheduler.job("new").expect("it exists").cancel();
    let mut removed = Vec::new();
    while removed != ["new"] {
        let changes = bench.source.changes(Some(version)).expect("it answers");
        version = changes.version;
        removed.extend(changes.removed);
    }
}

#[test]
fn the_jobs_of_a_scheduler_that_has_many_are_counted() {
    let bench = Bench::new();
    add(&bench, "named");
    // A closure that is not small, as many programs have.
    for _ in 0..30_000 {
        let at = bench.scheduler.now() + Duration::from_hours(1);
        bench.scheduler.once(at, |_| {}).expect("it is added");
    }
    let changes = bench.source.changes(None).expect("it answers");
    assert_eq!((changes.jobs.len(), changes.unlisted), (10_000, 20_001));
    // One that is not listed still has its page, if it has a name.
    add(&bench, "later");
    assert!(bench.source.job("later").expect("it answers").is_some());
    let changes = bench.source.changes(None).expect("it answers");
    assert_eq!((changes.jobs.len(), changes.unlisted), (10_000, 20_002));
}
