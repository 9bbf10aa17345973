//! The command `millicron`: explains, checks, draws, simulates and runs schedules.

mod args;
mod changes;
mod check;
mod clock;
mod commands;
mod error;
mod events;
mod file;
mod output;
mod picture;
#[cfg(unix)]
mod run;
mod schedule;
mod simulation;
mod times;

use std::process::ExitCode;

fn main() -> ExitCode {
    match args::Arguments::read() {
        Ok(arguments) => arguments.run().unwrap_or_else(error::Error::report),
        Err(status) => status,
    }
}
