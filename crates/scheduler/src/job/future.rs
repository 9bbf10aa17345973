//! Async jobs.

use std::marker::PhantomData;

use tokio::runtime::Handle;

use crate::job::{Completion, Job, JobOutput};
use crate::run::{IntoOutcome, Outcome, RunContext};

/// The kind of a [`JobOutput`] that is a future.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Awaited<Error>(PhantomData<Error>);

impl<Error, F> JobOutput<Awaited<Error>> for F
where
    F: Future<Output: IntoOutcome<Error>> + Send + 'static,
{
    type Runtime = Handle;

    fn runtime() -> Option<Handle> {
        Handle::try_current().ok()
    }

    fn end(self, runtime: &Handle, completion: &dyn Fn() -> Completion) -> Option<Outcome> {
        spawn(runtime, self, completion());
        None
    }
}

/// Spawns the future of a run on a runtime.
fn spawn<Error, F>(runtime: &Handle, future: F, completion: Completion)
where
    F: Future<Output: IntoOutcome<Error>> + Send + 'static,
{
    let future = completion.span().instrument(future);
    // The completion is dropped if the task panics or the runtime shuts down.
    drop(runtime.spawn(async move { completion.finish_soon(future.await.into_outcome()) }));
}

impl Job {
    /// Creates a job whose runs are futures on a given runtime. Within a runtime, use [`Job::new`]
    /// instead, which takes async closures. A worker calls the closure and spawns the future.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use millicron::every;
    /// use millicron_scheduler::{Job, Scheduler};
    ///
    /// # let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    /// let (sender, mut numbers) = tokio::sync::mpsc::unbounded_channel();
    /// let job = Job::future(runtime.handle(), move |run| {
    ///     let sender = sender.clone();
    ///     async move {
    ///         tokio::time::sleep(Duration::from_millis(1)).await;
    ///         sender.send(run.number())
    ///     }
    /// });
    /// let scheduler = Scheduler::new()?;
    /// scheduler.add_job(every(20).milliseconds(), job)?;
    /// assert_eq!((numbers.blocking_recv(), numbers.blocking_recv()), (Some(1), Some(2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn future<F, R, Error>(
        runtime: &Handle,
        run: impl Fn(RunContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoOutcome<Error>,
    {
        let runtime = runtime.clone();
        Self::deferred(move |context, completion| spawn(&runtime, run(context), completion))
    }
}
