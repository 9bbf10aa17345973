//! `millicron between`.

use clap::Args;

use crate::error::Error;
use crate::output::Output;
use crate::query::events::EventArguments;
use crate::query::schedule::{RangeArguments, ScheduleArguments};
use crate::times::{Now, positive};

/// List the events of a schedule between two times
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron between '*/15 9-17 * * *' today tomorrow
  millicron between '30 2 * * *' 2026-10-24 2026-10-27 --zone Europe/Berlin")]
pub(crate) struct Between {
    #[command(flatten)]
    schedule: ScheduleArguments,

    #[command(flatten)]
    range: RangeArguments,

    /// The maximum number of events [default: all]
    #[arg(short = 'n', long, value_parser = positive, allow_hyphen_values = true)]
    number: Option<usize>,

    #[command(flatten)]
    events: EventArguments,
}

impl Between {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let range = self.range.read(now, &read.shown)?;
        let events = read.schedule.events(range).take(self.number.unwrap_or(usize::MAX));
        self.events.write(&read, events, output)
    }
}
