//! Statements that the server has executed, but whose answers are lost.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use millicron_history::{
    ClaimError, ClaimOutcome, Claims as _, History as _, PostgresError, PostgresErrorKind,
    PostgresHistory, RunRecord, RunState,
};

use super::{claim, connect, new_database, server};
use crate::reads::all;

/// A proxy between a history and the server, which can lose an answer: it closes the connection once
/// the server has sent the answer.
struct Proxy {
    port: u16,
    loses_answer: Arc<AtomicBool>,
    /// Held while no client may connect.
    gate: Arc<Mutex<()>>,
}

impl Proxy {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let loses_answer = Arc::new(AtomicBool::new(false));
        let gate = Arc::new(Mutex::new(()));
        let (loses, opened) = (Arc::clone(&loses_answer), Arc::clone(&gate));
        let socket = server().expect("the server runs").directory().join(".s.PGSQL.5432");
        // The thread ends with the test program.
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.expect("a connection");
                drop(opened.lock());
                let server = UnixStream::connect(&socket).expect("the server runs");
                let requests = (client.try_clone(), server.try_clone());
                let (Ok(from), Ok(to)) = requests else { panic!("no handle") };
                thread::spawn(move || forward_requests(from, to));
                let loses = Arc::clone(&loses);
                thread::spawn(move || forward_answers(server, client, &loses));
            }
        });
        Self { port, loses_answer, gate }
    }

    fn connect(&self, database: &str) -> PostgresHistory {
        let name = database.strip_prefix("postgres:///").and_then(|rest| rest.split('?').next());
        let name = name.expect("the name of a database");
        connect(&format!("postgres://millicron@127.0.0.1:{}/{name}?connect_timeout=60", self.port))
    }

    fn lose_next_answer(&self) {
        self.loses_answer.store(true, Ordering::SeqCst);
    }

    fn has_lost_the_answer(&self) -> bool {
        !self.loses_answer.load(Ordering::SeqCst)
    }
}

fn forward_requests(mut from: TcpStream, mut to: UnixStream) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

fn forward_answers(mut from: UnixStream, mut to: TcpStream, loses: &AtomicBool) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if loses.swap(false, Ordering::SeqCst) || to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

/// Loses the answer of a method, and calls another function before the method can connect again.
fn meanwhile<T: Send>(proxy: &Proxy, method: impl FnOnce() -> T + Send, other: impl FnOnce()) -> T {
    thread::scope(|scope| {
        let closed = proxy.gate.lock();
        proxy.lose_next_answer();
        let method = scope.spawn(method);
        while !proxy.has_lost_the_answer() {
            thread::sleep(Duration::from_millis(1));
        }
        other();
        drop(closed);
        method.join().expect("the method ends")
    })
}

/// Calls a method twice: the first call prepares its statement, and the answer of the second is lost.
fn twice<T>(proxy: &Proxy, mut method: impl FnMut(i64) -> T) -> T {
    method(1);
    proxy.lose_next_answer();
    let result = method(2);
    assert!(proxy.has_lost_the_answer());
    result
}

#[test]
fn records_are_repeated() {
    let Some(database) = new_database() else { return };
    let proxy = Proxy::start();
    let mut history = proxy.connect(&database);
    twice(&proxy, |at| history.record("job", at).expect("the record succeeds"));
    assert_eq!(all(&history, "job"), [1, 2]);
    // A repetition also replaces what another runner has recorded.
    let mut other = connect(&database);
    let again = || history.record("job", 3).expect("the record succeeds");
    meanwhile(&proxy, again, || {
        other.record_state("job", 3, RunState::Failed).expect("the record succeeds");
    });
    assert_eq!(all(&history, "job"), [1, 2, 3]);
}

/// A repetition would remove another runner's claim, and the run would be granted twice.
#[test]
fn removals_are_not_repeated() {
    let Some(database) = new_database() else { return };
    let proxy = Proxy::start();
    let (mut history, mut other) = (proxy.connect(&database), connect(&database));
    let runs = [1, 2].map(|at| ("job", at, RunState::Succeeded.into()));
    history.record_runs(&runs).expect("the records succeed");
    history.forget("job", 1..=1).expect("the removal succeeds");
    let mut granted = None;
    let removed = meanwhile(
        &proxy,
        || history.forget("job", 2..=2),
        || granted = Some(claim(&mut other, "job", 2)),
    );
    let error = removed.expect_err("no answer");
    assert_eq!(*error.kind(), PostgresErrorKind::Unreachable, "{error:?}");
    assert_eq!(all(&history, "job"), []);
    let granted = granted.expect("a claim");
    other.record_claimed(&granted, RunState::Succeeded).expect("the claim is held");
    assert_eq!(all(&history, "job"), [2]);
}

/// Between the two executions, other runners claim the same runs.
#[test]
fn claims_of_others_survive_a_repetition() {
    let Some(database) = new_database() else { return };
    let proxy = Proxy::start();
    let (mut history, mut other) = (proxy.connect(&database), connect(&database));
    let released = [1, 2].map(|at| claim(&mut history, "job", at));
    history.release(&released[0]).expect("the claim is held");
    let mut granted = None;
    meanwhile(
        &proxy,
        || history.release(&released[1]).expect("the claim was held"),
        || granted = Some(claim(&mut other, "job", 2)),
    );
    other.renew(&granted.expect("a claim"), Duration::MAX).expect("the claim is held");
    // A claim whose answer is lost is itself lost if the run is forgotten. An earlier claim prepares the statement on
    // the new connection, so that the lost answer is that of its execution.
    claim(&mut history, "job", 5);
    let mut granted = None;
    let outcome = meanwhile(
        &proxy,
        || history.claim("job", 3, "a runner", Duration::MAX).expect("the claim succeeds"),
        || {
            other.forget("job", 3..=3).expect("the removal succeeds");
            granted = Some(claim(&mut other, "job", 3));
        },
    );
    assert!(matches!(outcome, ClaimOutcome::Held { .. }), "{outcome:?}");
    let granted = granted.expect("a claim");
    // Another runner forgets the run after its end is recorded.
    let taken = history.take_over(&granted, "a runner", Duration::MAX).expect("the claim is held");
    assert!(other.record_claimed(&granted, RunState::Succeeded).is_err());
    history.record_claimed(&taken, RunState::Succeeded).expect("the claim is held");
    let last = claim(&mut history, "job", 4);
    let recorded = meanwhile(
        &proxy,
        || history.record_claimed(&last, RunState::Succeeded),
        || other.forget("job", 4..=4).expect("the removal succeeds"),
    );
    assert_eq!(
        recorded.map_err(|error| error.to_string()),
        Err(ClaimError::<PostgresError>::Lost.to_string())
    );
    assert_eq!(all(&history, "job"), [3]);
}

#[test]
fn claim_without_an_answer_is_granted_and_counted_once() {
    let Some(database) = new_database() else { return };
    let proxy = Proxy::start();
    let mut history = proxy.connect(&database);
    let granted = twice(&proxy, |at| claim(&mut history, "job", at));
    let started = history.started_runs().expect("the read succeeds");
    assert_eq!(started.iter().map(|run| run.attempts).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(started[1].claim, granted);
    let other = history.claim("job", 2, "another", Duration::MAX).expect("the claim succeeds");
    assert!(matches!(other, ClaimOutcome::Held { .. }), "{other:?}");
    history.record_claimed(&granted, RunState::Succeeded).expect("the claim is held");
}

#[test]
fn claim_that_is_taken_over_without_an_answer_is_counted_once() {
    let Some(database) = new_database() else { return };
    let proxy = Proxy::start();
    let mut history = proxy.connect(&database);
    let old = [1, 2].map(|at| claim(&mut history, "job", at));
    let mut old = old.iter();
    let taken = twice(&proxy, |_| {
        let old = old.next().expect("two claims");
        history.take_over(old, "another", Duration::MAX).expect("the claim is held")
    });
    let started = history.started_runs().expect("the read succeeds");
    assert_eq!(started.iter().map(|run| run.attempts).collect::<Vec<_>>(), [2, 2]);
    assert_eq!((&started[1].claim, &*started[1].owner), (&taken, "another"));
}

#[test]
fn claims_that_end_without_an_answer_are_not_lost() {
    let Some(database) = new_database() else { return };
    let proxy = Proxy::start();
    let mut history = proxy.connect(&database);
    let claims = [1, 2, 3, 4].map(|at| claim(&mut history, "job", at));
    let mut ended = claims[..2].iter();
    twice(&proxy, |_| {
        let claim = ended.next().expect("two claims");
        let record = RunRecord { started: Some(5), ended: Some(6), ..RunState::Failed.into() };
        history.record_claimed_run(claim, record).expect("the claim is held");
    });
    let record =
        RunRecord { state: RunState::Failed, started: Some(5), ended: Some(6), attempts: Some(1) };
    assert_eq!(history.run("job", 2).expect("the read succeeds"), Some(record));
    // Now the claim is lost.
    assert!(history.record_claimed(&claims[1], RunState::Succeeded).is_err());
    let mut released = claims[2..].iter();
    twice(&proxy, |_| {
        let claim = released.next().expect("two claims");
        history.release(claim).expect("the claim is held");
    });
    assert_eq!(history.started_runs().expect("the read succeeds"), []);
    assert!(history.release(&claims[3]).is_err());
}
