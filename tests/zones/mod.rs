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
mod surprises;
#[cfg(feature = "chrono-tz")]
mod text;
mod walk;
