//! [`EventSource`]: the events of a job, in the scheduler's instants.

use std::panic::{AssertUnwindSafe, catch_unwind};

use millicron::Recurrence;

use crate::instant::Nanos;
use crate::shared::discard;

/// The events of a job. A [`Recurrence`] can be a user's type: one that panics has no further
/// event, and stops nothing else.
pub(crate) struct EventSource(Box<dyn Recurrence + Send + Sync>);

impl EventSource {
    pub(crate) fn new(recurrence: impl Recurrence + Send + Sync + 'static) -> Self {
        Self(Box::new(recurrence))
    }

    /// Returns the first event after an instant.
    pub(crate) fn next(&self, after: Nanos) -> Option<Nanos> {
        Nanos::from_millis(catch_panic(|| self.0.next_event(after.millis()))??)
    }

    /// Returns the last event at or before an instant.
    pub(crate) fn last(&self, until: Nanos) -> Option<Nanos> {
        Nanos::from_millis(catch_panic(|| self.0.nearest_prev_event(until.millis()))??)
    }

    /// Returns the number of events after one instant, up to and including another.
    pub(crate) fn count(&self, after: Nanos, until: Nanos) -> u64 {
        catch_panic(|| self.0.count(after.millis() + 1..=until.millis())).unwrap_or(0)
    }
}

fn catch_panic<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).map_err(discard).ok()
}
