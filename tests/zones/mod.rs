//! Schedules in local time.
#![cfg(all(feature = "jiff", feature = "chrono"))]

mod contract;
mod implementations;
mod intervals;
mod known_events;
mod properties;
#[cfg(all(feature = "chrono-tz", feature = "serde"))]
mod serde;
#[cfg(feature = "chrono-tz")]
mod text;
mod walk;
