//! How tasks get into the storage.

#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod claimed;
pub(crate) mod duplicate;
pub(crate) mod pusher;
pub(crate) mod queue;
pub(crate) mod shared;
