//! A crate without `std` and without an allocator.
//!
//! Only a build of this package alone, for a target without `std`, proves this: together with other
//! packages, Cargo enables their features here.
#![no_std]

use millicron::{CalendarDigits, Events, Schedule, schedule};

/// In a constant.
pub const HOURLY: Schedule = schedule!("*:00:00");
/// In a static, with a table.
pub static MONTH_ENDS: [Schedule; 2] =
    [schedule!("*.*.32 12:00:00"), schedule!("*.Feb.29 Sat 12:00:00")];

/// Returns the next event after a moment in milliseconds.
#[must_use]
pub fn next(now: i64) -> Option<i64> {
    schedule!("*:*:*.*/5").next_event(now)
}

/// Returns the last days of the months in a range.
#[must_use]
pub fn month_ends(start: CalendarDigits, end: CalendarDigits) -> Events<CalendarDigits> {
    MONTH_ENDS[0].events(start..end)
}

#[cfg(test)]
mod tests {
    use millicron::CalendarDigits;

    #[test]
    fn schedules_without_std_answer() {
        assert_eq!(super::HOURLY.next_event(0), Some(946_684_800_000));
        assert_eq!(super::next(946_684_800_000), Some(946_684_800_005));
        let all = super::month_ends(CalendarDigits::MIN, CalendarDigits::MAX);
        assert_eq!(all.count(), 101 * 12);
    }

    /// The same as with an allocator: a feature must not change what compiles.
    #[test]
    fn schedules_without_alloc_need_drop() {
        assert!(core::mem::needs_drop::<super::Schedule>());
    }
}
