//! [`CancellationToken`].

use std::sync::Arc;

use crate::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Asks a run to end early: it was cancelled, its job was cancelled, it has timed out, or the scheduler is closed.
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
    /// Whether another attempt may follow: one of the constants below.
    retries: AtomicU8,
    #[cfg(feature = "tokio")]
    waiters: tokio::sync::Notify,
}

const UNDECIDED: u8 = 0;
const MAY_RETRY: u8 = 1;
const NO_RETRY: u8 = 2;

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

    /// Asks the run to end early. If it fails, it is not [retried](crate::Retry).
    ///
    /// An [observer](crate::Observer) receives the token with the [start](crate::Event::Started) of a run, to cancel
    /// that run alone:
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// use std::time::{Duration, SystemTime};
    ///
    /// use millicron_scheduler::{Event, Scheduler};
    ///
    /// let (sender, started) = channel();
    /// let observer = move |event: &Event| {
    ///     if let Event::Started { run } = event {
    ///         drop(sender.send(run.clone()));
    ///     }
    /// };
    /// let scheduler = Scheduler::builder().observer(observer).start()?;
    /// scheduler.once(SystemTime::now(), |run| {
    ///     while !run.token().is_cancelled() {
    ///         std::thread::sleep(Duration::from_millis(1)); // One step of the work.
    ///     }
    /// })?;
    /// started.recv()?.token().cancel();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cancel(&self) {
        self.decide(NO_RETRY);
        self.cancel_attempt();
    }

    /// Returns the token as if it were new, unless somebody else holds it.
    pub(crate) fn renewed(mut self) -> Option<Self> {
        *Arc::get_mut(&mut self.0)? = Flag::default();
        Some(self)
    }

    /// Returns whether another attempt may follow. The answer stays the same, since several parties act on it.
    pub(crate) fn may_retry(&self) -> bool {
        self.decide(MAY_RETRY) == MAY_RETRY
    }

    /// Returns whether it is decided that no other attempt follows.
    pub(crate) fn is_last_attempt(&self) -> bool {
        self.0.retries.load(Ordering::Acquire) == NO_RETRY
    }

    /// Decides whether another attempt may follow, unless that is decided. Returns what is decided.
    fn decide(&self, decision: u8) -> u8 {
        let retries = &self.0.retries;
        match retries.compare_exchange(UNDECIDED, decision, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => decision,
            Err(decided) => decided,
        }
    }

    /// Asks an attempt to end early.
    pub(crate) fn cancel_attempt(&self) {
        self.0.is_set.store(true, Ordering::Release);
        #[cfg(feature = "tokio")]
        self.0.waiters.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_only_renewed_if_nobody_else_has_it() {
        let token = CancellationToken::default();
        token.cancel();
        let kept = token.clone();
        assert!(token.renewed().is_none());
        assert!(kept.is_cancelled() && kept.is_last_attempt());
        let renewed = kept.renewed().expect("it is the only one left");
        assert!(!renewed.is_cancelled() && renewed.may_retry());
    }
}
