//! [`Change`]: what a clock change does to a schedule.

use std::iter;

use millicron::zone::ClockChange;
use millicron::{CalendarDigits, Zone, ZonedSchedule};
use millicron_pictures::AffectedEvents;
use serde::Serialize;

use crate::times::date_and_time;

/// A clock change, and what it does to the events in its gap or its fold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The clock change: `2026-03-29: the clocks go from 02:00 to 03:00`.
    pub clocks: String,
    /// What happens to the events, in sentences without a full stop; empty if there are none.
    pub affected: Vec<String>,
}

/// For how long clock changes are listed, in milliseconds: two years.
const HORIZON: i64 = 2 * 366 * 86_400_000;

/// Lists what the clock changes of the next two years do to a schedule.
pub(crate) fn changes<Z: Zone>(schedule: &ZonedSchedule<Z>, now: i64) -> Vec<Change> {
    let next = |instant: i64| schedule.zone().next_change(instant, now.saturating_add(HORIZON));
    let instants = iter::successors(next(now), |instant| next(*instant));
    instants.map(|instant| Change::new(schedule, instant)).collect()
}

impl Change {
    fn new<Z: Zone>(schedule: &ZonedSchedule<Z>, instant: i64) -> Self {
        let (clocks, affected) = AffectedEvents::of(schedule, instant);
        let affected = affected.iter().map(AffectedEvents::to_string).collect();
        Self { clocks: change_text(clocks), affected }
    }
}

/// Writes a clock change, with the second date only if it is another one.
fn change_text(ClockChange { from, to }: ClockChange) -> String {
    let (date, start) = split(from);
    let (end_date, end) = split(to);
    if date == end_date {
        format!("{date}: the clocks go from {start} to {end}")
    } else {
        format!("{date}: the clocks go from {start} to {end} on {end_date}")
    }
}

/// Writes a date, and a time without seconds that are 0, as those of most clock changes are.
fn split(digits: CalendarDigits) -> (String, String) {
    let text = date_and_time(digits);
    let (date, time) = text.split_once(' ').unwrap_or((&text, ""));
    let time = time.strip_suffix(":00").unwrap_or(time);
    (date.to_owned(), time.to_owned())
}
