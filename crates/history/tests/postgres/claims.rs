//! Claims on a server.

use std::sync::Barrier;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use millicron_history::{ClaimOutcome, Claims as _};
use millicron_test_support::directory::Directory;
use millicron_test_support::scaled;

use super::{connect, new_database};
use crate::claims::{check_dropped, check_forgotten, check_processes, check_started};
use crate::processes::Process;

#[test]
fn forgotten_run_loses_its_claim() {
    let Some(database) = new_database() else { return };
    check_forgotten(&|now| connect(&database).with_clock(move || now));
}

#[test]
fn dropped_run_loses_its_claim_once_it_has_expired() {
    let Some(database) = new_database() else { return };
    check_dropped(&|now| connect(&database).with_clock(move || now));
}

#[test]
fn run_has_started_when_it_was_first_claimed() {
    let Some(database) = new_database() else { return };
    check_started(&|now| connect(&database).with_clock(move || now));
}

#[test]
fn killed_processes_execute_each_run_once() {
    let Some(database) = new_database() else { return };
    let directory = Directory::new("postgres claims");
    let start = || Process::start_with("claim", &directory, Some(&database));
    check_processes(&connect(&database), &start);
}

/// Threads claim and release the same few runs at the same time. The token of each claim is greater
/// than the tokens of all earlier claims of the run, no matter which thread they were granted to.
#[test]
fn tokens_grow_in_the_order_of_claims() {
    let Some(database) = new_database() else { return };
    let rounds = usize::try_from(scaled(2_000)).expect("a small number");
    drop(connect(&database));
    let barrier = Barrier::new(4);
    let last = [const { AtomicI64::new(0) }; 3];
    let granted = thread::scope(|scope| {
        let threads = [1, 2, 3, 4].map(|_| {
            scope.spawn(|| {
                let mut history = connect(&database);
                let mut granted = 0;
                barrier.wait();
                for round in 0..rounds {
                    let (run, last) = (0..).zip(&last).nth(round % 3).expect("one of three");
                    let outcome = history.claim("job", run, "a thread", Duration::MAX);
                    if let ClaimOutcome::Granted(claim) = outcome.expect("the claim succeeds") {
                        // No other thread holds the run, so no other thread is here, and its
                        // release succeeds.
                        let earlier = last.swap(claim.token, Ordering::SeqCst);
                        assert!(claim.token > earlier, "{} after {earlier}", claim.token);
                        granted += 1;
                        history.release(&claim).expect("the claim is held");
                    }
                }
                granted
            })
        });
        threads.map(|thread| thread.join().expect("the claims succeed"))
    });
    assert!(granted.iter().sum::<usize>() >= rounds, "{granted:?}");
    assert_eq!(connect(&database).started_runs().expect("the read succeeds"), []);
}
