//! Properties of the public types.

use std::convert::Infallible;
use std::error::Error;
use std::time::Duration;

use millicron_history::{Backoff, ClaimError, History, MemoryHistory, RunState};

fn is_error<T: Error + Send + Sync + 'static>() {}
fn is_send_and_sync<T: Send + Sync>() {}

#[test]
fn errors_are_errors_that_can_be_sent_and_shared() {
    is_error::<ClaimError<std::io::Error>>();
    #[cfg(feature = "sqlite")]
    is_error::<millicron_history::SqliteError>();
}

#[test]
fn histories_can_be_sent_and_shared() {
    is_send_and_sync::<MemoryHistory>();
    is_send_and_sync::<Box<dyn History<Error = Infallible> + Send + Sync>>();
}

#[test]
fn states_are_displayed_in_a_word() {
    let states = [RunState::Succeeded, RunState::Failed, RunState::Skipped];
    assert_eq!(states.map(|state| state.to_string()), ["succeeded", "failed", "skipped"]);
}

#[test]
fn the_source_of_a_failed_claim_is_the_error_of_the_history() {
    let failed = ClaimError::History(std::io::Error::other("no disk"));
    assert!(failed.source().is_some_and(<dyn Error>::is::<std::io::Error>));
    assert!(ClaimError::<std::io::Error>::Lost.source().is_none());
}

#[test]
fn errors_of_claims_say_whether_the_claim_is_lost() {
    let lost = ClaimError::<std::io::Error>::Lost;
    assert_eq!(lost.to_string(), "the run is no longer claimed by this claim");
    let failed = ClaimError::History(std::io::Error::other("no disk"));
    assert_eq!(failed.to_string(), "the history failed");
}

#[test]
fn waits_double_up_to_the_longest_one() {
    let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(30));
    let waits = [0, 1, 2, 3, 8, 9, 31, 32, u32::MAX].map(|earlier| backoff.wait(earlier));
    let expected = [100, 200, 400, 800, 25_600, 30_000, 30_000, 30_000, 30_000];
    assert_eq!(waits, expected.map(Duration::from_millis));
}
