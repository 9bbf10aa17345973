//! [`ClockChangeJson`]: clock changes and how they affect a schedule's events, as JSON.

use millicron::ClockEffect;
use millicron_pictures::{AffectedEvents, ClockChangeEvents};
use serde::Serialize;

use crate::query::clock::{Clock, civil_text};

/// A clock change in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct ClockChangeJson {
    time: String,
    unix_ms: i64,
    from: String,
    to: String,
    affected: Vec<AffectedJson>,
}

impl ClockChangeJson {
    /// Converts a clock change, with its time in the clock's time zone.
    pub(crate) fn new(change: &ClockChangeEvents, clock: &mut Clock) -> Self {
        Self {
            time: clock.rfc3339(change.instant),
            unix_ms: change.instant,
            from: civil_text(change.clocks.from),
            to: civil_text(change.clocks.to),
            affected: change.affected.iter().map(AffectedJson::new).collect(),
        }
    }
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
