//! Schedules in local time.

mod implementations;
mod intervals;
mod known_events;
mod local;
mod properties;
#[cfg(all(feature = "chrono-tz", feature = "serde"))]
mod serde;
#[cfg(all(feature = "chrono-tz", feature = "zones"))]
mod static_names;
#[cfg(all(feature = "chrono-tz", feature = "zones"))]
mod static_zones;
mod surprises;
mod tables;
#[cfg(feature = "chrono-tz")]
mod text;
mod unions;
mod walk;

use std::sync::Arc;

use jiff::tz::TimeZone;
use millicron::{Offsets, Zone};

/// Returns a zone in all ways in which a program may have it: with the table that `jiff`'s zones have, without a table,
/// and compiled into the program.
fn variants(zone: &TimeZone) -> Vec<Arc<dyn Zone>> {
    vec![
        Arc::new(zone.clone()),
        Arc::new(Unprepared(zone.clone())),
        #[cfg(all(feature = "chrono-tz", feature = "zones"))]
        Arc::new(static_zones::static_zone(zone.iana_name().expect("a zone of the database"))),
    ]
}

/// A zone without a table: schedules query the zone itself.
#[derive(Clone, Copy, Debug)]
struct Unprepared<Z>(Z);

impl<Z: Zone> Zone for Unprepared<Z> {
    fn offset_at(&self, instant: i64) -> i32 {
        self.0.offset_at(instant)
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        self.0.offsets_of(civil)
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        self.0.next_change(after, until)
    }
}
