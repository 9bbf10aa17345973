//! Errors of connections, and their messages.

use std::error::Error as _;
use std::net::TcpListener;
use std::time::Duration;

use millicron_history::{
    History as _, PostgresError, PostgresErrorKind, PostgresHistory, error_message,
};
use millicron_test_support::servers::PostgresServer;

use super::{connect, new_database, server};

fn error(database: &str) -> PostgresError {
    PostgresHistory::connect(database).expect_err("no history")
}

#[test]
fn invalid_connection_strings_are_reported_without_the_password() {
    for database in [
        "postgres://jobs:secret@localhost:port/jobs",
        "jobs secret",
        "user=jobs password=secret host",
        "host=localhost user=jobs password=secret colour=red",
        "host=localhost user=jobs password=a secret=b",
        "postgres//jobs:secret@localhost/jobs?colour=red",
        "",
        "host=localhost",
        "user=jobs",
    ] {
        let error = error(database);
        assert_eq!(*error.kind(), PostgresErrorKind::InvalidConnectionString, "{error:?}");
        assert_eq!(error.to_string(), "the connection string is invalid");
        let source = error.source().expect("what is wrong").to_string();
        assert!(!source.is_empty());
        let message = error_message(&error);
        assert!(!message.contains("secret"), "{message}");
    }
}

#[test]
fn unknown_settings_are_named_unless_they_may_be_part_of_a_password() {
    for (database, is_named) in [
        ("host=localhost user=jobs colour=red", true),
        ("postgres://jobs:secret@localhost/jobs?colour=red", true),
        ("postgresql://jobs@localhost/jobs?colour=red", true),
        ("host=localhost user=jobs password=a colour=red", false),
        ("host=localhost user=jobs@localhost colour=red", false),
    ] {
        let message = error_message(&error(database));
        assert_eq!(message.contains("`colour`"), is_named, "{database}: {message}");
    }
}

#[test]
fn invalid_schema_names_are_refused() {
    let database = "postgres://jobs@localhost/jobs";
    for schema in ["", "a\0b", &"x".repeat(64)] {
        let error = PostgresHistory::builder(database).schema(schema).connect();
        let error = error.expect_err("no history");
        let schema = schema.to_owned();
        assert_eq!(*error.kind(), PostgresErrorKind::InvalidSchema { schema });
    }
}

#[test]
fn required_tls_is_not_given_up() {
    let error = error("postgres://jobs:secret@db.example.com:1234/jobs?sslmode=require");
    assert_eq!(*error.kind(), PostgresErrorKind::TlsRequired, "{error:?}");
    assert_eq!(
        error.to_string(),
        "db.example.com:1234/jobs: the connection string requires TLS; connect with `connect_tls`"
    );
}

/// The server of the tests does not know TLS.
#[test]
fn server_without_tls_is_refused_if_tls_is_required() {
    let Some(database) = new_database() else { return };
    let connect = |mode: &str| {
        let builder = PostgresHistory::builder(&format!("{database}&sslmode={mode}"));
        builder.connect_tls(tokio_postgres::NoTls)
    };
    let error = connect("require").expect_err("no TLS");
    assert_eq!(*error.kind(), PostgresErrorKind::Refused, "{error:?}");
    for mode in ["prefer", "disable"] {
        connect(mode).expect("a history").record("job", 1).expect("the record succeeds");
    }
}

#[test]
fn missing_server_is_reported_at_once() {
    // Nothing listens on this port, and it is given to nobody who asks for a free one.
    let address = "127.0.0.1:1";
    let error = error(&format!("postgres://jobs:secret@{address}/jobs"));
    assert_eq!(*error.kind(), PostgresErrorKind::Unreachable, "{error:?}");
    assert_eq!(error.to_string(), format!("{address}/jobs: the server cannot be reached"));
    assert!(error.source().is_some());
    assert!(!format!("{error:?}").contains("secret"));
}

/// The server accepts connections, but never answers.
#[test]
fn silent_server_is_reported_after_the_timeout_of_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let error = error(&format!("postgres://jobs@{address}/jobs?connect_timeout=1"));
    assert_eq!(*error.kind(), PostgresErrorKind::Unreachable, "{error:?}");
    assert_eq!(error.source().expect("a cause").to_string(), "timed out");
}

#[test]
fn timeouts_may_be_of_any_length() {
    let Some(database) = new_database() else { return };
    for timeout in [Duration::ZERO, Duration::MAX] {
        let builder = PostgresHistory::builder(&database).answer_timeout(Duration::MAX);
        let mut history = builder.connect().expect("a history");
        history.retry_for(timeout);
        history.record("job", 1).expect("the record succeeds");
        assert_eq!(crate::reads::all(&history, "job"), [1]);
    }
}

#[test]
fn unknown_user_and_database_are_refused() {
    let Some(database) = new_database() else { return };
    let user = database.replace("user=millicron", "user=nobody-knows");
    let database = database.replace("/test_", "/no_test_");
    for database in [user, database] {
        let error = error(&database);
        assert_eq!(*error.kind(), PostgresErrorKind::Refused, "{error:?}");
        assert!(error.to_string().ends_with(": the server refuses the connection"), "{error}");
        let cause = error.source().and_then(std::error::Error::source).expect("a message");
        assert!(cause.to_string().contains("does not exist"), "{cause}");
    }
}

#[test]
fn user_needs_permissions_for_what_is_there() {
    let Some(database) = new_database() else { return };
    let server = server().expect("the server runs");
    let sql = |sql: &str| server.query(&database, sql);
    sql("DO $$ BEGIN CREATE ROLE clerk LOGIN; EXCEPTION WHEN duplicate_object THEN END $$");
    let clerk = database.replace("user=millicron", "user=clerk");
    // The clerk can neither create tables nor use the tables of others.
    let denied = |result: Result<(), PostgresError>| {
        let error = result.expect_err("no permission");
        assert_eq!(*error.kind(), PostgresErrorKind::PermissionDenied, "{error:?}");
    };
    denied(PostgresHistory::connect(&clerk).map(drop));
    connect(&database).record("job", 1).expect("the record succeeds");
    denied(PostgresHistory::connect(&clerk).map(drop));
    sql("GRANT USAGE ON SCHEMA millicron TO clerk");
    sql("GRANT SELECT ON millicron.history_version, millicron.run TO clerk");
    let mut history = connect(&clerk);
    assert_eq!(crate::reads::all(&history, "job"), [1]);
    denied(history.record("job", 2));
    sql("GRANT INSERT, UPDATE, DELETE ON millicron.run TO clerk");
    sql("GRANT USAGE ON SEQUENCE millicron.token TO clerk");
    history.record("job", 2).expect("the record succeeds");
    drop(super::claim(&mut history, "job", 3));
    history.forget("job", 3..=3).expect("the removal succeeds");
    assert_eq!(crate::reads::all(&history, "job"), [1, 2]);
}

#[test]
fn locked_row_is_reported_after_the_answer_timeout() {
    let Some(database) = new_database() else { return };
    let mut history = connect(&database);
    history.record("job", 1).expect("the record succeeds");
    // A busy server may need as long to say that the row is locked.
    let impatient = PostgresHistory::builder(&database).answer_timeout(Duration::from_secs(2));
    let mut impatient = impatient.connect().expect("a history");
    let server: &PostgresServer = server().expect("the server runs");
    let lock = "BEGIN; SELECT 1 FROM millicron.run WHERE job = 'job' FOR UPDATE; \
        SELECT pg_sleep(3600)";
    let error = std::thread::scope(|scope| {
        let locked =
            scope.spawn(|| server.query(&database, &format!("SELECT pg_backend_pid(); {lock}")));
        let sleeping = "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND \
            query LIKE '%pg_sleep(3600)' AND datname = current_database() AND wait_event = 'PgSleep'";
        millicron_test_support::threads::until(|| !server.query(&database, sleeping).is_empty());
        let mut record = || impatient.record_state("job", 1, millicron_history::RunState::Failed);
        let mut errors = (0..5).map(|_| record().expect_err("the row is locked"));
        // A machine that freezes does not answer in time.
        let error = errors.find(|error| *error.kind() != PostgresErrorKind::Unreachable);
        let end = format!("SELECT pg_terminate_backend(pid) FROM ({sleeping}) AS it");
        server.query(&database, &end);
        // Its connection was lost.
        assert!(locked.join().is_err());
        error
    });
    let error = error.expect("an answer");
    assert_eq!(*error.kind(), PostgresErrorKind::Busy, "{error:?}");
    impatient.record("job", 2).expect("the record succeeds");
}

#[test]
fn a_user_with_too_many_connections_may_try_again() {
    let Some(database) = new_database() else { return };
    let server = server().expect("the server runs");
    let role = "DO $$ BEGIN CREATE ROLE crowd LOGIN CONNECTION LIMIT 0; \
        EXCEPTION WHEN duplicate_object THEN END $$";
    server.query(&database, role);
    let error = error(&database.replace("user=millicron", "user=crowd"));
    assert_eq!(*error.kind(), PostgresErrorKind::Unreachable, "{error:?}");
}

#[test]
fn errors_that_do_not_pass_are_reported_at_once_and_keep_the_connection() {
    let Some(database) = new_database() else { return };
    let server = server().expect("the server runs");
    let mut history = connect(&database);
    history.retry_for(Duration::MAX);
    server.query(&database, "ALTER TABLE millicron.run ADD CHECK (job <> 'refused')");
    let connections = || {
        let ids = "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity \
            WHERE application_name = 'millicron' AND datname = current_database()";
        server.query(&database, ids)
    };
    let before = connections();
    assert_ne!(before, "");
    for _ in 0..2 {
        let error = history.record("refused", 1).expect_err("the table refuses it");
        assert_eq!(*error.kind(), PostgresErrorKind::Postgres, "{error:?}");
        assert!(error.to_string().ends_with(": PostgreSQL failed"), "{error}");
    }
    history.record("job", 1).expect("the record succeeds");
    assert_eq!(connections(), before);
}

#[test]
fn values_that_no_history_writes_are_reported() {
    let Some(database) = new_database() else { return };
    let server = server().expect("the server runs");
    let mut history = connect(&database);
    history.record("job", 1).expect("the record succeeds");
    let name = database.strip_prefix("postgres:///").and_then(|rest| rest.split('?').next());
    let place = format!(":5432/{}", name.expect("the name of a database"));
    for (change, damage) in [
        ("UPDATE millicron.run SET state = 3", "state 3"),
        ("UPDATE millicron.run SET state = 0, attempts = -1", "-1 attempts"),
    ] {
        server.query(&database, change);
        let error = history.run("job", 1).expect_err("damaged");
        let damage = damage.to_owned();
        assert_eq!(*error.kind(), PostgresErrorKind::Corrupt { damage });
        assert!(error.place().is_some_and(|it| it.ends_with(&place)), "{error}");
    }
    let debug = format!("{history:?}");
    assert!(debug.starts_with("PostgresHistory") && debug.contains(&place), "{debug}");
}
