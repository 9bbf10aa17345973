//! Processes that tests start.

use std::env;
use std::process::Command;

/// Returns a command that starts this program again.
///
/// A program for another machine runs in an emulator, which the kernel may not know. The command starts it with the
/// words of `MILLICRON_TEST_EMULATOR`, if that is set.
pub fn this_program() -> Command {
    let program = env::current_exe().expect("path of this program");
    let emulator = env::var("MILLICRON_TEST_EMULATOR").unwrap_or_default();
    let mut words = emulator.split_whitespace();
    let Some(first) = words.next() else { return Command::new(program) };
    let mut command = Command::new(first);
    command.args(words).arg(program);
    command
}
