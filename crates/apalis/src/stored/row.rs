//! [`Row`]: a row of the table, as the database returns it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::InvalidSchedule;
use super::payload;
use super::schedule::{StoredSchedule, missed};

/// A schedule, or a version that a change has ended. Instants and durations are in milliseconds.
///
/// Users write rows by SQL, so each can be deserialized whatever it contains: lists and the payload are JSON texts,
/// which are read one by one.
#[derive(Deserialize)]
pub(super) struct Row {
    /// The number by which the row is found again, instead of the name.
    #[serde(default)]
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) schedule: String,
    pub(super) dialect: Option<String>,
    pub(super) zone: Option<String>,
    calendars: String,
    payload: String,
    pub(super) paused: bool,
    missed: String,
    pub(super) catch_up: i64,
    pub(super) starts_at: Option<i64>,
    pub(super) ends_at: Option<i64>,
    /// Some of the texts are not UTF-8.
    #[serde(skip)]
    is_damaged: bool,

    // Of claimed rows:
    /// Earlier events are decided.
    #[serde(default)]
    pub(super) since: i64,
    /// Events that were asked for.
    triggered: Option<String>,
    /// When it was claimed, by the database's clock.
    #[serde(default)]
    pub(super) now: i64,
    /// Until when the database knows that its events may be tasks. `None` if that is not needed.
    pub(super) claimed_through: Option<i64>,

    // Of listed rows:
    /// In hexadecimal digits. `None` in a database whose texts are all UTF-8.
    name_bytes: Option<String>,
    tags: Option<String>,
    version: Option<i64>,
    next_at: Option<i64>,
    last_at: Option<i64>,

    // Of both:
    /// Why it could not be read, or its tasks could not be pushed, the last time.
    pub(super) error: Option<String>,
}

impl Row {
    pub(super) fn read(row: &[u8]) -> Result<Self, serde_json::Error> {
        let text = String::from_utf8_lossy(row);
        let is_damaged = matches!(text, Cow::Owned(_));
        Ok(Self { is_damaged, ..serde_json::from_str(&text)? })
    }

    pub(super) fn check_texts(&self) -> Result<(), InvalidSchedule> {
        if self.is_damaged {
            return Err(InvalidSchedule::Row("a text is not UTF-8".to_owned()));
        }
        Ok(())
    }

    pub(super) fn calendars(&self) -> Result<Vec<String>, InvalidSchedule> {
        read_list("calendars", Some(&self.calendars))
    }

    /// Returns the events that were asked for.
    pub(super) fn triggered(&self) -> Result<BTreeSet<i64>, InvalidSchedule> {
        read_list("triggered", self.triggered.as_deref())
    }

    pub(super) fn payload(&self) -> Result<Value, InvalidSchedule> {
        let value = serde_json::from_str(&self.payload);
        let value = value.map_err(|error| InvalidSchedule::Payload(error.to_string()))?;
        payload::check(&value)?;
        Ok(value)
    }

    pub(super) fn missed(&self) -> Result<millicron_scheduler::Missed, InvalidSchedule> {
        missed::parse(&self.missed)
    }

    /// Returns a schedule for a list. What cannot be read has its default, and becomes an error.
    pub(super) fn into_schedule(self) -> StoredSchedule {
        let mut unreadable = self.check_texts().err();
        let mut schedule = StoredSchedule::new("", "");
        let calendars = self.calendars().map(|it| schedule.calendars = it);
        let payload = self.payload().map(|it| schedule.payload = it);
        let missed = self.missed().map(|it| schedule.missed = it);
        let tags = read_list("tags", self.tags.as_deref()).map(|it| schedule.tags = it);
        for result in [calendars, payload, missed, tags] {
            unreadable = unreadable.or(result.err());
        }
        let Self { name, schedule: text, dialect, zone, paused, starts_at, ends_at, .. } = self;
        let Self { version, next_at, last_at, .. } = self;
        let name_bytes = self.name_bytes.filter(|_| self.is_damaged);
        let error = self.error.or_else(|| unreadable.as_ref().map(ToString::to_string));
        let catch_up = Duration::from_millis(self.catch_up.try_into().unwrap_or_default());
        let StoredSchedule { calendars, payload, missed, tags, .. } = schedule;
        StoredSchedule {
            name,
            schedule: text,
            dialect,
            zone,
            calendars,
            payload,
            paused,
            missed,
            catch_up,
            starts_at,
            ends_at,
            tags,
            version,
            next_at,
            last_at,
            error,
            unreadable,
            name_bytes,
        }
    }
}

/// Reads a list of a column.
fn read_list<T: DeserializeOwned + Default>(
    column: &str,
    text: Option<&str>,
) -> Result<T, InvalidSchedule> {
    let list = text.map(serde_json::from_str).transpose();
    let list = list.map_err(|error| InvalidSchedule::Row(format!("{column}: {error}")))?;
    Ok(list.unwrap_or_default())
}
