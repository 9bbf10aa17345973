//! [`Closing`]: a closed scheduler, to wait for its runs.

use std::sync::Arc;
use std::time::Duration;

use crate::run::RunContext;
use crate::threads::Shared;

/// A closed scheduler with runs that may still be in progress; [`Scheduler::close`] returns it.
///
/// [`wait`](Self::wait) blocks the thread until the runs have ended. In async code, with the feature
/// `tokio`, `closing.await` waits for all runs, and `closing.within(timeout).await` for a limited time.
/// If it is dropped, runs and threads still end, but nothing waits for them.
///
/// ```
/// use std::time::Duration;
///
/// use millicron_scheduler::Scheduler;
///
/// let scheduler = Scheduler::new()?;
/// let closing = scheduler.close();
/// // Close other parts of the program, while runs end.
/// let unfinished = closing.wait(Duration::from_secs(5));
/// assert!(unfinished.is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// [`Scheduler::close`]: crate::SchedulerHandle::close
#[derive(Debug)]
pub struct Closing {
    shared: Arc<Shared>,
}

impl Closing {
    pub(crate) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Waits up to `timeout` until all runs have ended, and joins the threads. Returns the runs that
    /// have not ended by then. Do not call this from a job: it would wait for itself.
    #[must_use = "these runs have not finished"]
    pub fn wait(self, timeout: Duration) -> Vec<RunContext> {
        self.shared.wait(timeout);
        self.end()
    }

    /// Like [`wait`](Self::wait), without blocking the thread.
    #[cfg(feature = "tokio")]
    pub async fn within(self, timeout: Duration) -> Vec<RunContext> {
        let (sender, unfinished) = tokio::sync::oneshot::channel();
        let closing = Self::new(Arc::clone(&self.shared));
        // On its own thread, since waiting blocks, and a runtime that shuts down would wait for its
        // blocking threads.
        let waiting = move || drop(sender.send(closing.wait(timeout)));
        drop(std::thread::Builder::new().name("millicron closing".to_string()).spawn(waiting));
        match unfinished.await {
            Ok(unfinished) => unfinished,
            // The thread could not be started.
            Err(_) => self.wait(timeout),
        }
    }

    fn end(self) -> Vec<RunContext> {
        let unfinished = self.shared.with(|core| core.active_runs());
        self.shared.join();
        unfinished
    }
}

#[cfg(feature = "tokio")]
impl IntoFuture for Closing {
    type Output = ();
    type IntoFuture = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { drop(self.within(Duration::MAX).await) })
    }
}
