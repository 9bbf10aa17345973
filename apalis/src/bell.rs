//! [`Bell`]: records that a storage has woken its worker.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

/// The waker that a storage gets, which remembers that it was used.
///
/// A worker wakes for other reasons as well: to push, or to read the clock. Apalis's storages send a
/// query whenever they are polled for a task, so they are polled only if there may be one.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    has_rung: AtomicBool,
    worker: Mutex<Option<Waker>>,
}

impl Bell {
    /// Returns the waker for the storage, which wakes the worker.
    pub(crate) fn waker(self: &Arc<Self>, worker: &Waker) -> Waker {
        let mut current = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if !current.as_ref().is_some_and(|current| current.will_wake(worker)) {
            *current = Some(worker.clone());
        }
        Waker::from(Arc::clone(self))
    }

    /// Whether the storage has woken the worker since the last call.
    pub(crate) fn take(&self) -> bool {
        self.has_rung.swap(false, Ordering::AcqRel)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.has_rung.store(true, Ordering::Release);
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(worker) = worker {
            worker.wake();
        }
    }
}
