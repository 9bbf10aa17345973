//! Runs of before a restart.

use millicron::{Schedule, schedule};
use millicron_board::{RunLog, RunState, Source as _};
use millicron_history::{History as _, SqliteHistory};
use millicron_scheduler::{Job, JobHistory, RunContext};

use crate::support::{Bench, MIDNIGHT};

const HOURLY: Schedule = schedule!("*:00:00");
const HOUR: i64 = 3_600_000;

#[test]
fn runs_of_before_a_restart_are_shown_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("runs.sqlite");
    let job = || {
        let fails = |run: RunContext| match run.scheduled() {
            time if time == crate::support::time(MIDNIGHT + 2 * HOUR) => Err("the second fails"),
            _ => Ok(()),
        };
        Job::new(fails).name("job")
    };
    let before = Bench::new();
    let jobs = JobHistory::new(&before.scheduler, SqliteHistory::open(&path).expect("a file"));
    let jobs = jobs.expect("a thread");
    jobs.add_job(HOURLY, job()).expect("it is added");
    for _ in 0..3 {
        before.advance(3600);
    }
    before.wait_for("job", |job| job.outcomes.len() == 3);
    drop((jobs, before));

    let history = SqliteHistory::open_read_only(&path).expect("a file");
    let after = Bench::with(&RunLog::with_history(history));
    after.clock.advance(std::time::Duration::from_mins(3 * 60 + 1));
    let jobs = JobHistory::new(&after.scheduler, SqliteHistory::open(&path).expect("a file"));
    jobs.expect("a thread").add_job(HOURLY, job()).expect("it is added");
    let outcomes = [RunState::Succeeded, RunState::Failed, RunState::Succeeded];
    let shown = after.source.changes(None).expect("it answers").jobs;
    assert_eq!(shown[0].outcomes, outcomes);
    let last = shown[0].last.as_ref().expect("it has run");
    assert_eq!((last.scheduled, last.state), (MIDNIGHT + 3 * HOUR, RunState::Succeeded));

    after.advance(3600);
    after.wait_for("job", |job| job.outcomes.len() == 4);
    let page = after.source.runs("job", None, 3).expect("it answers");
    let hours = |runs: &[millicron_board::Run]| {
        runs.iter().map(|run| (run.scheduled - MIDNIGHT) / HOUR).collect::<Vec<_>>()
    };
    assert_eq!((hours(&page.runs), page.has_more), (vec![4, 3, 2], true));
    assert!(page.runs[1].started.is_some() && page.runs[1].ended.is_some());
    let rest = after.source.runs("job", Some(page.runs[2].id), 3).expect("it answers");
    assert_eq!((hours(&rest.runs), rest.has_more), (vec![1], false));
}

/// In the log, a run that starts after a later one has a higher number than in the history.
#[test]
fn late_run_is_shown_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("runs.sqlite");
    let open = || SqliteHistory::open(&path).expect("a file");
    let log = RunLog::with_history(open());
    let bench = Bench::with(&log);
    let jobs = JobHistory::new(&bench.scheduler, open()).expect("a thread");
    jobs.add_job(HOURLY, Job::new(|_| {}).name("job")).expect("it is added");
    let later = MIDNIGHT + 10 * HOUR;
    log.skip("job", crate::support::time(later), "it is skipped");
    bench.advance(3600);
    bench.wait_for("job", |job| job.outcomes.len() == 2);
    drop((jobs, bench));
    while open().run("job", MIDNIGHT + HOUR).expect("it answers").is_none() {
        std::thread::yield_now();
    }
    let page = |before| {
        let page = log.runs("job", before, 1).expect("it answers");
        let runs = page.runs.iter().map(|run| (run.id, run.scheduled)).collect::<Vec<_>>();
        (runs, page.has_more)
    };
    let (first, has_more) = page(None);
    assert_eq!((first[0].1, has_more), (MIDNIGHT + HOUR, true));
    let second = page(Some(first[0].0));
    assert_eq!(second, (vec![(later * 1000, later)], false));
    assert_eq!(page(Some(later * 1000)), (vec![], false));
    let mut job = millicron_board::Job::new("job");
    log.set_runs(&mut job);
    assert_eq!(job.outcomes, [RunState::Skipped, RunState::Succeeded]);
    // A log that has read the history before a run is logged.
    let log = RunLog::with_history(open());
    log.set_runs(&mut job);
    assert_eq!(job.outcomes, [RunState::Succeeded]);
    log.skip("job", crate::support::time(later), "it is skipped");
    log.skip("job", crate::support::time(MIDNIGHT + HOUR), "it was late");
    log.set_runs(&mut job);
    assert_eq!(job.outcomes, [RunState::Skipped, RunState::Skipped]);
}

#[test]
fn error_of_a_history_does_not_name_its_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("runs.sqlite");
    let open = || SqliteHistory::open(&path).expect("a file");
    let log = RunLog::with_history(open());
    // The log's own connection has not read this yet.
    let mut writer = open();
    writer.record("job", MIDNIGHT).expect("it is recorded");
    for file in [path.clone(), directory.path().join("runs.sqlite-wal")] {
        let length = std::fs::metadata(&file).expect("a file").len();
        std::fs::write(&file, vec![0xff; usize::try_from(length).expect("a small file")])
            .expect("it is damaged");
    }
    let error = log.runs("job", None, 1).expect_err("it is damaged");
    assert_eq!(error.to_string(), "the history cannot be read");
    let cause = error.source().expect("a cause").to_string();
    assert!(cause.contains("runs.sqlite: "), "{cause}");
}
