//! The command `millicron`: explains, checks, draws, simulates and runs schedules.

mod characters;
mod check;
mod commands;
mod error;
mod file;
mod import;
mod language;
mod output;
mod query;
#[cfg(unix)]
mod run;
mod schedules;
mod times;

use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::Arguments::read() {
        Ok(arguments) => arguments.run().unwrap_or_else(error::Error::report),
        Err(status) => status,
    }
}
