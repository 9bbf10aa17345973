//! The period of a schedule, computed from the sets of the oracle.

use std::collections::BTreeMap;

use millicron::Unit;

use super::oracle::calendar::{Date, date_of, days};
use super::oracle::text::Sets;

/// Returns the unit above the highest restricted field of a schedule.
///
/// A date field is restricted if it contains at most half of its values, a time field if it lacks
/// any value.
pub fn unit(sets: &Sets) -> Unit {
    let size = |set: &[bool]| set.iter().filter(|is_in| **is_in).count();
    let is_day = |date: &Date| sets.days[date.day] || sets.days[32] && date.last_of_month;
    if size(&sets.months) <= 6 {
        Unit::Year
    } else if size(&sets.days) <= 15 && !days().iter().all(is_day) {
        Unit::Month
    } else if size(&sets.weekdays) <= 3 {
        Unit::Week
    } else if size(&sets.hours) < 24 {
        Unit::Day
    } else if size(&sets.minutes) < 60 {
        Unit::Hour
    } else if size(&sets.seconds) < 60 {
        Unit::Minute
    } else if size(&sets.millis) < 1000 {
        Unit::Second
    } else {
        Unit::Millisecond
    }
}

/// Returns the largest number of events in any unit that starts within the range of schedules.
pub fn most_in(unit: Unit, sets: &Sets) -> u64 {
    let size = |set: &[bool]| set.iter().map(|is_in| u64::from(*is_in)).sum();
    let [hours, minutes]: [u64; 2] = [&sets.hours, &sets.minutes].map(|set| size(set));
    let [seconds, millis]: [u64; 2] = [&sets.seconds, &sets.millis].map(|set| size(set));
    let in_day = hours * minutes * seconds * millis;
    match unit {
        Unit::Millisecond => 1,
        Unit::Second => millis,
        Unit::Minute => seconds * millis,
        Unit::Hour => minutes * seconds * millis,
        Unit::Day => in_day,
        // Weeks start on Monday; 1970-01-01 was a Thursday.
        Unit::Week => {
            let week = |date: &Date| (date.number + 3).div_euclid(7);
            most_days(sets, |date| (usize::try_from(week(date)).expect("after 1970"), 0)) * in_day
        }
        Unit::Month => most_days(sets, |date| (date.year, date.month)) * in_day,
        Unit::Year => most_days(sets, |date| (date.year, 0)) * in_day,
    }
}

fn most_days(sets: &Sets, unit: impl Fn(&Date) -> (usize, usize)) -> u64 {
    let mut counts = BTreeMap::new();
    for day in sets.dates() {
        *counts.entry(unit(date_of(day))).or_insert(0) += 1;
    }
    counts.into_values().max().unwrap_or(0)
}
