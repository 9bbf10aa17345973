//! Answers of a history on a server.

use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use millicron_history::{Claims as _, History as _, PostgresHistory, RunQuery, RunState};
use millicron_test_support::generate::cases;
use millicron_test_support::servers::PostgresServer;
use proptest::test_runner::TestRunner;

use super::{claim, connect, new_database};
use crate::model::{Model, Operation};
use crate::operations::operations;
use crate::reads::{all, first};

/// Records successes of a job from 0 on, in one statement.
fn record_all(history: &mut PostgresHistory, job: &str, count: i64) {
    let runs: Vec<_> = (0..count).map(|at| (job, at, RunState::Succeeded.into())).collect();
    history.record_runs(&runs).expect("the records succeed");
}

#[test]
fn server_agrees_with_a_model() {
    let Some(database) = new_database() else { return };
    let schemas = Cell::new(0);
    let mut runner = TestRunner::new(cases(200));
    let agreed = runner.run(&operations(), |operations| {
        schemas.set(schemas.get() + 1);
        let schema = format!("case {}", schemas.get());
        let mut model = Model::default();
        let open = |model: &Model| {
            let history = PostgresHistory::builder(&database).schema(&schema).connect();
            history.expect("a database").with_clock(model.clock())
        };
        let mut history = open(&model);
        for operation in operations {
            if let Operation::Reopen = operation {
                history = open(&model);
            } else {
                model.apply(&mut history, &operation);
            }
        }
        model.check(&history);
        Ok(())
    });
    agreed.expect("the history agrees with the model");
}

#[test]
fn names_are_kept_byte_for_byte() {
    let Some(database) = new_database() else { return };
    let names = [
        "",
        "\0",
        "nul\0in it",
        "\u{1}",
        "\u{1}0",
        "naïve",
        "nai\u{308}ve",
        "x'y\"z",
        "\u{10ffff}",
    ];
    let mut history = connect(&database);
    for (at, name) in (0..).zip(names) {
        history.record(name, at).expect("the record succeeds");
        drop(claim(&mut history, name, -1));
    }
    let mut started: Vec<_> = history.started_runs().expect("the read succeeds");
    started.sort_by_key(|run| run.claim.token);
    let jobs: Vec<&str> = started.iter().map(|run| &*run.claim.job).collect();
    assert_eq!(jobs, names);
    for (at, name) in (0..).zip(names) {
        assert_eq!(all(&history, name), [at], "{name:?}");
    }
}

/// There are more runs than a query reads at a time.
#[test]
fn queries_of_many_runs_are_read_to_the_end() {
    const COUNT: i64 = 25_000;
    let Some(database) = new_database() else { return };
    let mut history = connect(&database);
    record_all(&mut history, "many", COUNT);
    history.record("other", 7).expect("the record succeeds");
    assert_eq!(all(&history, "many"), first(COUNT));
    let read = |queries: &[RunQuery<'_>]| {
        let mut found = vec![Vec::new(); queries.len()];
        let read = history.read(queries, &mut |query, at, _| {
            found[query].push(at);
            ControlFlow::Continue(())
        });
        read.expect("the read succeeds");
        found
    };
    let newest = RunQuery::new("many", ..).newest_first();
    let found = read(&[
        newest.clone(),
        RunQuery::new("other", ..),
        newest.skip(3).limit(20_000),
        RunQuery::new("many", 5..).limit(10_000),
    ]);
    assert!(found[0].iter().copied().eq((0..COUNT).rev()));
    assert_eq!(found[1], [7]);
    assert!(found[2].iter().copied().eq((COUNT - 20_003..COUNT - 3).rev()));
    assert!(found[3].iter().copied().eq(5..10_005));
}

/// Methods block the calling thread, and must not start a runtime within a runtime.
#[test]
fn history_can_be_used_within_a_runtime() {
    let Some(database) = new_database() else { return };
    for mut builder in
        [tokio::runtime::Builder::new_current_thread(), tokio::runtime::Builder::new_multi_thread()]
    {
        let runtime = builder.enable_all().build().expect("a runtime");
        let found = runtime.block_on(async {
            let mut history = connect(&database);
            history.record("job", 1).expect("the record succeeds");
            all(&history, "job")
        });
        assert_eq!(found, [1]);
    }
}

#[test]
fn leases_follow_the_clock_of_the_server() {
    let Some(database) = new_database() else { return };
    let mut history = connect(&database);
    let lease = Duration::from_hours(1);
    let _ = history.claim("job", 1, "a runner", lease).expect("the claim succeeds");
    let server = super::server().expect("the server runs");
    let now = server.query(&database, "SELECT floor(extract(epoch FROM now()) * 1000)::bigint");
    let now: i64 = now.parse().expect("an instant");
    let started = history.started_runs().expect("the read succeeds");
    let claimed = started[0].started;
    assert!((now - 60_000..=now).contains(&claimed), "{claimed} and {now}");
    assert_eq!(started[0].expires, claimed + 3_600_000);
    // A clock that is far ahead does not matter.
    let held = history.claim("job", 1, "another", lease).expect("the claim succeeds");
    assert!(matches!(held, millicron_history::ClaimOutcome::Held { .. }), "{held:?}");
}

#[test]
fn each_method_is_one_statement() {
    let server = PostgresServer::start_with(&["fsync=off", "log_min_duration_statement=0"]);
    let server = server.map_err(|error| error.leave_out("statements of histories in PostgreSQL"));
    let Ok(server) = server else { return };
    let mut history = connect(&server.connection_string());
    let log = || fs::read_to_string(server.directory().join("log")).expect("a log");
    let executed = || log().matches(" execute ").count();
    let mut before = executed();
    let mut check = |method: &str| {
        let now = executed();
        assert_eq!(now - before, 1, "{method}: {}", log());
        before = now;
    };
    record_all(&mut history, "job", 100);
    check("record_runs");
    history.record_state("job", 100, RunState::Failed).expect("the record succeeds");
    check("record_state");
    let queries: Vec<_> = (0..50).map(|at| RunQuery::new("job", at..at + 10)).collect();
    history.read(&queries, &mut |_, _, _| ControlFlow::Continue(())).expect("the read succeeds");
    check("read");
    let granted = claim(&mut history, "job", 200);
    check("claim");
    history.renew(&granted, Duration::MAX).expect("the claim is held");
    check("renew");
    let granted = history.take_over(&granted, "another", Duration::MAX).expect("the claim is held");
    check("take_over");
    history.record_claimed(&granted, RunState::Succeeded).expect("the claim is held");
    check("record_claimed");
    history.forget_all(&[("job", 0..=1), ("job", 5..=6)]).expect("the removal succeeds");
    check("forget_all");
    history.drop_before(&[("job", 50)]).expect("the removal succeeds");
    check("drop_before");
    history.started_runs().expect("the read succeeds");
    check("started_runs");
}
