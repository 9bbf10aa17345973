//! `millicron zone`.

use clap::Args;
use jiff::ToSpan as _;
use jiff::tz::TimeZone;
use millicron::Language;
use millicron_pictures::ClockChanges;

use crate::error::Error;
use crate::language::LanguageName;
use crate::output::Output;
use crate::query::calendars::CalendarArguments;
use crate::query::changes::changes_to_json;
use crate::query::clock::Clock;
use crate::query::picture::PictureArguments;
use crate::query::schedule::{ScheduleRead, note_unnamed};
use crate::times::{Now, time_zone, zone_name};

/// Draw how a schedule is affected in the weeks around each clock change
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

    /// The schedule, such as '30 2 * * *' or '*.*.* Mon-Fri 02:30:00'
    #[arg(value_name = "SCHEDULE")]
    text: String,

    /// The language of the schedule, if the text is ambiguous
    #[arg(long, value_name = "NAME")]
    dialect: Option<LanguageName>,

    #[command(flatten)]
    calendars: CalendarArguments,

    /// How many years to cover, starting now
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(i32).range(1..=10))]
    years: i32,

    #[command(flatten)]
    picture: PictureArguments,
}

impl Zone {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let zone = self.zone()?;
        let dialect = self.dialect.map(Language::from);
        let (calendars, unnamed) = self.calendars.read_for(&self.text)?;
        let read = ScheduleRead::new(&self.text, dialect, Some(&self.place), calendars)?;
        note_unnamed(&unnamed);
        let schedule = read.schedule;
        if *schedule.zone() != zone {
            let (own, place) = (zone_name(schedule.zone()), &self.place);
            let message = format_args!("the schedule is in {own}, not in {place}");
            return Err(Error::new(message).hint(format_args!(
                "write `millicron zone {own}` to see its clock changes, or leave the zone out of the schedule"
            )));
        }
        let from = now.in_zone(&zone)?;
        let until = from.saturating_add(self.years.years());
        let millis = |time: jiff::ZonedDateTime| time.timestamp().as_millisecond();
        let changes = ClockChanges::new(&schedule, millis(from), millis(until), &self.text);
        let mut clock = Clock::new(&zone, schedule.schedule());
        self.picture.show(&changes, || changes_to_json(changes.changes(), &mut clock), output)
    }

    /// Returns the time zone whose clocks change.
    fn zone(&self) -> Result<TimeZone, Error> {
        let Self { place, text, .. } = self;
        time_zone(Some(place)).map_err(|error| match time_zone(Some(text)) {
            Ok(_) => Error::new(format_args!("`{place}` is not a time zone, but `{text}` is"))
                .hint(format_args!("the zone comes first: `millicron zone {text} '{place}'`")),
            Err(_) => error,
        })
    }
}
