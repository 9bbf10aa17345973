//! Schedules in local time.
#![cfg(all(feature = "jiff", feature = "chrono"))]

mod contract;
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

use millicron::{Offsets, Zone};

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
