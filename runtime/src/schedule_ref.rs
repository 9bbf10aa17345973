//! [`ScheduleRef`]: the queries of a schedule.

use core::fmt;

use crate::handle::{ORIGIN, PlanRef, instant};
use crate::search::Bounds;

/// A reference to a schedule, through which it is searched.
///
/// A search that passes it on does not take the address of the schedule. If it did, a schedule that is a
/// constant would be copied into memory, and read there, instead of being folded into the search.
#[derive(Clone, Copy)]
pub struct ScheduleRef<'a>(pub(crate) PlanRef<'a>);

impl ScheduleRef<'_> {
    /// Whether the events are at the same times on every day, except near the ends of the range.
    #[must_use]
    #[inline]
    pub fn is_daily(self) -> bool {
        self.0.is_daily()
    }

    /// Whether the mean gap between events is at most `gap` milliseconds.
    #[must_use]
    #[inline]
    pub fn is_denser_than(self, gap: u64) -> bool {
        self.0.bounds().is_denser_than(gap)
    }

    /// Returns the first event after `millis`.
    #[must_use]
    #[inline(always)]
    pub fn next_event(self, millis: i64) -> Option<i64> {
        self.event_from(millis.wrapping_sub(ORIGIN - 1), millis < ORIGIN)
    }

    /// Returns the first event at or after `millis`.
    #[must_use]
    #[inline(always)]
    pub fn nearest_event(self, millis: i64) -> Option<i64> {
        self.event_from(millis.wrapping_sub(ORIGIN), millis < ORIGIN)
    }

    /// Returns the last event before `millis`.
    #[must_use]
    #[inline(always)]
    pub fn prev_event(self, millis: i64) -> Option<i64> {
        self.event_to(millis.wrapping_sub(ORIGIN + 1), millis <= ORIGIN)
    }

    /// Returns the last event at or before `millis`.
    #[must_use]
    #[inline(always)]
    pub fn nearest_prev_event(self, millis: i64) -> Option<i64> {
        self.event_to(millis.wrapping_sub(ORIGIN), millis < ORIGIN)
    }

    /// Whether `millis` is an event.
    #[must_use]
    #[inline(always)]
    pub fn matches(self, millis: i64) -> bool {
        // An instant before the range wraps to an offset beyond it.
        self.0.contains(millis.wrapping_sub(ORIGIN).cast_unsigned())
    }

    /// Returns the first event at or after an offset.
    ///
    /// An offset outside the range, wrapped or not, exceeds every offset in the range, so one
    /// comparison detects the common case.
    #[inline(always)]
    fn event_from(self, offset: i64, is_before_range: bool) -> Option<i64> {
        let offset = offset.cast_unsigned();
        if offset <= self.0.bounds().last {
            Some(instant(self.0.ceil(offset)))
        } else if is_before_range {
            Some(instant(self.0.bounds().first))
        } else {
            None
        }
    }

    /// Returns the last event at or before an offset: the mirror image of
    /// [`event_from`](Self::event_from).
    #[inline(always)]
    fn event_to(self, offset: i64, is_before_range: bool) -> Option<i64> {
        let offset = offset.cast_unsigned();
        let Bounds { first, last, .. } = *self.0.bounds();
        if offset.wrapping_sub(first) <= last - first {
            Some(instant(self.0.floor(offset)))
        } else if is_before_range || offset < first {
            None
        } else {
            Some(instant(last))
        }
    }

    /// Returns the number of events from `start` to `end`, both included.
    #[must_use]
    // In WebAssembly, the size of so many copies matters more than a call.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub fn count(self, start: i64, end: i64) -> u64 {
        // Not `map_or`, which the compiler may leave as a call.
        let Some([start, end]) = self.0.within(start, end) else { return 0 };
        self.0.count(start, end)
    }
}

impl fmt::Debug for ScheduleRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScheduleRef").field(&self.0.text()).finish()
    }
}
