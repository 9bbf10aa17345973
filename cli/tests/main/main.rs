//! The tests of the command, which is run as a process.

mod command;
mod one_schedule;
mod program;
mod reading;
mod readme;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod terminal;
