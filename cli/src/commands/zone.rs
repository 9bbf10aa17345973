//! `millicron zone`.

use std::process::ExitCode;

use clap::Args;
use jiff::ToSpan as _;
use millicron_pictures::ClockChanges;

use crate::changes::ClockChangeEvents;
use crate::clock::Clock;
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
    #[arg(value_name = "ZONE", allow_hyphen_values = true)]
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
        let until = from.saturating_add(self.years.years());
        let millis = |time: jiff::Zoned| time.timestamp().as_millisecond();
        let text = self.schedule.text();
        let range = millis(from)..millis(until);
        let changes = ClockChanges::new(&schedule, range.start, range.end, text);
        if output.is_json() {
            let mut clock = Clock::new(&zone, schedule.schedule());
            let changes = ClockChangeEvents::all(&schedule, range);
            output.json(&changes.iter().map(|it| it.json(&mut clock)).collect::<Vec<_>>())?;
        } else {
            self.picture.draw(&changes, output)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
