//! Finds the problems of a pipeline while it is built.

pub(crate) mod cycles;
pub(crate) mod names;
pub(crate) mod needs;
pub(crate) mod zones;
