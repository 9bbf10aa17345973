//! What a pipeline consists of: jobs with their events over time, and what their runs need.

pub(crate) mod data_interval;
mod gap;
pub(crate) mod job;
pub(crate) mod need;
pub(crate) mod pipeline;
pub(crate) mod relation;
pub(crate) mod run;
pub(crate) mod timeline;
