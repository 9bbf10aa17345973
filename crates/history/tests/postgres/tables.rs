//! Tables that are created, and tables that are refused.

use std::thread;
use std::time::Duration;

use millicron_history::{
    Claims as _, History as _, PostgresError, PostgresErrorKind, PostgresHistory,
};
use millicron_test_support::directory::Directory;
use millicron_test_support::scaled;
use millicron_test_support::threads::until;

use super::{claim, connect, new_database, server};
use crate::processes::Process;
use crate::reads::all;

#[test]
fn processes_create_the_tables_at_the_same_time() {
    let Some(database) = new_database() else { return };
    let directory = Directory::new("postgres begin");
    let start = |_| Process::start_with("begin together", &directory, Some(&database));
    let mut processes = [1, 2, 3, 4].map(start);
    for round in 0..scaled(100) {
        let schema = format!("round {round}");
        for process in &mut processes {
            process.send(&schema);
        }
        for process in &mut processes {
            assert_eq!(process.receive(), "Ok(())");
        }
        let history = PostgresHistory::builder(&database).schema(&schema).connect();
        assert_eq!(all(&history.expect("a history"), "job"), [1]);
        let versions = format!("SELECT count(*) FROM \"{schema}\".history_version");
        assert_eq!(server().expect("the server runs").query(&database, &versions), "1");
    }
}

#[test]
fn threads_connect_to_a_new_database() {
    let Some(database) = new_database() else { return };
    thread::scope(|scope| {
        for number in 0..8 {
            let database = &database;
            scope.spawn(move || connect(database).record("job", number).expect("recorded"));
        }
    });
    assert_eq!(all(&connect(&database), "job"), crate::reads::first(8));
}

#[test]
fn schemas_are_separate_histories() {
    let Some(database) = new_database() else { return };
    let open = |schema: &str| {
        let history = PostgresHistory::builder(&database).schema(schema).connect();
        history.expect("a history")
    };
    let names = [
        "public",
        "a",
        "A",
        "a b",
        "x\"; --",
        "it's",
        "'); --",
        "back\\slash\\'",
        "{literal}{schema}",
        "ä",
        &"x".repeat(63),
    ];
    for (at, name) in (0..).zip(names) {
        open(name).record("job", at).expect("the record succeeds");
        // Each schema has a sequence of tokens.
        let granted = claim(&mut open(name), "claimed", at);
        assert_eq!(granted.token, 1, "{name}");
        let taken = open(name).take_over(&granted, "another", Duration::MAX);
        assert_eq!(taken.expect("the claim is held").token, 2, "{name}");
    }
    for (at, name) in (0..).zip(names) {
        assert_eq!(all(&open(name), "job"), [at], "{name}");
        let started = open(name).started_runs().expect("the read succeeds");
        assert_eq!(started.iter().map(|run| run.claim.scheduled).collect::<Vec<_>>(), [at]);
    }
}

#[test]
fn later_version_is_refused() {
    let Some(database) = new_database() else { return };
    let server = server().expect("the server runs");
    drop(connect(&database));
    server.query(&database, "UPDATE millicron.history_version SET version = 2");
    let error = PostgresHistory::connect(&database).expect_err("a later version");
    assert_eq!(
        *error.kind(),
        PostgresErrorKind::NewerVersion { found: 2, supported: 1 },
        "{error:?}"
    );
    let message = "the tables have version 2, but this program uses only up to version 1; \
        use a later version of the program, or another schema";
    assert!(error.to_string().ends_with(message), "{error}");
}

/// Meanwhile, a later version of the program has converted the tables.
#[test]
fn later_version_is_refused_when_a_history_connects_again() {
    let Some(database) = new_database() else { return };
    let mut history = connect(&database);
    history.record("job", 1).expect("the record succeeds");
    let server = server().expect("the server runs");
    server.query(&database, "UPDATE millicron.history_version SET version = 2");
    let connections = "FROM pg_stat_activity \
        WHERE application_name = 'millicron' AND datname = current_database()";
    server.query(&database, &format!("SELECT pg_terminate_backend(pid) {connections}"));
    let count = format!("SELECT count(*) {connections}");
    until(|| server.query(&database, &count) == "0");
    let error = history.record("job", 2).expect_err("a later version");
    let kind = PostgresErrorKind::NewerVersion { found: 2, supported: 1 };
    assert_eq!(*error.kind(), kind, "{error:?}");
}

#[test]
fn tables_of_another_program_are_left_alone() {
    let Some(database) = new_database() else { return };
    let server = server().expect("the server runs");
    server.query(&database, "CREATE SCHEMA other; CREATE TABLE other.run AS SELECT 1 AS one");
    let error = PostgresHistory::builder(&database).schema("other").connect();
    let error = error.expect_err("other tables");
    assert_eq!(*error.kind(), PostgresErrorKind::NotAHistory, "{error:?}");
    let tables = "SELECT string_agg(table_name, ',') FROM information_schema.tables \
        WHERE table_schema = 'other'";
    assert_eq!(server.query(&database, tables), "run");
    assert_eq!(server.query(&database, "SELECT one FROM other.run"), "1");
}

#[test]
fn removed_tables_are_reported_until_they_are_created_again() {
    let Some(database) = new_database() else { return };
    let mut history = connect(&database);
    history.record("job", 1).expect("the record succeeds");
    let server = server().expect("the server runs");
    server.query(&database, "DROP SCHEMA millicron CASCADE");
    let missing = |result: Result<(), PostgresError>| {
        let error = result.expect_err("no table");
        assert_eq!(*error.kind(), PostgresErrorKind::MissingTable, "{error:?}");
    };
    missing(history.record("job", 2));
    // Reconnecting must not create an empty history.
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
        WHERE application_name = 'millicron' AND datname = current_database()";
    assert_eq!(server.query(&database, end), "1");
    missing(history.record("job", 3));
    drop(connect(&database));
    history.record("job", 4).expect("the record succeeds");
    assert_eq!(all(&history, "job"), [4]);
}
