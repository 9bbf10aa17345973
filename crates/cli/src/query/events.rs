//! [`EventArguments`]: listing events as lines of text or JSON.

use std::io::Write;

use clap::Args;
use jiff::Timestamp;
use jiff::fmt::strtime::{BrokenDownTime, Config, PosixCustom};
use millicron::{Occurrence, Resolution};
use millicron_pictures::{Length, time_of_day};
use serde::Serialize;

use crate::error::{Error, note};
use crate::output::{BOLD, DIM, Output};
use crate::query::clock::{Clock, civil_text};
use crate::query::schedule::ScheduleRead;

/// The note written in place of an empty list.
pub(crate) const NO_EVENT: &str = "there is no such event";

/// How events are written.
#[derive(Args, Debug)]
pub(crate) struct EventArguments {
    /// Write each event in a strftime(3) format, such as '%F %T %Z' or '%s'; `%+`, `%E` and `%O` are not supported
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<String>,
}

impl EventArguments {
    /// Writes events, one per line.
    pub(crate) fn write(
        &self,
        read: &ScheduleRead,
        events: impl Iterator<Item = i64>,
        output: &mut Output,
    ) -> Result<(), Error> {
        output.exclude_json("--format", self.format.is_some())?;
        let mut writer = EventWriter::new(read);
        let mut is_empty = true;
        for event in events {
            is_empty = false;
            match &self.format {
                Some(format) => writer.write_formatted(event, format, output)?,
                None => writer.write(event, output)?,
            }
        }
        if is_empty && !output.is_json() {
            output.flush()?;
            note(NO_EVENT);
        }
        Ok(())
    }
}

/// An event in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct EventJson {
    /// The instant, in the displayed time zone.
    time: String,
    unix_ms: i64,
    /// The scheduled local time, in the schedule's time zone.
    civil: String,
    resolution: &'static str,
}

/// Formats events in the displayed time zone.
#[derive(Debug)]
pub(crate) struct EventWriter<'a> {
    read: &'a ScheduleRead,
    clock: Clock,
    /// In the schedule's own time zone.
    own: Clock,
}

impl<'a> EventWriter<'a> {
    pub(crate) fn new(read: &'a ScheduleRead) -> Self {
        let clock = |zone| Clock::new(zone, read.schedule.schedule());
        Self { read, clock: clock(&read.shown), own: clock(read.schedule.zone()) }
    }

    /// Writes one event as a line of text or JSON.
    fn write(&mut self, event: i64, output: &mut Output) -> Result<(), Error> {
        if output.is_json() {
            return output.json(&self.json(event));
        }
        output.write_all(self.text(event).as_bytes())?;
        match self.remark(event) {
            Some(remark) => writeln!(output, "  {DIM}{remark}{DIM:#}")?,
            None => output.write_all(b"\n")?,
        }
        Ok(())
    }

    fn write_formatted(&self, event: i64, format: &str, output: &mut Output) -> Result<(), Error> {
        let event = Timestamp::from_millisecond(event).map_err(Error::of)?;
        let time = BrokenDownTime::from(&event.to_zoned_datetime(self.read.shown.clone()));
        // `%c` and `%x` are those of the C locale.
        let config = Config::new().custom(PosixCustom::new());
        let text = time.to_string_with_config(&config, format).map_err(|error| {
            Error::because(format_args!("`{format}` is not a format"), error)
                .hint("write a strftime(3) format, such as '%F %T %Z' or '%s'")
        })?;
        Ok(writeln!(output, "{text}")?)
    }

    /// Formats an event's time for people.
    pub(crate) fn text(&mut self, event: i64) -> String {
        self.clock.for_people(event)
    }

    /// Converts an event to JSON.
    pub(crate) fn json(&mut self, event: i64) -> EventJson {
        let occurrence = self.occurrence(event);
        let resolution = match occurrence.map(|it| it.resolution) {
            Some(Resolution::Unique) | None => "unique",
            Some(Resolution::Shifted) => "shifted",
            Some(Resolution::FirstPass) => "first_pass",
            Some(Resolution::SecondPass) => "second_pass",
        };
        let civil = match occurrence {
            Some(Occurrence { civil, resolution: Resolution::Shifted, .. }) => civil_text(civil),
            _ => self.own.civil(event),
        };
        EventJson { time: self.clock.rfc3339(event), unix_ms: event, civil, resolution }
    }

    /// Returns how the schedule resolved an event, if a clock change may affect it.
    fn occurrence(&mut self, event: i64) -> Option<Occurrence<i64>> {
        if self.own.is_steady(event) { None } else { self.read.schedule.occurrence(event) }
    }

    /// Describes how a clock change affects an event, if it does.
    pub(crate) fn remark(&mut self, event: i64) -> Option<String> {
        let Occurrence { civil, resolution, .. } = self.occurrence(event)?;
        match resolution {
            Resolution::Unique => None,
            Resolution::Shifted => {
                let time = time_of_day(civil.to_millis());
                Some(format!("for {time}, which the clocks skip"))
            }
            Resolution::FirstPass => Some(String::from("before the clocks are set back")),
            Resolution::SecondPass => Some(String::from("after the clocks were set back")),
        }
    }
}

/// Writes events from an instant on, each with how far away it is.
pub(crate) fn write_upcoming(
    read: &ScheduleRead,
    now: i64,
    events: &[i64],
    output: &mut Output,
) -> Result<(), Error> {
    let mut writer = EventWriter::new(read);
    writeln!(output, "\n{BOLD}Next events{BOLD:#}")?;
    if events.is_empty() {
        writeln!(output, "  none")?;
    }
    for event in events {
        let mut remarks = match Length::between(now, *event) {
            Length(0) => String::from("now"),
            distance => format!("in {distance}"),
        };
        remarks.extend(writer.remark(*event).map(|remark| format!(", {remark}")));
        let time = writer.text(*event);
        let beside = time.len() + 4;
        let has_room = beside + remarks.chars().count() <= output.width();
        let (separator, column) = if has_room { ("  ", beside) } else { ("\n    ", 4) };
        write!(output, "  {time}{separator}{DIM}")?;
        output.wrapped(column, &remarks)?;
        writeln!(output, "{DIM:#}")?;
    }
    Ok(())
}
