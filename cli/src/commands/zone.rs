//! `millicron zone`.

use std::process::ExitCode;

use clap::Args;
use jiff::{Timestamp, ToSpan as _};
use millicron_pictures::ClockChanges;
use serde_json::json;

use crate::error::Error;
use crate::output::Output;
use crate::picture::PictureArguments;
use crate::schedule::ScheduleArguments;
use crate::times::{Now, time_zone};

/// Draw what happens to a schedule in the weeks around each clock change
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron zone Europe/Berlin '30 2 * * *'
  millicron zone America/New_York '*/20 * * * *' --years 1
  millicron zone Australia/Lord_Howe '*:*/10:00' --output changes.html")]
pub(crate) struct Zone {
    /// The time zone whose clocks change
    #[arg(value_name = "ZONE")]
    place: String,

    #[command(flatten)]
    schedule: ScheduleArguments,

    /// For how many years, beginning now
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(i32).range(1..=10))]
    years: i32,

    #[command(flatten)]
    picture: PictureArguments,
}

impl Zone {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        let zone = time_zone(Some(&self.place))?;
        let read = self.schedule.read()?;
        let schedule = read.schedule.schedule().clone().in_zone(zone.clone());
        let from = now.in_zone(&zone);
        let until = from.checked_add(self.years.years()).map_err(Error::new)?;
        let millis = |time: jiff::Zoned| time.timestamp().as_millisecond();
        let text = self.schedule.text();
        let changes = ClockChanges::new(&schedule, millis(from), millis(until), text);
        if output.is_json() {
            let time = |instant: i64| {
                let instant = Timestamp::from_millisecond(instant).ok()?;
                Some(instant.to_zoned(zone.clone()).to_string())
            };
            let changes = changes.affected().map(|(instant, affected)| {
                let affected = affected.iter().map(|events| {
                    json!({
                        "first": events.first.to_string(),
                        "last": events.last.to_string(),
                        "events": events.count,
                        "effect": events.effect.to_string(),
                        "fires": events.fires.map(|fires| fires.to_string()),
                    })
                });
                let affected = affected.collect::<Vec<_>>();
                json!({ "change": time(instant), "affected": affected })
            });
            output.json(&changes.collect::<Vec<_>>())?;
        } else {
            self.picture.draw(&changes, output)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
