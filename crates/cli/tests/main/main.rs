//! The tests of the command, which is run as a process.

mod calendars;
mod checking;
mod command;
mod complete;
mod crontabs;
mod days;
mod files;
mod hostile;
mod linting;
mod one_schedule;
mod pictures;
mod problems;
mod program;
mod reading;
mod readme;
#[cfg(unix)]
mod run;
mod schedules;
mod schema;
mod simulating;
#[cfg(unix)]
mod terminal;
mod times;
