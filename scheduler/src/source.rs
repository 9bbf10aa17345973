//! [`EventSource`]: a job's recurrence, in the scheduler's instants.

use millicron::Recurrence;

use crate::instant::Nanos;
use crate::panics::catch_panic;

/// The recurrence of a job. It may be a user's type: if it panics, it has no further events, and
/// nothing else is affected.
pub(crate) struct EventSource(Box<dyn Recurrence + Send + Sync>);

impl EventSource {
    pub(crate) fn new(recurrence: impl Recurrence + Send + Sync + 'static) -> Self {
        Self(Box::new(recurrence))
    }

    /// Returns the first event after an instant.
    pub(crate) fn next(&self, after: Nanos) -> Option<Nanos> {
        let next = catch_panic(|| self.0.next_event(after.millis()));
        Nanos::from_millis(next.ok().flatten()?)
    }

    /// Returns the last event at or before an instant.
    pub(crate) fn last(&self, until: Nanos) -> Option<Nanos> {
        let last = catch_panic(|| self.0.nearest_prev_event(until.millis()));
        Nanos::from_millis(last.ok().flatten()?)
    }

    /// Returns the number of events after one instant, up to and including another.
    pub(crate) fn count(&self, after: Nanos, until: Nanos) -> u64 {
        let (after, until) = (after.millis(), until.millis());
        let count = catch_panic(|| self.0.count(after + 1..=until)).unwrap_or_default();
        // A user's recurrence may return anything, but there is at most one event per millisecond.
        count.min(u64::try_from(until - after).unwrap_or_default())
    }
}
