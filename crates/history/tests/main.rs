//! Tests of `millicron-history`.

#[cfg(any(feature = "sqlite", all(feature = "postgres", unix)))]
mod claims;
mod memory;
mod meta;
#[cfg(feature = "std")]
mod model;
#[cfg(feature = "std")]
mod operations;
#[cfg(feature = "std")]
mod owner;
#[cfg(all(feature = "postgres", unix))]
mod postgres;
#[cfg(any(feature = "sqlite", all(feature = "postgres", unix)))]
mod processes;
#[cfg(any(feature = "sqlite", all(feature = "postgres", unix)))]
mod reads;
#[cfg(feature = "sqlite")]
mod sqlite;
