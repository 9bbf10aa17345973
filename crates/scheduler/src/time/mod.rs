//! Clocks, and the instants of the scheduler.

pub(crate) mod clock;
pub(crate) mod instant;
