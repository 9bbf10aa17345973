//! Actions on jobs.

use millicron::{Schedule, schedule};
use millicron_board::{Action, ActionKind, JobState, RunState, Source as _};
use millicron_scheduler::Retry;

use crate::support::{Bench, failed, held};

const YEARLY: Schedule = schedule!("*.1.1 0:00:00");

#[test]
fn jobs_are_run_paused_and_resumed_and_runs_are_cancelled() {
    let bench = Bench::real();
    let (job, runs) = held();
    let retry = Retry::constant(std::time::Duration::from_secs(1));
    bench.scheduler.add_job(YEARLY, job.name("job").retry(retry)).expect("it is added");
    let act = |action| bench.source.act("job", action).expect("it answers");
    assert!(bench.source.actions().contains(&ActionKind::Cancel));

    assert!(act(Action::Pause) && !act(Action::Pause));
    bench.wait_for("job", |job| job.state == JobState::Paused && job.next.is_none());
    assert!(act(Action::Resume) && !act(Action::Resume));
    bench.wait_for("job", |job| job.state == JobState::Waiting && job.next.is_some());

    assert!(act(Action::Run));
    let (context, completion) = runs.recv().expect("it runs");
    let run = bench.wait_for_run("job", RunState::Running).last.expect("it runs").id;
    assert!(!act(Action::Cancel { run: run + 1 }));
    assert!(!context.token().is_cancelled());
    assert!(act(Action::Cancel { run }));
    assert!(context.token().is_cancelled());
    // What is cancelled is not retried.
    completion.finish(failed("it was cancelled"));
    bench.wait_for_run("job", RunState::Failed);
    assert!(!act(Action::Cancel { run }));

    for action in [Action::Run, Action::Pause, Action::Resume, Action::Cancel { run }] {
        assert!(!bench.source.act("other", action).expect("it answers"));
    }
}
