//! [`Events`]: the events of a job, from a recurrence that may be a user's type.

use std::ops::RangeInclusive;

use millicron::Recurrence;
use millicron_history::catch_panic;

/// A job's recurrence, of any type.
pub(crate) type AnyRecurrence = Box<dyn Recurrence + Send + Sync>;

/// The events of a job. A recurrence that panics or contradicts itself has no further events, and
/// does not affect other jobs.
pub(crate) struct Events(pub(crate) AnyRecurrence);

impl Events {
    /// Returns the first event after an instant.
    pub(crate) fn after(&self, instant: i64) -> Option<i64> {
        ask(|| self.0.next_event(instant)).filter(|event| *event > instant)
    }

    /// Returns the first event at or after an instant.
    pub(crate) fn from(&self, instant: i64) -> Option<i64> {
        ask(|| self.0.nearest_event(instant)).filter(|event| *event >= instant)
    }

    /// Returns the last event at or before an instant, after skipping `skipped` events backwards.
    pub(crate) fn nth_until(&self, instant: i64, skipped: u64) -> Option<i64> {
        let event = ask(|| match skipped {
            0 => self.0.nearest_prev_event(instant),
            _ => self.0.nth_prev_event(instant, skipped),
        });
        event.filter(|event| *event <= instant)
    }

    /// Returns the number of events in a range.
    pub(crate) fn count(&self, range: RangeInclusive<i64>) -> u64 {
        if range.is_empty() {
            return 0;
        }
        // There is at most one event per millisecond.
        let most = range.end().abs_diff(*range.start()).saturating_add(1);
        ask(|| Some(self.0.count(range))).unwrap_or_default().min(most)
    }
}

fn ask<T>(question: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_panic(question).ok().flatten()
}
