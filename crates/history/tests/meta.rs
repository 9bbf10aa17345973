//! Properties of the public types.

use std::convert::Infallible;
use std::error::Error;

use millicron_history::{ClaimError, History, MemoryHistory, RunState};

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
