//! How tasks get into the storage.

#[cfg(feature = "stored")]
mod claimed;
pub(crate) mod duplicate;
#[cfg(feature = "stored")]
mod parts;
pub(crate) mod pusher;
pub(crate) mod queue;
pub(crate) mod shared;
mod sink;
