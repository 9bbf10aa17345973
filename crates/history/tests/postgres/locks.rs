//! Statements that lock several rows.

use std::sync::Barrier;
use std::thread;

use millicron_history::{History as _, PostgresHistory, RunRecord, RunState};

use super::new_database;

const RUNS: i64 = 1_000;

/// The server would end one of two statements that wait for each other.
#[test]
fn removals_in_different_orders_do_not_deadlock() {
    let Some(database) = new_database() else { return };
    // Without `retry_for`, that would be an error.
    let [mut history, mut one, mut two, mut three, mut four] =
        [(); 5].map(|()| PostgresHistory::connect(&database).expect("a database"));
    let record = RunRecord::from(RunState::Succeeded);
    let runs = ["a", "b"].into_iter().flat_map(|job| (0..RUNS).map(move |at| (job, at, record)));
    let runs = runs.collect::<Vec<_>>();
    for _ in 0..10 {
        history.record_runs(&runs).expect("a writable history");
        let barrier = Barrier::new(4);
        thread::scope(|scope| {
            for (history, jobs) in [(&mut one, ["a", "b"]), (&mut two, ["b", "a"])] {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    history.forget_all(&jobs.map(|job| (job, 0..=RUNS))).expect("no deadlock");
                });
            }
            for (history, jobs) in [(&mut three, ["a", "b"]), (&mut four, ["b", "a"])] {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    history.drop_before(&jobs.map(|job| (job, RUNS))).expect("no deadlock");
                });
            }
        });
        assert_eq!(history.last_run("a").expect("a readable history"), None);
    }
}
