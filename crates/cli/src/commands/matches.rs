//! `millicron matches`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::error::Error;
use crate::output::Output;
use crate::query::events::EventWriter;
use crate::query::schedule::{ScheduleArguments, ScheduleRead};
use crate::times::{Now, Time, span};

/// Check whether a time is an event of a schedule
///
/// The exit status is 0 if it is, and 1 if it is not.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron matches '0 9 * * MON-FRI' '2026-03-30 9:00' --zone Europe/Berlin
  millicron matches '*/5 * * * *' --within 1m --quiet")]
pub(crate) struct Matches {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// The time
    #[arg(value_name = "TIME", default_value = "now", allow_hyphen_values = true)]
    time: Time,

    /// How long after an event a time still matches, such as 1m
    #[arg(long, value_name = "SPAN", default_value = "0s", allow_hyphen_values = true)]
    within: String,

    /// Write nothing
    #[arg(short, long)]
    quiet: bool,
}

impl Matches {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        let read = self.schedule.read()?;
        let time = self.time.resolve(now, &read.shown)?;
        let since = time.saturating_sub(span(&self.within)?);
        let schedule = &read.schedule;
        let event = schedule.events(&since..=&time).next_back();
        let event = event.map(|it| it.timestamp().as_millisecond());
        let near = [schedule.prev_event(&time), schedule.next_event(&time)];
        let [previous, next] = near.map(|it| Some(it?.timestamp().as_millisecond()));
        if !self.quiet {
            write(&read, [event, previous, next], output).or_else(Error::unless_closed)?;
            read.note_years([&since, &time].map(|time| time.timestamp().as_millisecond()));
        }
        Ok(if event.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Writes the matching event, and the events before and after the time.
fn write(read: &ScheduleRead, events: [Option<i64>; 3], output: &mut Output) -> Result<(), Error> {
    let mut writer = EventWriter::new(read);
    if output.is_json() {
        let [event, previous, next] = events.map(|it| Some(writer.json(it?)));
        return output.json(&json!({
            "matches": event.is_some(), "event": event, "previous": previous, "next": next
        }));
    }
    for (label, event) in ["event", "previous", "next"].into_iter().zip(events) {
        let text = event.map_or_else(|| "none".to_owned(), |event| writer.text(event));
        output.labelled(label, 10, &text)?;
    }
    Ok(())
}
