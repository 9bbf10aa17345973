//! The command line: the subcommands and their arguments.

mod calendar;
mod check;
mod completions;
mod convert;
mod day;
mod days;
mod events;
mod explain;
mod graph;
mod man;
mod matches;
#[cfg(unix)]
mod run;
mod schedules;
mod schema;
mod simulate;
mod timeline;
mod usage;
mod watch;
mod zone;

use std::io::Write as _;
use std::process::{ExitCode, Termination as _};

use clap::error::ErrorKind;
use clap::{ColorChoice, Parser, Subcommand};

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
     `run`: commands had to be killed when stopping, or its output was closed
  2  invalid command line, schedule or file",
        times.join("\n  ")
    )
}

/// Explains, checks, draws, simulates and runs schedules.
///
/// A schedule is in millicron's own language, or in the syntax of crontab, Quartz, the crate `cron` or
/// systemd timers: the language is recognized.
#[derive(Debug, Parser)]
#[command(name = "millicron", bin_name = "millicron", version)]
#[command(arg_required_else_help = true, max_term_width = 100)]
#[command(args_override_self = true, after_help = after_help())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Commands,

    /// Write JSON
    #[arg(long, global = true, help_heading = "Output")]
    json: bool,

    /// When to use color; `NO_COLOR` is respected
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
                return usage::error(&error).report();
            }
            // A closed pipe is not an error, and no other failure could be reported.
            let _ = error.print();
            if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
        })
    }
}

/// Declares the commands: each is a struct of arguments with a method `run`.
macro_rules! commands {
    ($($(#[$attribute:meta])* $variant:ident($module:ident),)*) => {
        #[derive(Debug, Subcommand)]
        enum Commands {
            $(
                $(#[$attribute])*
                $variant($module::$variant),
            )*
        }

        impl Arguments {
            /// Runs the command, and returns its exit status.
            pub(crate) fn run(self) -> Result<ExitCode, Error> {
                let mut output = Output::new(self.json, self.color, self.width);
                let now = Now::new(self.now)?;
                let status = match self.command {
                    $(
                        $(#[$attribute])*
                        Commands::$variant(command) => command.run(&now, &mut output)?.report(),
                    )*
                };
                output.flush().map_err(Error::from).or_else(Error::unless_closed)?;
                Ok(status)
            }
        }
    };
}

commands! {
    Explain(explain),
    Next(events),
    Prev(events),
    Between(events),
    Count(events),
    Matches(matches),
    Convert(convert),
    Watch(watch),
    Check(check),
    Calendar(calendar),
    Day(day),
    Days(days),
    Zone(zone),
    Timeline(timeline),
    Graph(graph),
    Simulate(simulate),
    #[cfg(unix)]
    Run(run),
    Schedules(schedules),
    Schema(schema),
    Completions(completions),
    Man(man),
}
