//! Reads the text of a stored schedule.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use millicron::zone::nearest_zones;
use millicron::{
    Calendar, Calendars, Language, NamedZone as _, ParseErrorKind, Reading, RecognizeError,
    ZonedSchedule,
};

use super::error::InvalidSchedule;

/// What decides when a schedule has events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition<'a> {
    pub(crate) schedule: &'a str,
    pub(crate) dialect: Option<&'a str>,
    pub(crate) zone: Option<&'a str>,
    pub(crate) calendars: &'a [String],
}

impl Definition<'_> {
    /// Reads the schedule with the calendars that it may name.
    pub(crate) fn read(
        self,
        calendars: &dyn Calendars,
    ) -> Result<ZonedSchedule<TimeZone>, InvalidSchedule> {
        let reading = self.read_text(calendars)?;
        let mut schedule = reading.schedule;
        let mut days: Option<Calendar> = None;
        for name in self.calendars {
            let calendar = calendars.find(name).ok_or_else(|| {
                let mut known = calendars.names();
                known.sort();
                InvalidSchedule::UnknownCalendar { name: name.clone(), known }
            })?;
            days = Some(match days {
                Some(days) => days & calendar,
                None => calendar,
            });
        }
        if let Some(days) = days {
            schedule = schedule.on(&days).map_err(|error| match error.kind() {
                // It names the calendar that `on` makes of theirs, which nobody has written.
                ParseErrorKind::NeverOnCalendar => {
                    InvalidSchedule::NeverOnCalendars(self.calendars.to_vec())
                }
                _ => InvalidSchedule::Text(error),
            })?;
        }
        let zone = match reading.zone.or(self.zone) {
            Some(name) => TimeZone::named(name).ok_or_else(|| InvalidSchedule::UnknownZone {
                name: name.to_owned(),
                nearest: nearest_zones::<TimeZone>(name),
            })?,
            None => TimeZone::UTC,
        };
        Ok(schedule.in_zone(zone))
    }

    /// Describes the schedule in the words of its language.
    pub(crate) fn describe(self, calendars: &dyn Calendars) -> Result<String, InvalidSchedule> {
        let reading = self.read_text(calendars)?;
        let mut description = reading.language.describe(&reading.schedule).to_string();
        for (index, name) in self.calendars.iter().enumerate() {
            let separator = if index == 0 { ", on the days of" } else { " and" };
            // Writing to a string does not fail.
            let _ = write!(description, "{separator} `{name}`");
        }
        Ok(description)
    }

    fn read_text(&self, calendars: &dyn Calendars) -> Result<Reading<'_>, InvalidSchedule> {
        let text = self.schedule;
        match self.dialect {
            Some(keyword) => Ok(Language::with_keyword(keyword)
                .ok_or_else(|| InvalidSchedule::UnknownDialect(keyword.to_owned()))?
                .read_with(text, calendars)?),
            None => Language::recognize_with(text, calendars).map_err(|error| match error {
                RecognizeError::Unreadable { error, .. } => InvalidSchedule::Text(error),
                ambiguous => InvalidSchedule::Ambiguous(ambiguous.to_string()),
            }),
        }
    }
}
