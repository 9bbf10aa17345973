//! `millicron schedules put`.

use std::io::Write;

use millicron::Language;
use millicron_apalis::stored::StoredSchedule;

use super::database::Database;
use super::entry::{DEFAULT_ZONE, Entry, invalid};
use super::show::{add_meaning, write_description, write_next};
use crate::characters::visible;
use crate::error::Error;
use crate::output::Output;
use crate::query::calendars::unnamed_calendar;
use crate::query::schedule::{ScheduleArguments, ScheduleRead};
use crate::schedules::arguments::{DatabaseArguments, Put};
use crate::times::{Now, Time};

/// How many events to show.
const NEXT: usize = 3;

/// How often to begin again because another process has changed the schedule in the meantime.
const ATTEMPTS: usize = 10;

pub(super) fn run(
    put: Put,
    database: &DatabaseArguments,
    now: &Now,
    output: &mut Output,
) -> Result<(), Error> {
    // Errors in the schedule come before those of the database.
    let ScheduleArguments { text, dialect, zone, calendars } = put.schedule;
    let (calendars, unnamed) = calendars.read_for(&text)?;
    let dialect = dialect.map(Language::from);
    let asked = Some(zone.as_deref().unwrap_or(DEFAULT_ZONE));
    let read = ScheduleRead::new(&text, dialect, asked, calendars.clone())?;
    if let Some(name) = unnamed.iter().find(|name| !put.in_calendars.contains(name)) {
        return Err(Error::new(unnamed_calendar(name))
            .hint(format_args!("write `@{name}` after its time, or add --in-calendar {name}")));
    }
    if zone.is_some() && read.shown != *read.schedule.zone() {
        return Err(Error::new("the schedule has its own time zone").hint("leave out --zone"));
    }
    let shown = read.schedule.zone();
    let mut schedule = StoredSchedule::new(put.name, text);
    schedule.dialect = dialect.map(|language| language.keyword().to_owned());
    schedule.zone = zone;
    schedule.calendars = put.in_calendars;
    schedule.payload = put.payload.unwrap_or_default();
    (schedule.missed, schedule.catch_up, schedule.tags) = (put.missed, put.catch_up, put.tags);
    let instant = |time: Option<Time>| time.map(|time| time.millis(now, shown)).transpose();
    (schedule.starts_at, schedule.ends_at) = (instant(put.starts)?, instant(put.ends)?);
    schedule.read(&calendars).map_err(|error| invalid(&error))?;
    let database = Database::create(database, calendars.clone())?;
    let (change, version) = write(&database, &mut schedule, put.version)?;
    // With what the database has set.
    let stored = database.get(&schedule.name)?.unwrap_or(schedule);
    let entry = Entry::new(stored, None, &calendars);
    let next = entry.next(now.millis(&entry.shown)?, NEXT);
    if output.is_json() {
        let mut value = entry.to_json();
        value["change"] = change.into();
        add_meaning(&mut value, &entry, next.as_deref());
        return output.json(&value);
    }
    writeln!(output, "{}: {change}, version {version}\n", visible(&entry.stored.name))?;
    write_description(&entry, output)?;
    write_next(&entry, now, next.as_deref(), output)
}

/// Creates or changes a schedule. Returns what has happened to it, and its version.
fn write(
    database: &Database,
    schedule: &mut StoredSchedule,
    version: Option<i64>,
) -> Result<(&'static str, i64), Error> {
    for _ in 0..ATTEMPTS {
        let before = database.get(&schedule.name)?;
        schedule.paused = before.as_ref().is_some_and(|before| before.paused);
        let found = before.and_then(|before| before.version).unwrap_or_default();
        if let Some(expected) = version.filter(|expected| *expected != found) {
            return Err(conflict(&schedule.name, expected, found));
        }
        schedule.version = Some(found);
        if let Some(version) = database.put(schedule)? {
            let change = match found {
                0 => "created",
                _ if found == version => "unchanged",
                _ => "changed",
            };
            return Ok((change, version));
        }
    }
    Err(Error::new(format_args!("other processes keep changing the schedule `{}`", schedule.name)))
}

/// Returns the error that a schedule does not have the version that is to be changed.
fn conflict(name: &str, expected: i64, found: i64) -> Error {
    match (expected, found) {
        (_, 0) => Error::new(format_args!("there is no schedule `{name}`"))
            .hint("leave out --version to create it"),
        (0, _) => Error::new(format_args!("there is a schedule `{name}` already"))
            .hint(format_args!("change it with --version {found}")),
        _ => Error::new(format_args!(
            "the schedule `{name}` has changed: its version is {found}, not {expected}"
        ))
        .hint(format_args!("see `millicron schedules show {name}`")),
    }
}
