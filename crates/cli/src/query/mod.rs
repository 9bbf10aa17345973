//! What the commands share that answer questions about schedules and job files, and then end.

pub(crate) mod calendars;
pub(crate) mod changes;
pub(crate) mod clock;
pub(crate) mod events;
pub(crate) mod picture;
pub(crate) mod schedule;
pub(crate) mod simulation;
