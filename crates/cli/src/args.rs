//! The command line.

use std::env;
use std::error::Error as _;
use std::num::ParseIntError;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ColorChoice, CommandFactory, Parser, Subcommand};

use crate::commands;
use crate::error::Error;
use crate::output::Output;
use crate::times::{FORMS, Now, Time};

/// Returns the end of the help text.
fn after_help() -> String {
    let times = FORMS.chunks(4).map(|forms| forms.join(", ")).collect::<Vec<_>>();
    format!(
        "\
Examples:
  millicron explain '0 9 * * MON-FRI'
  millicron next '*.*.L 17:00:00' -n 12 --zone Europe/Berlin
  millicron check jobs.toml

Times:
  {}

Exit status:
  0  success
  1  `matches`: the time is not an event; `check`: a file has errors;
     `run`: commands had to be killed when stopping
  2  invalid command line, schedule or file",
        times.join("\n  ")
    )
}

/// Explains, checks, draws, simulates and runs schedules.
///
/// A schedule is in millicron's own language, or in the syntax of crontab, Quartz, the crate `cron` or
/// systemd timers: the language is recognised.
#[derive(Debug, Parser)]
#[command(name = "millicron", version, arg_required_else_help = true, max_term_width = 100)]
#[command(args_override_self = true, after_help = after_help())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Commands,

    /// Write JSON
    #[arg(long, global = true, help_heading = "Output")]
    json: bool,

    /// When to use colour; `NO_COLOR` is respected
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto, help_heading = "Output")]
    color: ColorChoice,

    /// The width of pictures, tables and explanations in columns, 40 to 200; lists and messages keep their
    /// lines [default: the terminal's, or 80]
    #[arg(long, global = true, value_name = "COLUMNS", help_heading = "Output")]
    #[arg(value_parser = clap::value_parser!(u16).range(40..=200))]
    width: Option<u16>,

    /// Use this as the current time
    #[arg(long, global = true, value_name = "TIME", allow_hyphen_values = true)]
    #[arg(hide_short_help = true, help_heading = "Output")]
    now: Option<Time>,
}

impl Arguments {
    /// Parses the command line. If there is nothing to run, writes the help or an error, and returns the exit status.
    pub(crate) fn read() -> Result<Self, ExitCode> {
        Self::try_parse().map_err(|error| {
            if error.use_stderr()
                && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            {
                return wrong(&error).report();
            }
            // A closed pipe is not an error, and no other failure could be reported.
            let _ = error.print();
            if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
        })
    }

    /// Returns clap's description of the command line.
    pub(crate) fn description() -> clap::Command {
        Self::command()
    }
}

/// Converts clap's error to a single line with a hint.
fn wrong(error: &clap::Error) -> Error {
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
    let command = command();
    if let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::UnknownArgument
        && !argument.starts_with('-')
    {
        hints.extend(command.as_ref().and_then(|command| missing(command, argument)));
    }
    if is_usage || hints.is_empty() {
        let name = command.map(|command| format!(" {}", command.get_name()));
        hints.push(format!("see `millicron{} --help`", name.unwrap_or_default()));
    }
    // `..=` is Rust syntax.
    Error::new(message.replace("..=", " to ")).hint(hints.join("; "))
}

/// Returns the command on the command line.
fn command() -> Option<clap::Command> {
    let program = Arguments::command();
    env::args_os().skip(1).find_map(|argument| program.find_subcommand(argument).cloned())
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

/// Declares the commands: each is a struct of arguments with a method `run`.
macro_rules! commands {
    ($($(#[$attribute:meta])* $variant:ident($module:ident),)*) => {
        #[derive(Debug, Subcommand)]
        enum Commands {
            $(
                $(#[$attribute])*
                $variant(commands::$module::$variant),
            )*
        }

        impl Arguments {
            /// Runs the command, and returns its exit status.
            pub(crate) fn run(self) -> Result<ExitCode, Error> {
                let mut output = Output::new(self.json, self.color, self.width);
                let now = Now::new(self.now)?;
                let status = match self.command {
                    $(Commands::$variant(command) => command.run(&now, &mut output),)*
                }?;
                output.flush().or_else(Error::unless_closed)?;
                Ok(status)
            }
        }
    };
}

commands! {
    Explain(explain),
    Next(next),
    Prev(prev),
    Between(between),
    Count(count),
    Matches(matches),
    Convert(convert),
    Watch(watch),
    Check(check),
    Calendar(calendar),
    Day(day),
    Zone(zone),
    Timeline(timeline),
    Graph(graph),
    Simulate(simulate),
    Run(run),
    Schema(schema),
    Completions(completions),
    Man(man),
}
