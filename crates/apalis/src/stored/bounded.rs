//! [`BoundedSchedule`]: a schedule that starts and ends.

use std::ops::RangeInclusive;

use jiff::tz::TimeZone;
use millicron::{Recurrence, ZonedSchedule};

/// The events of a [`StoredSchedule`](super::StoredSchedule): those of its text, between the first and the last
/// instant that may be an event.
#[derive(Clone, Debug)]
pub struct BoundedSchedule {
    schedule: ZonedSchedule<TimeZone>,
    first: i64,
    last: i64,
}

impl BoundedSchedule {
    pub(super) fn new(
        schedule: ZonedSchedule<TimeZone>,
        first: Option<i64>,
        last: Option<i64>,
    ) -> Self {
        let (first, last) = (first.unwrap_or(i64::MIN), last.unwrap_or(i64::MAX));
        Self { schedule, first, last }
    }

    /// Returns the schedule of the text, without bounds.
    #[must_use]
    pub const fn unbounded(&self) -> &ZonedSchedule<TimeZone> {
        &self.schedule
    }

    /// Whether the events start or end at an instant.
    #[must_use]
    pub const fn is_bounded(&self) -> bool {
        self.first != i64::MIN || self.last != i64::MAX
    }
}

impl Recurrence for BoundedSchedule {
    fn next_event(&self, instant: i64) -> Option<i64> {
        let next = self.schedule.next_event(instant.max(self.first.saturating_sub(1)));
        next.filter(|event| *event <= self.last)
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        let event = self.schedule.nearest_prev_event(instant.min(self.last));
        event.filter(|event| *event >= self.first)
    }

    fn count(&self, range: RangeInclusive<i64>) -> u64 {
        let (start, end) = range.into_inner();
        self.schedule.count(start.max(self.first)..=end.min(self.last))
    }

    fn nth_prev_event(&self, instant: i64, skipped: u64) -> Option<i64> {
        let event = self.schedule.nth_prev_event(instant.min(self.last), skipped);
        event.filter(|event| *event >= self.first)
    }
}
