//! `millicron next`.

use clap::Args;

use crate::error::Error;
use crate::output::Output;
use crate::query::events::EventArguments;
use crate::query::schedule::ScheduleArguments;
use crate::times::{Now, Time, positive};

/// List the next events of a schedule
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron next '0 9 * * MON-FRI'
  millicron next '*.*.L 17:00:00' -n 12 --from 2026-01-01
  millicron next '0 9 * * MON-FRI' -n 10 --zone Europe/Berlin --from 'tomorrow 8:00'
  millicron next '*:*:*.*/250' -n 8 --format %s")]
pub(crate) struct Next {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// How many events
    #[arg(short = 'n', long, default_value_t = 5, value_parser = positive, allow_hyphen_values = true)]
    number: usize,

    /// List events from this time on
    #[arg(long, value_name = "TIME", default_value = "now", allow_hyphen_values = true)]
    from: Time,

    #[command(flatten)]
    events: EventArguments,
}

impl Next {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let from = self.from.millis(now, &read.shown)?;
        let events = read.schedule.events(from..).take(self.number);
        self.events.write(&read, events, output)
    }
}
