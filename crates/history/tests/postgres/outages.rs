//! A server that stops and starts again, and connections that are closed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use millicron_history::{
    ClaimOutcome, Claims as _, History as _, PostgresErrorKind, PostgresHistory, RunState,
};
use millicron_test_support::scaled;
use millicron_test_support::servers::{PostgresServer, Stop, signal};
use millicron_test_support::threads::until;

use super::{connect, new_database, patient, server};
use crate::reads::{all, first};

/// Starts a server for one test. Returns `None` if none is installed.
fn own_server(what: &str) -> Option<PostgresServer> {
    PostgresServer::start().map_err(|error| error.leave_out(what)).ok()
}

#[test]
fn methods_wait_while_the_server_is_stopped() {
    let Some(mut server) = own_server("a PostgreSQL server that stops") else { return };
    let database = patient(&server.connection_string());
    let mut recorded = 0;
    for how in [Stop::Fast, Stop::Immediate] {
        let (is_writing, is_stopped) = (AtomicBool::new(false), AtomicBool::new(false));
        recorded = thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut history = connect(&database);
                history.record("job", recorded).expect("the record succeeds");
                is_writing.store(true, Ordering::SeqCst);
                let mut next = recorded + 1;
                // At least one record is made after the server is stopped.
                while !is_stopped.load(Ordering::SeqCst) {
                    history.record("job", next).expect("the record succeeds");
                    next += 1;
                }
                history.record("job", next).expect("the record succeeds");
                next + 1
            });
            until(|| is_writing.load(Ordering::SeqCst));
            thread::sleep(Duration::from_millis(100));
            server.stop(how);
            is_stopped.store(true, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(300));
            server.start_again();
            writer.join().expect("the records succeed")
        });
        assert_eq!(all(&connect(&database), "job"), first(recorded));
    }
}

/// A removal that may have been executed is not repeated, but this one cannot have been.
#[test]
fn removals_wait_for_a_server_that_is_stopped() {
    let Some(mut server) = own_server("a PostgreSQL server that stops") else { return };
    let mut history = connect(&patient(&server.connection_string()));
    history.record("job", 1).expect("the record succeeds");
    server.stop(Stop::Fast);
    // The history notices the end of its connection.
    history.retry_for(Duration::ZERO);
    history.last_run("job").expect_err("no server");
    history.retry_for(Duration::from_mins(5));
    thread::scope(|scope| {
        let removal = scope.spawn(|| history.forget("job", 1..=1).expect("the removal succeeds"));
        thread::sleep(Duration::from_millis(300));
        server.start_again();
        removal.join().expect("the removal succeeds");
    });
    assert_eq!(all(&history, "job"), []);
}

/// The server says that it has ended the connection, but not whether it has executed the removal.
#[test]
fn removals_are_not_repeated_if_the_server_ends_the_connection() {
    let Some(database) = new_database() else { return };
    let server = server().expect("the server runs");
    let mut history = connect(&database);
    history.record("job", 1).expect("the record succeeds");
    let lock = "BEGIN; SELECT 1 FROM millicron.run WHERE job = 'job' FOR UPDATE; \
        SELECT pg_sleep(3600)";
    let sleeping = "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND \
        query LIKE '%pg_sleep(3600)' AND datname = current_database() AND wait_event = 'PgSleep'";
    let waiting = "SELECT pid FROM pg_stat_activity WHERE application_name = 'millicron' AND \
        datname = current_database() AND wait_event_type = 'Lock'";
    let end = |which: &str| {
        let end = format!("SELECT pg_terminate_backend(pid) FROM ({which}) AS it");
        server.query(&database, &end);
    };
    let removed = thread::scope(|scope| {
        let locked = scope.spawn(|| server.query(&database, lock));
        until(|| !server.query(&database, sleeping).is_empty());
        let removal = scope.spawn(|| history.forget("job", 1..=1));
        until(|| !server.query(&database, waiting).is_empty());
        end(waiting);
        let removed = removal.join().expect("the method returns");
        end(sleeping);
        // Its connection was lost.
        assert!(locked.join().is_err());
        removed
    });
    let error = removed.expect_err("it may have been executed");
    assert_eq!(*error.kind(), PostgresErrorKind::Unreachable, "{error:?}");
    assert_eq!(all(&history, "job"), [1]);
}

#[test]
fn outage_is_an_error_unless_the_owner_lets_the_history_try_again() {
    let Some(mut server) = own_server("a PostgreSQL server that is away") else { return };
    let database = patient(&server.connection_string());
    let mut history = PostgresHistory::connect(&database).expect("running");
    history.record("job", 0).expect("the record succeeds");
    server.stop(Stop::Fast);
    for limit in [Duration::ZERO, Duration::from_millis(100)] {
        history.retry_for(limit);
        let error = history.record("job", 1).expect_err("no server");
        assert_eq!(*error.kind(), PostgresErrorKind::Unreachable, "{error:?}");
        assert!(std::error::Error::source(&error).is_some());
        let error = history.first_at_or_after("job", 0).expect_err("no server");
        assert_eq!(*error.kind(), PostgresErrorKind::Unreachable, "{error:?}");
    }
    server.start_again();
    history.record("job", 1).expect("the record succeeds");
    assert_eq!(all(&history, "job"), [0, 1]);
}

/// A backend process that is stopped keeps its connection, but does not answer.
#[test]
fn stopped_backend_is_an_error_after_the_answer_timeout() {
    let Some(database) = new_database() else { return };
    let builder = PostgresHistory::builder(&database).answer_timeout(Duration::from_secs(1));
    let mut history = builder.connect().expect("a history");
    history.retry_for(Duration::from_mins(5));
    history.record("job", 0).expect("the record succeeds");
    history.retry_for(Duration::ZERO);
    let pid = "SELECT pid FROM pg_stat_activity \
        WHERE application_name = 'millicron' AND datname = current_database()";
    let pid = server().expect("the server runs").query(&database, pid);
    let stopped = Stopped::new(pid.parse().expect("one process"));
    let began = Instant::now();
    let error = history.record("job", 1).expect_err("no answer");
    // The default would be a minute.
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    assert_eq!(*error.kind(), PostgresErrorKind::Unreachable, "{error:?}");
    assert_eq!(std::error::Error::source(&error).expect("a cause").to_string(), "timed out");
    // The next method has its own connection, on which a busy server may also be late.
    history.retry_for(Duration::from_mins(5));
    history.record("job", 2).expect("the record succeeds");
    assert_eq!(all(&history, "job"), [0, 2]);
    drop(stopped);
}

/// A stopped process, which continues on drop.
struct Stopped(u32);

impl Stopped {
    fn new(process: u32) -> Self {
        assert!(signal(process, "STOP"));
        Self(process)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        signal(self.0, "CONT");
    }
}

/// Each run is claimed and recorded once, no matter what a terminated connection was doing.
#[test]
fn terminated_connections_do_no_harm() {
    let Some(database) = new_database() else { return };
    let server = server().expect("the server runs");
    let runs = i64::try_from(scaled(2_000)).expect("a small number");
    let (terminated, has_ended) = (AtomicU64::new(0), AtomicBool::new(false));
    // There is only one attempt at the first connection.
    let mut history = connect(&database);
    thread::scope(|scope| {
        let killer = scope.spawn(|| {
            let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                WHERE application_name = 'millicron' AND datname = current_database()";
            while !has_ended.load(Ordering::SeqCst) {
                let ended = server.query(&database, end).parse().expect("a number");
                terminated.fetch_add(ended, Ordering::SeqCst);
                // Allows some progress in between.
                thread::sleep(Duration::from_millis(100));
            }
        });
        // Ends the other thread even if a check fails.
        let ending = EndOnDrop(&has_ended);
        let (mut run, mut last) = (0, 0);
        while run < runs || terminated.load(Ordering::SeqCst) == 0 {
            let claimed = history.claim("job", run, "a runner", Duration::MAX);
            let claimed = claimed.expect("the claim succeeds");
            let ClaimOutcome::Granted(claim) = claimed else { panic!("{claimed:?}") };
            assert!(claim.token > last);
            last = claim.token;
            history.renew(&claim, Duration::MAX).expect("the claim is held");
            history.record_claimed(&claim, RunState::Succeeded).expect("the claim is held");
            let record = history.run("job", run).expect("the read succeeds").expect("recorded");
            assert_eq!((record.state, record.attempts), (RunState::Succeeded, Some(1)));
            run += 1;
        }
        drop(ending);
        assert_eq!(all(&history, "job"), first(run));
        killer.join().expect("the connections are terminated");
    });
}

struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
