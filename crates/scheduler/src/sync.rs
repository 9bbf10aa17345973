//! Locks, atomics and threads, from `std` or from a model checker.
//!
//! The package in `tests/models` compiles this crate with `--cfg shuttle`. Then
//! [shuttle](https://docs.rs/shuttle) decides which thread runs, and may switch threads whenever an
//! import from this module is used.

#[cfg(shuttle)]
pub(crate) use shuttle::{
    sync::{Condvar, Mutex, MutexGuard, atomic},
    thread,
};
#[cfg(not(shuttle))]
pub(crate) use std::{
    sync::{Condvar, Mutex, MutexGuard, atomic},
    thread,
};

/// Returns whether a thread has ended, so that it need not be joined.
#[cfg(not(shuttle))]
pub(crate) fn is_finished(thread: &thread::JoinHandle<()>) -> bool {
    thread.is_finished()
}

/// Shuttle has no such function, so all threads are joined.
#[cfg(shuttle)]
pub(crate) const fn is_finished(_: &thread::JoinHandle<()>) -> bool {
    false
}
