//! Tests of `millicron-apalis`.

mod model;
mod postgres;
mod push;
mod redis;
mod sources;
mod sqlite;
mod support;
