//! The command line.

use std::process::ExitCode;

use clap::{ColorChoice, Parser, Subcommand};

use crate::commands;
use crate::error::Error;
use crate::output::Output;
use crate::times::{Now, Time};

/// Explains, checks, draws, simulates and runs schedules.
///
/// A schedule is written in millicron's own language, or as in a crontab, Quartz, the crate `cron` or a
/// systemd timer: the language is recognised.
#[derive(Debug, Parser)]
#[command(name = "millicron", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Write JSON
    #[arg(long, global = true)]
    json: bool,

    /// When to write in colour; NO_COLOR is respected
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,

    /// How many columns to write [default: those of the terminal, or 80]
    #[arg(long, global = true, value_name = "COLUMNS")]
    width: Option<u16>,

    /// The instant that counts as now
    #[arg(long, global = true, value_name = "TIME", hide_short_help = true)]
    now: Option<Time>,
}

/// Declares the commands: each is a struct of arguments with a method `run`.
macro_rules! commands {
    ($($(#[$attribute:meta])* $variant:ident($module:ident),)*) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$attribute])* $variant(commands::$module::$variant),)*
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
    Next(next),
    Prev(prev),
    Between(between),
    Count(count),
    Matches(matches),
    Explain(explain),
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
