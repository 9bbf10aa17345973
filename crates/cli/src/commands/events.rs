//! `millicron next`, `prev`, `between` and `count`.

use std::io::Write;
use std::ops::Range;

use clap::Args;
use serde_json::json;

use crate::error::Error;
use crate::output::Output;
use crate::query::clock::Clock;
use crate::query::events::EventArguments;
use crate::query::schedule::{RangeArguments, ScheduleArguments, ScheduleRead};
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
    list: ListArguments,
}

/// List the previous events of a schedule, latest first
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron prev '@daily' -n 1
  millicron prev '30 2 * * *' --zone Europe/Berlin --from 2026-10-26 -n 3")]
pub(crate) struct Prev {
    #[command(flatten)]
    list: ListArguments,
}

/// Events on one side of a time.
#[derive(Args, Debug)]
struct ListArguments {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// How many events
    #[arg(short = 'n', long, default_value_t = 5, value_parser = positive, allow_hyphen_values = true)]
    number: usize,

    /// List events from this time on (`prev`: events before it)
    #[arg(long, value_name = "TIME", default_value = "now", allow_hyphen_values = true)]
    from: Time,

    #[command(flatten)]
    events: EventArguments,
}

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

/// Count the events of a schedule between two times
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron count '*:*:*/5' 2026-01-01 2027-01-01
  millicron count '*/5 * * * *' now 'in 1 week'")]
pub(crate) struct Count {
    #[command(flatten)]
    schedule: ScheduleArguments,

    #[command(flatten)]
    range: RangeArguments,
}

impl Next {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let (read, from) = self.list.read(now)?;
        self.list.write(&read, read.schedule.events(from..), output)?;
        read.note_years([from]);
        Ok(())
    }
}

impl Prev {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let (read, from) = self.list.read(now)?;
        self.list.write(&read, read.schedule.events(..from).rev(), output)?;
        read.note_years([from.saturating_sub(1)]);
        Ok(())
    }
}

impl ListArguments {
    fn read(&self, now: &Now) -> Result<(ScheduleRead, i64), Error> {
        let read = self.schedule.read()?;
        let from = self.from.millis(now, &read.shown)?;
        Ok((read, from))
    }

    fn write(
        &self,
        read: &ScheduleRead,
        events: impl Iterator<Item = i64>,
        output: &mut Output,
    ) -> Result<(), Error> {
        self.events.write(read, events.take(self.number), output)
    }
}

impl Between {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let range = self.range.read(now, &read.shown)?;
        let events = read.schedule.events(range.clone());
        self.events.write(&read, events.take(self.number.unwrap_or(usize::MAX)), output)?;
        read.note_years(first_and_last(&range));
        Ok(())
    }
}

impl Count {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let range = self.range.read(now, &read.shown)?;
        let count = read.schedule.count(range.clone());
        if output.is_json() {
            let mut clock = Clock::new(&read.shown, read.schedule.schedule());
            let [start, end] = [range.start, range.end].map(|instant| clock.rfc3339(instant));
            output.json(&json!({ "count": count, "start": start, "end": end }))?;
        } else {
            writeln!(output, "{count}")?;
        }
        read.note_years(first_and_last(&range));
        Ok(())
    }
}

/// Returns the first and the last millisecond of a range.
fn first_and_last(range: &Range<i64>) -> [i64; 2] {
    [range.start, range.end.saturating_sub(1).max(range.start)]
}
