//! What a scheduler reports: to observers, in statistics and lists of jobs, and to `tracing` and
//! `metrics`.

pub(crate) mod event;
pub(crate) mod info;
#[cfg(feature = "metrics")]
pub(crate) mod metrics;
pub(crate) mod span;
pub(crate) mod stats;
