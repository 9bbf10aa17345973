//! [`CancellationToken`].

use std::sync::Arc;

use crate::sync::atomic::{AtomicBool, Ordering};

/// Asks a run to end early: its job was cancelled, the run has timed out, or the scheduler is closed.
///
/// Cancellation is cooperative: a long run should check its token, or await it in a future, and
/// return. Clones share their state.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use millicron_scheduler::Scheduler;
///
/// let scheduler = Scheduler::new()?;
/// scheduler.once(SystemTime::now(), |run| {
///     while !run.token().is_cancelled() {
///         std::thread::sleep(Duration::from_millis(1)); // One step of the work.
///     }
/// })?;
/// # std::thread::sleep(Duration::from_millis(20));
/// // Cancels the token, and waits for the run to end.
/// let unfinished = scheduler.close_and_wait(Duration::from_secs(10));
/// assert!(unfinished.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    is_set: AtomicBool,
    #[cfg(feature = "tokio")]
    waiters: tokio::sync::Notify,
}

impl CancellationToken {
    /// Returns whether the run should end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_set.load(Ordering::Acquire)
    }

    /// Waits until the run should end. Cancel safe.
    #[cfg(feature = "tokio")]
    pub async fn cancelled(&self) {
        // Registered before the check, so as not to miss a cancellation in between.
        let notified = self.0.waiters.notified();
        if !self.is_cancelled() {
            notified.await;
        }
    }

    pub(crate) fn cancel(&self) {
        self.0.is_set.store(true, Ordering::Release);
        #[cfg(feature = "tokio")]
        self.0.waiters.notify_waiters();
    }
}
