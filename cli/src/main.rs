//! The command `millicron`: explains, checks, draws, simulates and runs schedules.

mod args;
mod commands;
mod error;
mod file;
mod output;
mod picture;
mod schedule;
mod times;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    arguments.run().unwrap_or_else(|error| error.report())
}
