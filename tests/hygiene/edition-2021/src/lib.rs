//! A crate in the 2021 edition.

use millicron::{schedule, Schedule};

/// A schedule in a constant.
pub const HOURLY: Schedule = schedule!("*:00:00");

/// Uses a schedule in an expression, with tables.
#[must_use]
pub fn next(now: i64) -> Option<i64> {
    schedule!("*.*.13 Fri 8-17:*/20,59:00").next_event(now)
}

#[cfg(test)]
mod tests {
    #[test]
    fn schedules_in_edition_2021_answer() {
        assert_eq!(crate::HOURLY.next_event(0), Some(946_684_800_000));
        assert_eq!(crate::next(0), Some(971_424_000_000));
    }
}
