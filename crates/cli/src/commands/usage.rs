//! Errors of the command line.

use std::env;
use std::error::Error as _;
use std::num::ParseIntError;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory};

use super::Arguments;
use crate::error::Error;

/// Converts clap's error to a single line with a hint.
pub(super) fn error(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim);
    let mut lines =
        lines.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    let first = lines.next().unwrap_or_default();
    let mut message = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    let mut hints = Vec::new();
    let mut is_usage = false;
    for line in lines {
        if let Some(tip) = line.strip_prefix("tip: ") {
            // The tip to put `--` before an option to pass it as a value does not help with a typo.
            hints.extend((!tip.starts_with("to pass ")).then(|| tip.to_owned()));
        } else if let Some(values) = line.strip_prefix("[possible values: ") {
            hints.push(format!("write one of {}", values.trim_end_matches(']')));
        } else if line.starts_with("Usage: ") {
            is_usage = true;
        } else if !is_usage {
            message.push(' ');
            message.push_str(line);
        }
    }
    // The standard library's message is written for programmers.
    if let Some(source) = error.source().filter(|source| source.is::<ParseIntError>()) {
        message = message.replace(&source.to_string(), "write a whole number");
    }
    let (command, names) = command();
    if let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::UnknownArgument
        && !argument.starts_with('-')
    {
        hints.extend(missing(&command, argument));
    }
    if is_usage || hints.is_empty() {
        hints.push(format!("see `{} --help`", names.join(" ")));
    }
    // `..=` is Rust syntax.
    Error::new(message.replace("..=", " to ")).hint(hints.join("; "))
}

/// Returns the command on the command line, and its names, beginning with the program's.
fn command() -> (clap::Command, Vec<String>) {
    let mut command = Arguments::command();
    let mut names = vec![command.get_name().to_owned()];
    for argument in env::args_os().skip(1) {
        if let Some(found) = command.find_subcommand(argument).cloned() {
            names.push(found.get_name().to_owned());
            command = found;
        }
    }
    (command, names)
}

/// Returns what is missing around an argument that a command about a schedule does not expect.
fn missing(command: &clap::Command, argument: &str) -> Option<String> {
    let has = |value: &str| {
        let mut values = command.get_positionals().filter_map(Arg::get_value_names);
        values.any(|names| names == [value])
    };
    let is_quoted = env::args_os().any(|it| it.as_encoded_bytes().contains(&b' '));
    let quotes = "put the schedule in quotes, such as '0 9 * * MON-FRI'";
    if !has("SCHEDULE") {
        None
    } else if has("TIME") || has("START") {
        Some(format!("{quotes}, and any time of several words"))
    } else if !is_quoted {
        Some(quotes.to_owned())
    } else {
        let mut options =
            command.get_opts().filter_map(|it| it.get_long().zip(it.get_value_names()));
        let (name, _) = options.find(|(_, names)| *names == ["TIME"] || *names == ["YEAR"])?;
        Some(format!("write `--{name} '{argument}'`"))
    }
}
