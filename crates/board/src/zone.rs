//! Time zones, as the page names them.

use jiff::fmt::strtime;
use jiff::tz::TimeZone;
#[cfg(any(feature = "pipeline", feature = "scheduler"))]
use millicron::Recurrence;

/// Returns the zone with a name, or with an offset such as `+02:00`.
pub(crate) fn time_zone(name: &str) -> Option<TimeZone> {
    let offset = || strtime::parse("%:z", name).ok()?.offset();
    TimeZone::get(name).ok().or_else(|| offset().map(TimeZone::fixed))
}

/// Returns the name of the zone of some events or, if it has none, its offset at an instant. `None` without a zone.
#[cfg(any(feature = "pipeline", feature = "scheduler"))]
pub(crate) fn zone_of(events: &dyn Recurrence, instant: i64) -> Option<String> {
    let offset =
        || events.offset_at(instant).map(|offset| millicron_pictures::offset(offset.into()));
    events.zone_name().map(str::to_owned).or_else(offset)
}
