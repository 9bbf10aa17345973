//! `millicron prev`.

use clap::Args;

use crate::error::Error;
use crate::output::Output;
use crate::query::events::EventArguments;
use crate::query::schedule::ScheduleArguments;
use crate::times::{Now, Time, positive};

/// List the previous events of a schedule, latest first
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron prev '@daily' -n 1
  millicron prev '30 2 * * *' --zone Europe/Berlin --from 2026-10-26 -n 3")]
pub(crate) struct Prev {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// How many events
    #[arg(short = 'n', long, default_value_t = 5, value_parser = positive, allow_hyphen_values = true)]
    number: usize,

    /// List events before this time
    #[arg(long, value_name = "TIME", default_value = "now", allow_hyphen_values = true)]
    from: Time,

    #[command(flatten)]
    events: EventArguments,
}

impl Prev {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let from = self.from.millis(now, &read.shown)?;
        let events = read.schedule.events(..from).rev().take(self.number);
        self.events.write(&read, events, output)
    }
}
