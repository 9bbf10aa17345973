//! Properties of the public types.

use std::convert::Infallible;
use std::error::Error;

use millicron_history::{ClaimError, History, MemoryHistory};

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
