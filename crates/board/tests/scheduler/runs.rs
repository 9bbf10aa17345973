//! The runs of a job.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use millicron::{Schedule, schedule};
use millicron_board::{Job as Shown, RunLog, RunState, Source as _};
use millicron_scheduler::{Job, Outcome, Overlap, Retry, RunContext};

use crate::support::{Bench, MIDNIGHT, failed, held};

const HOURLY: Schedule = schedule!("*:00:00");
const YEARLY: Schedule = schedule!("*.1.1 0:00:00");

#[test]
fn attempts_are_one_run() {
    let bench = Bench::real();
    let (job, runs) = held();
    let retry = Retry::constant(Duration::from_millis(50)).most(1);
    let handle = bench.scheduler.add_job(YEARLY, job.name("import").retry(retry));
    assert!(handle.expect("it is added").trigger_now());
    let (_, completion) = runs.recv().expect("it runs");
    let job = bench.wait_for_run("import", RunState::Running);
    assert_eq!((job.running, job.outcomes.len()), (1, 0));
    let first = job.last.expect("it runs");
    assert_eq!((first.attempts, first.ended), (1, None));
    completion.finish(failed("connection refused"));
    let (_, completion) = runs.recv().expect("it runs again");
    let is_second = |job: &Shown| job.last.as_ref().is_some_and(|run| run.attempts == 2);
    let again = bench.wait_for("import", is_second).last.expect("it runs");
    assert_eq!((again.id, again.state, again.message), (first.id, RunState::Running, None));
    completion.finish(failed("timed out"));
    let job = bench.wait_for_run("import", RunState::Failed);
    let run = job.last.expect("it has run");
    assert_eq!((run.scheduled, run.started), (first.scheduled, first.started));
    assert!(run.ended > run.started && run.message.as_deref() == Some("timed out"));
    assert_eq!((job.running, job.outcomes), (0, vec![RunState::Failed]));
    let page = bench.source.runs("import", None, 10).expect("it answers");
    assert_eq!((page.runs.len(), page.has_more), (1, false));
}

#[test]
fn a_run_that_is_about_to_be_tried_again_says_why() {
    let bench = Bench::new();
    let job = Job::new(|_| Err::<(), _>("connection refused")).name("import");
    let retry = Retry::constant(Duration::from_secs(5)).most(1);
    bench.scheduler.add_job(HOURLY, job.retry(retry)).expect("it is added");
    bench.advance(3600);
    let job = bench.wait_for_run("import", RunState::Retrying);
    let run = job.last.expect("it has run");
    assert_eq!((run.attempts, run.ended), (1, None));
    assert_eq!(run.message.as_deref(), Some("connection refused"));
    assert!(job.outcomes.is_empty());
    bench.advance(5);
    let run = bench.wait_for_run("import", RunState::Failed).last.expect("it has run");
    assert_eq!((run.attempts, run.ended), (2, Some(MIDNIGHT + 3_605_000)));
}

#[test]
fn a_run_whose_retry_the_next_event_ends_has_failed() {
    let bench = Bench::new();
    let fails =
        |run: RunContext| if run.number() == 1 { Err("connection refused") } else { Ok(()) };
    let retry = Retry::constant(Duration::from_mins(10)).until_next_event();
    let job = Job::new(fails).name("import").retry(retry);
    bench.scheduler.add_job(HOURLY, job).expect("it is added");
    bench.advance(3600);
    bench.wait_for_run("import", RunState::Retrying);
    // The machine sleeps until the next event.
    bench.clock.set(bench.scheduler.now() + Duration::from_hours(1));
    bench.wait_for_run("import", RunState::Succeeded);
    let page = bench.source.runs("import", None, 10).expect("it answers");
    let [_, first] = &*page.runs else { panic!("there are two runs: {:?}", page.runs) };
    assert_eq!((first.state, first.attempts), (RunState::Failed, 1));
    assert_eq!(first.ended, Some(MIDNIGHT + 3_600_000));
    assert_eq!(first.message.as_deref(), Some("connection refused"));
}

#[test]
fn a_run_whose_retry_is_cancelled_with_its_job_has_failed() {
    let bench = Bench::new();
    let fails =
        |run: RunContext| if run.number() == 1 { Err("connection refused") } else { Ok(()) };
    let job = Job::new(fails).name("import").retry(Retry::constant(Duration::from_mins(10)));
    bench.scheduler.add_job(HOURLY, job).expect("it is added");
    bench.advance(3600);
    bench.wait_for_run("import", RunState::Retrying);
    // Its runs are shown with those of the next job of that name.
    assert!(bench.scheduler.job("import").expect("it exists").cancel());
    let job = Job::new(|_| {}).name("import");
    bench.scheduler.add_job(HOURLY, job).expect("it is added");
    bench.advance(3600);
    bench.wait_for_run("import", RunState::Succeeded);
    let page = bench.source.runs("import", None, 10).expect("it answers");
    let states: Vec<_> = page.runs.iter().map(|run| run.state).collect();
    assert_eq!(states, [RunState::Succeeded, RunState::Failed]);
}

#[test]
fn skipped_events_in_a_row_are_one_entry() {
    let bench = Bench::real();
    let (job, runs) = held();
    let job = job.name("long").overlap(Overlap::Skip);
    let handle = bench.scheduler.add_job(schedule!("*:*:*.*/100"), job).expect("it is added");
    let held = runs.recv().expect("it runs");
    let page = || bench.source.runs("long", None, 10).expect("it answers").runs;
    bench.wait_for("long", |_| {
        let message = page().into_iter().next().and_then(|run| run.message).unwrap_or_default();
        message.ends_with(" events: the previous run had not ended")
    });
    let states = page().iter().map(|run| run.state).collect::<Vec<_>>();
    assert_eq!(states, [RunState::Skipped, RunState::Running]);
    // The last run is the one that has started.
    assert!(handle.pause());
    held.1.finish(Outcome::Succeeded);
    let job = bench.wait_for_run("long", RunState::Succeeded);
    assert_eq!(job.outcomes, [RunState::Succeeded, RunState::Skipped]);
}

#[test]
fn runs_that_others_skip_are_shown_with_their_reasons() {
    let log = RunLog::new();
    for (second, reason) in [(1, "no disk"), (2, "no disk"), (3, "no network")] {
        log.skip("import", UNIX_EPOCH + Duration::from_secs(second), reason);
    }
    let runs = log.runs("import", None, 10).expect("it answers").runs;
    let shown = runs.iter().map(|run| (run.scheduled, run.state, run.message.as_deref()));
    let network = (3000, RunState::Skipped, Some("an event: no network"));
    let disk = (1000, RunState::Skipped, Some("2 events: no disk"));
    assert_eq!(shown.collect::<Vec<_>>(), [network, disk]);
    let (version, _) = log.changed_since(None);
    let changed = log.changed_since(Some(version - 1)).1.expect("it is known");
    assert_eq!(changed, [Arc::<str>::from("import")]);
}

#[test]
fn only_the_last_runs_are_kept() {
    let bench = Bench::with(&RunLog::with_limits(3, 5));
    for name in ["one", "two"] {
        bench.scheduler.add_job(HOURLY, Job::new(|_| {}).name(name)).expect("it is added");
    }
    for _ in 0..4 {
        bench.advance(3600);
    }
    let runs = |name: &str| bench.source.runs(name, None, 10).expect("it answers").runs;
    let last = MIDNIGHT + 4 * 3_600_000;
    bench.wait_for("one", |_| {
        let (one, two) = (runs("one"), runs("two"));
        let (one, two) = (one.iter(), two.iter());
        one.chain(two).filter(|run| run.scheduled == last && run.ended.is_some()).count() == 2
    });
    let counts = [runs("one").len(), runs("two").len()];
    assert_eq!(counts.iter().sum::<usize>(), 5, "{counts:?}");
    assert!(counts.iter().all(|count| *count <= 3), "{counts:?}");
}

#[test]
fn the_last_run_of_each_job_is_kept() {
    let bench = Bench::with(&RunLog::with_limits(3, 5));
    let yearly = schedule!("*.1.1 12:00:00");
    bench.scheduler.add_job(yearly, Job::new(|_| {}).name("rare")).expect("it is added");
    assert!(bench.scheduler.job("rare").expect("it exists").trigger_now());
    bench.wait_for_run("rare", RunState::Succeeded);
    for name in ["one", "two", "three"] {
        bench.scheduler.add_job(HOURLY, Job::new(|_| {}).name(name)).expect("it is added");
    }
    for _ in 0..4 {
        bench.advance(3600);
    }
    let runs = |name: &str| bench.source.runs(name, None, 10).expect("it answers").runs.len();
    bench.wait_for("one", |_| runs("one") + runs("two") + runs("three") == 5);
    let rare = bench.source.job("rare").expect("it answers").expect("it is there");
    assert_eq!(rare.last.map(|run| run.state), Some(RunState::Succeeded));
    assert_eq!(rare.outcomes, [RunState::Succeeded]);
}

#[test]
fn runs_are_listed_in_pages() {
    let bench = Bench::new();
    bench.scheduler.add_job(HOURLY, Job::new(|_| {}).name("job")).expect("it is added");
    for _ in 0..5 {
        bench.advance(3600);
    }
    bench.wait_for("job", |job| job.outcomes.len() == 5);
    let mut before = None;
    let mut scheduled = Vec::new();
    loop {
        let page = bench.source.runs("job", before, 2).expect("it answers");
        scheduled.extend(page.runs.iter().map(|run| (run.scheduled - MIDNIGHT) / 3_600_000));
        before = page.runs.last().map(|run| run.id);
        if !page.has_more {
            break;
        }
    }
    assert_eq!(scheduled, [5, 4, 3, 2, 1]);
    assert!(bench.source.runs("other", None, 2).expect("it answers").runs.is_empty());
}

#[test]
fn runs_that_are_triggered_at_the_same_time_have_different_numbers() {
    let bench = Bench::new();
    let job = Job::new(|_: RunContext| {}).name("job").overlap(Overlap::Allow { max: 9 });
    let job = bench.scheduler.add_job(HOURLY, job).expect("it is added");
    assert!((0..5).all(|_| job.trigger_now()));
    bench.advance(0);
    bench.wait_for("job", |job| job.outcomes.len() == 5);
    let page = bench.source.runs("job", None, 10).expect("it answers");
    assert!(page.runs.windows(2).all(|pair| pair[0].id > pair[1].id), "{:?}", page.runs);
    // Browsers read numbers as floating-point ones.
    assert!(page.runs.iter().all(|run| run.id < 1 << 53));
}
