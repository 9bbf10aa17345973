//! Runs of before a restart.

use millicron::{Schedule, schedule};
use millicron_board::{RunLog, RunState, Source as _};
use millicron_history::SqliteHistory;
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
