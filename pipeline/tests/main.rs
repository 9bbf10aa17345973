//! Tests of `millicron-pipeline`.

#[path = "../../tests/support/generate/mod.rs"]
mod generate;
#[path = "../../tests/support/oracle/mod.rs"]
mod oracle;
mod support;
#[path = "../../tests/support/units.rs"]
mod units;

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
