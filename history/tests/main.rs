//! Tests of `millicron-history`.

mod memory;
mod meta;
#[cfg(feature = "std")]
mod model;
#[cfg(feature = "sqlite")]
mod sqlite;

const HOUR: i64 = 3_600_000;
