//! The tests of `millicron-scheduler`, by area.
//!
//! Long tests do a twentieth of their work unless the environment variable `MILLICRON_FULL_TESTS`
//! is set, which CI does once a week.

mod support;
mod world;

mod api;
mod clock_changes;
mod closing;
mod combinations;
mod failures;
mod faults;
mod gates;
#[cfg(feature = "history")]
mod history;
mod identity;
mod instants;
mod limits;
mod model;
mod names;
mod observers;
mod policies;
mod restarts;
mod retries;
mod running;
mod soak;
mod stress;
#[cfg(feature = "tokio")]
mod tokio;
#[cfg(feature = "tracing")]
mod tracing;
