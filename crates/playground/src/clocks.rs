//! [`Change`]: how a clock change affects a schedule.

use millicron::calendar::{MILLIS_PER_DAY, day_number};
use millicron::{Zone, ZonedSchedule};
use millicron_pictures::{AffectedEvents, ClockChangeEvents};
use serde::Serialize;

use crate::times::local;

/// A clock change, and how it affects the events in its gap or fold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The clock change: `Sun 2026-03-29: the clocks go from 02:00 to 03:00`.
    pub clocks: String,
    /// How events are affected, in sentences without full stops; empty if none is.
    pub affected: Vec<String>,
}

impl Change {
    /// Lists how the clock changes of the next two years affect a schedule.
    pub(crate) fn list<Z: Zone>(schedule: &ZonedSchedule<Z>, now: i64) -> Vec<Self> {
        let today = local(now, schedule.zone());
        let day = |year: i32| day_number(year, today.month(), today.day());
        let year = today.year();
        let until = now.saturating_add((day(year.saturating_add(2)) - day(year)) * MILLIS_PER_DAY);
        let changes = ClockChangeEvents::list(schedule, now..until);
        changes.iter().map(Self::new).collect()
    }

    fn new(change: &ClockChangeEvents) -> Self {
        let affected = change.affected.iter().map(AffectedEvents::to_string).collect();
        Self { clocks: change.to_string(), affected }
    }
}
