//! Histories on a server. Tests share a server, each with its own database, unless they stop it.

mod answers;
mod claims;
mod errors;
mod locks;
mod lost_answers;
mod outages;
mod tables;

use std::time::Duration;

use millicron_history::{Claim, ClaimOutcome, Claims as _, History as _, PostgresHistory};
use millicron_test_support::servers::PostgresServer;

use crate::processes::{receive, send};

/// Returns the server that tests share, or `None` if none is installed.
fn server() -> Option<&'static PostgresServer> {
    PostgresServer::shared("histories in PostgreSQL")
}

/// Returns a new database of the shared server, or `None` if no server is installed.
fn new_database() -> Option<String> {
    server().map(|server| patient(&server.new_database()))
}

/// Returns a connection string with which a connection to a busy server may take longer than by default.
fn patient(database: &str) -> String {
    format!("{database}&connect_timeout=60")
}

/// Connects with a history that tries again, as the owner of a history decides.
fn connect(database: &str) -> PostgresHistory {
    let mut history =
        PostgresHistory::connect(database).expect("a database with or without tables");
    history.retry_for(Duration::from_mins(5));
    history
}

/// Claims a run that nobody holds, for as long as possible.
fn claim(history: &mut PostgresHistory, job: &str, scheduled: i64) -> Claim {
    let outcome = history.claim(job, scheduled, "a runner", Duration::MAX);
    match outcome.expect("the claim succeeds") {
        ClaimOutcome::Granted(claim) => claim,
        outcome => panic!("{outcome:?}"),
    }
}

/// Runs a child process.
pub(crate) fn run_child(role: &str, database: &str) {
    match role {
        "claim" => crate::claims::claim_runs(&mut connect(database)),
        "begin together" => {
            while let Some(schema) = receive() {
                let opened = PostgresHistory::builder(database).schema(&schema).connect();
                let recorded = opened.and_then(|mut history| history.record("job", 1));
                send(format!("{recorded:?}"));
            }
        }
        _ => panic!("unknown role: {role}"),
    }
}
