//! [`Health`]: whether the history fails.

use std::sync::atomic::{AtomicBool, Ordering};

use super::settings::HistoryFailure;

/// Whether the history fails, for workers that could otherwise wait for it.
///
/// A call of a server that does not answer takes long to fail, and the recorder's thread does nothing
/// else meanwhile.
#[derive(Debug)]
pub(super) struct Health {
    failure: HistoryFailure,
    is_failing: AtomicBool,
}

impl Health {
    pub(super) const fn new(failure: HistoryFailure) -> Self {
        Self { failure, is_failing: AtomicBool::new(false) }
    }

    pub(super) fn set_failing(&self, is_failing: bool) {
        self.is_failing.store(is_failing, Ordering::Relaxed);
    }

    /// Whether the last call of the history failed.
    pub(super) fn is_failing(&self) -> bool {
        self.is_failing.load(Ordering::Relaxed)
    }

    /// Whether runs are held because the last call of the history failed.
    pub(super) fn holds_runs(&self) -> bool {
        self.failure == HistoryFailure::Hold && self.is_failing()
    }
}
