//! Tests of `millicron-pipeline`.

mod support;

mod changes;
mod classic;
mod covers;
mod cycles;
mod errors;
mod history;
mod memory;
mod meta;
mod needs;
mod properties;
mod recurrences;
#[cfg(feature = "scheduler")]
mod runner;
#[cfg(feature = "scheduler")]
mod runner_history;
#[cfg(feature = "sqlite")]
mod sqlite;
mod zones;

use millicron_test_support::{generate, oracle, units};
