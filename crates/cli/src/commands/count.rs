//! `millicron count`.

use std::io::Write;

use clap::Args;
use serde_json::json;

use crate::error::Error;
use crate::output::Output;
use crate::query::clock::Clock;
use crate::query::schedule::{RangeArguments, ScheduleArguments};
use crate::times::Now;

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

impl Count {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let range = self.range.read(now, &read.shown)?;
        let count = read.schedule.count(range.clone());
        if output.is_json() {
            let mut clock = Clock::new(&read.shown, read.schedule.schedule());
            let start = clock.rfc3339(range.start);
            let end = clock.rfc3339(range.end);
            output.json(&json!({ "count": count, "start": start, "end": end }))?;
        } else {
            writeln!(output, "{count}")?;
        }
        Ok(())
    }
}
