//! [`catch_panic`]: calls code that may panic.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::Panic;

/// Calls a function, and turns a panic into an error. The panic hook still reports it.
///
/// The caller decides which of the values that the function has changed it still trusts.
///
/// # Errors
///
/// The function has panicked.
///
/// ```
/// use millicron_history::catch_panic;
///
/// assert_eq!(catch_panic(|| 3), Ok(3));
/// let panic = catch_panic(|| panic!("no disk")).unwrap_err();
/// assert_eq!(panic.to_string(), "no disk");
/// ```
pub fn catch_panic<T>(call: impl FnOnce() -> T) -> Result<T, Panic> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| Panic { message: message_of(panic) })
}

/// Returns the message of a panic.
fn message_of(panic: Box<dyn Any + Send>) -> String {
    let message = panic.downcast_ref::<&str>().map(|message| (*message).to_string());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        // Dropping the payload of a panic may panic as well.
        mem::forget(panic);
    }
    message.unwrap_or_else(|| "a panic without a message".into())
}
