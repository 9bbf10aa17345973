//! A crate without `std` and without an allocator.
//!
//! To prove that it needs neither, build this package alone and for a target that has neither.
//! When cargo builds it together with other packages, it unifies their features.
#![no_std]

use core::fmt::{self, Write};

use millicron::{
    Calendar, CalendarDigits, Events, Schedule, StaticZone, ZonedSchedule, calendar, schedule, zone,
};

/// A schedule in a constant.
pub const HOURLY: Schedule = schedule!("*:00:00");
/// Schedules with tables in a static.
pub static MONTH_ENDS: [Schedule; 2] =
    [schedule!("*.*.32 12:00:00"), schedule!("*.Feb.29 Sat 12:00:00")];

/// A schedule in local time.
pub const OPENING: ZonedSchedule<StaticZone> = schedule!("*.*.* Mon-Fri 09:30:00 America/New_York");
/// A zone for several schedules.
pub const BERLIN: StaticZone = zone!("Europe/Berlin");

/// A calendar.
pub const OPEN: Calendar = calendar!("*.*.* Mon-Fri\n- *.1.1");
/// A schedule on a calendar.
pub const THIRD: Schedule = schedule!("*.*.* B#3 12:00:00 @OPEN", OPEN);
/// Schedules that have events in common.
pub const UNION: Schedule = schedule!("*:*/15:00; *:*/20:00 @OPEN", OPEN);

/// Returns the next event after `now`, in milliseconds.
#[must_use]
pub fn next(now: i64) -> Option<i64> {
    schedule!("*:*:*.*/5").next_event(now)
}

/// Returns the ends of months from `start` to `end`.
#[must_use]
pub fn month_ends(start: CalendarDigits, end: CalendarDigits) -> Events<CalendarDigits> {
    MONTH_ENDS[0].events(start..end)
}

/// Writes the description of a schedule.
///
/// # Errors
///
/// Returns the errors of `out`.
pub fn describe(out: &mut impl Write) -> fmt::Result {
    write!(out, "{}", HOURLY.describe())
}

#[cfg(test)]
mod tests {
    use millicron::{CalendarDigits, Fold, Gap, Resolution, StaticZone, ZonedSchedule, schedule};

    #[test]
    fn schedules_without_std_answer() {
        assert_eq!(super::HOURLY.next_event(0), Some(946_684_800_000));
        assert_eq!(super::next(946_684_800_000), Some(946_684_800_005));
        let all = super::month_ends(CalendarDigits::MIN, CalendarDigits::MAX);
        assert_eq!(all.count(), 101 * 12);
    }

    #[test]
    fn calendars_and_unions_without_an_allocator_answer() {
        let start = 1_767_225_600_000; // Thursday, 2026-01-01 00:00:00
        let midnight = CalendarDigits::from_millis(start);
        let monday = CalendarDigits::from_millis(start + 4 * 86_400_000);
        assert_eq!(super::OPEN.add(midnight, 2), Some(monday));
        let noon = start + 5 * 86_400_000 + 43_200_000;
        assert_eq!(super::THIRD.next_event(start), Some(noon));
        // Each hour of a day of the calendar has six events, and of another day four.
        assert_eq!(super::UNION.count(start..start + 2 * 86_400_000), 24 * 10);
    }

    #[test]
    fn schedules_in_zones_without_std_answer() {
        let now = 1_772_820_000_000; // Friday, 2026-03-06 18:00:00 UTC
        assert_eq!(super::OPENING.next_event(now), Some(1_773_063_000_000));
        let hourly = super::HOURLY.in_zone(super::BERLIN);
        let year = 1_767_222_000_000..1_798_758_000_000; // 2026 in Berlin
        assert_eq!(hourly.count(year.clone()), 24 * 365);
        assert!(hourly.events(year.clone()).eq(super::HOURLY.events(year.clone())));
        // The hour that is skipped, and both passes of the one that is repeated.
        assert_eq!(hourly.surprises(year).count(), 3);
    }

    /// On 2026-03-29, the clocks in Berlin go from 02:00 to 03:00.
    #[test]
    fn clock_changes_without_std_are_handled() {
        const NIGHTLY: ZonedSchedule<StaticZone> = schedule!("2:30:00 Europe/Berlin");
        let evening = CalendarDigits::new(2026, 3, 28, 18, 0, 0, 0).expect("a date");
        let next = NIGHTLY.next_event(NIGHTLY.instant(evening)).expect("an event each night");
        let occurrence = NIGHTLY.occurrence(next).expect("an event");
        assert_eq!(occurrence.resolution, Resolution::Shifted);
        assert_eq!(NIGHTLY.local_time(next).hour(), 3);
        let strict = NIGHTLY.with_gap(Gap::Skip).with_fold(Fold::Both);
        assert!(strict.next_event(next - 1).is_some_and(|later| later > next));
    }

    /// The same as with an allocator, since features must be additive.
    #[test]
    fn schedules_without_alloc_need_drop() {
        assert!(core::mem::needs_drop::<super::Schedule>());
    }
}
