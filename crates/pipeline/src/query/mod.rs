//! The queries of a pipeline, one module for each.

pub(crate) mod downstream;
pub(crate) mod explain;
pub(crate) mod job;
pub(crate) mod missing;
pub(crate) mod plan;
pub(crate) mod readiness;
pub(crate) mod ready;
mod retention;
mod search;
mod unlocked;
