//! [`changes_to_json`]: clock changes and how they affect a schedule's events, as JSON.

use millicron::ClockEffect;
use millicron_pictures::{AffectedEvents, ClockChangeEvents};
use serde_json::{Value, json};

use crate::query::clock::{Clock, civil_text};

/// Converts clock changes, with their times in the clock's time zone.
pub(crate) fn changes_to_json<'a>(
    changes: impl IntoIterator<Item = &'a ClockChangeEvents>,
    clock: &mut Clock,
) -> Value {
    let to_json = |change: &ClockChangeEvents| {
        let mut object = clock.json(change.instant);
        object["from"] = civil_text(change.clocks.from).into();
        object["to"] = civil_text(change.clocks.to).into();
        object["affected"] = change.affected.iter().map(affected_to_json).collect();
        object
    };
    changes.into_iter().map(to_json).collect()
}

fn affected_to_json(events: &AffectedEvents) -> Value {
    let AffectedEvents { effect, count, first, last, fires, .. } = *events;
    let effect = match effect {
        ClockEffect::Shifted => "shifted",
        ClockEffect::Merged => "merged",
        ClockEffect::Bridged => "bridged",
        ClockEffect::Skipped => "skipped",
        ClockEffect::Chosen(_) => "once",
        ClockEffect::Doubled(_) => "twice",
    };
    json!({
        "effect": effect,
        "count": count,
        "first": civil_text(first),
        "last": civil_text(last),
        "fires": fires.map(civil_text),
    })
}
