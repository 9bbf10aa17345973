//! [`Gap`]: the shortest gap of a schedule, from which [`Need::classic`](crate::Need::classic)
//! derives a period.

use millicron::{Recurrence, Schedule, Unit};

const DAY: u64 = 86_400_000;

/// The shortest gap between two events of a recurrence, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gap(u64);

impl Gap {
    /// Measures the gap: exactly for a schedule whose [gaps](Schedule::gaps) are known, and from the first events of any
    /// other recurrence. The gap of a recurrence with a single event is a year.
    pub(crate) fn of(recurrence: &dyn Recurrence) -> Self {
        let gaps = recurrence.schedule().and_then(Schedule::gaps);
        let exact = gaps.and_then(|gaps| u64::try_from(gaps.shortest().as_millis()).ok());
        let shortest = exact.or_else(|| shortest_of_first(recurrence));
        Self(shortest.unwrap_or(365 * DAY))
    }

    /// Returns the gap as a multiple of the largest calendar unit that divides it. Months and years
    /// vary in length, so long gaps are rounded.
    pub(crate) fn period(self) -> (Unit, u32) {
        /// The average over 400 years.
        const MONTH: u64 = 146_097 * DAY / 4800;
        const YEAR: u64 = 12 * MONTH;
        const UNITS: [(Unit, u64); 6] = [
            (Unit::Week, 7 * DAY),
            (Unit::Day, DAY),
            (Unit::Hour, 3_600_000),
            (Unit::Minute, 60_000),
            (Unit::Second, 1000),
            (Unit::Millisecond, 1),
        ];
        let Self(gap) = self;
        let rounded = |length: u64| (gap.saturating_add(length / 2) / length).max(1);
        let (unit, count) = if gap >= 365 * DAY {
            (Unit::Year, rounded(YEAR))
        } else if gap >= 28 * DAY {
            (Unit::Month, rounded(MONTH))
        } else {
            let divides = |(_, length): &(Unit, u64)| gap.is_multiple_of(*length);
            UNITS
                .into_iter()
                .find(divides)
                .map_or((Unit::Millisecond, 1), |(unit, length)| (unit, (gap / length).max(1)))
        };
        (unit, u32::try_from(count).unwrap_or(u32::MAX))
    }
}

/// Returns the shortest gap between the first events of a recurrence.
fn shortest_of_first(recurrence: &dyn Recurrence) -> Option<u64> {
    /// Enough to find the shortest gap of most recurrences, and few enough to be fast.
    const EVENTS: usize = 100;
    let next = |event: &i64| recurrence.next_event(*event);
    let events = core::iter::successors(recurrence.next_event(i64::MIN), next).take(EVENTS);
    let gaps = events.clone().zip(events.skip(1)).map(|(event, next)| next.abs_diff(event));
    gaps.min()
}
