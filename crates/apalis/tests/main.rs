//! Tests of `millicron-apalis`.

#[cfg(feature = "pipeline")]
mod claims;
mod clocks;
mod duplicates;
mod model;
#[cfg(feature = "pipeline")]
mod pipeline;
mod postgres;
mod push;
mod redis;
#[cfg(feature = "pipeline")]
mod scans;
mod sources;
mod sqlite;
#[cfg(feature = "pipeline")]
mod standby;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
mod stored;
mod support;
mod workers;
