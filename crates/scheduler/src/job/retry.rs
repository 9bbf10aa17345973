//! [`Retry`]: when failed runs are retried.

use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::time::Duration;

use crate::run::RunContext;

/// When, and how often, a run that did not succeed is retried.
///
/// The attempts of a run have the same scheduled instant, and are counted by
/// [`RunContext::attempt`]. While a run waits for its next attempt it counts as in progress for the
/// job's [overlap](crate::Job::overlap) policy.
///
/// ```
/// use std::time::Duration;
///
/// use millicron_scheduler::{Job, Retry};
///
/// // After 1, 2, 4, 8 and 10 seconds, then never again.
/// let retry = Retry::exponential(Duration::from_secs(1))
///     .longest(Duration::from_secs(10))
///     .most(5);
/// let job = Job::new(|_| std::fs::copy("in.csv", "out.csv")).retry(retry);
///
/// // Every 30 to 40 seconds, until the next event of the job.
/// let retry = Retry::constant(Duration::from_secs(30))
///     .jitter(Duration::from_secs(10))
///     .until_next_event();
/// # drop(job);
/// # let _ = retry;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Retry {
    first: Duration,
    is_exponential: bool,
    longest: Duration,
    jitter: Duration,
    most: u32,
    pub(crate) ends_at_next_event: bool,
}

impl Retry {
    /// Waits the same time before each retry.
    #[must_use]
    pub const fn constant(delay: Duration) -> Self {
        Self {
            first: delay,
            is_exponential: false,
            longest: Duration::MAX,
            jitter: Duration::ZERO,
            most: u32::MAX,
            ends_at_next_event: false,
        }
    }

    /// Waits `first` before the first retry, and twice as long before each further one.
    #[must_use]
    pub const fn exponential(first: Duration) -> Self {
        Self { is_exponential: true, ..Self::constant(first) }
    }

    /// Limits the wait before a retry, apart from [jitter](Self::jitter).
    #[must_use]
    pub const fn longest(self, longest: Duration) -> Self {
        Self { longest, ..self }
    }

    /// Adds to each wait a fraction of `max` that depends on the job's name, the instant and the
    /// attempt, so that jobs that fail together do not retry together.
    #[must_use]
    pub const fn jitter(self, max: Duration) -> Self {
        Self { jitter: max, ..self }
    }

    /// Limits the number of retries of each run. There is no limit by default.
    #[must_use]
    pub const fn most(self, retries: u32) -> Self {
        Self { most: retries, ..self }
    }

    /// Gives up when the next event of the job is due: a run that fails is not retried if the next
    /// event is due before the next attempt would start. If an attempt is in progress at the event,
    /// it is the last, and the event is subject to the [overlap](crate::Job::overlap) policy. A
    /// run that still waits for its next attempt then, for example because the machine slept, ends, and this
    /// is [reported](crate::Event::RetriesCancelled).
    #[must_use]
    pub const fn until_next_event(self) -> Self {
        Self { ends_at_next_event: true, ..self }
    }

    /// Returns the remaining retries after some attempts.
    #[cfg(feature = "history")]
    pub(crate) const fn after(self, attempts: u32) -> Self {
        Self { most: self.most.saturating_sub(attempts), ..self }
    }

    /// Returns the wait after an attempt that did not succeed; `None` if it was the last one, or was
    /// [cancelled](crate::CancellationToken::cancel). Call it when the attempt has ended: cancelling it has no effect
    /// on its retries from then on.
    ///
    /// Ignores [`until_next_event`](Self::until_next_event), which depends on the job.
    #[must_use]
    pub fn wait_after(&self, run: &RunContext) -> Option<Duration> {
        self.wait(run).filter(|_| run.token.may_retry())
    }

    /// Like [`wait_after`](Self::wait_after), but ignores whether the attempt was cancelled.
    pub(crate) fn wait(&self, run: &RunContext) -> Option<Duration> {
        let retries = run.attempt.saturating_sub(1);
        if retries >= self.most {
            return None;
        }
        // More doublings than a duration has bits make no difference.
        let doublings = if self.is_exponential { retries.min(128) } else { 0 };
        let wait = (0..doublings).fold(self.first, |wait, _| wait.saturating_mul(2));
        let jitter = part_of(self.jitter, (&run.job, run.scheduled, run.attempt));
        Some(wait.min(self.longest).saturating_add(jitter))
    }
}

/// Returns a fraction of `max` that depends only on `identity`.
pub(crate) fn part_of(max: Duration, identity: impl Hash) -> Duration {
    // Unlike those of a map, its keys are fixed.
    let mut hasher = DefaultHasher::new();
    identity.hash(&mut hasher);
    // Durations are limited to 584 years.
    let nanos = u64::try_from(max.as_nanos()).unwrap_or(u64::MAX);
    let part = (u128::from(nanos) * u128::from(hasher.finish())) >> 64;
    Duration::from_nanos(u64::try_from(part).unwrap_or(u64::MAX))
}
