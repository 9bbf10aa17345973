//! The command line.

use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, Parser, Subcommand};

use crate::commands;
use crate::error::Error;
use crate::output::Output;
use crate::times::{Now, Time};

const EXAMPLES: &str = "\
Examples:
  millicron explain '0 9 * * MON-FRI'
  millicron next '*.*.L 17:00:00' -n 12 --zone Europe/Berlin
  millicron check jobs.toml

Exit status:
  0  success
  1  `matches`: the time is no event; `check`: something was found
  2  wrong command line, schedule or file";

/// Explains, checks, draws, simulates and runs schedules.
///
/// A schedule is written in millicron's own language, or as in a crontab, Quartz, the crate `cron` or a
/// systemd timer: the language is recognised.
#[derive(Debug, Parser)]
#[command(name = "millicron", version, arg_required_else_help = true, max_term_width = 100)]
#[command(args_override_self = true, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Write JSON
    #[arg(long, global = true, help_heading = "Output")]
    json: bool,

    /// When to write in colour; `NO_COLOR` is respected
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto, help_heading = "Output")]
    color: ColorChoice,

    /// How many columns to write, 40 to 200 [default: those of the terminal, or 80]
    #[arg(long, global = true, value_name = "COLUMNS", help_heading = "Output")]
    width: Option<u16>,

    /// The instant that counts as now
    #[arg(
        long,
        global = true,
        value_name = "TIME",
        hide_short_help = true,
        help_heading = "Output"
    )]
    now: Option<Time>,
}

impl Arguments {
    /// Reads the command line. If there is nothing to run, writes the help or what is wrong, and returns the
    /// exit status.
    pub(crate) fn read() -> Result<Self, ExitCode> {
        Self::try_parse().map_err(|error| {
            if error.use_stderr()
                && error.kind() != clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            {
                return wrong(&error).report();
            }
            // A closed pipe is no error, and nothing else can go wrong that could still be written.
            let _ = error.print();
            if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
        })
    }

    /// Returns the description of the command line.
    pub(crate) fn description() -> clap::Command {
        Self::command()
    }
}

/// Returns what is wrong with the command line, in one line with a hint.
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
            hints.push(tip.to_owned());
        } else if let Some(values) = line.strip_prefix("[possible values: ") {
            hints.push(format!("write one of {}", values.trim_end_matches(']')));
        } else if let Some(usage) = line.strip_prefix("Usage: ") {
            is_usage = true;
            let command = usage.split([' ']).take_while(|word| !word.starts_with(['[', '<', '-']));
            let command: Vec<_> = command.collect();
            hints.push(format!("see `{} --help`", command.join(" ")));
        } else if !is_usage {
            message.push(' ');
            message.push_str(line);
        }
    }
    if hints.is_empty() {
        hints.push(String::from("see `millicron --help`"));
    }
    Error::new(message).hint(hints.join("; "))
}

/// Declares the commands: each is a struct of arguments with a method `run`.
macro_rules! commands {
    ($($(#[$attribute:meta])* $variant:ident($module:ident),)*) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $(
                $(#[$attribute])*
                $variant(commands::$module::$variant),
            )*
        }

        impl Arguments {
            /// Runs the command, and returns its exit status.
            pub(crate) fn run(self) -> Result<ExitCode, Error> {
                let now = Now::new(self.now.as_ref())?;
                let mut output = Output::new(self.json, self.color, self.width);
                let status = match self.command {
                    $(Command::$variant(command) => command.run(&now, &mut output),)*
                }?;
                output.flush()?;
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
