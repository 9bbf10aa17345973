//! What all who push know about a storage.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use apalis_core::backend::{TaskSink, TaskSinkError};
use apalis_core::task::Task;

use crate::run::Run;
use crate::storage::Storage;

/// How long a push may take before it is reported, and a statement of stored schedules.
pub(super) const LONGEST_STEP: Duration = Duration::from_secs(8);

/// A storage first returns the result of a push in progress, and then pushes its buffer.
pub(super) const FLUSHES: usize = 2;

/// An error of the storage or of its codec.
pub(super) type Failure = Box<dyn Error>;

/// Returns the storage's error.
fn cause<E: Error + 'static>(error: TaskSinkError<E>) -> Failure {
    match error {
        TaskSinkError::PushError(error) => error.into(),
        TaskSinkError::CodecError(error) => error,
        error => error.into(),
    }
}

/// Flushes a storage that may have tasks of an earlier push.
pub(super) fn poll_left_over<P, B: Storage<P>>(
    storage: &mut B,
    flushes: &mut usize,
    cx: &mut Context<'_>,
) -> Poll<()> {
    while *flushes > 0 {
        // It does not matter whether this succeeds: the tasks are pushed again, as duplicates at worst.
        drop(ready!(TaskSink::poll_flush(Pin::new(&mut *storage), cx)));
        *flushes -= 1;
    }
    Poll::Ready(())
}

/// Sends a task to a storage. Returns the codec's error if its payload cannot be encoded.
pub(super) fn poll_send<P, B: Storage<P>>(
    storage: &mut B,
    task: impl FnOnce() -> Task<Run<P>>,
    cx: &mut Context<'_>,
) -> Poll<Result<Option<Failure>, Failure>> {
    let mut storage = Pin::new(storage);
    ready!(TaskSink::poll_ready(storage.as_mut(), cx)).map_err(cause)?;
    Poll::Ready(match TaskSink::start_send(storage, task()) {
        Ok(()) => Ok(None),
        Err(TaskSinkError::CodecError(error)) => Ok(Some(error)),
        Err(error) => Err(cause(error)),
    })
}

/// Waits until the storage has taken or refused the tasks that were sent.
pub(super) fn poll_flush<P, B: Storage<P>>(
    storage: &mut B,
    cx: &mut Context<'_>,
) -> Poll<Result<(), Failure>> {
    TaskSink::poll_flush(Pin::new(storage), cx).map_err(cause)
}
