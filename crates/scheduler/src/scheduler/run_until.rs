//! Running until a signal or the end of a future.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::Scheduler;
use crate::panics::catch_panic;
use crate::run::RunContext;

/// A signal within this time is no second one: some programs signal a process, and then its group.
const SAME_SIGNAL: Duration = Duration::from_secs(1);

impl Scheduler {
    /// Runs until a future completes, or until the process receives Ctrl-C or, on Unix, `SIGTERM`. Then
    /// [closes](crate::SchedulerHandle::close) the scheduler, and waits up to `timeout` for runs to end, or until another
    /// signal, a second or more after the first. Returns the runs that have not ended by then.
    ///
    /// The output of the future is dropped. Once this method has been called, these signals no longer end the process by
    /// themselves, not even after it has returned: `tokio` handles them from then on.
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
    /// Returns an error if the operating system's signals cannot be received, for example because the runtime has no I/O
    /// driver ([`enable_all`](tokio::runtime::Builder::enable_all)). The scheduler is then closed without waiting.
    pub async fn run_until(
        self,
        end: impl Future,
        timeout: Duration,
    ) -> io::Result<Vec<RunContext>> {
        let (mut end, mut signals) = (pin!(end), Signals::new()?);
        poll_fn(|context| match end.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(()),
            Poll::Pending => signals.poll(context),
        })
        .await;
        // A signal that has also ended the future is no second one, however long it takes to close the scheduler.
        poll_fn(|context| {
            while signals.poll(context).is_ready() {}
            Poll::Ready(())
        })
        .await;
        let began = Instant::now();
        let mut is_again = |context: &mut Context<'_>| {
            while signals.poll(context).is_ready() {
                if began.elapsed() >= SAME_SIGNAL {
                    return Poll::Ready(None);
                }
            }
            Poll::Pending
        };
        let mut closing = pin!(self.close().within(timeout));
        let unfinished = poll_fn(|context| match closing.as_mut().poll(context) {
            Poll::Ready(unfinished) => Poll::Ready(Some(unfinished)),
            Poll::Pending => is_again(context),
        });
        match unfinished.await {
            Some(unfinished) => Ok(unfinished),
            None => Ok(self.close().within(Duration::ZERO).await),
        }
    }
}

/// The signals that ask a process to end.
struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(not(unix))]
    interrupt: tokio::signal::windows::CtrlC,
}

impl Signals {
    /// Returns an error where `tokio` panics: outside a runtime, or without its I/O driver.
    fn new() -> io::Result<Self> {
        let listen = || -> io::Result<Self> {
            #[cfg(unix)]
            {
                use tokio::signal::unix::{SignalKind, signal};

                let interrupt = signal(SignalKind::interrupt())?;
                Ok(Self { interrupt, terminate: signal(SignalKind::terminate())? })
            }
            #[cfg(not(unix))]
            Ok(Self { interrupt: tokio::signal::windows::ctrl_c()? })
        };
        catch_panic(listen).unwrap_or_else(|message| Err(io::Error::other(message)))
    }

    /// Is ready when the process has received one of them.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        #[cfg(unix)]
        if self.terminate.poll_recv(context).is_ready() {
            return Poll::Ready(());
        }
        self.interrupt.poll_recv(context).map(|_| ())
    }
}
