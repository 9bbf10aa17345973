//! `millicron days`.

use std::path::{Path, PathBuf};

use clap::Args;
use jiff::tz::TimeZone;
use millicron::{Calendar, CalendarDigits};
use millicron_pictures::{YearCalendar, iso_date};
use serde_json::json;

use crate::error::Error;
use crate::file::load_calendar;
use crate::import::import;
use crate::output::Output;
use crate::query::calendars::{CalendarArguments, calendar_error};
use crate::query::picture::PictureArguments;
use crate::times::Now;

/// Draw the days of a calendar in a year, or import a calendar
///
/// An imported calendar has all days from Monday to Friday except those of an iCalendar file or of a list of dates,
/// one in each line. Of an iCalendar file, the events that last whole days count, with their rules.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron days nyse.days
  millicron days nyse.days --year 2027 --output nyse.svg
  millicron days office.days --calendar holidays.days
  millicron days --import holidays.ics > holidays.days")]
pub(crate) struct Days {
    /// The text of the calendar; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "import")]
    file: Option<PathBuf>,

    #[command(flatten)]
    calendars: CalendarArguments,

    /// The year [default: this year]
    #[arg(long, value_parser = clap::value_parser!(i32).range(2000..=2100))]
    year: Option<i32>,

    /// Write the text of a calendar with the dates of an iCalendar file or of a list
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "files", "year", "drawn_as", "json"])]
    import: Option<PathBuf>,

    /// The imported dates are the days of the calendar, and not closed days
    #[arg(long, requires = "import", conflicts_with = "file")]
    open: bool,

    #[command(flatten)]
    picture: PictureArguments,
}

impl Days {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        if let Some(path) = &self.import {
            output.exclude_json("--import", true)?;
            return self.picture.write(&import(path, self.open)?, output);
        }
        let path = self.file.as_deref().unwrap_or(Path::new("-"));
        let calendar = self.read(path)?;
        let year = match self.year {
            Some(year) => year,
            None => now.in_zone(&TimeZone::system())?.year().into(),
        };
        let picture = YearCalendar::of_days(&calendar, year, &path.display().to_string());
        let to_json = || {
            let days = picture.days().filter(|(_, count)| *count > 0);
            let first = calendar.first::<CalendarDigits>();
            json!({
                "count": calendar.len(),
                "first": first.map(iso_date),
                "last": calendar.last::<CalendarDigits>().map(iso_date),
                "year": year,
                "days": days.map(|(date, _)| iso_date(date)).collect::<Vec<_>>(),
                "closed": picture.closed_weekdays().map(iso_date).collect::<Vec<_>>(),
            })
        };
        self.picture.show(&picture, to_json, output)
    }

    /// Reads the calendar.
    fn read(&self, path: &Path) -> Result<Calendar, Error> {
        let others = self.calendars.read()?;
        let text = load_calendar(path)?;
        Calendar::parse_with(&text, &others).map_err(|error| {
            // Unless it is given, the calendar by the name of the file is this one.
            let name = path.file_stem().and_then(|stem| stem.to_str());
            let itself = name.filter(|name| text.get(error.span()) == Some(*name));
            let all = itself.map(|name| Calendar::parse_all([(name, &text)]));
            match all {
                Some(Err(circle)) => calendar_error(path, &text, circle.error()),
                _ => calendar_error(path, &text, &error),
            }
        })
    }
}
