//! What all who push know about a storage.

use std::error::Error;
use std::time::Duration;

use apalis_core::backend::TaskSinkError;

/// How long a push may take before it is reported, and a statement of stored schedules.
pub(super) const LONGEST_STEP: Duration = Duration::from_secs(8);

/// A storage first returns the result of a push in progress, and then pushes its buffer.
pub(super) const FLUSHES: usize = 2;

/// Returns the storage's error.
pub(super) fn cause<E: Error + 'static>(error: TaskSinkError<E>) -> Box<dyn Error> {
    match error {
        TaskSinkError::PushError(error) => error.into(),
        TaskSinkError::CodecError(error) => error,
        error => error.into(),
    }
}
