//! The threads of a scheduler, and what they share.

pub(crate) mod gate;
mod report;
pub(crate) mod shared;
mod worker;
pub(crate) mod worker_threads;
