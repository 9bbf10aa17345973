//! Schedules in local time.
#![cfg(all(feature = "jiff", feature = "chrono"))]

mod answers;
mod contract;
mod kinds;
mod properties;
mod walk;
