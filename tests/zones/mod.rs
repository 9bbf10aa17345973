//! Schedules in local time.
#![cfg(all(feature = "jiff", feature = "chrono"))]

mod contract;
mod implementations;
mod known_events;
mod properties;
mod walk;
