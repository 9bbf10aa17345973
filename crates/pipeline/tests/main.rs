//! Tests of `millicron-pipeline`.

mod support;

mod changes;
mod check_points;
mod classic;
mod covers;
mod cycles;
mod data;
mod diagram;
mod downstream;
mod ended;
mod errors;
mod history;
mod last;
mod memory;
mod meta;
mod moments;
mod needs;
mod properties;
mod reads;
mod recurrences;
mod retention;
#[cfg(feature = "scheduler")]
mod runner;
#[cfg(all(feature = "scheduler", feature = "sqlite"))]
mod runner_claims;
#[cfg(feature = "scheduler")]
mod runner_ends;
#[cfg(feature = "scheduler")]
mod runner_history;
#[cfg(feature = "scheduler")]
mod runner_leases;
#[cfg(feature = "scheduler")]
mod runner_lost;
#[cfg(feature = "scheduler")]
mod runner_pause;
mod settings;
mod zones;

use millicron_test_support::{generate, oracle, units};
