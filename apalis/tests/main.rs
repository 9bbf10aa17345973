//! Tests of `millicron-apalis`.

mod model;
mod push;
mod sqlite;
mod support;
