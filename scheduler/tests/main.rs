//! The tests of `millicron-scheduler`, by area.
//!
//! The long ones run a tenth of their work unless the environment variable
//! `MILLICRON_FULL_TESTS` is set, which continuous integration does.

mod support;

mod api;
mod faults;
mod identity;
mod model;
mod policies;
mod running;
mod soak;
mod stress;
#[cfg(feature = "tokio")]
mod tokio;
#[cfg(feature = "tracing")]
mod tracing;
