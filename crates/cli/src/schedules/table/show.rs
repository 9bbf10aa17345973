//! `millicron schedules show`.

use std::io::Write;

use millicron_apalis::stored::StoredSchedule;
use millicron_pictures::Length;
use serde_json::{Value, json};

use super::database::Database;
use super::entry::{Entry, Meaning, missed_text};
use super::unknown;
use crate::characters::visible;
use crate::error::{Error, note};
use crate::output::{BOLD, Output};
use crate::query::calendars::unknown_calendar;
use crate::query::clock::Clock;
use crate::query::events::{EventWriter, write_upcoming};
use crate::schedules::arguments::{DatabaseArguments, Show};
use crate::times::{Now, time_zone, zone_name};

pub(super) fn run(
    show: &Show,
    database: &DatabaseArguments,
    now: &Now,
    output: &mut Output,
) -> Result<(), Error> {
    let zone = show.zone.as_deref().map(|name| time_zone(Some(name))).transpose()?;
    let calendars = show.calendars.read()?;
    let database = Database::open(database)?;
    let Some(stored) = database.get(&show.name)? else {
        return Err(unknown(&database, &show.name)?);
    };
    let entry = Entry::new(stored, zone.as_ref(), &calendars);
    let next = entry.next(now.millis(&entry.shown)?, show.number);
    if output.is_json() {
        let mut value = entry.to_json();
        add_meaning(&mut value, &entry, next.as_deref());
        return output.json(&value);
    }
    write_description(&entry, output)?;
    if entry.meaning.is_ok() {
        writeln!(output)?;
    }
    write_settings(&entry, output)?;
    write_next(&entry, now, next.as_deref(), output)
}

/// Adds to the JSON of a schedule what it means.
pub(super) fn add_meaning(value: &mut Value, entry: &Entry, next: Option<&[i64]>) {
    let meaning = entry.meaning.as_ref().ok();
    value["language"] = json!(meaning.map(|it| it.read.language.keyword()));
    value["description"] = json!(meaning.map(|it| &it.description));
    value["time_zone"] = json!(meaning.map(|it| zone_name(it.read.schedule.zone())));
    value["next"] = meaning.zip(next).map_or(Value::Null, |(meaning, next)| {
        let mut writer = EventWriter::new(&meaning.read);
        next.iter().map(|event| json!(writer.json(*event))).collect()
    });
}

/// Writes in words what a schedule means.
pub(super) fn write_description(entry: &Entry, output: &mut Output) -> Result<(), Error> {
    let Ok(Meaning { description, .. }) = &entry.meaning else { return Ok(()) };
    write!(output, "{BOLD}")?;
    output.wrapped(0, description)?;
    Ok(writeln!(output, "{BOLD:#}")?)
}

fn write_settings(entry: &Entry, output: &mut Output) -> Result<(), Error> {
    let Entry { stored, meaning, .. } = entry;
    let mut clock = Clock::of_zone(&entry.shown);
    let mut time = |instant: Option<i64>| instant.map(|instant| clock.for_people(instant));
    let list = |names: &[String]| (!names.is_empty()).then(|| names.join(", "));
    let StoredSchedule { name, schedule, paused, payload, version, .. } = stored;
    let invalid = meaning.as_ref().err().map(ToString::to_string);
    let (zone, language) = match meaning {
        Ok(Meaning { read, .. }) => {
            (Some(zone_name(read.schedule.zone())), Some(read.language.to_string()))
        }
        Err(_) => (stored.zone.clone(), stored.dialect.clone()),
    };
    let rows = [
        ("name", Some(name.clone())),
        ("schedule", Some(schedule.clone())),
        ("language", language),
        ("time zone", zone),
        ("calendars", list(&stored.calendars)),
        ("starts", time(stored.starts_at)),
        ("ends", time(stored.ends_at)),
        ("payload", Some(payload.to_string())),
        ("missed", Some(missed_text(stored.missed))),
        ("catch-up", Some(Length::from(stored.catch_up).to_string())),
        ("tags", list(&stored.tags)),
        ("version", version.map(|version| version.to_string())),
        ("state", paused.then(|| "paused".to_owned())),
        ("error", stored.error.clone().or(invalid)),
        ("last event", time(stored.last_at)),
    ];
    for (label, text) in rows {
        if let Some(text) = text {
            output.labelled(label, 12, &visible(&text))?;
        }
    }
    Ok(())
}

/// Writes the next events, or why there are none.
pub(super) fn write_next(
    entry: &Entry,
    now: &Now,
    next: Option<&[i64]>,
    output: &mut Output,
) -> Result<(), Error> {
    let Ok(Meaning { read, .. }) = &entry.meaning else { return Ok(()) };
    match next {
        _ if entry.stored.paused => Ok(writeln!(
            output,
            "\n{BOLD}Next events{BOLD:#}\n  none until `millicron schedules resume`"
        )?),
        Some(next) => write_upcoming(read, now.millis(&entry.shown)?, next, output),
        None => {
            let name = entry.unknown.first().map_or("", |name| name);
            output.flush()?;
            let error = Error::new(format_args!(
                "the next events depend on the calendar `{name}`, which is not known here"
            ));
            note(unknown_calendar(error, name));
            Ok(())
        }
    }
}
