//! How workers get tasks from the storage.

pub(crate) mod backend;
mod polling;
