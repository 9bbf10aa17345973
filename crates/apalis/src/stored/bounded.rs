//! [`BoundedSchedule`]: a schedule that starts and ends.

use std::ops::RangeInclusive;

use jiff::tz::TimeZone;
use millicron::{Period, Recurrence, Schedule, Unit, ZonedSchedule};

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

    fn schedule(&self) -> Option<&Schedule> {
        (!self.is_bounded()).then(|| self.schedule.schedule())
    }

    fn period(&self) -> Period {
        Recurrence::period(&self.schedule)
    }

    fn is_zoned(&self) -> bool {
        true
    }

    fn zone_name(&self) -> Option<&str> {
        Recurrence::zone_name(&self.schedule)
    }

    fn offset_at(&self, instant: i64) -> Option<i32> {
        Recurrence::offset_at(&self.schedule, instant)
    }

    fn unit_start(&self, unit: Unit, instant: i64, back: u64) -> Option<i64> {
        self.schedule.unit_start(unit, instant, back)
    }

    fn unit_end(&self, unit: Unit, instant: i64) -> Option<i64> {
        self.schedule.unit_end(unit, instant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    #[test]
    fn bounds_change_neither_the_zone_nor_the_period() {
        let berlin: ZonedSchedule<TimeZone> =
            "*.*.* 12:00:00 Europe/Berlin".parse().expect("a schedule in a zone");
        let noon = berlin.next_event(1_795_219_200_000).expect("an event");
        let unbounded = BoundedSchedule::new(berlin.clone(), None, None);
        let bounded = BoundedSchedule::new(berlin.clone(), Some(noon), Some(noon + DAY));
        assert_eq!(unbounded.schedule(), Some(berlin.schedule()));
        assert_eq!(bounded.schedule(), None);
        assert_eq!(bounded.count(i64::MIN..=i64::MAX), 2);
        for of in [&unbounded as &dyn Recurrence, &bounded] {
            assert!(of.is_zoned());
            assert_eq!(of.zone_name(), Some("Europe/Berlin"));
            assert_eq!(of.offset_at(noon), Some(3_600_000));
            assert_eq!(of.unit_start(Unit::Day, noon, 0), Some(noon - DAY / 2));
            assert_eq!(of.unit_end(Unit::Day, noon), Some(noon + DAY / 2));
            assert_eq!(of.period(), berlin.period());
        }
    }
}
