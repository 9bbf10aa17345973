//! Calls of users' code whose panics must not end a thread of the scheduler.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls users' code. The error is the message of a panic, or an empty string if the panic has
/// none.
pub(crate) fn catch_panic<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    if cfg!(shuttle) {
        // A panic is a failure of the model: of an assertion, or of shuttle itself.
        return Ok(call());
    }
    catch_unwind(AssertUnwindSafe(call)).map_err(message_of)
}

/// Drops a user's value. The error is the message if its `drop` panics.
pub(crate) fn discard<T>(value: T) -> Result<(), String> {
    catch_panic(|| drop(value))
}

/// Returns the message of a panic, or an empty string if it has none.
fn message_of(panic: Box<dyn Any + Send>) -> String {
    let message = panic.downcast_ref::<&str>().map(|message| (*message).to_string());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        // Dropping the payload of a panic may panic as well.
        std::mem::forget(panic);
    }
    message.unwrap_or_default()
}
