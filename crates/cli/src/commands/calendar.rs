//! `millicron calendar`.

use clap::Args;
use millicron_pictures::{YearCalendar, iso_date};
use serde_json::json;

use crate::error::Error;
use crate::output::Output;
use crate::query::picture::PictureArguments;
use crate::query::schedule::ScheduleArguments;
use crate::times::{Now, zone_name};

/// Draw the days of a year that have events
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron calendar '0 9 * * MON-FRI'
  millicron calendar '*.*.13 | Fri 12:00:00' --year 2027
  millicron calendar '@hourly' --zone Europe/Berlin --output hourly.svg")]
pub(crate) struct Calendar {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// The year [default: this year]
    #[arg(long, value_parser = clap::value_parser!(i32).range(2000..=2100))]
    year: Option<i32>,

    #[command(flatten)]
    picture: PictureArguments,
}

impl Calendar {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let year = match self.year {
            Some(year) => year,
            None => now.in_zone(&read.shown)?.year().into(),
        };
        let mut calendar =
            YearCalendar::new(&read.schedule, &read.shown, year, &self.schedule.text);
        let (names, open) = (read.calendars().into_keys().collect::<Vec<_>>(), read.open_days());
        if let Some(open) = &open {
            calendar = calendar.closed_outside(open, &names.join(" or "));
        }
        let to_json = || {
            let days = calendar.days().filter(|(_, count)| *count > 0);
            let days = days.map(|(date, count)| json!({ "date": iso_date(date), "count": count }));
            let (days, zone) = (days.collect::<Vec<_>>(), zone_name(&read.shown));
            let closed =
                open.as_ref().map(|_| calendar.closed_weekdays().map(iso_date).collect::<Vec<_>>());
            json!({
                "year": year,
                "time_zone": zone,
                "count": calendar.total(),
                "days": days,
                "calendars": names,
                "closed": closed,
            })
        };
        self.picture.show(&calendar, to_json, output)
    }
}
