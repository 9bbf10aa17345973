//! [`Run`]: the argument of a task.

use std::time::SystemTime;

use millicron::system_time;
use serde::{Deserialize, Serialize};

/// One event of a job, as a worker receives it.
///
/// It is the argument of the task: a handler is an async function of a `Run<P>`, where `P` is the
/// payload of the [`Job`](crate::Job). Storages serialize it with these three fields.
///
/// ```
/// use millicron_apalis::Run;
///
/// async fn handle(run: Run<String>) {
///     println!("{}: {} for {}", run.key(), run.payload, run.scheduled);
/// }
/// # drop(handle(Run::new("report", 1_795_219_200_000, "hello".to_string())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Run<P> {
    /// The name of the job.
    pub job: String,
    /// The instant of the event, in milliseconds since 1970-01-01 00:00:00 UTC.
    pub scheduled: i64,
    /// The payload of the job.
    pub payload: P,
}

impl<P> Run<P> {
    /// Creates a run, for example to test a handler.
    pub fn new(job: impl Into<String>, scheduled: i64, payload: P) -> Self {
        Self { job: job.into(), scheduled, payload }
    }

    /// Returns the name of the job and the instant in milliseconds, separated by a colon, such as
    /// `report:1795219200000`.
    ///
    /// This is the idempotency key of the task. A task may be executed more than once; use this key
    /// to make repetitions harmless.
    #[must_use]
    pub fn key(&self) -> String {
        key(&self.job, self.scheduled)
    }

    /// Returns the instant of the event. Instants that the platform cannot represent become 1970.
    #[must_use]
    pub fn scheduled_time(&self) -> SystemTime {
        system_time(self.scheduled).unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

/// Returns the instant from which storages hand out the task of an event: the beginning of its second, since they keep
/// whole seconds. The worker keeps the task until the event.
pub(crate) const fn available_from(scheduled: i64) -> i64 {
    scheduled.saturating_sub(scheduled.rem_euclid(1000))
}

pub(crate) fn key(job: &str, scheduled: i64) -> String {
    format!("{job}:{scheduled}")
}
