//! How tasks get into the storage.

pub(crate) mod duplicate;
pub(crate) mod pusher;
pub(crate) mod queue;
pub(crate) mod shared;
