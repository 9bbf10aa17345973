//! [`ClockChangeEvents`]: clock changes, and what they do to the events of a schedule.

use std::ops::Range;

use jiff::tz::TimeZone;
use millicron::{ClockChange, ClockEffect, Zone, ZonedSchedule};
use millicron_pictures::AffectedEvents;
use serde::Serialize;

use crate::clock::{Clock, civil_text};

/// A clock change, and the events in its gap or fold.
#[derive(Debug)]
pub(crate) struct ClockChangeEvents {
    pub(crate) instant: i64,
    pub(crate) clocks: ClockChange,
    pub(crate) affected: Vec<AffectedEvents>,
}

impl ClockChangeEvents {
    /// Returns the clock changes in a range of instants.
    pub(crate) fn all(schedule: &ZonedSchedule<TimeZone>, range: Range<i64>) -> Vec<Self> {
        let mut after = range.start;
        let changes = std::iter::from_fn(|| {
            after = schedule.zone().next_change(after, range.end)?;
            Some(after)
        });
        let events = |instant| {
            let (clocks, affected) = AffectedEvents::of(schedule, instant);
            Self { instant, clocks, affected }
        };
        changes.map(events).collect()
    }

    /// Returns the change for JSON, in the time zone of a clock.
    pub(crate) fn json(&self, clock: &mut Clock) -> ClockChangeJson {
        ClockChangeJson {
            time: clock.rfc3339(self.instant).to_owned(),
            unix_ms: self.instant,
            from: civil_text(self.clocks.from),
            to: civil_text(self.clocks.to),
            affected: self.affected.iter().map(AffectedJson::new).collect(),
        }
    }
}

/// A clock change in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct ClockChangeJson {
    time: String,
    unix_ms: i64,
    from: String,
    to: String,
    affected: Vec<AffectedJson>,
}

#[derive(Debug, Serialize)]
struct AffectedJson {
    effect: &'static str,
    count: u64,
    first: String,
    last: String,
    fires: Option<String>,
}

impl AffectedJson {
    fn new(events: &AffectedEvents) -> Self {
        let AffectedEvents { effect, count, first, last, fires, .. } = *events;
        let effect = match effect {
            ClockEffect::Shifted => "shifted",
            ClockEffect::Merged => "merged",
            ClockEffect::Bridged => "bridged",
            ClockEffect::Skipped => "skipped",
            ClockEffect::Chosen(_) => "once",
            ClockEffect::Doubled(_) => "twice",
        };
        let [first, last] = [first, last].map(civil_text);
        Self { effect, count, first, last, fires: fires.map(civil_text) }
    }
}
