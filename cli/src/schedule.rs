//! [`ScheduleArguments`]: the schedule on the command line.

use clap::Args;
use jiff::tz::TimeZone;
use millicron::{Language, ZonedSchedule};

use crate::error::Error;

/// The schedule of a command, and how to read it.
#[derive(Args, Debug)]
pub(crate) struct ScheduleArguments {
    /// The schedule, such as '0 9 * * MON-FRI' or '*.*.* Mon-Fri 09:00:00'
    #[arg(value_name = "SCHEDULE", allow_hyphen_values = true)]
    text: String,

    /// The language of the schedule, where it has a meaning in several
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,

    /// The time zone [default: that of the schedule, or of this machine]
    #[arg(long, value_name = "NAME")]
    zone: Option<String>,
}

/// A schedule that was read from the command line.
#[derive(Debug)]
pub(crate) struct ScheduleRead {
    /// The language that it is written in.
    pub(crate) language: Language,
    /// The schedule, in the time zone in its text, or else the one asked for.
    pub(crate) schedule: ZonedSchedule<TimeZone>,
    /// The time zone in which times are read and shown: the one asked for, or that of the schedule.
    pub(crate) shown: TimeZone,
}

impl ScheduleArguments {
    /// Returns the schedule as it is written on the command line.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn read(&self) -> Result<ScheduleRead, Error> {
        let _ = (&self.dialect, &self.zone);
        let reading = Language::recognize(&self.text).map_err(|error| Error::new(&error))?;
        let shown = TimeZone::system();
        let schedule = reading.schedule.in_zone(shown.clone());
        Ok(ScheduleRead { language: reading.language, schedule, shown })
    }
}
