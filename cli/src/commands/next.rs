//! `millicron next`.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use crate::error::Error;
use crate::output::Output;
use crate::schedule::ScheduleArguments;
use crate::times::{Now, Time};

/// List the next events of a schedule
#[derive(Args, Debug)]
pub(crate) struct Next {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// How many events
    #[arg(short = 'n', long, default_value_t = 5)]
    number: u64,

    /// The instant after which to begin
    #[arg(long, value_name = "TIME")]
    from: Option<Time>,
}

impl Next {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        let read = self.schedule.read()?;
        let from = match self.from {
            Some(time) => time.resolve(now, &read.shown)?,
            None => now.in_zone(&read.shown),
        };
        let number = usize::try_from(self.number).unwrap_or(usize::MAX);
        for event in read.schedule.upcoming(&from).take(number) {
            writeln!(output, "{event}")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
