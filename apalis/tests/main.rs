//! Tests of `millicron-apalis`.

mod clocks;
mod duplicates;
mod model;
#[cfg(feature = "pipeline")]
mod pipeline;
mod postgres;
mod push;
mod redis;
mod sources;
mod sqlite;
mod support;
mod workers;
