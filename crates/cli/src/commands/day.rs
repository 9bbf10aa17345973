//! `millicron day`.

use clap::Args;
use millicron::CalendarDigits;
use millicron_pictures::{DayChart, iso_date};
use serde_json::{Value, json};

use crate::error::Error;
use crate::output::Output;
use crate::query::clock::Clock;
use crate::query::events::EventWriter;
use crate::query::picture::PictureArguments;
use crate::query::schedule::{ScheduleArguments, ScheduleRead};
use crate::times::{Now, Time, no_day, zone_name};

/// Draw the events of a day
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron day '*/20 8-18 * * *'
  millicron day '*:*/7:00' --date tomorrow
  millicron day '*:30:00' --zone Europe/Berlin --date 2026-10-25 --output day.html")]
pub(crate) struct Day {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// The day
    #[arg(long, value_name = "TIME", default_value = "today", allow_hyphen_values = true)]
    date: Time,

    #[command(flatten)]
    picture: PictureArguments,
}

impl Day {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let date = self.date.date(now, &read.shown)?;
        let midnight = CalendarDigits::from(date.at(0, 0, 0, 0));
        let day = DayChart::new(&read.schedule, &read.shown, midnight, &self.schedule.text);
        let day = day.ok_or_else(|| no_day(date, &read.shown))?;
        self.picture.show(&day, || to_json(&day, &read), output)
    }
}

fn to_json(day: &DayChart, read: &ScheduleRead) -> Value {
    let mut clock = Clock::of_zone(&read.shown);
    let hours = day.hours().map(|(begin, count)| {
        let mut hour = clock.json(begin);
        hour["count"] = count.into();
        hour
    });
    let hours = hours.collect::<Vec<_>>();
    let mut writer = EventWriter::new(read);
    let events = day.events();
    let events = events.map(|it| it.iter().map(|at| writer.json(*at)).collect::<Vec<_>>());
    json!({
        "date": iso_date(day.date()),
        "time_zone": zone_name(&read.shown),
        "count": day.total(),
        "hours": hours,
        "events": events,
    })
}
