//! Running until a signal or the end of a future.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::Scheduler;
use crate::run::RunContext;

impl Scheduler {
    /// Runs until a future completes, or until the process receives Ctrl-C or, on Unix, `SIGTERM`. Then
    /// [closes](crate::SchedulerHandle::close) the scheduler, and waits up to `timeout` for runs to end. Returns the runs
    /// that have not ended by then.
    ///
    /// A service awaits this in its `main`:
    ///
    /// ```no_run
    /// use std::future::pending;
    /// use std::time::Duration;
    ///
    /// use millicron::schedule;
    /// use millicron_scheduler::Scheduler;
    ///
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    /// # runtime.block_on(async {
    /// let scheduler = Scheduler::new()?;
    /// scheduler.add(schedule!("*:00:00"), async |run| println!("run {}", run.number()))?;
    /// let unfinished = scheduler.run_until(pending::<()>(), Duration::from_secs(30)).await?;
    /// # drop(unfinished);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system's signals cannot be received. The scheduler is then
    /// closed without waiting.
    pub async fn run_until(
        self,
        end: impl Future,
        timeout: Duration,
    ) -> std::io::Result<Vec<RunContext>> {
        let (mut end, mut interrupt) = (pin!(end), pin!(tokio::signal::ctrl_c()));
        #[cfg(unix)]
        let mut terminate =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        poll_fn(|context| {
            if end.as_mut().poll(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            #[cfg(unix)]
            if terminate.poll_recv(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            interrupt.as_mut().poll(context)
        })
        .await?;
        Ok(self.close().within(timeout).await)
    }
}
