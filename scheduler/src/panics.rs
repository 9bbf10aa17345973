//! Calls of users' code whose panics must not end a thread of the scheduler.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls a user's code. The error is the message of its panic, or an empty text if the panic has
/// no message.
pub(crate) fn catch_panic<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let message = panic.downcast_ref::<&str>().map(|message| (*message).to_string());
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
        discard(panic);
        message.unwrap_or_default()
    })
}

/// Drops a user's value. A panic of its `drop` is swallowed.
pub(crate) fn discard<T>(value: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // Dropping the payload of a panic may panic as well.
        std::mem::forget(panic);
    }
}

/// Drops users' values one by one: two panics at once would abort the program.
pub(crate) fn discard_each<T>(values: impl IntoIterator<Item = T>) {
    for value in values {
        discard(value);
    }
}
