//! [`EventSource`]: a job's recurrence, in the scheduler's instants.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use millicron::{Interval, Period, Recurrence, Schedule, Unit};

use crate::panics::catch_panic;
use crate::time::Nanos;

/// The recurrence of a job. It may be a user's type: a panic means that it has no further events,
/// and affects nothing else.
pub(crate) struct EventSource<R: ?Sized = dyn Recurrence + Send + Sync> {
    recurrence: R,
}

impl EventSource {
    pub(crate) fn new(recurrence: impl Recurrence + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(EventSource { recurrence })
    }

    /// Returns the first event after an instant.
    pub(crate) fn next(&self, after: Nanos) -> Option<Nanos> {
        let next = catch_panic(|| self.recurrence.next_event(after.millis()));
        Nanos::from_millis(next.ok().flatten()?)
    }

    /// Returns the last event at or before an instant.
    pub(crate) fn last(&self, until: Nanos) -> Option<Nanos> {
        self.nth_last(until, 0)
    }

    /// Returns the last event at or before an instant, after skipping `skipped` later ones.
    pub(crate) fn nth_last(&self, until: Nanos, skipped: u64) -> Option<Nanos> {
        let until = until.millis();
        let last = catch_panic(|| match skipped {
            0 => self.recurrence.nearest_prev_event(until),
            _ => self.recurrence.nth_prev_event(until, skipped),
        });
        Nanos::from_millis(last.ok().flatten()?)
    }

    /// Returns the number of events after one instant, up to and including another.
    pub(crate) fn count(&self, after: Nanos, until: Nanos) -> u64 {
        let (after, until) = (after.millis(), until.millis());
        let count = catch_panic(|| self.recurrence.count(after + 1..=until)).unwrap_or_default();
        // A user's recurrence may return anything, but there is at most one event per millisecond.
        count.min(u64::try_from(until - after).unwrap_or_default())
    }

    /// Whether the events are evenly spaced in elapsed time, regardless of the clock.
    pub(crate) fn is_elapsed(&self) -> bool {
        self.interval().is_some_and(|interval| !interval.follows_clock())
    }

    /// Returns the first event of an interval.
    pub(crate) fn interval_start(&self) -> Option<Nanos> {
        Nanos::from_millis(self.interval()?.first()?)
    }

    pub(crate) fn interval(&self) -> Option<&Interval> {
        catch_panic(|| self.recurrence.interval()).ok().flatten()
    }

    pub(crate) fn schedule(&self) -> Option<&Schedule> {
        catch_panic(|| self.recurrence.schedule()).ok().flatten()
    }

    pub(crate) fn is_zoned(&self) -> bool {
        catch_panic(|| self.recurrence.is_zoned()).unwrap_or_default()
    }

    pub(crate) fn zone_name(&self) -> Option<&str> {
        catch_panic(|| self.recurrence.zone_name()).ok().flatten()
    }
}

impl fmt::Debug for EventSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut output = f.debug_struct("EventSource");
        output.field("interval", &self.interval()).finish_non_exhaustive()
    }
}

/// The recurrence of a job, for code outside the scheduler.
pub(crate) struct SharedRecurrence(pub(crate) Arc<EventSource>);

impl Recurrence for SharedRecurrence {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.0.recurrence.next_event(instant)
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        self.0.recurrence.nearest_prev_event(instant)
    }

    fn count(&self, range: RangeInclusive<i64>) -> u64 {
        self.0.recurrence.count(range)
    }

    fn nth_prev_event(&self, instant: i64, skipped: u64) -> Option<i64> {
        self.0.recurrence.nth_prev_event(instant, skipped)
    }

    fn schedule(&self) -> Option<&Schedule> {
        self.0.recurrence.schedule()
    }

    fn interval(&self) -> Option<&Interval> {
        self.0.recurrence.interval()
    }

    fn period(&self) -> Period {
        self.0.recurrence.period()
    }

    fn is_zoned(&self) -> bool {
        self.0.recurrence.is_zoned()
    }

    fn zone_name(&self) -> Option<&str> {
        self.0.recurrence.zone_name()
    }

    fn offset_at(&self, instant: i64) -> Option<i32> {
        self.0.recurrence.offset_at(instant)
    }

    fn unit_start(&self, unit: Unit, instant: i64, back: u64) -> Option<i64> {
        self.0.recurrence.unit_start(unit, instant, back)
    }

    fn unit_end(&self, unit: Unit, instant: i64) -> Option<i64> {
        self.0.recurrence.unit_end(unit, instant)
    }
}
